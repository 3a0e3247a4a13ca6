//! The ways to read the names of columns as models and classes.
//!
//! A name that holds the separator several times is a model and a class in several ways. A reading of all of
//! them is whole if every model has a column of every class, and no other. A model and a class say what their
//! column is called, so a reading is a choice of models and of classes whose names make up the columns, each
//! once. It is looked for in two steps: the classes, from those that the model of one column may have; and
//! with them the models, each of which takes all of its columns.

use std::collections::HashMap;

use super::ModelColumns;

/// Steps after which the search is given up: less than a second. Names as people write them take a few for each.
const MOST_STEPS: usize = 50_000_000;

/// Ways to take single names apart that are kept; columns by the thousand have a few each.
const MOST_WAYS: usize = 1_000_000;

/// What was found.
#[derive(Debug)]
pub enum Outcome {
    /// No reading.
    None,
    /// A reading of one model alone.
    Alone(String),
    /// The one reading of several models.
    One(Vec<ModelColumns>),
    /// Two of them; there may be more.
    Two(Vec<ModelColumns>, Vec<ModelColumns>),
    /// Nobody knows: there are too many ways.
    TooMany,
}

/// Every way to read each column.
pub struct Readings<'a> {
    columns: Vec<(&'a str, Vec<(usize, usize)>)>,
    models: Vec<&'a str>,
    classes: Vec<&'a str>,
    /// The column of a model and a class.
    of: HashMap<(usize, usize), usize>,
    /// The models that a class has a column of.
    owners: Vec<Vec<usize>>,
    /// The model of each column, in the readings that were found.
    found: Vec<Vec<(usize, usize)>>,
    alone: Option<usize>,
    steps: usize,
}

/// Whether a class is one of the reading's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    In,
    Out,
}

/// Which classes are decided, and how many of those that are in each model has.
#[derive(Debug, Clone)]
struct State {
    fates: Vec<Fate>,
    has: Vec<usize>,
    count: usize,
}

/// A column, and which of its models is tried.
struct Frame {
    column: usize,
    next: usize,
    placed: Option<usize>,
}

impl<'a> Readings<'a> {
    /// The columns that can be read at all; none where there are too many ways.
    pub fn new(
        names: &[&'a str],
        mut ways: impl FnMut(&'a str) -> Vec<(&'a str, &'a str)>,
    ) -> Option<Self> {
        let (mut models, mut classes) = (Numbered::default(), Numbered::default());
        let (mut columns, mut all) = (Vec::new(), 0);
        for name in names {
            let own: Vec<(usize, usize)> = ways(name)
                .into_iter()
                .map(|(model, class)| (models.number(model), classes.number(class)))
                .collect();
            all += own.len();
            if all > MOST_WAYS {
                return None;
            }
            if !own.is_empty() {
                columns.push((*name, own));
            }
        }
        let mut readings = Self {
            columns,
            models: models.names,
            classes: classes.names,
            of: HashMap::new(),
            owners: Vec::new(),
            found: Vec::new(),
            alone: None,
            steps: 0,
        };
        readings.number();
        Some(readings)
    }

    /// Keeps what can be read as one of these classes.
    pub fn keep(&mut self, classes: &[String]) {
        let kept: Vec<bool> =
            self.classes.iter().map(|own| classes.iter().any(|one| one == own)).collect();
        for (_, own) in &mut self.columns {
            own.retain(|(_, class)| kept[*class]);
        }
        self.columns.retain(|(_, own)| !own.is_empty());
        self.number();
    }

    /// The columns' names.
    pub fn columns(&self) -> Vec<&'a str> {
        self.columns.iter().map(|(name, _)| *name).collect()
    }

    fn number(&mut self) {
        self.of.clear();
        self.owners = vec![Vec::new(); self.classes.len()];
        for (column, (_, own)) in self.columns.iter().enumerate() {
            for &(model, class) in own {
                self.of.insert((model, class), column);
                self.owners[class].push(model);
            }
        }
    }

    /// The readings of several models, of these classes if they are known.
    pub fn search(mut self, classes: Option<&[String]>) -> Outcome {
        match classes {
            Some(classes) => {
                let number = |one: &String| self.classes.iter().position(|own| own == one);
                let set: Option<Vec<usize>> = classes.iter().map(number).collect();
                set.iter().for_each(|set| self.cover(set));
            }
            None => self.search_classes(),
        }
        if self.is_over() && self.found.len() < 2 {
            return Outcome::TooMany;
        }
        let mut found = self.found.iter().map(|found| self.named(found));
        match (found.next(), found.next()) {
            (Some(one), Some(other)) => Outcome::Two(one, other),
            (Some(one), None) => Outcome::One(one),
            (None, _) => self
                .alone
                .map_or(Outcome::None, |model| Outcome::Alone(self.models[model].to_owned())),
        }
    }

    fn is_over(&self) -> bool {
        self.steps > MOST_STEPS
    }

    fn is_done(&self) -> bool {
        self.found.len() > 1 || self.is_over()
    }

    /// One column, in each of its ways, with every choice of the classes that its model may have. Of a class
    /// that a column cannot do without nothing is left to choose.
    fn search_classes(&mut self) {
        let fewest = self.columns.iter().map(|(_, own)| own).min_by_key(|own| own.len());
        for (model, class) in fewest.cloned().unwrap_or_default() {
            let fate = |class| match self.of.contains_key(&(model, class)) {
                true => Fate::Open,
                false => Fate::Out,
            };
            let fates: Vec<Fate> = (0..self.classes.len()).map(fate).collect();
            let mut first = State { fates, has: vec![0; self.models.len()], count: 0 };
            self.take_in(&mut first, class);
            let mut open = vec![first];
            while let Some(mut state) = open.pop() {
                if self.is_done() {
                    return;
                }
                if !self.follow(&mut state) {
                    continue;
                }
                self.steps += state.fates.len() + state.has.len();
                match state.fates.iter().position(|fate| *fate == Fate::Open) {
                    Some(class) => {
                        let mut without = state.clone();
                        without.fates[class] = Fate::Out;
                        open.push(without);
                        self.take_in(&mut state, class);
                        open.push(state);
                    }
                    None => {
                        let is_in = |class: &usize| state.fates[*class] == Fate::In;
                        let set: Vec<usize> = (0..self.classes.len()).filter(is_in).collect();
                        self.cover(&set);
                    }
                }
            }
        }
    }

    fn take_in(&mut self, state: &mut State, class: usize) {
        state.fates[class] = Fate::In;
        state.count += 1;
        self.steps += self.owners[class].len();
        for &model in &self.owners[class] {
            state.has[model] += 1;
        }
    }

    /// Takes in what columns cannot do without; says whether each can still be read.
    fn follow(&mut self, state: &mut State) -> bool {
        loop {
            let mut changed = false;
            for column in 0..self.columns.len() {
                let own = &self.columns[column].1;
                self.steps += own.len();
                let fits = |(model, class): &&(usize, usize)| {
                    state.fates[*class] != Fate::Out && state.has[*model] == state.count
                };
                let mut fitting = own.iter().filter(fits);
                match (fitting.next().copied(), fitting.next()) {
                    (None, _) => return false,
                    (Some((_, class)), None) if state.fates[class] == Fate::Open => {
                        self.take_in(state, class);
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed || self.is_over() {
                return true;
            }
        }
    }

    /// The models that have a column of each of these classes and share none, so that no column is left: the
    /// first that is left is given to each model that it can be of.
    fn cover(&mut self, set: &[usize]) {
        let mut has = vec![0_usize; self.models.len()];
        let mut is_in = vec![false; self.classes.len()];
        for &class in set {
            is_in[class] = true;
            self.owners[class].iter().for_each(|model| has[*model] += 1);
        }
        let fits = |&&(model, class): &&(usize, usize)| is_in[class] && has[model] == set.len();
        let fit: Vec<Vec<usize>> = self
            .columns
            .iter()
            .map(|(_, own)| own.iter().filter(fits).map(|(model, _)| *model).collect())
            .collect();
        self.steps += is_in.len() + has.len() + 2 * self.of.len();
        if fit.iter().any(Vec::is_empty) {
            return;
        }
        let mut owner: Vec<Option<(usize, usize)>> = vec![None; fit.len()];
        let (mut frames, mut at): (Vec<Frame>, usize) = (Vec::new(), 0);
        loop {
            while owner.get(at).is_some_and(Option::is_some) {
                at += 1;
            }
            if at < fit.len() {
                frames.push(Frame { column: at, next: 0, placed: None });
            } else {
                self.note(&owner);
                if self.is_done() {
                    return;
                }
            }
            // On with the next model of the last column that has one.
            loop {
                let Some(frame) = frames.last_mut() else { return };
                if let Some(model) = frame.placed.take() {
                    self.cells(model, set).iter().for_each(|(column, _)| owner[*column] = None);
                }
                self.steps += set.len();
                let Some(&model) = fit[frame.column].get(frame.next) else {
                    frames.pop();
                    continue;
                };
                frame.next += 1;
                let cells = self.cells(model, set);
                if cells.iter().all(|(column, _)| owner[*column].is_none()) {
                    cells.iter().for_each(|&(column, class)| owner[column] = Some((model, class)));
                    frame.placed = Some(model);
                    at = frame.column;
                    break;
                }
            }
            if self.is_over() {
                return;
            }
        }
    }

    /// The columns of a model, with the classes that they are of.
    fn cells(&self, model: usize, set: &[usize]) -> Vec<(usize, usize)> {
        set.iter().filter_map(|&class| Some((*self.of.get(&(model, class))?, class))).collect()
    }

    fn note(&mut self, owner: &[Option<(usize, usize)>]) {
        let reading: Vec<(usize, usize)> = owner.iter().copied().flatten().collect();
        match reading.first() {
            Some((first, _)) if reading.iter().all(|(model, _)| model == first) => {
                self.alone = Some(*first);
            }
            _ => self.found.push(reading),
        }
    }

    /// The models in the order of their first columns.
    fn named(&self, reading: &[(usize, usize)]) -> Vec<ModelColumns> {
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut models: Vec<(ModelColumns, Vec<String>)> = Vec::new();
        for ((column, _), (model, class)) in self.columns.iter().zip(reading) {
            let place = *places.entry(*model).or_insert_with(|| {
                let name = self.models[*model].to_owned();
                models
                    .push((ModelColumns { name, columns: Vec::new(), classes: None }, Vec::new()));
                models.len() - 1
            });
            let (own, classes) = &mut models[place];
            own.columns.push((*column).to_owned());
            classes.push(self.classes[*class].to_owned());
        }
        let done = models.into_iter();
        done.map(|(own, classes)| ModelColumns { classes: Some(classes), ..own }).collect()
    }
}

/// Names by their numbers.
#[derive(Default)]
struct Numbered<'a> {
    names: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Numbered<'a> {
    fn number(&mut self, name: &'a str) -> usize {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;

    fn ways(name: &str) -> Vec<(&str, &str)> {
        let cuts = name.match_indices('_').map(|(at, _)| (&name[..at], &name[at + 1..]));
        cuts.filter(|(model, class)| !model.is_empty() && !class.is_empty()).collect()
    }

    /// Every choice of a way for each column.
    fn choices<'a>(names: &[&'a str]) -> Vec<Vec<(&'a str, &'a str)>> {
        names.iter().fold(vec![Vec::new()], |all, name| {
            let with = |before: &Vec<(&'a str, &'a str)>| {
                let before = before.clone();
                ways(name).into_iter().map(move |way| [&before[..], &[way]].concat())
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// The classes of each model, where they are the same for all.
    fn whole<'a>(choice: &[(&'a str, &'a str)]) -> Option<BTreeMap<&'a str, BTreeSet<&'a str>>> {
        let mut models: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (model, class) in choice {
            models.entry(model).or_default().insert(class);
        }
        let first = models.values().next()?.clone();
        models.values().all(|own| *own == first).then_some(models)
    }

    fn read(names: &[&str]) -> Outcome {
        Readings::new(names, ways).unwrap().search(None)
    }

    fn held(names: &[&str]) {
        let all: Vec<_> = choices(names).iter().filter_map(|one| whole(one)).collect();
        let (several, alone): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.len() > 1);
        let said = |models: &[ModelColumns]| -> BTreeMap<String, BTreeSet<String>> {
            let own = models.iter().map(|model| {
                let classes = model.classes.clone().unwrap();
                (model.name.clone(), classes.into_iter().collect())
            });
            own.collect()
        };
        let meant = |one: &BTreeMap<&str, BTreeSet<&str>>| {
            let own =
                |classes: &BTreeSet<&str>| classes.iter().map(|&one| one.to_owned()).collect();
            one.iter().map(|(model, classes)| ((*model).to_owned(), own(classes))).collect()
        };
        let meant: Vec<BTreeMap<String, BTreeSet<String>>> =
            several.iter().map(|one| meant(one)).collect();
        match read(names) {
            Outcome::None => assert!(all.is_empty(), "{names:?}: {all:?}"),
            Outcome::Alone(_) => assert!(several.is_empty() && !alone.is_empty(), "{names:?}"),
            Outcome::One(one) => assert_eq!(meant, [said(&one)], "{names:?}"),
            Outcome::Two(one, other) => {
                let (one, other) = (said(&one), said(&other));
                assert!(
                    one != other && meant.contains(&one) && meant.contains(&other),
                    "{names:?}"
                );
            }
            Outcome::TooMany => panic!("{names:?}"),
        }
    }

    /// Products of a few models and classes, which are where readings are.
    fn products() -> impl Strategy<Value = Vec<String>> {
        let words = || ["a", "b", "a_b", "b_a", "a_a", "b_b", "a_b_a"].map(str::to_owned).to_vec();
        let some = move || subsequence(words(), 1..=3);
        let product = (some(), some()).prop_map(|(models, classes)| {
            let names = models
                .iter()
                .flat_map(|model| classes.iter().map(move |class| format!("{model}_{class}")));
            names.collect::<BTreeSet<String>>().into_iter().collect::<Vec<String>>()
        });
        product.prop_shuffle()
    }

    fn few() -> impl Strategy<Value = Vec<String>> {
        let mut words: Vec<String> = Vec::new();
        for letters in 2..5_u32 {
            for bits in 0..1_u32 << letters {
                let letter = |at: u32| if bits >> at & 1 == 0 { "a" } else { "b" };
                words.push((0..letters).map(letter).collect::<Vec<_>>().join("_"));
            }
        }
        subsequence(words, 2..=6).prop_shuffle()
    }

    proptest! {
        /// Against the definition, with columns in any order.
        #[test]
        fn every_reading_is_found_and_no_other(names in prop_oneof![products(), few()]) {
            held(&names.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn many_columns_are_read_quickly_and_too_many_ways_are_given_up() {
        // A thousand classes, half of which end as another is called, of ten models.
        let classes = (0..500).flat_map(|class| [format!("c{class}"), format!("no_c{class}")]);
        let classes: Vec<String> = classes.chain(["other".to_owned()]).collect();
        let names: Vec<String> = (0..10)
            .flat_map(|model| classes.iter().map(move |class| format!("m{model}_{class}")))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Outcome::One(models) = read(&names) else { panic!() };
        assert_eq!((models.len(), models[0].columns.len()), (10, 1_001));
        // Every letter is a place to part: what cannot be decided soon is not looked at for ever.
        let long: Vec<String> = (2..400).map(|length| vec!["a"; length].join("_")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        assert!(matches!(read(&long), Outcome::TooMany));
    }
}

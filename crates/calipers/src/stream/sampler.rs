//! The sample: the rows of the lowest ranks, whatever the order in which they come.

use rayon::prelude::*;

use super::identity::{Ranks, highest_candidate};
use super::rows::Rows;
use crate::data::{Folds, Predictions, Probabilities, Probs};
use crate::error::{Error, Result};

/// How much more than the sample is held before what cannot be in it is thrown away.
const SLACK: usize = 4;

/// Rows of the sample, and numbers in them (rows × classes), unless it is said. From four fifths of so many
/// numbers `auto` learns its scaling, and from no more.
const ROWS: usize = 1_000_000;
const NUMBERS: usize = 5 << 22;

/// How many rows to learn from, unless it is said: a million, and fewer of more than twenty classes.
///
/// ```
/// assert_eq!([2, 20, 1_000].map(calipers::usual_sample), [1_000_000, 1_000_000, 20_971]);
/// ```
pub fn usual_sample(classes: usize) -> usize {
    (NUMBERS / classes.max(1)).clamp(1, ROWS)
}

/// Draws a sample of at most so many rows from a stream of them, without replacement.
///
/// A row's rank follows from the seed and from who the row is, and the sample is the rows of the lowest
/// ranks: the same ones in any order, in any number of parts, on any number of machines
/// ([`merge`](Self::merge)). As many rows are held as are asked for, and a quarter more.
///
/// Labels, groups and folds are codes that the caller knows the meaning of.
///
/// ## Reference
/// Cohen and Kaplan, *Summarizing data using bottom-k sketches*, 2007.
///
/// ```
/// use calipers::{Identities, Probabilities, Rows, Sampler};
///
/// let f = Probabilities::binary((0..900).map(|row| f64::from(row) / 900.0).collect::<Vec<_>>())?;
/// let labels = vec![0; 900];
/// let mut sampler = Sampler::new(100, 0);
/// sampler.add(&Rows::new(&f, &labels, Identities::Numbered { part: 0, first: 0 })?)?;
/// let drawn = sampler.finish()?;
/// assert_eq!((drawn.rows(), drawn.is_everything()), (100, false));
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sampler {
    most: usize,
    seed: u64,
    ranks: Ranks,
    /// Rows of higher ranks are not in the sample.
    highest: u64,
    seen: u64,
    renormalised: u64,
    held: Held,
}

/// Rows that may be in the sample.
#[derive(Debug, Clone, Default)]
struct Held {
    classes: usize,
    identities: Vec<u64>,
    f: Vec<f64>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<u32>>,
    folds: Option<Vec<u32>>,
}

impl Sampler {
    /// An empty one for at most so many rows; `usize::MAX` keeps all.
    pub fn new(most: usize, seed: u64) -> Self {
        let (ranks, highest) = (Ranks::new(seed), u64::MAX);
        let held = Held::default();
        Self { most, seed, ranks, highest, seen: 0, renormalised: 0, held }
    }

    /// Tells it how many rows there will be in all: then what is too high to be in the sample is not even
    /// held for a while. The sample is the same one, unless there are others than so many.
    #[must_use]
    pub fn expecting(mut self, total: u64) -> Self {
        self.highest = highest_candidate(self.most, total);
        self
    }

    /// Looks at rows.
    ///
    /// # Errors
    /// Another number of classes than before; weights, groups or folds here and not there.
    pub fn add(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.held.agree(rows)?;
        self.seen += rows.count() as u64;
        self.renormalised += rows.renormalised;
        let is_low = |row: &usize| self.ranks.of(rows.identities.of(*row)) <= self.highest;
        let low: Vec<usize> = (0..rows.count()).filter(is_low).collect();
        self.held.f.reserve(low.len() * self.held.classes);
        low.into_iter().for_each(|row| self.held.push(rows, row));
        if self.held.count() > self.most.saturating_add(self.most / SLACK + 1) {
            self.narrow();
        }
        Ok(())
    }

    /// Adds what another one, of the same seed and size, has seen.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.seen += other.seen;
        self.renormalised += other.renormalised;
        self.highest = self.highest.min(other.highest);
        self.held.append(other.held)?;
        if self.held.count() > self.most.saturating_add(1) {
            self.narrow();
        }
        Ok(())
    }

    /// How many rows it has seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Keeps the rows of the lowest ranks, one more than are asked for: its rank is where the sample
    /// ends.
    fn narrow(&mut self) {
        self.lower_the_end();
        let (ranks, highest) = (self.ranks, self.highest);
        self.held.retain(|identity| ranks.of(identity) <= highest);
    }

    /// Sets the highest rank to that of the first row, of those that are held, that is one too many.
    fn lower_the_end(&mut self) {
        if self.held.count() > self.most {
            let mut ranks: Vec<u64> =
                self.held.identities.iter().map(|&identity| self.ranks.of(identity)).collect();
            let (_, &mut last, _) = ranks.select_nth_unstable(self.most);
            self.highest = self.highest.min(last);
        }
    }

    /// The sample, in the order of identities.
    ///
    /// # Errors
    /// No rows; a key that two rows have.
    pub fn finish(mut self) -> Result<Drawn> {
        if self.seen == 0 {
            return Err(Error::Empty);
        }
        self.lower_the_end();
        let (ranks, highest) = (self.ranks, self.highest);
        let everything = self.seen == self.held.count() as u64 && self.seen <= self.most as u64;
        // Where keys are not unique the last ones are in it together or not at all.
        let is_in = |identity: u64| everything || ranks.of(identity) < highest;
        let identity = |row: u32| self.held.identities[row as usize];
        let mut order: Vec<u32> =
            (0..self.held.count() as u32).filter(|&row| is_in(identity(row))).collect();
        order.sort_by_key(|&row| identity(row));
        let held = self.held.arranged(&order);
        if let Some(twice) = held.identities.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::Key { identity: twice[0] });
        }
        if held.labels.is_empty() {
            return Err(Error::Empty);
        }
        Ok(Drawn {
            seed: self.seed,
            end: (!everything).then_some(highest),
            seen: self.seen,
            renormalised: self.renormalised,
            held,
        })
    }
}

/// A sample that was drawn.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub(super) seed: u64,
    /// The rank where the sample ends; none if it is everything.
    pub(super) end: Option<u64>,
    seen: u64,
    renormalised: u64,
    held: Held,
}

impl Drawn {
    /// The sample of rows that are all in memory, and numbered: what a [`Sampler`] that has seen them all
    /// would draw, of which nothing is copied that is not in it.
    pub(super) fn of(rows: &Rows<'_>, most: usize, seed: u64) -> Result<Self> {
        let mut held = Held::default();
        held.agree(rows)?;
        let (ranks, seen) = (Ranks::new(seed), rows.count() as u64);
        let highest = highest_candidate(most, seen);
        let rank = |row: u32| ranks.of(rows.identities.of(row as usize));
        let all = (0..rows.count() as u32).into_par_iter();
        let low: Vec<u32> = all.filter(|&row| rank(row) <= highest).collect();
        let mut by_rank: Vec<u64> = low.iter().map(|&row| rank(row)).collect();
        let end = match low.len() > most {
            true => *by_rank.select_nth_unstable(most).1,
            false => highest,
        };
        let order: Vec<u32> = low.into_iter().filter(|&row| rank(row) < end).collect();
        held.fill(rows, &order);
        Ok(Self { seed, end: Some(end), seen, renormalised: rows.renormalised, held })
    }

    /// How many rows are in it.
    pub fn rows(&self) -> usize {
        self.held.count()
    }

    /// How many rows it was drawn from.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Whether it is all of them.
    pub fn is_everything(&self) -> bool {
        self.end.is_none()
    }

    /// Numbers the folds: `ids` has a number for each code, by which they are ordered.
    #[must_use]
    pub fn with_fold_ids(mut self, ids: &[u32]) -> Self {
        for fold in self.held.folds.iter_mut().flatten() {
            *fold = ids.get(*fold as usize).copied().unwrap_or(*fold);
        }
        self
    }

    /// How many of the rows that were seen were renormalised.
    pub(super) fn renormalised(&self) -> u64 {
        self.renormalised
    }

    /// Σ of the ranks, by which a tally shows that it has met each row of the sample once, and two samples
    /// that they are of the same rows.
    pub fn fingerprint(&self) -> u64 {
        let ranks = Ranks::new(self.seed);
        let ranks = self.held.identities.iter().map(|&identity| ranks.of(identity));
        ranks.fold(0, u64::wrapping_add)
    }

    /// The weights as they were given.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.held.weights.as_deref()
    }

    /// The rows as predictions, and their folds if they have any; `classes` is the class of each code
    /// of labels, with the classes' names, and `groups` the name of each code of groups.
    ///
    /// # Errors
    /// A code without a class or a name; weights that are not weights; folds of which all are one.
    pub fn into_predictions(
        self,
        class_of: &[u32],
        classes: &[String],
        groups: &[String],
    ) -> Result<(Predictions<'static>, Option<Folds>)> {
        let Held { f, labels, weights, groups: group_codes, folds, classes: columns, .. } =
            self.held;
        let codes: Vec<usize> = labels
            .iter()
            .map(|&code| class_of.get(code as usize).map_or(usize::MAX, |&class| class as usize))
            .collect();
        // Every row was checked, and divided by its sum, before it came here.
        let probs = Probs::trusted(f.into(), columns);
        let renormalised = if self.end.is_none() { self.renormalised as usize } else { 0 };
        let mut predictions = Probabilities::trusted(probs, renormalised)
            .with_labels(&codes)?
            .with_class_names(classes.iter().cloned())?;
        if let Some(weights) = weights {
            predictions = predictions.with_weights(weights)?;
        }
        if let Some(codes) = group_codes {
            let unnamed = String::new();
            let name = |code: &u32| groups.get(*code as usize).unwrap_or(&unnamed).as_str();
            predictions = predictions.with_groups(&codes.iter().map(name).collect::<Vec<_>>())?;
        }
        let ids = folds.map(|ids| ids.into_iter().map(i64::from).collect::<Vec<i64>>());
        Ok((predictions, ids.map(|ids| Folds::from_ids(&ids)).transpose()?))
    }
}

impl Held {
    fn count(&self) -> usize {
        self.labels.len()
    }

    /// Takes over what rows have, or refuses rows that have something else.
    fn agree(&mut self, rows: &Rows<'_>) -> Result<()> {
        if self.classes == 0 {
            self.classes = rows.f.classes();
            self.weights = rows.weights.map(|_| Vec::new());
            self.groups = rows.groups.map(|_| Vec::new());
            self.folds = rows.folds.map(|_| Vec::new());
        }
        let own = [self.weights.is_some(), self.groups.is_some(), self.folds.is_some()];
        let theirs = [rows.weights.is_some(), rows.groups.is_some(), rows.folds.is_some()];
        self.fits(rows.f.classes(), own, theirs)
    }

    fn fits(&self, classes: usize, own: [bool; 3], theirs: [bool; 3]) -> Result<()> {
        if classes != self.classes {
            return Err(Error::Length { what: "classes", expected: self.classes, found: classes });
        }
        let columns = ["weights", "groups", "folds"].into_iter().zip(own.into_iter().zip(theirs));
        let odd = columns.filter(|(_, (own, theirs))| own != theirs).map(|(what, _)| what).next();
        odd.map_or(Ok(()), |name| {
            Err(Error::Setting { name, reason: "some rows have them, and some do not".to_owned() })
        })
    }

    fn push(&mut self, rows: &Rows<'_>, row: usize) {
        self.identities.push(rows.identities.of(row));
        let from = self.f.len();
        self.f.resize(from + self.classes, 0.0);
        rows.f.read(row, &mut self.f[from..]);
        self.labels.push(rows.labels[row]);
        if let (Some(own), Some(theirs)) = (&mut self.weights, rows.weights) {
            own.push(theirs[row]);
        }
        if let (Some(own), Some(theirs)) = (&mut self.groups, rows.groups) {
            own.push(theirs.codes[row]);
        }
        if let (Some(own), Some(theirs)) = (&mut self.folds, rows.folds) {
            own.push(theirs[row]);
        }
    }

    /// Takes some rows, in this order.
    fn fill(&mut self, rows: &Rows<'_>, order: &[u32]) {
        self.identities = order.iter().map(|&row| rows.identities.of(row as usize)).collect();
        self.f = vec![0.0; order.len() * self.classes];
        let cells = self.f.par_chunks_exact_mut(self.classes).zip(order);
        cells.for_each(|(cells, &row)| rows.f.read(row as usize, cells));
        self.labels = pick(rows.labels, order);
        self.weights = rows.weights.map(|all| pick(all, order));
        self.groups = rows.groups.map(|all| pick(all.codes, order));
        self.folds = rows.folds.map(|all| pick(all, order));
    }

    fn append(&mut self, other: Self) -> Result<()> {
        if other.classes == 0 {
            return Ok(());
        }
        if self.classes == 0 {
            *self = other;
            return Ok(());
        }
        let has =
            |held: &Self| [held.weights.is_some(), held.groups.is_some(), held.folds.is_some()];
        self.fits(other.classes, has(self), has(&other))?;
        self.identities.extend(other.identities);
        self.f.extend(other.f);
        self.labels.extend(other.labels);
        extend(&mut self.weights, other.weights);
        extend(&mut self.groups, other.groups);
        extend(&mut self.folds, other.folds);
        Ok(())
    }

    /// Keeps the rows of some identities, in their places.
    fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        let kept: Vec<u32> =
            (0..self.count() as u32).filter(|&row| keep(self.identities[row as usize])).collect();
        if kept.len() < self.count() {
            let held = std::mem::take(self);
            *self = held.arranged(&kept);
        }
    }

    /// Some rows, in a given order.
    fn arranged(self, order: &[u32]) -> Self {
        if order.len() == self.count() && order.is_sorted() {
            return self;
        }
        let mut f = Vec::with_capacity(order.len() * self.classes);
        for &row in order {
            let from = row as usize * self.classes;
            f.extend_from_slice(&self.f[from..from + self.classes]);
        }
        Self {
            classes: self.classes,
            identities: pick(&self.identities, order),
            f,
            labels: pick(&self.labels, order),
            weights: self.weights.map(|all| pick(&all, order)),
            groups: self.groups.map(|all| pick(&all, order)),
            folds: self.folds.map(|all| pick(&all, order)),
        }
    }
}

fn pick<T: Copy>(from: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&row| from[row as usize]).collect()
}

fn extend<T>(own: &mut Option<Vec<T>>, other: Option<Vec<T>>) {
    if let (Some(own), Some(other)) = (own, other) {
        own.extend(other);
    }
}

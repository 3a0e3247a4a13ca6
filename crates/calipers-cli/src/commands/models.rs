//! Several models: a file each, or all in one.

use std::path::{Path, PathBuf};

use calipers::{Folds, Predictions};
use calipers_files::words::file_name;
use calipers_files::{Columns, Loaded, ModelColumns, Wanted, parted, read};

use super::many::{fits_as_table, say_sample};
use super::measure::{files, fold_column, folds};
use crate::args::{ColumnArgs, FeatureArgs, FittingArgs, ManyArgs, ModelArgs};
use crate::error::{Failure, Result};
use crate::progress::Progress;

/// Models by their names.
pub type Models = Vec<(String, Predictions<'static>)>;

/// What a single column holds the probability of, unless somebody says otherwise.
const ONE: &str = "1";

/// What is said where the class of a single number is named, and the column holds lists.
const OF_LISTS: &str = "--positive-class is for a single column";

/// Where a model is, and which columns are its own.
type Place = (String, PathBuf, ColumnArgs);

/// What is said of the files of models.
pub struct Asked<'a> {
    pub paths: &'a [PathBuf],
    pub columns: &'a ColumnArgs,
    pub models: &'a ModelArgs,
    pub features: &'a FeatureArgs,
    pub many: &'a ManyArgs,
    pub fitting: &'a FittingArgs,
}

impl Asked<'_> {
    /// Reads one model or several, by their names, and the folds that they share.
    pub fn load(&self, progress: &Progress, say: &dyn Fn(&str)) -> Result<(Models, Folds)> {
        if let Some(column) = &self.models.model_column {
            return self.load_parted(self.only()?, column, say);
        }
        let (mut models, mut plan): (Models, Option<Folds>) = (Vec::new(), None);
        let mut keys: Option<u64> = None;
        let places = self.places()?;
        for (name, path, columns) in places.iter().cloned() {
            let gather = |columns: &ColumnArgs| {
                let files = files(std::slice::from_ref(&path), columns, self.many, self.fitting);
                files.knowing(self.features).gather(self.fitting.seed, progress, say)
            };
            let gathered = match gather(&columns) {
                // A column of lists holds all classes: what was said of single numbers is taken back.
                Err(error) if self.is_plain() && error.to_string().contains(OF_LISTS) => {
                    gather(&ColumnArgs { positive_class: None, ..columns.clone() })
                }
                gathered => gathered,
            };
            let gathered = gathered.map_err(|error| self.reworded(error, &columns))?;
            say_sample(&gathered);
            if let (Some(first), Some(own)) = (keys, gathered.keys)
                && first != own
            {
                return Err(Failure::input(format!(
                    "{name}: its rows are not those of the first file: their keys differ"
                )));
            }
            keys = gathered.keys;
            self.add(&mut models, &mut plan, name, gathered.predictions, gathered.folds)?;
        }
        // Rows that were paired by a key are not in the order of any file.
        let place = |model: usize, row: usize, label: &str| {
            let path = &places.get(model).filter(|_| self.many.key.is_none())?.1;
            let table =
                Some(path).filter(|path| path.is_file() && fits_as_table(path).ok() == Some(true));
            Some(
                read(table?, &Wanted::new(vec![label.to_owned()], false))
                    .ok()?
                    .source
                    .cell(row, label),
            )
        };
        self.check_labels(&models, &place)?;
        Ok((models, plan.unwrap_or_default()))
    }

    /// A file, directory or pattern for each model; or the columns of each in one file.
    fn places(&self) -> Result<Vec<Place>> {
        let Some(pattern) = &self.models.models else {
            let mut places: Vec<Place> = Vec::new();
            for path in self.paths {
                let name = file_name(path);
                if places.iter().any(|(already, ..)| *already == name) {
                    return Err(Failure::input(format!("{name}: the file is named twice")));
                }
                places.push((name, path.clone(), self.columns.clone()));
            }
            return Ok(places);
        };
        let path = self.only()?;
        let table = read(path, &Wanted::new(Vec::new(), false))?;
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        self.check_pattern(pattern)?;
        let found = ModelColumns::find(pattern, &names, self.columns.classes.as_deref())?;
        let places = found.into_iter().map(|model| {
            let mut columns = self.columns.clone();
            match self.models.models_are_logits {
                true => columns.scores.logits = Some(model.columns),
                false => columns.scores.probs = Some(model.columns),
            }
            match model.classes {
                Some(classes) if classes.len() > 1 => columns.classes = Some(classes),
                Some(mut one) => (columns.classes, columns.positive_class) = (None, one.pop()),
                None if self.is_plain() => columns.positive_class = Some(ONE.to_owned()),
                None => {}
            }
            (model.name, path.to_owned(), columns)
        });
        Ok(places.collect())
    }

    /// Refuses what a pattern with classes says already.
    fn check_pattern(&self, pattern: &str) -> Result<()> {
        let columns = self.columns;
        if !pattern.contains("{class}") {
            return Ok(());
        }
        if columns.positive_class.is_some() {
            return Err(Failure::input(format!(
                "--positive-class: the columns of --models {pattern} name their classes themselves"
            ))
            .hint("--positive-class is for single columns, as in --models 'p_{model}'"));
        }
        if columns.correct_column.is_some() {
            return Err(Failure::input(format!(
                "--models {pattern}: how sure a model was of its answer is no class's probability"
            ))
            .hint(
                "with --correct-column each model has a single column, as in --models 'p_{model}'",
            ));
        }
        Ok(())
    }

    /// Whether each model has a single column of which nobody said more than that: it is of class 1, whatever
    /// the model is called.
    fn is_plain(&self) -> bool {
        let columns = self.columns;
        let said = [&columns.positive_class, &columns.correct_column].map(Option::is_some);
        let pattern = self.models.models.as_ref().is_some_and(|one| !one.contains("{class}"));
        pattern && columns.classes.is_none() && said == [false; 2]
    }

    /// What labels cannot be read by, where nobody said which class the columns are of: in terms of the
    /// option that says it for all models.
    fn reworded(&self, error: Failure, columns: &ColumnArgs) -> Failure {
        let said = error.to_string();
        let own = columns.scores.columns();
        let Some(column) = own.as_ref().and_then(|own| own.names().first()) else { return error };
        let plain = format!("column {ONE} may hold");
        if !self.is_plain() {
            error
        } else if said.contains(&plain) {
            Failure::input(said.replace(&plain, &format!("column {column} may hold")))
                .hint("--positive-class says it for all models")
        } else if said.contains("is a third one") {
            Failure::input(said).hint(
                "with more classes each model has a column of each: --models 'p_{model}_{class}'",
            )
        } else {
            error
        }
    }

    /// The rows of each model of one file.
    fn load_parted(
        &self,
        path: &Path,
        column: &str,
        say: &dyn Fn(&str),
    ) -> Result<(Models, Folds)> {
        self.refuse_streaming()?;
        let fitting = self.fitting;
        let columns = Columns {
            // A number that identifies rows is no probability.
            key: self.many.key.clone(),
            folds: fold_column(fitting),
            cluster: fitting.cluster.clone(),
            time: fitting.time.clone(),
            features: self.features.columns(),
            ..self.columns.into()
        };
        let parts = || parted(read(path, &Wanted::default())?, column, self.many.key.as_deref());
        let (mut models, mut plan): (Models, Option<Folds>) = (Vec::new(), None);
        for (name, table) in parts()? {
            let Loaded { predictions, folds, .. } = Loaded::of(table, &columns, say)?;
            self.add(&mut models, &mut plan, name, predictions, folds)?;
        }
        let place = |model: usize, row: usize, label: &str| {
            Some(parts().ok()?.get(model)?.1.source.cell(row, label))
        };
        self.check_labels(&models, &place)?;
        Ok((models, plan.unwrap_or_default()))
    }

    /// All rows of such a file are in memory, or none: nothing is drawn from it.
    fn refuse_streaming(&self) -> Result<()> {
        let many = self.many;
        let flag = match () {
            () if many.sample.is_some() => "--sample",
            () if many.memory != ManyArgs::default().memory => "--memory",
            () if many.skip_bad_files => "--skip-bad-files",
            () => return Ok(()),
        };
        Err(Failure::input(format!("{flag}: a file with --model-column is read as a whole"))
            .hint("a file or a directory for each model may be larger than memory"))
    }

    /// Adds a model, which has to have the folds of the others.
    fn add(
        &self,
        models: &mut Models,
        plan: &mut Option<Folds>,
        name: String,
        predictions: Predictions<'static>,
        own: Option<Folds>,
    ) -> Result<()> {
        let own = folds(own, self.fitting);
        if plan.as_ref().is_some_and(|plan| *plan != own) {
            return Err(Failure::input(format!(
                "{name}: its folds are not those of the first model"
            ))
            .hint("all models are compared on the same folds; --folds 5 draws them"));
        }
        *plan = Some(own);
        models.push((name, predictions));
        Ok(())
    }

    /// The one file that holds all models.
    fn only(&self) -> Result<&Path> {
        let flag = self.models.flag().unwrap_or_default();
        match self.paths {
            [one] if one == Path::new("-") => Err(Failure::input(format!(
                "{flag}: the file is read more than once, and - cannot be"
            ))),
            [one] if one.is_dir() => Err(Failure::input(format!(
                "{flag}: {} is a directory, not a file",
                file_name(one)
            ))),
            [one] => Ok(one),
            several => Err(Failure::input(format!(
                "{flag}: the models are in one file, and {} are named",
                several.len()
            ))),
        }
    }

    /// Says where labels differ; `place` knows where a row of a model has its label.
    fn check_labels(
        &self,
        models: &Models,
        place: &dyn Fn(usize, usize, &str) -> Option<String>,
    ) -> Result<()> {
        let Some(((first, one), others)) = models.split_first() else { return Ok(()) };
        let label = |of: &Predictions<'_>, row: usize| {
            let class =
                of.labels().get(row).and_then(|&class| of.class_names().get(class as usize));
            class.cloned().unwrap_or_default()
        };
        for (at, (name, other)) in others.iter().enumerate() {
            let differ = |row: &usize| label(one, *row) != label(other, *row);
            let rows = if one.rows() == other.rows() { one.rows() } else { 0 };
            let Some(row) = (0..rows).find(differ) else { continue };
            let found = |model: usize, name: &str, of: &Predictions<'_>| {
                let column = of.origin().map_or("label", |origin| origin.labels.as_str());
                place(model, row, column).unwrap_or_else(|| match self.many.key {
                    Some(_) => format!("{name}, column {column}"),
                    None => format!("{name}, row {}, column {column}", row + 1),
                })
            };
            return Err(Failure::input(format!(
                "{}: the label is {:?} in {name}, but {:?} in {first} ({}): they must be the same rows",
                found(at + 1, name, other),
                label(other, row),
                label(one, row),
                found(0, first, one),
            ))
            .hint(match &self.many.key {
                Some(key) => format!("rows of one {key}, as --key says, have one label"),
                None => "--key names a column by which rows are paired".to_owned(),
            }));
        }
        Ok(())
    }
}

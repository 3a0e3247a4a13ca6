//! Several models: a file each, or all in one.

use std::path::{Path, PathBuf};

use calipers::{Folds, Predictions};
use calipers_files::words::file_name;
use calipers_files::{Columns, Loaded, ModelColumns, Wanted, parted, read};

use super::many::say_sample;
use super::measure::{files, fold_column, folds};
use crate::args::{ColumnArgs, FeatureArgs, FittingArgs, ManyArgs, ModelArgs};
use crate::error::{Failure, Result};
use crate::progress::Progress;

/// Models by their names.
pub type Models = Vec<(String, Predictions<'static>)>;

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
        for (name, path, columns) in self.places()? {
            let files = files(std::slice::from_ref(&path), &columns, self.many, self.fitting);
            let files = files.knowing(self.features);
            let gathered = files.gather(self.fitting.seed, progress, say)?;
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
        let found = ModelColumns::find(pattern, &names, self.columns.classes.as_deref())?;
        let places = found.into_iter().map(|model| {
            let mut columns = self.columns.clone();
            columns.scores.probs = Some(model.columns);
            match model.classes {
                Some(classes) if classes.len() > 1 => columns.classes = Some(classes),
                Some(mut one) => (columns.classes, columns.positive_class) = (None, one.pop()),
                None => {}
            }
            (model.name, path.to_owned(), columns)
        });
        Ok(places.collect())
    }

    /// The rows of each model of one file.
    fn load_parted(
        &self,
        path: &Path,
        column: &str,
        say: &dyn Fn(&str),
    ) -> Result<(Models, Folds)> {
        let fitting = self.fitting;
        let columns = Columns {
            folds: fold_column(fitting),
            cluster: fitting.cluster.clone(),
            time: fitting.time.clone(),
            features: self.features.columns(),
            ..self.columns.into()
        };
        let parts = parted(read(path, &Wanted::default())?, column, self.many.key.as_deref())?;
        let (mut models, mut plan): (Models, Option<Folds>) = (Vec::new(), None);
        for (name, table) in parts {
            let Loaded { predictions, folds, .. } = Loaded::of(table, &columns, say)?;
            self.add(&mut models, &mut plan, name, predictions, folds)?;
        }
        Ok((models, plan.unwrap_or_default()))
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
}

//! What was asked for, as the package hands it over.

use std::ops::ControlFlow;
use std::sync::Arc;

use calipers::labels::ClassColumns;
use calipers::{
    Assumption, BinaryNorm, Estimator, Folds, Metric, Origin, Predictions, Recalibrator, Test,
    recalibrator,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arrays::ScoresView;
use crate::background::Caller;
use crate::classifier::Classifier;
use crate::distance::PythonDistance;
use crate::error::raise;
use crate::features::Known;
use crate::labels::{Labels, Resolved, class_columns};

/// The options of `calipers.evaluate`: nothing that is bound to the interpreter's lock, so that the
/// background thread may have them.
pub struct Options {
    estimator: Estimator,
    wanted: Vec<Wanted>,
    learner: Option<Learner>,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<String>>,
    cluster: Option<Vec<String>>,
    time: Option<Vec<f64>>,
    features: Option<Known>,
    origin: Option<(String, Vec<String>)>,
    class_names: Option<Vec<String>>,
    /// Whether the classes' names are given, and not the columns' own.
    given: bool,
    /// Whether the errors of two classes are those of both columns.
    pub vector: bool,
    /// Whether a prediction is how sure something was of an answer.
    confidence: bool,
    from_logits: bool,
    threads: usize,
    progress: Option<Arc<Py<PyAny>>>,
}

#[derive(FromPyObject)]
enum FoldPlan<'py> {
    Count(usize),
    Ids(PyReadonlyArray1<'py, i64>),
}

/// A metric by its name, or a distance in Python.
enum Wanted {
    Named(Metric),
    Distance(PythonDistance),
}

/// A recalibrator by its name, or a classifier in Python.
enum Learner {
    Named(Arc<dyn Recalibrator>),
    Classifier { object: Arc<Py<PyAny>>, name: String },
}

impl Options {
    /// Reads a dictionary; what is not in it, or None, is as the core has it.
    pub fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = Self {
            estimator: Estimator::new(),
            wanted: Vec::new(),
            learner: None,
            weights: None,
            groups: None,
            cluster: None,
            time: None,
            features: None,
            origin: None,
            class_names: None,
            given: false,
            vector: false,
            confidence: false,
            from_logits: false,
            threads: 0,
            progress: None,
        };
        each(given, options, Self::with)
    }

    /// Applies one option.
    fn with(mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match name {
            "metrics" => {
                self.wanted = value.try_iter()?.map(Wanted::new).collect::<PyResult<_>>()?
            }
            "recalibrator" => self.learner = Some(Learner::new(value)?),
            "folds" => self.estimator = self.estimator.fold_plan(folds(value)?),
            "repeats" => self.estimator = self.estimator.repeats(value.extract()?),
            "seed" => self.estimator = self.estimator.seed(value.extract()?),
            "sample_weight" => {
                let weights: PyReadonlyArray1<'_, f64> = value.extract()?;
                self.weights = Some(weights.as_array().to_vec());
            }
            "groups" => self.groups = Some(value.extract()?),
            "cluster" => self.cluster = Some(value.extract()?),
            "time" => {
                let times: PyReadonlyArray1<'_, f64> = value.extract()?;
                self.time = Some(times.as_array().to_vec());
            }
            "features" => self.features = Some(value.extract()?),
            "origin" => self.origin = Some(value.extract()?),
            "class_names" => self.class_names = Some(value.extract()?),
            "given" => self.given = value.extract()?,
            "from_logits" => self.from_logits = value.extract()?,
            "binary" => {
                self.vector = is(value, "vector")?;
                self.confidence = is(value, "confidence")?;
                self.estimator = self.estimator.binary(match self.confidence {
                    true => BinaryNorm::Confidence,
                    false if self.vector => BinaryNorm::Vector,
                    false => BinaryNorm::Scalar,
                });
            }
            "log_floor" => self.estimator = self.estimator.log_floor(value.extract()?),
            "confidence" => self.estimator = self.estimator.confidence(value.extract()?),
            "draws" => self.estimator = self.estimator.draws(value.extract()?),
            "test" => {
                let test = if is(value, "refit")? { Test::Refit } else { Test::Score };
                self.estimator = self.estimator.test(test);
            }
            "bracket" => self.estimator = self.estimator.bracket(value.extract()?),
            "best" => self.estimator = self.estimator.best(value.extract()?),
            "assume" => {
                if is(value, "monotone")? {
                    self.estimator = self.estimator.assume(Assumption::Monotone);
                }
            }
            "sample" => self.estimator = self.estimator.sample(value.extract()?),
            "threads" => self.threads = value.extract()?,
            "progress" => self.progress = Some(Arc::new(value.clone().unbind())),
            _ => return Err(unknown(name)),
        }
        Ok(self)
    }

    /// A classifier is run by the calling thread: more threads would only wait for it.
    pub fn threads(&self) -> usize {
        if matches!(self.learner, Some(Learner::Classifier { .. })) { 1 } else { self.threads }
    }

    /// Turns labels of so many columns into classes.
    pub fn resolve(
        &self,
        py: Python<'_>,
        labels: &Labels<'_>,
        columns: usize,
    ) -> PyResult<Resolved> {
        labels.resolve(py, &self.class_columns(columns))
    }

    /// What labels of so many columns can name.
    pub fn class_columns(&self, columns: usize) -> ClassColumns<'_> {
        match self.confidence && columns < 2 && !self.given {
            true => ClassColumns::Correct,
            false => class_columns(columns, self.class_names.as_deref(), self.given),
        }
    }

    /// Checks scores and labels, with the weights, groups and features that were given. Features are handed
    /// over, since they may be large.
    pub fn predictions<'s>(
        &mut self,
        scores: ScoresView<'s>,
        labels: &Resolved,
    ) -> calipers::Result<Predictions<'s>> {
        let mut predictions = scores.predictions(&labels.codes, self.from_logits)?;
        predictions = predictions.with_class_names(labels.reading.classes.iter().cloned())?;
        if let Some(weights) = &self.weights {
            predictions = predictions.with_weights(weights.clone())?;
        }
        if let Some(groups) = &self.groups {
            predictions = predictions.with_groups(groups)?;
        }
        if let Some(cluster) = &self.cluster {
            predictions = predictions.with_clusters(cluster)?;
        }
        if let Some(time) = &self.time {
            predictions = predictions.with_times(time)?;
        }
        if let Some(features) = self.features.take() {
            predictions = predictions.with_features(features.features()?)?;
        }
        Ok(match self.origin() {
            Some(origin) => predictions.with_origin(origin),
            None => predictions,
        })
    }

    /// The columns that the predictions are from, if they have names.
    pub fn origin(&self) -> Option<Origin> {
        let (labels, columns) = self.origin.as_ref()?;
        Some(Origin::new(labels, columns, self.from_logits))
    }

    /// The estimator with everything that asks the calling thread, which listens for as long as there
    /// is a caller: it has to outlive the estimate.
    pub fn estimator(self, caller: &Caller) -> Estimator {
        let metrics = self.wanted.into_iter().map(|wanted| match wanted {
            Wanted::Named(metric) => metric,
            Wanted::Distance(distance) => distance.metric(caller),
        });
        let mut estimator = self.estimator.metrics(metrics).stop(caller.stop());
        if let Some(learner) = self.learner {
            estimator = estimator.recalibrator(learner.recalibrator(caller));
        }
        let Some(progress) = self.progress else { return estimator };
        let caller = caller.clone();
        estimator.watch(move |done, total| {
            let progress = Arc::clone(&progress);
            caller.tell(move |py| progress.call1(py, (done, total)).map(|_| ()));
            ControlFlow::Continue(())
        })
    }
}

impl Wanted {
    fn new(metric: PyResult<Bound<'_, PyAny>>) -> PyResult<Self> {
        let metric = metric?;
        let Ok(name) = metric.cast::<PyString>() else {
            return PythonDistance::new(&metric).map(Self::Distance);
        };
        name.to_cow()?.parse().map(Self::Named).map_err(|error| raise(metric.py(), &error))
    }
}

impl Learner {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = object.cast::<PyString>() {
            let made = recalibrator(&name.to_cow()?);
            return made.map(Self::Named).map_err(|error| raise(object.py(), &error));
        }
        let name = object.getattr("name")?.extract()?;
        Ok(Self::Classifier { object: Arc::new(object.clone().unbind()), name })
    }

    fn recalibrator(self, caller: &Caller) -> Arc<dyn Recalibrator> {
        match self {
            Self::Named(learner) => learner,
            Self::Classifier { object, name } => {
                Arc::new(Classifier { object, name, caller: caller.clone() })
            }
        }
    }
}

fn folds(value: &Bound<'_, PyAny>) -> PyResult<Folds> {
    match value.extract()? {
        FoldPlan::Count(count) => Ok(Folds::Shuffled(count)),
        FoldPlan::Ids(ids) => {
            let ids: Vec<i64> = ids.as_array().to_vec();
            Folds::from_ids(&ids).map_err(|error| raise(value.py(), &error))
        }
    }
}

fn is(value: &Bound<'_, PyAny>, word: &str) -> PyResult<bool> {
    Ok(value.cast::<PyString>()?.to_cow()? == word)
}

/// Raises an error unless the options of `calipers.evaluate` can be read: names of metrics and
/// recalibrators that there are not, for instance.
#[pyfunction]
#[pyo3(signature = (settings))]
pub fn check_settings(settings: &Bound<'_, PyDict>) -> PyResult<()> {
    Options::read(settings).map(|_| ())
}

/// Applies every option that was given.
pub fn each<T>(
    given: &Bound<'_, PyDict>,
    mut options: T,
    apply: impl Fn(T, &str, &Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<T> {
    for (name, value) in given {
        if !value.is_none() {
            options = apply(options, name.cast::<PyString>()?.to_cow()?.as_ref(), &value)?;
        }
    }
    Ok(options)
}

/// The package and this module are out of step.
pub fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("{name}: there is no such option"))
}

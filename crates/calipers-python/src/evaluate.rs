//! `calipers.evaluate`, after the package has brought everything into shape.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use calipers::{
    BinaryNorm, Comparison, Estimate, Estimator, Folds, GroupErrors, Metric, Predictions, Report,
    Test, recalibrator,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::arrays::{Scores, ScoresView};
use crate::background::{self, Caller};
use crate::classifier::Classifier;
use crate::distance::PythonDistance;
use crate::error::raise;
use crate::labels::{Labels, Resolved};

/// Everything that can be set, as the package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings<'py> {
    metrics: Vec<Bound<'py, PyAny>>,
    recalibrator: Bound<'py, PyAny>,
    folds: FoldPlan<'py>,
    repeats: usize,
    seed: u64,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<Vec<String>>,
    pub class_names: Option<Vec<String>>,
    from_logits: bool,
    pub vector: bool,
    log_floor: Option<f64>,
    confidence: f64,
    draws: Option<usize>,
    refit: bool,
    bracket: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
}

#[derive(FromPyObject)]
pub enum FoldPlan<'py> {
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
    Named(Arc<dyn calipers::Recalibrator>),
    Classifier { object: Arc<Py<PyAny>>, name: String },
}

/// Estimates calibration errors; the report as a dictionary.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings))]
pub fn evaluate<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: Settings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let view = scores.view();
    let names = settings.class_names.as_deref();
    let labels = labels.resolve(py, view.columns(), names)?;
    let run = Run::new(py, &settings, view, &labels)?;
    let start = Instant::now();
    let (report, seconds) = background::run(py, run.threads(), |caller| {
        let report = run.estimate(caller)?;
        Ok((report, start.elapsed().as_secs_f64()))
    })?;
    let dict = as_dict(py, report, labels.reading.remark)?;
    dict.set_item("seconds", seconds)?;
    Ok(dict)
}

/// Compares several models on the same labels; the comparison as a dictionary.
#[pyfunction]
#[pyo3(signature = (labels, models, settings))]
pub fn compare<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    models: Vec<(String, Scores<'py>)>,
    settings: Settings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let names = settings.class_names.as_deref();
    let views: Vec<(&str, ScoresView<'_>)> =
        models.iter().map(|(name, scores)| (name.as_str(), scores.view())).collect();
    let columns = views.first().map_or(0, |(_, view)| view.columns());
    let labels = labels.resolve(py, columns, names)?;
    let Some((_, first)) = views.first() else {
        let reason = "none: at least 2 are needed".to_owned();
        return Err(raise(py, &calipers::Error::Setting { name: "models", reason }));
    };
    let run = Run::new(py, &settings, *first, &labels)?;
    let comparison = background::run(py, run.threads(), |caller| run.compare(caller, &views))?;
    let dict = PyDict::new(py);
    dict.set_item("json", format!("{:#}", comparison.to_json()))?;
    let reports = PyList::empty(py);
    for report in comparison.reports {
        reports.append(as_dict(py, report, labels.reading.remark.clone())?)?;
    }
    dict.set_item("reports", reports)?;
    let differences = PyList::empty(py);
    for one in comparison.differences {
        let fields = PyDict::new(py);
        fields.set_item("metric", one.metric)?;
        fields.set_item("first", &comparison.models[one.first])?;
        fields.set_item("second", &comparison.models[one.second])?;
        fields.set_item("value", one.value)?;
        fields.set_item("stderr", one.stderr)?;
        fields.set_item("interval", one.interval)?;
        fields.set_item("p_value", one.p_value)?;
        differences.append(fields)?;
    }
    dict.set_item("differences", differences)?;
    Ok(dict)
}

/// What the background thread needs: nothing that is bound to the interpreter's lock.
pub struct Run<'a> {
    scores: ScoresView<'a>,
    labels: &'a Resolved,
    estimator: Estimator,
    wanted: Vec<Wanted>,
    learner: Learner,
    weights: Option<Vec<f64>>,
    groups: Option<&'a [String]>,
    from_logits: bool,
    threads: usize,
    progress: Option<Arc<Py<PyAny>>>,
}

impl<'a> Run<'a> {
    /// Reads the settings.
    pub fn new(
        py: Python<'_>,
        settings: &'a Settings<'_>,
        scores: ScoresView<'a>,
        labels: &'a Resolved,
    ) -> PyResult<Self> {
        let fault = |error: calipers::Error| raise(py, &error);
        let folds = match &settings.folds {
            FoldPlan::Count(count) => Folds::Shuffled(*count),
            FoldPlan::Ids(ids) => {
                let ids: Vec<i64> = ids.as_array().to_vec();
                Folds::from_ids(&ids).map_err(fault)?
            }
        };
        let mut estimator = Estimator::new()
            .fold_plan(folds)
            .repeats(settings.repeats)
            .seed(settings.seed)
            .confidence(settings.confidence)
            .bracket(settings.bracket);
        if settings.refit {
            estimator = estimator.test(Test::Refit);
        }
        if let Some(draws) = settings.draws {
            estimator = estimator.draws(draws);
        }
        if settings.vector {
            estimator = estimator.binary(BinaryNorm::Vector);
        }
        if let Some(floor) = settings.log_floor {
            estimator = estimator.log_floor(floor);
        }
        let wanted = settings.metrics.iter().map(|metric| match metric.cast::<PyString>() {
            Ok(name) => name.to_cow()?.parse().map(Wanted::Named).map_err(fault),
            Err(_) => PythonDistance::new(metric).map(Wanted::Distance),
        });
        Ok(Self {
            scores,
            labels,
            estimator,
            wanted: wanted.collect::<PyResult<_>>()?,
            learner: Learner::new(&settings.recalibrator)?,
            weights: settings.weights.as_ref().map(|weights| weights.as_array().to_vec()),
            groups: settings.groups.as_deref(),
            from_logits: settings.from_logits,
            threads: settings.threads,
            progress: settings.progress.as_ref().map(|call| Arc::new(call.clone_ref(py))),
        })
    }

    /// A classifier is run by the calling thread: more threads would only wait for it.
    pub fn threads(&self) -> usize {
        if matches!(self.learner, Learner::Classifier { .. }) { 1 } else { self.threads }
    }

    fn estimate(self, caller: Caller) -> calipers::Result<Report> {
        let predictions = self.predictions(self.scores)?;
        self.estimator(&caller).estimate(&predictions)
    }

    fn compare(
        self,
        caller: Caller,
        models: &[(&str, ScoresView<'_>)],
    ) -> calipers::Result<Comparison> {
        let predictions: Vec<Predictions<'_>> =
            models.iter().map(|(_, scores)| self.predictions(*scores)).collect::<Result<_, _>>()?;
        let named: Vec<(&str, &Predictions<'_>)> =
            models.iter().map(|(name, _)| *name).zip(&predictions).collect();
        self.estimator(&caller).compare(&named)
    }

    /// Hands the predictions and the estimator to some other work.
    pub fn with<T>(
        self,
        caller: &Caller,
        work: impl FnOnce(&Estimator, &Predictions<'_>) -> calipers::Result<T>,
    ) -> calipers::Result<T> {
        let predictions = self.predictions(self.scores)?;
        work(&self.estimator(caller), &predictions)
    }

    fn predictions<'s>(&self, scores: ScoresView<'s>) -> calipers::Result<Predictions<'s>> {
        let mut predictions = scores.predictions(&self.labels.codes, self.from_logits)?;
        predictions = predictions.with_class_names(self.labels.reading.classes.iter().cloned())?;
        if let Some(weights) = &self.weights {
            predictions = predictions.with_weights(weights.clone())?;
        }
        if let Some(groups) = self.groups {
            predictions = predictions.with_groups(groups)?;
        }
        Ok(predictions)
    }

    /// The estimator with everything that asks the calling thread, which listens for as long as there
    /// is a caller: it has to outlive the estimate.
    fn estimator(self, caller: &Caller) -> Estimator {
        let metrics = self.wanted.into_iter().map(|wanted| match wanted {
            Wanted::Named(metric) => metric,
            Wanted::Distance(distance) => distance.metric(caller),
        });
        let learner = match self.learner {
            Learner::Named(learner) => learner,
            Learner::Classifier { object, name } => {
                let caller = caller.clone();
                Arc::new(Classifier { object, name, caller })
            }
        };
        let estimator = self.estimator.metrics(metrics).recalibrator(learner).stop(caller.stop());
        match self.progress {
            None => estimator,
            Some(progress) => {
                let caller = caller.clone();
                estimator.watch(move |done, total| {
                    let progress = Arc::clone(&progress);
                    caller.tell(move |py| progress.call1(py, (done, total)).map(|_| ()));
                    ControlFlow::Continue(())
                })
            }
        }
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
}

/// The report in Python's terms; `calipers.Report` is made of it.
fn as_dict(py: Python<'_>, report: Report, remark: Option<String>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("json", format!("{:#}", report.to_json()))?;
    dict.set_item("n", report.rows)?;
    dict.set_item("classes", report.classes)?;
    dict.set_item("recalibrator", report.recalibrator)?;
    dict.set_item("folds", report.folds)?;
    dict.set_item("repeats", report.repeats)?;
    dict.set_item("seed", report.seed)?;
    dict.set_item("confidence", report.confidence)?;
    dict.set_item("renormalised_rows", report.renormalised_rows)?;
    dict.set_item("fits", report.fits)?;
    dict.set_item("unconverged_fits", report.unconverged_fits)?;
    dict.set_item("approximations", report.approximations)?;
    dict.set_item("remark", remark)?;
    dict.set_item("estimates", estimates(py, report.estimates)?)?;
    let groups = report.groups.map(|found| as_groups(py, found)).transpose()?;
    dict.set_item("groups", groups)?;
    Ok(dict)
}

fn estimates(py: Python<'_>, found: Vec<Estimate>) -> PyResult<Bound<'_, PyList>> {
    let estimates = PyList::empty(py);
    for one in found {
        let fields = PyDict::new(py);
        fields.set_item("metric", one.metric)?;
        fields.set_item("value", one.value)?;
        fields.set_item("stderr", one.stderr)?;
        fields.set_item("lower", one.lower)?;
        fields.set_item("p_value", one.p_value)?;
        fields.set_item("in_sample", one.in_sample)?;
        let parts = one.decomposition.map(|parts| {
            (parts.loss, parts.miscalibration, parts.discrimination, parts.uncertainty)
        });
        fields.set_item("decomposition", parts)?;
        fields.set_item("infinite_rows", one.infinite_rows)?;
        fields.set_item("scores", PyArray1::from_vec(py, one.scores))?;
        estimates.append(fields)?;
    }
    Ok(estimates)
}

fn as_groups(py: Python<'_>, found: GroupErrors) -> PyResult<Bound<'_, PyDict>> {
    let groups = PyList::empty(py);
    for group in found.groups {
        let own = group.estimates.map(|all| estimates(py, all)).transpose()?;
        groups.append((group.name, group.rows, own))?;
    }
    let aware = PyList::empty(py);
    for one in found.aware {
        aware.append((one.metric, one.value, one.stderr, one.lower))?;
    }
    let dict = PyDict::new(py);
    dict.set_item("groups", groups)?;
    dict.set_item("aware", aware)?;
    dict.set_item("confidence", found.confidence)?;
    Ok(dict)
}

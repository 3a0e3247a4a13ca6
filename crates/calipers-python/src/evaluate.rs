//! `calipers.evaluate` and `calipers.compare`, after the package has brought everything into shape.

use std::time::Instant;

use calipers::{
    Comparison, Condition, Estimate, FeatureGain, GivenFeatures, GroupErrors, Predictions, Report,
    Segments, Wanted,
};
use calipers_draw::text::{self, Face, Look};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::Scores;
use crate::background;
use crate::labels::Labels;
use crate::options::Options;

/// Estimates calibration errors; the report as a dictionary.
#[pyfunction]
#[pyo3(signature = (labels, scores, settings))]
pub fn evaluate<'py>(
    py: Python<'py>,
    labels: Labels<'py>,
    scores: Scores<'py>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut options = Options::read(settings)?;
    let view = scores.view();
    let labels = options.resolve(py, &labels, view.columns())?;
    let start = Instant::now();
    let (report, seconds) = background::run(py, options.threads(), |caller| {
        let predictions = options.predictions(view, &labels)?;
        let report = options.estimator(&caller).estimate(&predictions)?;
        Ok((report, start.elapsed().as_secs_f64()))
    })?;
    let dict = as_dict(py, report, labels.reading.remark.as_deref())?;
    dict.set_item("seconds", seconds)?;
    Ok(dict)
}

/// A model: its name, and its labels, scores and settings as [`evaluate`] takes them.
type Model<'py> = (String, (Labels<'py>, Scores<'py>, Bound<'py, PyDict>));

/// Compares several models on the same labels; the comparison as a dictionary.
#[pyfunction]
#[pyo3(signature = (models))]
pub fn compare<'py>(py: Python<'py>, models: Vec<Model<'py>>) -> PyResult<Bound<'py, PyDict>> {
    let mut read = Vec::with_capacity(models.len());
    for (name, (labels, scores, settings)) in &models {
        let (options, view) = (Options::read(settings)?, scores.view());
        let labels = options.resolve(py, labels, view.columns())?;
        read.push((name.as_str(), options, view, labels));
    }
    let threads = read.first().map_or(0, |(_, options, ..)| options.threads());
    let remarks: Vec<Option<String>> =
        read.iter().map(|(.., labels)| labels.reading.remark.clone()).collect();
    let comparison: Comparison = background::run(py, threads, |caller| {
        let predictions: Vec<(&str, Predictions<'_>)> = read
            .iter_mut()
            .map(|(name, options, view, labels)| Ok((*name, options.predictions(*view, labels)?)))
            .collect::<Result<_, calipers::Error>>()?;
        let named: Vec<(&str, &Predictions<'_>)> =
            predictions.iter().map(|(name, one)| (*name, one)).collect();
        // All models were given the same settings but for their columns.
        let estimator = read.swap_remove(0).1.estimator(&caller);
        estimator.compare(&named)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("json", format!("{:#}", comparison.to_json()))?;
    dict.set_item("text", printed(&text::comparison(&comparison, Look::PYTHON)))?;
    let reports = PyList::empty(py);
    for (report, remark) in comparison.reports.into_iter().zip(&remarks) {
        reports.append(as_dict(py, report, remark.as_deref())?)?;
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

/// A text as Python has it: `print` adds the last line's end.
pub fn printed(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// A report as text, in each of the ways that Python shows it: made when somebody asks, since all three
/// take longer than a small estimate.
#[pyclass(frozen, module = "calipers._calipers")]
pub struct Texts {
    report: Report,
    notes: Vec<String>,
}

#[pymethods]
impl Texts {
    /// As `--format json` prints it.
    fn json(&self) -> String {
        format!("{:#}", self.report.to_json())
    }

    /// The table.
    fn text(&self) -> String {
        printed(&text::report(&self.report, None, false, &self.notes, Look::PYTHON)).to_owned()
    }

    /// The table for notebooks.
    fn html(&self) -> String {
        text::report_html(&self.report, &self.notes)
    }
}

/// The report in Python's terms; `calipers.Report` is made of it. A remark on the labels comes first
/// among the notes.
pub fn as_dict<'py>(
    py: Python<'py>,
    mut report: Report,
    remark: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut notes: Vec<String> = remark.map(text::note).into_iter().collect();
    notes.extend(text::notes(&report, Face::Python));
    let dict = PyDict::new(py);
    dict.set_item("notes", &notes)?;
    dict.set_item("n", report.rows)?;
    dict.set_item("sample", report.sample)?;
    dict.set_item("clusters", report.clusters)?;
    dict.set_item("classes", &report.classes)?;
    dict.set_item("recalibrator", &report.recalibrator)?;
    dict.set_item("folds", report.folds)?;
    dict.set_item("repeats", report.repeats)?;
    dict.set_item("seed", report.seed)?;
    dict.set_item("confidence", report.confidence)?;
    dict.set_item("assume", report.assumption.map(|assumption| assumption.name()))?;
    dict.set_item("contradicted", report.contradicted)?;
    dict.set_item("constant", report.constant)?;
    dict.set_item("renormalised_rows", report.renormalised_rows)?;
    dict.set_item("fits", report.fits)?;
    dict.set_item("unconverged_fits", report.unconverged_fits)?;
    dict.set_item("approximations", &report.approximations)?;
    dict.set_item("estimates", estimates(py, &mut report.estimates)?)?;
    let groups = report.groups.as_mut().map(|found| as_groups(py, found)).transpose()?;
    dict.set_item("groups", groups)?;
    let given = report.given_features.as_mut().map(|found| as_given(py, found)).transpose()?;
    dict.set_item("given_features", given)?;
    dict.set_item("texts", Texts { report, notes })?;
    Ok(dict)
}

/// Takes the rows' scores out of estimates.
fn estimates<'py>(py: Python<'py>, found: &mut [Estimate]) -> PyResult<Bound<'py, PyList>> {
    let estimates = PyList::empty(py);
    for one in found {
        let fields = PyDict::new(py);
        fields.set_item("metric", &one.metric)?;
        fields.set_item("value", one.value)?;
        fields.set_item("stderr", one.stderr)?;
        fields.set_item("lower", one.lower)?;
        fields.set_item("best", one.best)?;
        fields.set_item("interval", one.interval)?;
        fields.set_item("upper", one.upper)?;
        fields.set_item("p_value", one.p_value)?;
        fields.set_item("draws", one.draws)?;
        fields.set_item("in_sample", one.in_sample)?;
        let parts = one.decomposition.as_ref().map(|parts| {
            (parts.loss, parts.miscalibration, parts.discrimination, parts.uncertainty)
        });
        fields.set_item("decomposition", parts)?;
        fields.set_item("infinite_rows", one.infinite_rows)?;
        // Of a stream, those of rows are not kept.
        let scores = std::mem::take(&mut one.scores);
        let scores = (!scores.is_empty()).then(|| PyArray1::from_vec(py, scores));
        fields.set_item("scores", scores)?;
        estimates.append(fields)?;
    }
    Ok(estimates)
}

fn as_groups<'py>(py: Python<'py>, found: &mut GroupErrors) -> PyResult<Bound<'py, PyDict>> {
    let groups = PyList::empty(py);
    for group in &mut found.groups {
        let own = group.estimates.as_mut().map(|all| estimates(py, all)).transpose()?;
        groups.append((&group.name, group.rows, own))?;
    }
    let aware = PyList::empty(py);
    for one in &found.aware {
        aware.append((&one.metric, one.value, one.stderr, one.lower))?;
    }
    let dict = PyDict::new(py);
    dict.set_item("groups", groups)?;
    dict.set_item("aware", aware)?;
    dict.set_item("confidence", found.confidence)?;
    Ok(dict)
}

fn as_given<'py>(py: Python<'py>, found: &mut GivenFeatures) -> PyResult<Bound<'py, PyDict>> {
    let own = estimates(py, &mut found.estimates)?;
    for (fields, gain) in own.iter().zip(&found.gains) {
        fields.set_item("gain", as_gain(gain))?;
    }
    let shares = PyList::empty(py);
    for share in &found.shares {
        let lost = PyDict::new(py);
        for one in &share.lost {
            lost.set_item(&one.metric, as_gain(one))?;
        }
        shares.append((&share.names, lost))?;
    }
    let dict = PyDict::new(py);
    dict.set_item("features", &found.names)?;
    dict.set_item("estimates", own)?;
    dict.set_item("shares", shares)?;
    dict.set_item("segments", as_segments(py, &found.segments)?)?;
    Ok(dict)
}

fn as_gain(gain: &FeatureGain) -> (f64, f64, f64) {
    (gain.value, gain.stderr, gain.lower)
}

fn as_segments<'py>(py: Python<'py>, found: &Segments) -> PyResult<Bound<'py, PyDict>> {
    let shown = PyList::empty(py);
    for one in &found.shown {
        let conditions: PyResult<Vec<_>> =
            one.conditions.iter().map(|condition| as_condition(py, condition)).collect();
        let fields = PyDict::new(py);
        fields.set_item("segment", one.words())?;
        fields.set_item("conditions", conditions?)?;
        fields.set_item("class", &one.class)?;
        fields.set_item("rows", one.rows)?;
        fields.set_item("measured", one.measured)?;
        fields.set_item("predicted", one.predicted)?;
        fields.set_item("observed", one.observed)?;
        fields.set_item("bound", one.bound)?;
        fields.set_item("above", one.above)?;
        shown.append(fields)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("shown", shown)?;
    dict.set_item("tried", found.tried)?;
    dict.set_item("searched", found.searched)?;
    dict.set_item("measured", found.measured)?;
    Ok(dict)
}

/// As JSON has it.
fn as_condition<'py>(py: Python<'py>, condition: &Condition) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("feature", &condition.feature)?;
    match &condition.wanted {
        Wanted::Between { above, up_to } => {
            dict.set_item("above", above)?;
            dict.set_item("up_to", up_to)?;
        }
        Wanted::Level(level) => dict.set_item("level", level)?,
        _ => dict.set_item("missing", true)?,
    }
    Ok(dict)
}

//! What the properties run over.

use calipers::{
    Distance, Estimator, Fitted, Metric, Predictions, Sample, recalibrator, recalibrators,
};

use crate::properties::drawn::Drawn;

/// Recalibrators with other parameters than their defaults, where those take another way.
const OTHERS: [&str; 6] = [
    "boost:trees=3,depth=2,inner=2",
    "boost-leafwise:trees=5,leaves=4,rows=2",
    "kernel:bandwidth=0.02",
    "partition:cells=3",
    "bins-width:bins=2",
    "bins-mass:bins=4",
];

/// Those that take as long as all others together: each case has one of them, in turn.
const SLOW: [&str; 4] = ["boost", "boost-leafwise", "boost-cold", "boost-leafwise-cold"];

/// Every recalibrator there is, and some with parameters.
pub fn all() -> Vec<&'static str> {
    recalibrators().map(|info| info.name).chain(OTHERS).collect()
}

/// Those that a case is tried on.
pub fn of_case(drawn: &Drawn) -> Vec<&'static str> {
    let slow = SLOW[drawn.turn % SLOW.len()];
    all().into_iter().filter(|name| !SLOW.contains(name) || *name == slow).collect()
}

/// The square of the distance to f, class 0 counted thrice: a user's own.
#[derive(Debug)]
pub struct Own;

impl Distance for Own {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        let squares = f.iter().zip(z).map(|(f, z)| (z - f) * (z - f));
        squares.enumerate().map(|(class, square)| factor(class) * square).sum()
    }

    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        for class in 0..f.len() {
            out[class] = 2.0 * factor(class) * (z[class] - f[class]);
        }
    }
}

fn factor(class: usize) -> f64 {
    if class == 0 { 3.0 } else { 1.0 }
}

/// The metrics of whole vectors that do not tell classes apart.
pub fn canonical(classes: usize) -> Vec<Metric> {
    let mut names = vec!["l1", "l1.5", "l2", "l3.7", "linf", "brier", "log"];
    if classes == 2 {
        names.extend(["over-l1", "under-l1", "over-brier", "under-brier", "over-log", "under-log"]);
    }
    names.into_iter().map(|name| name.parse().unwrap()).collect()
}

/// Every kind of metric that predictions of so many classes have.
pub fn metrics(classes: usize) -> Vec<Metric> {
    let others = [
        "top-l1",
        "top-over-l1",
        "top-under-l1",
        "top-brier",
        "top-over-log",
        "top-under-log",
        "top-log",
        "classwise-l1",
        "classwise-l2",
        "classwise-brier",
        "classwise-log",
        "classwise-over-l1",
        "classwise-under-l1",
    ];
    let others = others.into_iter().map(|name| name.parse().unwrap());
    canonical(classes).into_iter().chain(others).chain([Metric::distance("own", Own)]).collect()
}

/// How many metrics there are in all.
pub fn metric_count() -> usize {
    metrics(2).len()
}

/// An estimator of a recalibrator with a case's folds and seed, without p-values.
pub fn estimator(name: &str, drawn: &Drawn) -> Estimator {
    Estimator::new()
        .recalibrator(recalibrator(name).unwrap())
        .fold_plan(drawn.plan())
        .seed(drawn.seed)
        .draws(0)
        .threads(1)
}

/// A model fitted to all rows.
pub fn fit(name: &str, predictions: &Predictions<'_>, seed: u64) -> Box<dyn Fitted> {
    recalibrator(name).unwrap().fit(&Sample::from(predictions), seed).unwrap()
}

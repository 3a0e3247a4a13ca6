//! The order of rows, and that of classes, means nothing.

use std::cell::Cell;

use calipers::{Estimate, Metric};
use proptest::prelude::*;

use crate::properties::cases::{Held, Property};
use crate::properties::drawn::{Drawn, drawn};
use crate::properties::lists;
use crate::properties::near::{Nearness, away};

/// How far a score may move, and how near to a jump it is not compared. Fits stop at a gradient of 1e-10,
/// and rows added up in another order move the last bits of it. Where labels say nothing, a penalty of
/// 1e-6 is all the curvature there is, and 1e-4 of a slope is free; `matrix` has so many slopes that the
/// free ones show, times a logarithm of up to 14.
fn tolerance(name: &str) -> f64 {
    if name == "matrix" { 1e-4 } else { 1e-6 }
}

/// Those to which other numbers for the classes are another seed: they draw rows, features or centres by
/// their place, or deal rows into inner folds (docs/method.md, "What g does not depend on").
const DRAWING: [&str; 9] = [
    "stack",
    "partition",
    "partition:cells=3",
    "boost",
    "boost:trees=3,depth=2,inner=2",
    "boost-leafwise",
    "boost-leafwise:trees=5,leaves=4,rows=2",
    "boost-cold",
    "boost-leafwise-cold",
];

/// Of two classes these cut f₁ from below: a row on a border is in the bin above it, which is the one
/// below when classes are swapped.
const CUTTING: [&str; 4] = ["bins-width", "bins-width:bins=2", "bins-mass", "bins-mass:bins=4"];

/// Whether swapping classes is to change nothing.
fn minds_no_class(name: &str, drawn: &Drawn) -> bool {
    // Of two classes `bayes` sees f₁ alone, which does not show what f₀ is below 1e-16, and puts rows that
    // have less than a 200th of the weight into a cell with those above.
    let tiny = || drawn.rows.iter().flatten().any(|&p| p > 0.0 && p < 1e-12);
    match (name, drawn.classes()) {
        ("auto", 2) | ("bayes", 2) => drawn.weights.is_none() && !tiny(),
        ("auto", _) => false,
        (name, 2) if CUTTING.contains(&name) => false,
        (name, _) => !DRAWING.contains(&name),
    }
}

/// Estimates of the metrics, and after them how near every scope is to a jump.
fn estimates(name: &str, drawn: &Drawn, metrics: &[Metric]) -> Vec<Estimate> {
    let nearness = || Metric::distance("nearness", Nearness);
    let more = [nearness(), nearness().top(), nearness().classwise()];
    let all = metrics.iter().cloned().chain(more);
    lists::estimator(name, drawn).metrics(all).estimate(&drawn.predictions()).unwrap().estimates
}

/// How many scores of norms were compared, and how many were too near to a jump.
#[derive(Default)]
struct Norms {
    compared: Cell<u64>,
    left_out: Cell<u64>,
}

impl Norms {
    /// Compares two lists of estimates, of which the second has its rows in another order.
    fn compare(
        &self,
        name: &str,
        drawn: &Drawn,
        (one, other): (&[Estimate], &[Estimate]),
        order: &[usize],
    ) -> Held {
        let count = one.len() - 3;
        for number in 0..count {
            let metric = one[number].metric.as_str();
            let scope = match metric {
                _ if metric.starts_with("top-") => count + 1,
                _ if metric.starts_with("classwise-") => count + 2,
                _ => count,
            };
            let smooth = ["brier", "log", "own"].iter().any(|loss| metric.ends_with(loss));
            let sided = metric.contains("over-") || metric.contains("under-");
            let mut whole = true;
            for (place, &row) in order.iter().enumerate() {
                let near = (one[scope].scores[row], other[scope].scores[place]);
                // An ulp from ½ one class is above it and the other is not.
                let half = |p: &f64| (p - 0.5).abs() < tolerance(name);
                let turning = sided && drawn.rows[row].iter().any(half);
                if turning || ((!smooth || sided) && !away(near.0, near.1, tolerance(name))) {
                    self.left_out.set(self.left_out.get() + 1);
                    whole = false;
                    continue;
                }
                self.compared.set(self.compared.get() + u64::from(!smooth));
                let (one, other) = (one[number].scores[row], other[number].scores[place]);
                close(name, metric, "score", one, other)?;
            }
            if whole {
                let (one, other) = (&one[number], &other[number]);
                close(name, metric, "value", one.value, other.value)?;
                // The variance is a difference of squares: of scores that are all alike, 1e-8 of them is left.
                let scores = one.scores.iter().filter(|score| score.is_finite());
                let most = scores.fold(1.0f64, |most, score| most.max(score.abs()));
                close(name, metric, "stderr", one.stderr / most, other.stderr / most)?;
                close(name, metric, "lower", one.lower / most, other.lower / most)?;
            }
        }
        Ok(())
    }

    /// Most of them are away from jumps, or little was compared.
    fn assert_most_were_compared(&self) {
        let (compared, left_out) = (self.compared.get(), self.left_out.get());
        println!("{compared} scores of norms compared, {left_out} too near to a jump");
        assert!(4 * left_out < compared, "{compared} {left_out}");
    }
}

#[allow(clippy::float_cmp, reason = "infinities are equal")]
fn close(name: &str, metric: &str, what: &str, one: f64, other: f64) -> Held {
    let near = (one - other).abs() <= tolerance(name) * one.abs().max(1.0);
    prop_assert!(one == other || near, "{} {} {}: {} and {}", name, metric, what, one, other);
    Ok(())
}

#[test]
fn rows_may_come_in_any_order() {
    let property = Property {
        says: "rows in another order",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: lists::metric_count(),
        cases: 24,
    };
    let norms = Norms::default();
    property.holds(drawn(2..=5), |drawn, compared| {
        let shuffled = drawn.select(&drawn.row_order);
        let metrics = lists::metrics(drawn.classes());
        for name in lists::of_case(&drawn) {
            let one = estimates(name, &drawn, &metrics);
            let other = estimates(name, &shuffled, &metrics);
            norms.compare(name, &drawn, (&one, &other), &drawn.row_order)?;
            compared.one();
        }
        Ok(())
    });
    norms.assert_most_were_compared();
}

#[test]
fn classes_may_come_in_any_order() {
    let property = Property {
        says: "classes in another order",
        file: file!(),
        recalibrators: lists::all().len() - DRAWING.len(),
        metrics: lists::canonical(2).len(),
        cases: 60,
    };
    let norms = Norms::default();
    property.holds(drawn(2..=5), |drawn, compared| {
        let metrics = lists::canonical(drawn.classes());
        let same: Vec<usize> = (0..drawn.rows.len()).collect();
        for name in lists::all().into_iter().filter(|name| minds_no_class(name, &drawn)) {
            let one = estimates(name, &drawn, &metrics);
            let other = estimates(name, &drawn.renamed(), &metrics);
            norms.compare(name, &drawn, (&one, &other), &same)?;
            compared.one();
        }
        Ok(())
    });
    norms.assert_most_were_compared();
}

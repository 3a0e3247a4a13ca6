//! What weights mean.

use calipers::{Report, Sample};
use ndarray::Array2;
use proptest::prelude::*;

use crate::properties::cases::{Held, Property};
use crate::properties::drawn::{Drawn, drawn};
use crate::properties::lists;

/// Metrics whose scores do not jump.
const SMOOTH: [&str; 6] =
    ["brier", "log", "top-brier", "top-log", "classwise-brier", "classwise-log"];

fn estimates(name: &str, drawn: &Drawn) -> Report {
    let asked = lists::estimator(name, drawn).metrics(lists::metrics(drawn.classes()));
    asked.draws(19).estimate(&drawn.predictions()).unwrap()
}

/// The numbers of a report, apart from those of single rows.
fn numbers(report: &Report) -> Vec<f64> {
    let one = |one: &calipers::Estimate| [one.value, one.stderr, one.lower, one.p_value.unwrap()];
    report.estimates.iter().flat_map(one).collect()
}

/// Weights of their own for every row, if there were none.
fn weighted(drawn: &Drawn) -> Drawn {
    let own = || (0..drawn.rows.len()).map(|row| 1.0 + (row % 5) as f64).collect();
    drawn.with_weights(Some(drawn.weights.clone().unwrap_or_else(own)))
}

#[test]
fn scaling_weights_changes_nothing() {
    let property = Property {
        says: "weights times a factor: by a power of two no bit",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: lists::metric_count(),
        cases: 8,
    };
    let factors = prop::sample::select(vec![0.5, 1024.0, 2f64.powi(-300), 2f64.powi(400)]);
    property.holds((drawn(2..=4), factors), |(drawn, factor), compared| {
        let drawn = weighted(&drawn);
        let weights = drawn.weights.clone().unwrap();
        let scaled =
            drawn.with_weights(Some(weights.iter().map(|weight| weight * factor).collect()));
        for name in lists::of_case(&drawn) {
            let (one, other) = (estimates(name, &drawn), estimates(name, &scaled));
            for (one, other) in one.estimates.iter().zip(&other.estimates) {
                let bits =
                    |scores: &[f64]| -> Vec<u64> { scores.iter().map(|s| s.to_bits()).collect() };
                prop_assert_eq!(bits(&one.scores), bits(&other.scores), "{} {}", name, one.metric);
            }
            let bits =
                |report| -> Vec<u64> { numbers(report).into_iter().map(f64::to_bits).collect() };
            prop_assert_eq!(bits(&one), bits(&other), "{}", name);
            compared.one();
        }
        Ok(())
    });
}

/// By a factor that rounds: scores move by no more than rounding moves them. (Norms jump where g meets f.)
#[test]
fn scaling_weights_by_any_factor_changes_nothing_but_rounding() {
    let property = Property {
        says: "weights times any factor: nothing but rounding",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: SMOOTH.len(),
        cases: 8,
    };
    let factors = prop::sample::select(vec![0.3, 7.0, 1e-150, 1e150]);
    property.holds((drawn(2..=4), factors), |(drawn, factor), compared| {
        let drawn = weighted(&drawn);
        let weights = drawn.weights.iter().flatten().map(|weight| weight * factor).collect();
        let scaled = drawn.with_weights(Some(weights));
        for name in lists::of_case(&drawn) {
            let run = |drawn: &Drawn| {
                let metrics = SMOOTH.map(|metric| metric.parse().unwrap());
                let asked = lists::estimator(name, drawn).metrics(metrics);
                asked.estimate(&drawn.predictions()).unwrap().estimates
            };
            for (one, other) in run(&drawn).iter().zip(&run(&scaled)) {
                for (a, b) in one.scores.iter().zip(&other.scores) {
                    // As for the order of rows: fits stop at a gradient of 1e-10.
                    let near =
                        a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-6 * a.abs().max(1.0);
                    prop_assert!(near, "{} {}: {} {}", name, one.metric, a, b);
                }
            }
            compared.one();
        }
        Ok(())
    });
}

/// Rows of weight 0 are as good as absent.
#[test]
fn a_weight_of_zero_is_a_row_that_is_not_there() {
    let property = Property {
        says: "a weight of 0 is an absent row",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: lists::metric_count(),
        cases: 16,
    };
    let zeros = prop::collection::vec(any::<bool>(), 40);
    property.holds((drawn(2..=4), zeros), |(drawn, zeros), compared| {
        let mut weighted = weighted(&drawn);
        let weights = weighted.weights.as_mut().unwrap();
        // The first two rows stay: they hold the folds apart.
        weights.iter_mut().zip(&zeros).skip(2).for_each(|(weight, zero)| {
            if *zero {
                *weight = 0.0;
            }
        });
        (weights[0], weights[1]) = (1.0, 2.0);
        let rows: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
        let fewer = weighted.select(&rows);
        if fewer.plan().count() != weighted.plan().count() {
            return Ok(());
        }
        for name in lists::of_case(&drawn) {
            let (one, other) = (estimates(name, &weighted), estimates(name, &fewer));
            for (one, other) in one.estimates.iter().zip(&other.estimates) {
                let kept: Vec<u64> = rows.iter().map(|&row| one.scores[row].to_bits()).collect();
                let own: Vec<u64> = other.scores.iter().map(|score| score.to_bits()).collect();
                prop_assert_eq!(kept, own, "{} {}", name, one.metric);
                for (what, a, b) in [
                    ("value", one.value, other.value),
                    ("stderr", one.stderr, other.stderr),
                    ("lower", one.lower, other.lower),
                ] {
                    // The same terms, added in other groups.
                    let equal =
                        a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-13 * a.abs().max(1.0);
                    prop_assert!(equal, "{} {} {}: {} {}", name, one.metric, what, a, b);
                }
            }
            compared.one();
        }
        Ok(())
    });
}

/// g without the share of the uniform that keeps frequencies off 0.
fn unmixed(name: &str, drawn: &Drawn, f: &Array2<f64>, mixed: bool) -> Array2<f64> {
    let predictions = drawn.predictions();
    let g = lists::fit(name, &predictions, drawn.seed).predict(f.view()).unwrap();
    if !mixed {
        return g;
    }
    let share = 1.0 / (Sample::from(&predictions).effective_rows() + 1.0);
    let uniform = 1.0 / drawn.classes() as f64;
    g.mapv(|g| (g - share * uniform) / (1.0 - share))
}

fn same_maps(name: &str, short: &Drawn, long: &Drawn, mixed: bool, tolerance: f64) -> Held {
    let f = short.predictions().probs().to_owned();
    let (one, other) = (unmixed(name, short, &f, mixed), unmixed(name, long, &f, mixed));
    let gap = (&one - &other).iter().fold(0.0f64, |most, gap| most.max(gap.abs()));
    prop_assert!(gap <= tolerance, "{}: {:e}", name, gap);
    Ok(())
}

/// The map does not know how many rows there are.
const FREE: [&str; 7] =
    ["temperature", "affine", "quadratic", "beta", "vector", "matrix", "identity"];

/// Frequencies, of which 1/(n + 1) is moved to the uniform distribution; without that they are equal.
/// `kernel` fills with f what is missing to a mass of 1e-12 of the mean weight: a bandwidth of 1 leaves
/// nothing missing.
const MIXED: [&str; 6] =
    ["constant", "isotonic", "bins-width", "bins-width:bins=2", "bins-mass", "bins-mass:bins=4"];

/// Those that trust more rows more, by their number, (Σw)²/Σw², which does not change if all weights
/// do: a penalty of k/n, a prior against n rows, bags and inner folds of rows. And `partition`: a row that
/// is halfway between two centres goes where rounding puts it, and moves both.
const TRUSTING: [&str; 16] = [
    "partition",
    "partition:cells=3",
    "auto",
    "bayes",
    "stack",
    "svs",
    "sms",
    "logistic",
    "boost",
    "boost:trees=3,depth=2,inner=2",
    "boost-leafwise",
    "boost-leafwise:trees=5,leaves=4,rows=2",
    "boost-cold",
    "boost-leafwise-cold",
    "kernel",
    "kernel:bandwidth=0.02",
];

#[test]
fn every_recalibrator_says_what_repeated_rows_are_to_it() {
    let mut known: Vec<&str> = FREE.into_iter().chain(MIXED).chain(TRUSTING).collect();
    let mut all = lists::all();
    known.sort_unstable();
    all.sort_unstable();
    assert_eq!(known, all);
}

#[test]
fn whole_weights_count_as_repeated_rows() {
    let property = Property {
        says: "whole weights are repeated rows",
        file: file!(),
        recalibrators: FREE.len() + MIXED.len() + 1,
        metrics: 0,
        cases: 60,
    };
    let counts = prop::collection::vec(0usize..4, 40);
    property.holds((drawn(2..=5), counts), |(drawn, counts), compared| {
        let mut counts = counts[..drawn.rows.len()].to_vec();
        counts[0] = counts[0].max(1);
        let weights = counts.iter().map(|&count| 2.5 * count as f64).collect();
        let short = drawn.with_weights(Some(weights));
        let repeated: Vec<usize> =
            (0..counts.len()).flat_map(|row| std::iter::repeat_n(row, counts[row])).collect();
        let long = drawn.with_weights(None).select(&repeated);
        for name in FREE {
            // Both stop at a gradient of 1e-10; a penalty of 1e-6 is the least curvature.
            same_maps(name, &short, &long, false, 1e-6)?;
            compared.one();
        }
        for name in MIXED.into_iter().chain(["kernel:bandwidth=1"]) {
            // Sums of at most 120 terms, and the fast Gauss transform's 1e-9.
            same_maps(name, &short, &long, true, 2e-9)?;
            compared.one();
        }
        Ok(())
    });
}

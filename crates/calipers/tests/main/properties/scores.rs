//! What every report's numbers are to each other.

use calipers::{BinaryNorm, Estimate, Report};
use proptest::prelude::*;

use crate::properties::cases::{Held, Property};
use crate::properties::drawn::{Drawn, drawn};
use crate::properties::lists;

/// The weighted mean of the scores of rows that count.
fn mean(one: &Estimate, weights: &[f64]) -> f64 {
    let counted = one.scores.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    let (sum, total) = counted
        .fold((0.0, 0.0), |(sum, total), (score, weight)| (sum + score * weight, total + weight));
    sum / total
}

fn check(name: &str, drawn: &Drawn, report: &Report) -> Held {
    let predictions = drawn.predictions();
    let weights =
        predictions.weights().map_or(vec![1.0; drawn.rows.len()], |weights| weights.to_vec());
    let f = predictions.probs();
    let observed = |row: usize| f[[row, drawn.labels[row] as usize]];
    for one in &report.estimates {
        let what = format!("{name} {}: {} {} {}", one.metric, one.value, one.stderr, one.lower);
        let logarithmic = one.metric.ends_with("log");
        prop_assert!(one.scores.iter().all(|score| !score.is_nan()), "{}", what);
        if logarithmic {
            let infinite = |row: usize| one.scores[row] >= f64::INFINITY;
            // No recalibrator rules anything out, so that the estimate is never −∞.
            prop_assert!(one.scores.iter().all(|&score| score > f64::NEG_INFINITY), "{}", what);
            let counted =
                (0..weights.len()).filter(|&row| weights[row] > 0.0 && infinite(row)).count();
            prop_assert_eq!(one.infinite_rows, counted, "{}", what);
            prop_assert_eq!(one.value >= f64::INFINITY, counted > 0, "{}", what);
            // Infinite exactly where f ruled out what happened; but where g is f, the score is 0.
            for row in (0..weights.len()).filter(|_| one.metric == "log") {
                let (ruled_out, score) = (observed(row) <= 0.0, one.scores[row]);
                let right =
                    if ruled_out { infinite(row) || score.abs() <= 0.0 } else { score.is_finite() };
                prop_assert!(right, "{}, row {}: {}", what, row, score);
            }
        } else {
            prop_assert!(one.scores.iter().all(|score| score.is_finite()), "{}", what);
            prop_assert_eq!(one.infinite_rows, 0, "{}", what);
            // No norm of a difference of two points of the simplex is above its L1 norm, which is 2;
            // the own distance is of squares, one of them thrice, and their slopes.
            prop_assert!(one.scores.iter().all(|score| score.abs() <= 20.0), "{}", what);
        }
        if one.value.is_finite() {
            // Sums of at most 40 terms, each rounded once.
            let expected = mean(one, &weights);
            let scale = one.scores.iter().fold(1.0f64, |most, score| most.max(score.abs()));
            prop_assert!(
                (one.value - expected).abs() <= 1e-14 * scale,
                "{}, mean {}",
                what,
                expected
            );
            prop_assert!(one.stderr >= 0.0 && one.stderr.is_finite(), "{}", what);
        }
        prop_assert!(one.lower >= 0.0, "{}", what);
        // The bound of a logarithm is that of a hedged g, which may recover more.
        if !logarithmic {
            prop_assert!(one.lower <= one.value.max(0.0), "{}", what);
        }
        prop_assert!(one.p_value.is_none_or(|p| p > 0.0 && p <= 1.0), "{} {:?}", what, one.p_value);
    }
    add_up(name, report)
}

/// Over- and under-confident shares make up the whole, row by row.
fn add_up(name: &str, report: &Report) -> Held {
    for over in report.estimates.iter().filter(|one| one.metric.contains("over-")) {
        let get = |metric: String| report.get(&metric).unwrap();
        let under = get(over.metric.replace("over-", "under-"));
        let whole = get(over.metric.replace("over-", ""));
        for row in 0..whole.scores.len() {
            let sum = over.scores[row] + under.scores[row];
            let gap = (sum - whole.scores[row]).abs();
            let rounding = 1e-15 * whole.scores[row].abs().max(1.0);
            let equal = sum.to_bits() == whole.scores[row].to_bits();
            prop_assert!(equal || gap <= rounding, "{} {} row {}", name, over.metric, row);
        }
    }
    Ok(())
}

#[test]
fn scores_are_finite_where_the_loss_is_and_average_to_the_value() {
    let property = Property {
        says: "scores are finite where the loss is and average to the value; shares add up",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: lists::metric_count(),
        cases: 24,
    };
    property.holds(drawn(2..=5), |drawn, compared| {
        for name in lists::of_case(&drawn) {
            for binary in [BinaryNorm::Scalar, BinaryNorm::Vector] {
                if binary == BinaryNorm::Vector && drawn.classes() > 2 {
                    continue;
                }
                let asked = lists::estimator(name, &drawn).metrics(lists::metrics(drawn.classes()));
                let report = asked.binary(binary).draws(19).estimate(&drawn.predictions()).unwrap();
                check(name, &drawn, &report)?;
                compared.one();
            }
        }
        Ok(())
    });
}

#[test]
fn a_g_that_is_f_scores_exactly_nothing() {
    let property = Property {
        says: "g = f gives exactly 0",
        file: file!(),
        recalibrators: 1,
        metrics: lists::metric_count(),
        cases: 200,
    };
    property.holds(drawn(2..=5), |drawn, compared| {
        for binary in [BinaryNorm::Scalar, BinaryNorm::Vector] {
            let asked = lists::estimator("identity", &drawn).binary(binary);
            let asked = asked.metrics(lists::metrics(drawn.classes()));
            let report = asked.estimate(&drawn.predictions()).unwrap();
            for one in &report.estimates {
                let zero = one.scores.iter().chain([&one.value]).all(|&score| score.abs() <= 0.0);
                prop_assert!(zero, "{}: {:?}", one.metric, one.scores);
            }
            compared.one();
        }
        Ok(())
    });
}

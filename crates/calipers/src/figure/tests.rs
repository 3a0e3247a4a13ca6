//! What figures promise: their numbers add up, and their parts fit together.

use super::*;
use crate::{Estimator, Features, Predictions, recalibrator, simulate};

fn bars(figure: &Figure, role: Role) -> (Vec<f64>, Vec<f64>) {
    let Mark::Bars { base, top, .. } = &figure.layer(role).unwrap().mark else { panic!() };
    (base.clone(), top.clone())
}

fn quick() -> Estimator {
    Estimator::new().recalibrator(recalibrator("isotonic").unwrap()).draws(0)
}

#[test]
fn contributions_add_up_to_the_estimate() {
    let weights: Vec<f64> = (0..800).map(|row| f64::from(row % 5)).collect();
    for name in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(name, 800, 0).unwrap().with_weights(weights.clone()).unwrap();
        let seen = quick().repeats(2).examine(&[("", &predictions)]).unwrap();
        let figure = seen.figures[0].contribution.as_ref().unwrap();
        let metric = if predictions.classes() == 2 { "l1" } else { "top-l1" };
        let sum = |role| -> f64 {
            let (base, top) = bars(figure, role);
            top.iter().zip(&base).map(|(top, base)| top - base).sum()
        };
        let value = |metric: String| seen.reports[0].get(&metric).unwrap().value;
        let [whole, over, under] = [String::new(), "over-".into(), "under-".into()]
            .map(|side: String| value(metric.replace("l1", &format!("{side}l1"))));
        // Sums of 800 numbers below 1 in another order.
        assert!((sum(Role::Over) - over).abs() < 1e-12);
        assert!((sum(Role::Under) - under).abs() < 1e-12);
        assert!((sum(Role::Over) + sum(Role::Under) - whole).abs() < 1e-12);
    }
}

#[test]
fn the_areas_lie_between_g_and_the_identity_and_on_the_right_side() {
    let predictions = simulate("binary-overconfident", 2000, 0).unwrap();
    let estimator = quick().recalibrator(recalibrator("temperature").unwrap());
    let figure = estimator.reliability(&predictions, View::of(&predictions)).unwrap();
    let layers = &figure.panels[0].layers;
    let of = |role| layers.iter().filter(move |layer| layer.role == role);
    // A temperature above 1 pulls everything towards 1/2.
    assert_eq!((of(Role::Over).count(), of(Role::Under).count()), (2, 0));
    let area: f64 = of(Role::Over)
        .map(|layer| {
            let Mark::Area { x, low, high } = &layer.mark else { panic!() };
            let height = |at: usize| high[at] - low[at];
            (1..x.len())
                .map(|at| 0.5 * (x[at] - x[at - 1]) * (height(at) + height(at - 1)))
                .sum::<f64>()
        })
        .sum::<f64>();
    let Mark::Line { x, y } = &figure.layer(Role::Truth).unwrap().mark else { panic!() };
    let step = |at: usize| {
        let gap = |at: usize| (y[at] - x[at]).abs();
        0.5 * (x[at] - x[at - 1]) * (gap(at) + gap(at - 1))
    };
    let twin: f64 = (1..x.len()).map(step).sum();
    // The trapezoids agree but for the one that is cut at 1/2.
    assert!((area - twin).abs() < 1e-3 && area > 0.01, "{area} {twin}");
}

#[test]
fn the_density_and_the_bins_count_every_row_once() {
    let predictions = Predictions::binary(&[0.0, 0.01, 0.5, 1.0], &[0, 1, 1, 1]).unwrap();
    let figure = quick().folds(2).reliability(&predictions, View::Class(1)).unwrap();
    let (_, share) = bars(&figure, Role::Density);
    assert!((share.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    assert!((share[0] - 0.5).abs() < 1e-15 && (share[49] - 0.25).abs() < 1e-15);
    let layer = figure.layer(Role::Bins).unwrap();
    let Mark::Points { x, y, .. } = &layer.mark else { panic!() };
    assert!(layer.optional);
    assert!((x[0] - 0.005).abs() < 1e-15 && (y[0] - 0.5).abs() < 1e-15 && x.len() == 3);
}

#[test]
fn what_one_class_gains_others_lose() {
    let predictions = simulate("multiclass-overconfident-3", 500, 1).unwrap();
    let seen = quick().examine(&[("", &predictions)]).unwrap();
    let classes = seen.figures[0].classes.as_ref().unwrap();
    let moved = classes.movement.as_ref().unwrap();
    assert!((moved.mean_g.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Nine pairs are fewer than are shown, so that nothing is left out of the sums.
    for predicted in 0..3 {
        let own = moved.largest.iter().filter(|moved| moved.predicted == predicted);
        assert!(own.map(|moved| moved.gain).sum::<f64>().abs() < 1e-12);
    }
    for (class, row) in classes.rows.iter().enumerate() {
        let gains = moved.largest.iter().filter(|moved| moved.class == class);
        let net: f64 = gains.map(|moved| moved.gain).sum();
        assert!((row.mean_g.unwrap() - row.mean_f - net).abs() < 1e-12);
    }
    assert_eq!(classes.rows.iter().map(|row| row.rows).sum::<usize>(), 500);
    assert_eq!(classes.worst.len(), 3);
}

#[test]
fn a_class_is_measured_as_the_two_class_problem_that_it_is() {
    let predictions = simulate("multiclass-overconfident-3", 400, 2).unwrap();
    let seen = quick().examine(&[("", &predictions)]).unwrap();
    let f = predictions.probs();
    let labels: Vec<u32> = predictions.labels().iter().map(|&label| (label == 2).into()).collect();
    let two = Predictions::binary(f.column(2).to_vec(), &labels).unwrap();
    let alone = quick().metric("l1".parse().unwrap()).estimate(&two).unwrap();
    let row = &seen.figures[0].classes.as_ref().unwrap().rows[2];
    assert!((row.value - alone.get("l1").unwrap().value).abs() < 1e-15);
    // Its bound holds together with those of two others.
    assert!(row.lower < alone.get("l1").unwrap().lower);
}

#[test]
fn several_models_share_a_figure_and_threads_change_nothing() {
    let one = simulate("binary-overconfident", 400, 0).unwrap();
    let other: Vec<f64> = one.probs().column(1).iter().map(|f| 0.25 + 0.5 * f).collect();
    let other = Predictions::binary(other, one.labels()).unwrap();
    let models = [("a", &one), ("b", &other)];
    let run = |threads| quick().threads(threads).examine(&models).unwrap();
    let (first, second) = (run(1), run(3));
    let overlay = |seen: &Examination| seen.overlay.as_ref().unwrap().to_json().to_string();
    assert_eq!(overlay(&first), overlay(&second));
    let figure = first.overlay.as_ref().unwrap();
    let series: Vec<usize> = figure.panels[0]
        .layers
        .iter()
        .filter(|layer| layer.role == Role::Truth)
        .map(|layer| layer.series)
        .collect();
    assert_eq!(series, [0, 1]);
    assert_eq!(first.differences.len(), 5);
}

#[test]
fn a_class_that_there_is_not_is_named() {
    let predictions = simulate("multiclass-overconfident-3", 50, 0).unwrap();
    let error = View::class(&predictions, "cat").unwrap_err().to_string();
    assert_eq!(error, "class: no class is named cat");
    assert!(quick().reliability(&predictions, View::Class(3)).is_err());
}

/// Three classes, of which f says 0.5, 0.3 and 0.2; in the south the first two are the other way round.
#[test]
fn a_segment_has_a_curve_of_its_own_beside_that_of_all_others() {
    let south = |row: usize| row.is_multiple_of(4);
    let label = |row: usize| match (row / 4 % 10, south(row)) {
        (..5, false) | (5..8, true) => 0,
        (5..8, false) | (..5, true) => 1,
        _ => 2u32,
    };
    let labels: Vec<u32> = (0..4_000).map(label).collect();
    let probs = ndarray::Array2::from_shape_fn((4_000, 3), |(_, class)| [0.5, 0.3, 0.2][class]);
    let region: Vec<_> =
        (0..4_000).map(|row| Some(if south(row) { "south" } else { "north" })).collect();
    // Rows without weight are in no curve.
    let weights = (0..4_000).map(|row| f64::from(u8::from(row < 3_600))).collect();
    let predictions = Predictions::new(probs, &labels).unwrap().with_weights(weights).unwrap();
    let features = Features::new().category("region", &region).unwrap();
    let predictions = predictions.with_features(features.clone()).unwrap();
    let seen = quick().examine(&[("", &predictions)]).unwrap();
    let shown = &seen.reports[0].given_features.as_ref().unwrap().segments.shown;
    let figures = &seen.figures[0].segments;
    assert!(figures.len() == shown.len() && shown.len() >= 2, "{}", shown.len());
    for (segment, figure) in shown.iter().zip(figures) {
        assert_eq!(segment.words(), "region = south");
        let inside = segment.holds(&features).iter().take(3_600).filter(|inside| **inside).count();
        assert_eq!(inside, segment.rows);
        assert!(figure.x.label.ends_with(&segment.class), "{}", figure.x.label);
        let curves = figure.panels[0].layers.iter().filter(|layer| layer.role == Role::Truth);
        let heights: Vec<f64> = curves
            .map(|layer| match &layer.mark {
                Mark::Line { y, .. } => y[0],
                _ => panic!(),
            })
            .collect();
        // All rows have one prediction, of which g is the frequency: to 0.01 by the uniform that is mixed in.
        assert!((heights[0] - segment.observed).abs() < 0.01, "{heights:?}");
        assert!((heights[1] - segment.predicted).abs() < 0.05, "{heights:?}");
    }
}

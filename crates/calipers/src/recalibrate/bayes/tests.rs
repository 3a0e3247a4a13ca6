use std::f64::consts::PI;

use proptest::prelude::*;

use super::super::one_vs_rest::Curve;
use super::cells::{CELLS, Cell, divide};
use super::correction::Correction;
use super::design::{Design, KNOTS, bends, logit, trusted};
use super::models::{self, Model};
use super::posterior::{Density, Labels};
use super::tree::Steps;
use crate::numeric::simplex::sigmoid;
use crate::{Predictions, Sample, recalibrator, simulate};

fn cells_of(probs: &[f64], labels: &[usize], weights: Option<Vec<f64>>) -> Vec<Cell> {
    let mut predictions = Predictions::binary(probs, labels).unwrap();
    if let Some(weights) = weights {
        predictions = predictions.with_weights(weights).unwrap();
    }
    let sample = Sample::from(&predictions);
    divide(sample.column(1), sample.effective_rows()).cells
}

fn simulated(rows: usize) -> Vec<Cell> {
    let predictions = simulate("binary-overconfident", rows, 4).unwrap();
    let sample = Sample::from(&predictions);
    divide(sample.column(1), sample.effective_rows()).cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the ties and weights: nothing is lost, ties stay together, order does not matter, and
    /// the number of cells is bounded.
    #[test]
    fn cells_hold_every_row(
        rows in prop::collection::vec((0u16..400, any::<bool>(), 1u8..9), 1..900)
    ) {
        let probs: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 399.0).collect();
        let labels: Vec<usize> = rows.iter().map(|row| usize::from(row.1)).collect();
        let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
        let cells = cells_of(&probs, &labels, Some(weights.clone()));
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(a, b), w| (a + w, b + w * w));
        // Sums of at most 900 numbers.
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
        let mass: f64 = cells.iter().map(|cell| cell.mass).sum();
        prop_assert!(close(mass, sum * sum / squares));
        let observed: f64 = cells.iter().map(|cell| cell.observed).sum();
        let ones = labels.iter().zip(&weights).map(|(y, w)| *y as f64 * w).sum::<f64>();
        prop_assert!(close(observed, ones * sum / squares));
        prop_assert!(cells.is_sorted_by(|a, b| a.prediction < b.prediction));
        prop_assert!(cells.len() <= 4 * CELLS / 3 + 1, "{}", cells.len());
        // A value of more than 1.5 shares, and not by rounding alone, has a cell of its own, at its
        // place to the last bits.
        for value in 0..400 {
            let of = rows.iter().zip(&weights).filter(|(row, _)| row.0 == value);
            let at = f64::from(value) / 399.0;
            if of.map(|(_, weight)| weight).sum::<f64>() > 1.500_001 * sum / CELLS as f64 {
                prop_assert!(cells.iter().any(|cell| (cell.prediction - at).abs() < 1e-12));
            }
        }
        let turned = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
        let labels: Vec<usize> = labels.iter().rev().copied().collect();
        let again = cells_of(&turned(&probs), &labels, Some(turned(&weights)));
        prop_assert_eq!(again.len(), cells.len());
        for (a, b) in again.iter().zip(&cells) {
            prop_assert!(close(a.mass, b.mass) && close(a.observed, b.observed));
            prop_assert!(close(a.prediction, b.prediction));
        }
    }
}

#[test]
fn few_rows_are_cells_themselves() {
    let cells = cells_of(&[0.9, 0.2, 0.2, 0.0], &[1, 0, 1, 0], None);
    let cell = |mass, observed, prediction| Cell { mass, observed, prediction };
    assert_eq!(cells, [cell(1.0, 0.0, 0.0), cell(2.0, 1.0, 0.2), cell(1.0, 1.0, 0.9)]);
}

/// Each column's second differences at the knots are a unit vector, up to the common scale, and it
/// has no straight part.
#[test]
fn a_bend_is_at_its_own_knot() {
    let knots: Vec<f64> = (0..20).map(|knot| f64::from(knot) / 19.0).collect();
    let columns = bends(&knots, KNOTS);
    assert_eq!(columns.len(), 18);
    let scale = columns[0][0] - 2.0 * columns[0][1] + columns[0][2];
    for (number, column) in columns.iter().enumerate() {
        for (at, three) in column.windows(3).enumerate() {
            let bend = three[0] - 2.0 * three[1] + three[2];
            let expected = if at == number { scale } else { 0.0 };
            // Differences of numbers of size 1.
            assert!((bend - expected).abs() < 1e-13, "{number} {at}: {bend}");
        }
        let straight: f64 = column.iter().zip(&knots).map(|(value, knot)| value * knot).sum();
        assert!(column.iter().sum::<f64>().abs() < 1e-12 && straight.abs() < 1e-12);
    }
    let variance: f64 = columns.iter().flatten().map(|value| value * value).sum();
    assert!((variance / 20.0 - 1.0).abs() < 1e-12);
}

/// The mode is where the gradient vanishes, by the formula, row after row.
#[test]
fn the_mode_is_stationary() {
    let cells = simulated(700);
    let labels = Labels::new(&cells);
    for design in [Design::rank_spline(&cells, KNOTS), Design::logit_spline(&cells)] {
        for model in models::splines(&design) {
            let mut density = Density::new(&labels, &design, &[]);
            let posterior = density.fit(&model).unwrap();
            assert!(posterior.converged);
            for feature in 0..design.features {
                let value = |cell: usize| design.columns[feature * design.cells + cell];
                let mut gradient = -model.precisions[feature] * posterior.mode[feature];
                for (number, cell) in cells.iter().enumerate() {
                    let row = &design.rows[number * design.stride()..];
                    let score: f64 = row.iter().zip(&posterior.mode).map(|(x, b)| x * b).sum();
                    let p = sigmoid(trusted(logit(cell.prediction)) + score);
                    gradient += (cell.observed - cell.mass * p) * value(number);
                }
                // Newton's method stops at 1e-10 of the mean over 700 rows.
                assert!(gradient.abs() < 1e-7, "{feature}: {gradient:e}");
            }
        }
    }
}

/// A model of one coefficient, against sums over a fine grid of it.
#[test]
fn evidence_and_mean_are_those_of_quadrature() {
    let cells = simulated(900);
    let labels = Labels::new(&cells);
    let mut design = Design::polynomial(&cells);
    // Only the level is left.
    design.columns[design.cells..].fill(0.0);
    let stride = design.stride();
    design.rows.chunks_exact_mut(stride).for_each(|row| row[1..].fill(0.0));
    let model = Model { mass: 1.0, precisions: vec![4.0, 1.0, 1.0] };
    let posterior = Density::new(&labels, &design, &[]).fit(&model).unwrap();
    let found = posterior.mean_logits(&labels, &design);
    let (step, mut evidence, mut means) = (1e-3, 0.0, vec![0.0; cells.len()]);
    let reference = posterior.log_evidence;
    for number in -2000..=2000 {
        let level = step * f64::from(number);
        let mut log = -0.5 * 4.0 * level * level + 0.5 * (4.0 / (2.0 * PI)).ln();
        for cell in &cells {
            let p = sigmoid(trusted(logit(cell.prediction)) + level);
            log += cell.observed * p.ln() + (cell.mass - cell.observed) * (1.0 - p).ln();
        }
        let share = step * (log - reference).exp();
        evidence += share;
        for (mean, cell) in means.iter_mut().zip(&cells) {
            *mean += share * sigmoid(trusted(logit(cell.prediction)) + level);
        }
    }
    // Laplace's approximation leaves out terms of the order of one over the number of rows.
    assert!((evidence - 1.0).abs() < 0.01, "{evidence}");
    for (mean, found) in means.iter().zip(&found) {
        let expected = mean / evidence;
        assert!((sigmoid(*found) - expected).abs() < 1e-3, "{} {expected}", sigmoid(*found));
    }
}

/// Every prior mass is given away once.
#[test]
fn prior_masses_add_up() {
    let cells = simulated(300);
    let splines = models::splines(&Design::rank_spline(&cells, KNOTS));
    let mass = |models: &[Model]| models.iter().map(|model| model.mass).sum::<f64>();
    let total = models::IDENTITY + mass(&models::polynomials()) + 2.0 * mass(&splines);
    assert!((total - 1.0).abs() < 1e-15);
    assert_eq!(1 + models::polynomials().len() + 2 * splines.len(), 22);
}

/// Calibrated rows: g stays at f; over-confident ones: it finds the truth, sigmoid(0.4 z + 0.3).
#[test]
fn it_finds_the_truth() {
    let identity: fn(f64) -> f64 = |f| f;
    let shallow: fn(f64) -> f64 = |f| sigmoid(0.4 * logit(f) + 0.3);
    for (setting, truth) in [("binary-calibrated", identity), ("binary-overconfident", shallow)] {
        let predictions = simulate(setting, 20_000, 2).unwrap();
        let sample = Sample::from(&predictions);
        let fitted = recalibrator("bayes").unwrap().fit(&sample, 0).unwrap();
        let g = fitted.predict(predictions.probs().view()).unwrap();
        let rows = predictions.probs().column(1).to_vec().into_iter().zip(g.column(1).to_vec());
        let error = rows.map(|(f, g)| (g - truth(f)).abs()).sum::<f64>() / 20_000.0;
        // The frequency of 20,000 rows has a standard error of 0.0035 itself.
        assert!(error < 0.005, "{setting}: {error}");
    }
}

#[test]
fn shifts_are_interpolated_and_level_beyond() {
    let text = r#"{"logits":[-2.0,0.0,0.0,1.0],"shifts":[1.0,0.0,2.0,4.0],"converged":true}"#;
    let correction: Correction = serde_json::from_str(text).unwrap();
    assert!(correction.is_sound());
    for (z, shift) in [(-9.0, 1.0), (-1.0, 0.5), (0.5, 3.0), (8.0, 4.0)] {
        let [not, one] = correction.at(sigmoid(z));
        assert!((one - sigmoid(z + shift)).abs() < 1e-12, "{z}");
        assert!((not + one - 1.0).abs() < 1e-15);
    }
    for (from, to) in [("-2.0", "3.0"), ("4.0", "1e999"), ("[1.0,", "["), ("4.0", "null")] {
        let tampered = serde_json::from_str::<Correction>(&text.replacen(from, to, 1));
        assert!(tampered.is_err() || !tampered.unwrap().is_sound(), "{from} {to}");
    }
}

/// The likelihood of some cells at a shift, beside that at none.
fn likelihood(cells: &[Cell], smooth: &[f64], shift: f64) -> f64 {
    let log = |(cell, smooth): (&Cell, &f64)| {
        let at = |p: f64| cell.observed * p.ln() + (cell.mass - cell.observed) * (1.0 - p).ln();
        at(sigmoid(smooth + shift)) - at(sigmoid(*smooth))
    };
    cells.iter().zip(smooth).map(log).sum::<f64>().exp()
}

/// The evidence of cells that share one shift, and the mean of that, by adding up a fine grid.
fn shared(cells: &[Cell], smooth: &[f64]) -> (f64, f64) {
    let (mut evidence, mut mean) = (0.8, 0.0);
    let step = 1e-3;
    for spread in [0.1, 0.35, 1.2] {
        for place in -8_000..=8_000 {
            let shift = f64::from(place) * step;
            let prior = (-0.5 * (shift / spread).powi(2)).exp() / (spread * (2.0 * PI).sqrt());
            let part = 0.2 / 3.0 * step * prior * likelihood(cells, smooth, shift);
            evidence += part;
            mean += part * shift;
        }
    }
    (evidence, mean / evidence)
}

/// The prior share of a pruning, and its pieces.
type Pruning = (f64, &'static [(usize, usize)]);

/// Four cells, and every pruning of the three trees over them written out.
#[test]
fn steps_are_the_mean_over_all_prunings() {
    let cell = |observed: f64, prediction: f64| Cell { mass: 60.0, observed, prediction };
    let cells = [cell(9.0, 0.1), cell(21.0, 0.3), cell(50.0, 0.6), cell(54.0, 0.9)];
    let logits: Vec<f64> = cells.iter().map(|cell| logit(cell.prediction)).collect();
    let smooth: Vec<f64> = logits.iter().map(|logit| 0.9 * logit + 0.1).collect();
    let span = |from: usize, to: usize| shared(&cells[from..to], &smooth[from..to]);
    const ONE: &[(usize, usize)] = &[(0, 4)];
    let trees: [&[Pruning]; 3] = [
        &[
            (0.5, ONE),
            (0.125, &[(0, 2), (2, 4)]),
            (0.125, &[(0, 1), (1, 2), (2, 4)]),
            (0.125, &[(0, 2), (2, 3), (3, 4)]),
            (0.125, &[(0, 1), (1, 2), (2, 3), (3, 4)]),
        ],
        &[
            (0.5, ONE),
            (0.25, &[(0, 1), (1, 4)]),
            (0.125, &[(0, 1), (1, 3), (3, 4)]),
            (0.125, &[(0, 1), (1, 2), (2, 3), (3, 4)]),
        ],
        &[
            (0.5, ONE),
            (0.25, &[(0, 3), (3, 4)]),
            (0.125, &[(0, 2), (2, 3), (3, 4)]),
            (0.125, &[(0, 1), (1, 2), (2, 3), (3, 4)]),
        ],
    ];
    let mut expected = [0.0; 4];
    for tree in trees {
        let (mut total, mut sums) = (0.0, [0.0; 4]);
        for (prior, pieces) in tree {
            let found: Vec<(f64, f64)> = pieces.iter().map(|&(from, to)| span(from, to)).collect();
            let evidence = prior * found.iter().map(|(evidence, _)| evidence).product::<f64>();
            total += evidence;
            for (&(from, to), (_, mean)) in pieces.iter().zip(&found) {
                (from..to).for_each(|at| sums[at] += evidence * mean);
            }
        }
        expected.iter_mut().zip(sums).for_each(|(mean, sum)| *mean += sum / total / 3.0);
    }
    let steps = Steps::fit(&cells, &logits, &smooth);
    for (logit, expected) in logits.iter().zip(expected) {
        // The parabola in the place of the likelihood is not quite it.
        assert!((steps.at(*logit) - expected).abs() < 0.05, "{} {expected}", steps.at(*logit));
    }
    assert!(expected.iter().any(|shift| shift.abs() > 0.2), "{expected:?}");
}

/// Where the smooth map is right there are no steps to speak of, and where no cell has labels of both
/// kinds they are finite.
#[test]
fn steps_are_there_for_a_reason() {
    let cells: Vec<Cell> = (0..64)
        .map(|at| {
            let prediction = (f64::from(at) + 0.5) / 64.0;
            Cell { mass: 100.0, observed: 100.0 * prediction, prediction }
        })
        .collect();
    let logits: Vec<f64> = cells.iter().map(|cell| logit(cell.prediction)).collect();
    let steps = Steps::fit(&cells, &logits, &logits);
    assert!(logits.iter().all(|&logit| steps.at(logit).abs() < 1e-3));
    let sure: Vec<Cell> = cells
        .iter()
        .map(|cell| Cell { observed: cell.mass * cell.prediction.round(), ..*cell })
        .collect();
    let steps = Steps::fit(&sure, &logits, &logits);
    assert!(steps.is_sound() && steps.at(-0.1) < -0.5 && steps.at(0.1) > 0.5);
    assert!(steps.at(f64::INFINITY).is_finite() && steps.at(f64::NEG_INFINITY).is_finite());
}

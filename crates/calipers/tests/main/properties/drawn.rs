//! Arbitrary small predictions, of the kinds that models give and that break things.

use calipers::{Folds, Predictions};
use ndarray::Array2;
use proptest::prelude::*;

/// Predictions with what a test needs beside them.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub rows: Vec<Vec<f64>>,
    pub labels: Vec<u32>,
    pub weights: Option<Vec<f64>>,
    /// A fold for each row; there are at least two.
    pub folds: Vec<i64>,
    pub seed: u64,
    /// Any order of the rows.
    pub row_order: Vec<usize>,
    /// Any order of the classes.
    pub class_order: Vec<usize>,
    /// Whose turn it is among the recalibrators that are too slow for every case.
    pub turn: usize,
}

impl Drawn {
    pub fn classes(&self) -> usize {
        self.rows[0].len()
    }

    pub fn predictions(&self) -> Predictions<'static> {
        let cells: Vec<f64> = self.rows.concat();
        let probs = Array2::from_shape_vec((self.rows.len(), self.classes()), cells).unwrap();
        let predictions = Predictions::new(probs, &self.labels).unwrap();
        match &self.weights {
            Some(weights) => predictions.with_weights(weights.clone()).unwrap(),
            None => predictions,
        }
    }

    pub fn plan(&self) -> Folds {
        Folds::from_ids(&self.folds).unwrap()
    }

    /// Some of the rows, in a given order, some perhaps several times.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.iter().map(|&row| self.rows[row].clone()).collect(),
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            weights: self.weights.as_ref().map(|all| rows.iter().map(|&row| all[row]).collect()),
            folds: rows.iter().map(|&row| self.folds[row]).collect(),
            ..self.clone()
        }
    }

    /// The same rows with their classes in another order.
    pub fn renamed(&self) -> Self {
        let place = |label: u32| {
            self.class_order.iter().position(|&class| class == label as usize).unwrap() as u32
        };
        let row = |row: &Vec<f64>| self.class_order.iter().map(|&class| row[class]).collect();
        Self {
            rows: self.rows.iter().map(row).collect(),
            labels: self.labels.iter().map(|&label| place(label)).collect(),
            ..self.clone()
        }
    }

    pub fn with_weights(&self, weights: Option<Vec<f64>>) -> Self {
        Self { weights, ..self.clone() }
    }
}

/// Predictions of `classes` with weights of every kind, or none.
pub fn drawn(classes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Drawn> {
    (classes, 4usize..=40).prop_flat_map(|(classes, rows)| {
        (
            prop::collection::vec((any_row(classes), 0..classes as u32), rows),
            any::<bool>(),
            weights(rows),
            prop::collection::vec(0i64..4, rows),
            any::<u64>(),
            Just((0..rows).collect::<Vec<_>>()).prop_shuffle(),
            Just((0..classes).collect::<Vec<_>>()).prop_shuffle(),
            0usize..1000,
        )
            .prop_map(
                |(rows, possible, weights, mut folds, seed, row_order, class_order, turn)| {
                    (folds[0], folds[1]) = (0, 1);
                    let label = |(row, label): &(Vec<f64>, u32)| match possible {
                        // The first class from the drawn one on that f does not rule out.
                        true => (0..row.len() as u32)
                            .map(|step| (label + step) % row.len() as u32)
                            .find(|&class| row[class as usize] > 0.0)
                            .unwrap(),
                        false => *label,
                    };
                    let labels = rows.iter().map(label).collect();
                    let rows = rows.into_iter().map(|(row, _)| row).collect();
                    Drawn { rows, labels, weights, folds, seed, row_order, class_order, turn }
                },
            )
    })
}

/// A row of any kind.
fn any_row(classes: usize) -> impl Strategy<Value = Vec<f64>> {
    let tiny = prop::sample::select(vec![-0.0, 5e-324, 1e-310, 1e-300, 1e-30, 1e-17, 1e-6]);
    let logits = prop::collection::vec(-12.0..12.0, classes);
    prop_oneof![
        // Votes: ties, zeros and ones.
        4 => prop::collection::vec(0u8..7, classes).prop_map(votes),
        3 => logits.clone().prop_map(softmax),
        1 => (0..classes).prop_map(move |class| vertex(classes, class)),
        // Next to a vertex.
        1 => (0..classes, 1..classes, tiny).prop_map(move |(class, step, tiny)| {
            let mut row = vertex(classes, class);
            row[class] = 1.0 - tiny;
            row[(class + step) % classes] = tiny;
            row
        }),
        1 => logits.clone().prop_map(|logits| rounded(softmax(logits), 11, -14)),
        1 => logits.prop_map(|logits| rounded(softmax(logits), 8, -126)),
        // An ulp from where all are equal, or from certainty.
        1 => (0..classes, any::<bool>()).prop_map(move |(class, certain)| {
            let mut row =
                if certain { vertex(classes, class) } else { vec![1.0 / classes as f64; classes] };
            row[class] = row[class].next_up();
            row
        }),
    ]
}

fn vertex(classes: usize, class: usize) -> Vec<f64> {
    let mut row = vec![0.0; classes];
    row[class] = 1.0;
    row
}

fn votes(counts: Vec<u8>) -> Vec<f64> {
    let sum: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let share = |&count: &u8| if sum > 0.0 { f64::from(count) / sum } else { 1.0 };
    let row: Vec<f64> = counts.iter().map(share).collect();
    if sum > 0.0 { row } else { vec![1.0 / row.len() as f64; row.len()] }
}

fn softmax(logits: Vec<f64>) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let row: Vec<f64> = logits.iter().map(|logit| (logit - largest).exp()).collect();
    let sum: f64 = row.iter().sum();
    row.iter().map(|value| value / sum).collect()
}

/// Numbers as a format with so many significant bits and such a least exponent keeps them: float16 has
/// 11 and -14, bfloat16 8 and -126.
fn rounded(row: Vec<f64>, bits: i32, least: i32) -> Vec<f64> {
    let round = |value: f64| {
        let exponent = (value.log2().floor() as i32).max(least);
        let unit = 2f64.powi(exponent + 1 - bits);
        (value / unit).round_ties_even() * unit
    };
    row.into_iter().map(round).collect()
}

/// None, whole numbers with zeros, powers of two, or ratios up to 1e300; never all 0.
fn weights(rows: usize) -> impl Strategy<Value = Option<Vec<f64>>> {
    let not_all_zero = |mut weights: Vec<f64>| {
        if weights.iter().all(|&weight| weight <= 0.0) {
            weights[0] = 1.0;
        }
        Some(weights)
    };
    prop_oneof![
        3 => Just(None),
        3 => prop::collection::vec((0u8..4).prop_map(f64::from), rows).prop_map(not_all_zero),
        1 => prop::collection::vec((-30i32..30).prop_map(|power| 2f64.powi(power)), rows).prop_map(Some),
        1 => prop::collection::vec((-150i32..=150).prop_map(|power| 10f64.powi(power)), rows)
            .prop_map(Some),
    ]
}

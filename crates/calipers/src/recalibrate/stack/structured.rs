//! Structured vector scaling, with predictions of its training rows that have not seen them.

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::Model;
use super::super::features::Features;
use super::super::linear::Penalty;
use super::super::shape::Shape;
use super::super::tempered::Tempered;
use super::training::{Training, in_bag};
use crate::numeric::simd::{add_symmetric_product, padded};
use crate::numeric::solve::Cholesky;
use crate::run::stop;

/// Up to so many classes the whole Hessian is used; beyond, each class's own two parameters. With
/// many classes each is a small part of the whole, and the rest of the Hessian is small beside it.
pub(super) const WHOLE_HESSIAN: usize = 32;

/// `svs`: softmax((1 + w)∘ln T + b).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Structured(Tempered);

impl Structured {
    /// Fits the map to all rows. Predicts the first `scored` of them by what Newton's first step makes
    /// of the map when a row's bag is left out: eight more fits for the price of one.
    ///
    /// With F the sum of the losses and the penalty, least at θ, and F_b the part of a bag's rows,
    /// the map without the bag is at θ + (F″ − F_b″)⁻¹ F_b′ up to the square of the step.
    /// Cost: a fit, and n·k² for the Hessian.
    pub fn fit(training: &Training, scored: usize) -> (Self, Vec<f32>) {
        let (model, features) = Tempered::fit_with_features(&training.sample, Shape::Diagonal);
        let sums: Vec<Sums> = (0..training.bags())
            .into_par_iter()
            .map(|bag| Sums::of_bag(training, &model, &features, bag))
            .collect();
        let mut total = Sums::penalty(training, model.penalty());
        sums.iter().for_each(|part| total.add(part, 1.0));
        let classes = training.classes();
        let predicted: Vec<Vec<f32>> = sums
            .into_par_iter()
            .enumerate()
            .map(|(bag, part)| {
                let mut rest = total.clone();
                rest.add(&part, -1.0);
                let moved = model.moved(&rest.solve(part.gradient));
                mapped(&moved, &features.select(in_bag(bag, scored)), in_bag(bag, scored).len())
            })
            .collect();
        // Back into one table.
        let mut table = vec![0.0; scored * classes];
        for (bag, predicted) in predicted.iter().enumerate() {
            for (row, g) in in_bag(bag, scored).zip(predicted.chunks_exact(classes)) {
                table[row * classes..(row + 1) * classes].copy_from_slice(g);
            }
        }
        (Self(model), table)
    }

    /// T, from which the map starts, and the map's predictions of rows of f, row after row.
    pub fn rows(&self, f: &[f64]) -> [Vec<f32>; 2] {
        let (tempered, logs) = self.tempered_and_logs(f);
        let g = mapped(&self.0, &logs, f.len() / logs.classes());
        [tempered, g]
    }

    /// T, from which the map starts, for rows of f.
    pub fn tempered(&self, f: &[f64]) -> Vec<f32> {
        self.tempered_and_logs(f).0
    }

    fn tempered_and_logs(&self, f: &[f64]) -> (Vec<f32>, Features) {
        let mut tempered: Vec<f32> = Vec::with_capacity(f.len());
        let logs = self.0.features_and_each(f, |row| {
            let unwritten = row.len().min(f.len() - tempered.len());
            tempered.extend(row[..unwritten].iter().map(|&p| p as f32));
        });
        // Where it was stopped, nobody looks at the rest.
        tempered.resize(f.len(), 0.0);
        (tempered, logs)
    }

    /// How many rows it was fitted to.
    pub fn training_rows(&self) -> f64 {
        self.0.training_rows()
    }

    pub fn converged(&self) -> bool {
        Model::converged(&self.0)
    }

    pub fn is_sound(&self, classes: usize) -> bool {
        self.0.is_sound() && self.0.classes() == Some(classes)
    }
}

/// A model's predictions of the first so many rows of ln T.
fn mapped(model: &Tempered, logs: &Features, rows: usize) -> Vec<f32> {
    let mut g = vec![0.0; rows * logs.classes()];
    model.map_logs(logs, &mut g);
    // In single precision: what is made of them is noisier by far.
    g.iter().map(|&p| p as f32).collect()
}

/// Derivatives by the slopes, then by the intercepts, summed over rows.
#[derive(Debug, Clone)]
struct Sums {
    classes: usize,
    gradient: Vec<f64>,
    /// Σ w p x², Σ w p x and Σ w p of each class, where x = ln T; with w p(1 − p) for w p if there is
    /// nothing to subtract.
    own: [Vec<f64>; 3],
    /// Σ w v vᵀ with v = (p∘x, p), from the diagonal on, to be subtracted.
    outer: Vec<f64>,
}

impl Sums {
    fn zero(classes: usize) -> Self {
        let stride = padded(2 * classes);
        let outer = if classes <= WHOLE_HESSIAN { stride * stride } else { 0 };
        Self {
            classes,
            gradient: vec![0.0; 2 * classes],
            own: [(); 3].map(|()| vec![0.0; classes]),
            outer: vec![0.0; outer],
        }
    }

    /// The penalty, where the losses add up to n. Its gradient is left out, because at the map it
    /// balances that of all rows.
    fn penalty(training: &Training, penalty: Penalty) -> Self {
        let classes = training.classes();
        let [slope, intercept] =
            [penalty.diagonal, penalty.intercept].map(|each| 2.0 * each * training.rows() as f64);
        let own = [slope, 0.0, intercept].map(|each| vec![each; classes]);
        Self { own, ..Self::zero(classes) }
    }

    /// Those of the rows of a bag, given ln T of all rows.
    fn of_bag(training: &Training, model: &Tempered, features: &Features, bag: usize) -> Self {
        let (sample, classes) = (&training.sample, training.classes());
        let rows = in_bag(bag, training.rows());
        let logs = features.select(rows.clone());
        let mut probs = vec![0.0; rows.len() * classes];
        model.map_logs(&logs, &mut probs);
        let mut sums = Self::zero(classes);
        let stride = padded(2 * classes);
        let whole = !sums.outer.is_empty();
        let mut vectors = vec![0.0; if whole { rows.len() * stride } else { 0 }];
        let mut unwritten = vectors.chunks_exact_mut(stride);
        let known = rows.zip(probs.chunks_exact(classes)).zip(logs.each_row());
        for ((row, probs), logs) in known.take_while(|_| !stop::requested()) {
            let (weight, label) = (sample.weight(row), sample.labels()[row] as usize);
            sums.add_row(probs, logs, weight, whole);
            sums.gradient[label] -= weight * logs[label];
            sums.gradient[classes + label] -= weight;
            if whole {
                let vector = unwritten.next().unwrap_or_default();
                let root = weight.sqrt();
                for (class, (&p, &x)) in probs.iter().zip(logs).enumerate() {
                    vector[class] = root * p * x;
                    vector[classes + class] = root * p;
                }
            }
        }
        if whole {
            let factor = (vectors.as_slice(), stride);
            let outer = &mut sums.outer;
            dispatch!(Level::new(), simd => add_symmetric_product(simd, factor, factor, outer));
        }
        sums
    }

    /// Adds what a row's probabilities and logarithms contribute, whichever its label is. A plain loop over
    /// places of the same number, so that several classes go at a time.
    fn add_row(&mut self, probs: &[f64], logs: &[f64], weight: f64, whole: bool) {
        let (slopes, intercepts) = self.gradient.split_at_mut(self.classes);
        let [squares, products, plains] = &mut self.own;
        let count = self.classes;
        let (probs, logs, slopes) = (&probs[..count], &logs[..count], &mut slopes[..count]);
        let (intercepts, squares) = (&mut intercepts[..count], &mut squares[..count]);
        let (products, plains) = (&mut products[..count], &mut plains[..count]);
        for class in 0..count {
            let (p, x) = (probs[class], logs[class]);
            let residual = weight * p;
            slopes[class] += residual * x;
            intercepts[class] += residual;
            let mass = if whole { residual } else { residual * (1.0 - p) };
            squares[class] += mass * x * x;
            products[class] += mass * x;
            plains[class] += mass;
        }
    }

    /// Adds a multiple of others.
    fn add(&mut self, other: &Self, times: f64) {
        let add = |to: &mut f64, from: &f64| *to += times * from;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(to, from)| add(to, from));
        self.outer.iter_mut().zip(&other.outer).for_each(|(to, from)| add(to, from));
        for (to, from) in self.own.iter_mut().zip(&other.own) {
            to.iter_mut().zip(from).for_each(|(to, from)| add(to, from));
        }
    }

    /// The sums of a class's own.
    fn own(&self, class: usize) -> [f64; 3] {
        self.own.each_ref().map(|sums| sums[class])
    }

    /// Solves (Hessian) x = right; 0 if rounding has made that impossible.
    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        let classes = self.classes;
        if self.outer.is_empty() {
            for class in 0..classes {
                let [square, product, plain] = self.own(class);
                let determinant = square * plain - product * product;
                let (slope, intercept) = (right[class], right[classes + class]);
                right[class] = (plain * slope - product * intercept) / determinant;
                right[classes + class] = (square * intercept - product * slope) / determinant;
            }
            return right;
        }
        let (size, stride) = (2 * classes, padded(2 * classes));
        let mut matrix = vec![0.0; size * size];
        for i in 0..size {
            for j in i..size {
                let value = -self.outer[i * stride + j];
                matrix[i * size + j] = value;
                matrix[j * size + i] = value;
            }
        }
        for class in 0..classes {
            let [square, product, plain] = self.own(class);
            let intercept = classes + class;
            matrix[class * size + class] += square;
            matrix[intercept * size + intercept] += plain;
            matrix[class * size + intercept] += product;
            matrix[intercept * size + class] += product;
        }
        match Cholesky::with_ridge(&matrix, size) {
            Some(factor) => factor.solve(&mut right),
            None => right.fill(0.0),
        }
        right
    }
}

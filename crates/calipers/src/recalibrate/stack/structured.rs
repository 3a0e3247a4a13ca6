//! Structured vector scaling, with predictions of its training rows that have not seen them.

use fearless_simd::{Level, dispatch};
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::Model;
use super::super::features::Features;
use super::super::linear::Penalty;
use super::super::shape::Shape;
use super::super::tempered::Tempered;
use super::training::{Training, in_bag};
use crate::numeric::simd::{add_symmetric_product, exp_in_place, padded};
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
        let model = Tempered::fit(&training.sample, Shape::Diagonal);
        let sums: Vec<Sums> = (0..training.bags())
            .into_par_iter()
            .map(|bag| Sums::of_bag(training, &model, bag))
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
                let rows: Vec<usize> = in_bag(bag, scored).collect();
                single(&moved, training.sample.probs().select(Axis(0), &rows).view())
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
        let logs = self.0.features(f);
        let mut g = vec![0.0; f.len()];
        self.0.map_logs(&logs, &mut g);
        [probabilities(&logs, f.len()), narrowed(&g)]
    }

    /// T, from which the map starts, for rows of f.
    pub fn tempered(&self, f: &[f64]) -> Vec<f32> {
        probabilities(&self.0.features(f), f.len())
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

/// A model's predictions.
fn single(model: &Tempered, f: ArrayView2<'_, f64>) -> Vec<f32> {
    let mut g = Array2::zeros(f.dim());
    model.map_rows(f, g.view_mut());
    narrowed(g.as_slice().unwrap_or_default())
}

/// Probabilities, of which these are the logarithms; so many numbers.
fn probabilities(logs: &Features, count: usize) -> Vec<f32> {
    let mut probs: Vec<f64> = Vec::with_capacity(count);
    let rows = logs.each_row().take(count / logs.classes());
    rows.for_each(|row| probs.extend_from_slice(row));
    dispatch!(Level::new(), simd => exp_in_place(simd, &mut probs));
    narrowed(&probs)
}

/// In single precision: what is made of them is noisier by far.
fn narrowed(probs: &[f64]) -> Vec<f32> {
    probs.iter().map(|&p| p as f32).collect()
}

/// Derivatives by the slopes, then by the intercepts, summed over rows.
#[derive(Debug, Clone)]
struct Sums {
    classes: usize,
    gradient: Vec<f64>,
    /// For each class Σ w p x², Σ w p x and Σ w p, where x = ln T; with w p(1 − p) for w p if there
    /// is nothing to subtract.
    own: Vec<[f64; 3]>,
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
            own: vec![[0.0; 3]; classes],
            outer: vec![0.0; outer],
        }
    }

    /// The penalty, where the losses add up to n. Its gradient is left out, because at the map it
    /// balances that of all rows.
    fn penalty(training: &Training, penalty: Penalty) -> Self {
        let classes = training.classes();
        let [slope, intercept] =
            [penalty.diagonal, penalty.intercept].map(|each| 2.0 * each * training.rows() as f64);
        Self { own: vec![[slope, 0.0, intercept]; classes], ..Self::zero(classes) }
    }

    /// Those of the rows of a bag.
    fn of_bag(training: &Training, model: &Tempered, bag: usize) -> Self {
        let (sample, classes) = (&training.sample, training.classes());
        let rows: Vec<usize> = in_bag(bag, training.rows()).collect();
        let f = sample.probs().select(Axis(0), &rows);
        let mut probs = Array2::zeros(f.dim());
        model.map_rows(f.view(), probs.view_mut());
        let logs = model.features(f.as_slice().unwrap_or_default());
        let mut sums = Self::zero(classes);
        let stride = padded(2 * classes);
        let whole = !sums.outer.is_empty();
        let mut vectors = vec![0.0; if whole { f.nrows() * stride } else { 0 }];
        let mut unwritten = vectors.chunks_exact_mut(stride);
        let known = rows.into_iter().zip(probs.rows()).zip(logs.each_row());
        for ((row, probs), logs) in known.take_while(|_| !stop::requested()) {
            let (weight, label) = (sample.weight(row), sample.labels()[row] as usize);
            let vector = unwritten.next().unwrap_or_default();
            let root = weight.sqrt();
            for (class, (&p, &x)) in probs.iter().zip(logs).enumerate() {
                let residual = weight * (p - if class == label { 1.0 } else { 0.0 });
                sums.gradient[class] += residual * x;
                sums.gradient[classes + class] += residual;
                let mass = weight * if whole { p } else { p * (1.0 - p) };
                let [square, product, plain] = &mut sums.own[class];
                *square += mass * x * x;
                *product += mass * x;
                *plain += mass;
                if whole {
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

    /// Adds a multiple of others.
    fn add(&mut self, other: &Self, times: f64) {
        let add = |to: &mut f64, from: &f64| *to += times * from;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(to, from)| add(to, from));
        self.outer.iter_mut().zip(&other.outer).for_each(|(to, from)| add(to, from));
        let own = self.own.as_flattened_mut().iter_mut().zip(other.own.as_flattened());
        own.for_each(|(to, from)| add(to, from));
    }

    /// Solves (Hessian) x = right; 0 if rounding has made that impossible.
    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        let classes = self.classes;
        if self.outer.is_empty() {
            for (class, [square, product, plain]) in self.own.iter().enumerate() {
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
        for (class, [square, product, plain]) in self.own.iter().enumerate() {
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

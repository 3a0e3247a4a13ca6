//! Which corrections are averaged, and what is thought of them before the labels are seen.

use super::design::{Design, POLYNOMIAL};

/// The prior mass of the identity, and of each family together.
pub(super) const IDENTITY: f64 = 0.1;
const POLYNOMIALS: f64 = 0.3;
const SPLINES: f64 = 0.3;

/// The prior mass of the identity where g is to be used: first, do no harm.
pub(super) const CAREFUL_IDENTITY: f64 = 0.7;

/// How far from 0 a coefficient of the polynomial is expected: its standard deviation.
const STRAYS: [f64; 3] = [0.2, 1.0, 5.0];

/// How far from 0 a spline is expected: its standard deviation, on average over the cells.
const BENDS: [f64; 3] = [0.2, 0.7, 2.5];

/// The same of a spline with many knots, which is there for truths that bend often.
const MANY_BENDS: [f64; 2] = [2.5, 10.0];

/// How likely such a truth is beside the others.
const BENDING: f64 = 0.1;

/// A model with a design: independent normal coefficients.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// What is thought of it beforehand; all models and the identity add up to 1.
    pub mass: f64,
    /// One over the variance of each coefficient.
    pub precisions: Vec<f64>,
}

/// One over the square of a standard deviation. `powi` would say it, and be computed by the compiler in
/// some builds and by the program in others, which round differently.
pub(super) fn precision(deviation: f64) -> f64 {
    1.0 / (deviation * deviation)
}

/// The models of a polynomial alone.
pub(super) fn polynomials() -> Vec<Model> {
    let mass = POLYNOMIALS / STRAYS.len() as f64;
    STRAYS.map(|stray| Model { mass, precisions: vec![precision(stray); POLYNOMIAL] }).to_vec()
}

/// The models of a polynomial and a spline, from those that stray as the last polynomial does on: each is
/// much like the one before it, which is where its fit starts.
pub(super) fn splines(design: &Design) -> Vec<Model> {
    let mass = SPLINES / (STRAYS.len() * BENDS.len()) as f64;
    let model = |stray: f64, bend: f64| {
        let mut precisions = vec![precision(stray); POLYNOMIAL];
        precisions.resize(design.features, precision(bend));
        Model { mass, precisions }
    };
    let mut bends = BENDS;
    let mut models = Vec::with_capacity(STRAYS.len() * BENDS.len());
    for stray in STRAYS.into_iter().rev() {
        models.extend(bends.map(|bend| model(stray, bend)));
        bends.reverse();
    }
    models
}

/// The models of a polynomial and a spline of many knots.
pub(super) fn bending(design: &Design) -> Vec<Model> {
    let mass = BENDING / MANY_BENDS.len() as f64;
    let model = |bend: f64| {
        let mut precisions = vec![1.0; POLYNOMIAL];
        precisions.resize(design.features, precision(bend));
        Model { mass, precisions }
    };
    MANY_BENDS.map(model).to_vec()
}

//! A map of one probability, made into a map of the simplex.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Model;
use crate::data::{Column, Sample};
use crate::numeric::simplex::{mix_with_uniform, normalise};
use crate::run::stop;

/// A map of one probability, fitted to "this class or not".
pub(crate) trait Curve:
    Serialize + DeserializeOwned + Send + Sync + Sized + 'static
{
    /// The name under which it is saved.
    const NAME: &'static str;

    /// The probabilities of "not" and of "this class", given the class's predicted one.
    fn at(&self, probability: f64) -> [f64; 2];

    /// Whether loaded parameters fit together.
    fn is_sound(&self) -> bool;

    /// Whether the fit met its tolerance.
    fn converged(&self) -> bool {
        true
    }

    /// What kept the cost of the fit bounded, if anything did.
    fn approximation(&self) -> Option<String> {
        None
    }
}

/// One curve for class 1 of two; one for each class of more, their values divided by their sum.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OneVsRest<C> {
    curves: Vec<C>,
    /// For curves that are frequencies: the number of training rows, which sets how much of the
    /// uniform distribution is mixed in.
    training_rows: Option<f64>,
}

impl<C: Curve> OneVsRest<C> {
    /// Fits one curve a class.
    pub fn fit(sample: &Sample, fit: impl Fn(Column<'_>) -> C) -> Self {
        let classes = if sample.classes() == 2 { 1..2 } else { 0..sample.classes() };
        let classes = classes.take_while(|_| !stop::requested());
        let curves = classes.map(|class| fit(sample.column(class))).collect();
        Self { curves, training_rows: None }
    }

    /// Mixes 1/(n + 1) of the uniform distribution in.
    #[must_use]
    pub fn mixed(self, sample: &Sample) -> Self {
        Self { training_rows: Some(sample.effective_rows()), ..self }
    }
}

impl<C: Curve> Model for OneVsRest<C> {
    const NAME: &'static str = C::NAME;

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        if let [curve] = self.curves.as_slice() {
            g.copy_from_slice(&curve.at(f[1]));
        } else {
            for ((g, f), curve) in g.iter_mut().zip(f).zip(&self.curves) {
                *g = curve.at(*f)[1];
            }
            normalise(g);
        }
        if let Some(rows) = self.training_rows {
            mix_with_uniform(g, rows);
        }
    }

    fn classes(&self) -> Option<usize> {
        Some(self.curves.len().max(2))
    }

    fn is_sound(&self) -> bool {
        !self.curves.is_empty()
            && self.curves.len() != 2
            && self.curves.iter().all(Curve::is_sound)
            && self.training_rows.is_none_or(|rows| rows > 0.0)
    }

    fn converged(&self) -> bool {
        self.curves.iter().all(Curve::converged)
    }

    fn approximations(&self) -> Vec<String> {
        self.curves.iter().find_map(Curve::approximation).into_iter().collect()
    }
}

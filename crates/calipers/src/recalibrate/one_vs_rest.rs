//! A map of one probability, made into a map of the simplex.

use ndarray::{ArrayView2, ArrayViewMut2};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Model;
use crate::data::{Column, Sample};
use crate::loss::Purpose;
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

    /// How far to go from f to the curve where it is used in the place of f.
    fn used(&self) -> f64 {
        1.0
    }

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

impl<C: Curve> OneVsRest<C> {
    /// Writes g of a row, with so much of each curve's way from f.
    fn write(&self, f: &[f64], far: impl Fn(&C) -> f64, g: &mut [f64]) {
        let between =
            |share: f64, f: f64, g: f64| if share < 1.0 { f + share * (g - f) } else { g };
        if let [curve] = self.curves.as_slice() {
            let share = far(curve);
            let rows = g.iter_mut().zip(f).zip(curve.at(f[1]));
            rows.for_each(|((g, f), curve)| *g = between(share, *f, curve));
        } else {
            for ((g, f), curve) in g.iter_mut().zip(f).zip(&self.curves) {
                *g = between(far(curve), *f, curve.at(*f)[1]);
            }
            normalise(g);
        }
        if let Some(rows) = self.training_rows {
            mix_with_uniform(g, rows);
        }
    }
}

impl<C: Curve> Model for OneVsRest<C> {
    const NAME: &'static str = C::NAME;

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        self.write(f, C::used, g);
    }

    fn map_rows_each(
        &self,
        f: ArrayView2<'_, f64>,
        purposes: &[Purpose],
        tables: &mut [ArrayViewMut2<'_, f64>],
    ) {
        let f = f.as_standard_layout();
        for (purpose, table) in purposes.iter().zip(tables) {
            for (row, (f, mut g)) in f.rows().into_iter().zip(table.rows_mut()).enumerate() {
                if stop::requested_at(row) {
                    break;
                }
                let (Some(f), Some(g)) = (f.as_slice(), g.as_slice_mut()) else { continue };
                match purpose {
                    Purpose::Use => self.write(f, C::used, g),
                    _ => self.write(f, |_| 1.0, g),
                }
            }
        }
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        let careful = self.curves.iter().any(|curve| curve.used() < 1.0);
        if careful && purpose != Purpose::Use { Purpose::Squared } else { Purpose::Use }
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

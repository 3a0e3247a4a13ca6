use ndarray::{ArrayView2, ArrayViewMut2};
use serde::{Deserialize, Serialize};

use super::builtin::{Builtin, MOST_PAIRED};
use super::one_vs_rest::OneVsRest;
use super::quadratic::{self, Powers};
use super::shape::Shape;
use super::sigmoid::Sigmoid;
use super::tempered::Tempered;
use super::{Fitted, Model};
use crate::data::Sample;

/// `quadratic` for two classes, `sms` for more: the paper's map on top of its boosted trees.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logistic;

impl Builtin for Logistic {
    const NAME: &'static str = "logistic";
    const ABOUT: &'static str = "quadratic for two classes, sms for more";
    const MOST_CLASSES: usize = MOST_PAIRED;
    type Model = LogisticMap;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        Box::new(LogisticMap::fit(sample))
    }
}

/// A fitted `quadratic` or `sms`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogisticMap {
    /// Two classes.
    Two(OneVsRest<Sigmoid<Powers>>),
    /// More.
    More(Tempered),
}

impl LogisticMap {
    /// Fits the map that the number of classes asks for.
    pub fn fit(sample: &Sample) -> Self {
        if sample.classes() == 2 {
            Self::Two(quadratic::fit(sample))
        } else {
            Self::More(Tempered::fit(sample, Shape::Full))
        }
    }
}

impl Model for LogisticMap {
    const NAME: &'static str = "logistic";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        match self {
            Self::Two(map) => map.map_row(f, g),
            Self::More(map) => map.map_row(f, g),
        }
    }

    fn map_rows(&self, f: ArrayView2<'_, f64>, g: ArrayViewMut2<'_, f64>) {
        match self {
            Self::Two(map) => map.map_rows(f, g),
            Self::More(map) => map.map_rows(f, g),
        }
    }

    fn classes(&self) -> Option<usize> {
        match self {
            Self::Two(map) => map.classes(),
            Self::More(map) => map.classes(),
        }
    }

    fn is_sound(&self) -> bool {
        match self {
            Self::Two(map) => map.is_sound() && map.classes() == Some(2),
            Self::More(map) => map.is_sound(),
        }
    }

    fn converged(&self) -> bool {
        match self {
            Self::Two(map) => Model::converged(map),
            Self::More(map) => Model::converged(map),
        }
    }
}

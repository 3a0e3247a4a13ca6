//! The recalibrators that are stacked.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::kernel::Layout;
use super::limits::Limits;
use super::local::{self, Local};
use super::structured::Structured;
use super::training::Training;
use crate::data::Sample;

/// T, `svs`, and of classes that are not too many forests and kernels, fitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Members {
    limits: Limits,
    structured: Structured,
    local: Option<Local>,
}

/// Each member's predictions of some rows.
pub(super) struct Predicted {
    pub rows: usize,
    pub tables: Vec<Vec<f32>>,
}

impl Members {
    /// Fits all members; returns with them the rows that they were fitted to, and their predictions
    /// of the first of these, as many as the stack is to be fitted to.
    pub fn fit(sample: &Sample, seed: u64) -> (Self, Training, Predicted) {
        let classes = sample.classes();
        let limits = Limits { rows: sample.rows(), classes };
        let training = Training::new(sample, limits.scaling(), seed);
        let scored = limits.scored();
        let (structured, scaled) = Structured::fit(&training, scored);
        let most = if limits.are_local() { limits.trees().max(limits.support()) } else { 0 };
        let f = training.sample.probs();
        let f = &f.as_slice().unwrap_or_default()[..scored.max(most) * classes];
        let tempered = structured.tempered(f);
        let mut tables = vec![tempered[..scored * classes].to_vec(), scaled];
        let local = limits.are_local().then(|| {
            let (local, predicted) = Local::fit(&training, &tempered, limits, scored);
            tables.extend(predicted);
            local
        });
        (Self { limits, structured, local }, training, Predicted { rows: scored, tables })
    }

    /// How many members there are.
    pub fn count(&self) -> usize {
        2 + self.local.as_ref().map_or(0, |_| local::MEMBERS)
    }

    /// Each member's predictions of rows of f, which are `new` or may be some that it was fitted to.
    pub fn rows(&self, f: ArrayView2<'_, f64>, layout: Option<&Layout>, new: bool) -> Predicted {
        let mut tables = Vec::from(self.structured.rows(f.as_slice().unwrap_or_default()));
        if let (Some(local), Some(layout)) = (&self.local, layout) {
            let predicted = local.rows(f, &tables[0], layout, new);
            tables.extend(predicted);
        }
        Predicted { rows: f.nrows(), tables }
    }

    /// What is laid out once for all that [`Members::rows`] predicts.
    pub fn layout(&self) -> Option<Layout> {
        self.local.as_ref().map(Local::layout)
    }

    pub fn training_rows(&self) -> f64 {
        self.structured.training_rows()
    }

    /// What kept the cost of the fit bounded.
    pub fn approximations(&self) -> Vec<String> {
        self.limits.names()
    }

    pub fn converged(&self) -> bool {
        self.structured.converged()
    }

    pub fn is_sound(&self, classes: usize) -> bool {
        self.limits.classes == classes
            && self.structured.is_sound(classes)
            && self.local.is_some() == self.limits.are_local()
            && self.local.as_ref().is_none_or(|local| local.is_sound(classes))
    }
}

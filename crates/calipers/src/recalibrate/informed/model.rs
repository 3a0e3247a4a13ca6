//! A g that sees features, learnt.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use serde::Deserialize;
use serde_json::{Value, json};

use super::columns::Columns;
use super::grown::Grown;
use crate::data::FeatureRows;
use crate::error::{Error, Result};
use crate::loss::Purpose;
use crate::recalibrate::{Fitted, ModelState};
use crate::run::stop;

/// The name under which it is saved.
pub(in crate::recalibrate) const NAME: &str = "informed";

/// What was learnt: see [`informed`](super::informed).
pub(super) struct Model {
    pub base: Box<dyn Fitted>,
    pub columns: Columns,
    pub grown: Grown,
    /// How far to go where the trees lead; 0 to stay.
    pub strength: f64,
}

impl Model {
    /// What the trees multiply the probabilities of each row by; none if by nothing.
    fn factors(&self, f: ArrayView2<'_, f64>, features: &FeatureRows) -> Result<Option<Vec<f64>>> {
        let bins = self.columns.bins(f, features)?;
        if self.strength <= 0.0 || self.grown.are_bare() {
            return Ok(None);
        }
        let classes = self.columns.classes();
        let mut factors = vec![0.0; f.nrows() * classes];
        let mut scratch = vec![0.0; classes];
        let rows = bins.chunks_exact(self.columns.count()).zip(factors.chunks_exact_mut(classes));
        for (row, (bins, scores)) in rows.enumerate() {
            if stop::requested_at(row) {
                break;
            }
            self.grown.add(bins, &mut scratch, scores);
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            scores.iter_mut().for_each(|score| *score = (self.strength * (*score - most)).exp());
        }
        Ok(Some(factors))
    }
}

impl Fitted for Model {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        purpose: Purpose,
        g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        self.base.predict_into(f, purpose, g)
    }

    /// Without features: what is known from f alone.
    fn predict_each(
        &self,
        f: ArrayView2<'_, f64>,
        purposes: &[Purpose],
    ) -> Result<Vec<Array2<f64>>> {
        self.base.predict_each(f, purposes)
    }

    fn predict_given(
        &self,
        f: ArrayView2<'_, f64>,
        features: &FeatureRows,
        purposes: &[Purpose],
    ) -> Result<Vec<Array2<f64>>> {
        let mut tables = self.base.predict_each(f, purposes)?;
        if let Some(factors) = self.factors(f, features)? {
            for table in &mut tables {
                let rows = table.rows_mut().into_iter();
                for (mut g, factors) in rows.zip(factors.chunks_exact(self.columns.classes())) {
                    let mut total = 0.0;
                    for (g, factor) in g.iter_mut().zip(factors) {
                        // What was possible stays possible.
                        let least = if *g > 0.0 { f64::MIN_POSITIVE } else { 0.0 };
                        *g = (*g * factor).max(least);
                        total += *g;
                    }
                    g.iter_mut().for_each(|g| *g /= total);
                }
            }
        }
        stop::check()?;
        Ok(tables)
    }

    fn features(&self) -> Vec<String> {
        self.columns.names().map(str::to_owned).collect()
    }

    fn serves(&self, purpose: Purpose) -> Purpose {
        self.base.serves(purpose)
    }

    fn converged(&self) -> bool {
        self.base.converged()
    }

    fn approximations(&self) -> Vec<String> {
        self.base.approximations()
    }

    fn state(&self) -> Option<ModelState> {
        let ModelState { model, parameters } = self.base.state()?;
        let parameters = json!({
            "columns": self.columns,
            "grown": self.grown,
            "strength": self.strength,
            "model": model,
            "parameters": parameters,
        });
        Some(ModelState { model: NAME, parameters })
    }
}

/// What [`Model::state`](Fitted::state) holds.
#[derive(Deserialize)]
struct Saved {
    columns: Columns,
    grown: Grown,
    strength: f64,
    model: String,
    parameters: Value,
}

/// The model of saved parameters, given how the one inside is loaded.
///
/// # Errors
/// Parameters that do not fit together.
pub(in crate::recalibrate) fn load(
    parameters: Value,
    load_inner: impl FnOnce(&str, Value) -> Result<Box<dyn Fitted>>,
) -> Result<Box<dyn Fitted>> {
    let unusable = |reason: String| Error::Model { reason };
    let Saved { columns, grown, strength, model, parameters } =
        serde_json::from_value(parameters).map_err(|error| unusable(error.to_string()))?;
    let base = load_inner(&model, parameters)?;
    let classes = columns.classes();
    let sound = columns.is_sound()
        && grown.is_sound(columns.count(), classes)
        && (0.0..=10.0).contains(&strength)
        && classes <= super::MOST_CLASSES;
    // What is inside has to take what it is given, which a row shows.
    let row = |classes: usize| Array2::from_elem((1, classes), 1.0 / classes as f64);
    if !sound || base.predict(row(classes).view()).is_err() {
        return Err(unusable("its parameters do not fit together".to_owned()));
    }
    Ok(Box::new(Model { base, columns, grown, strength }))
}

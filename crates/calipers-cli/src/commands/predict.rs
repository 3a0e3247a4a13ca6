//! What a model makes of rows, and of what else is known of them.

use std::collections::HashMap;
use std::sync::Arc;

use calipers::words::listed;
use calipers::{FeatureRows, Purpose, Stop, with_pool};
use calipers_files::{FeatureKind, Table, features};
use ndarray::{Array2, ArrayView2};

use super::explain::explain;
use crate::error::{Failure, Result};
use crate::model::KnownModel;

/// g of rows: of f alone, or of the features that the model was fitted to as well, which the table holds.
pub fn predict(
    model: &KnownModel,
    f: ArrayView2<'_, f64>,
    table: &Table,
    threads: usize,
) -> Result<Array2<f64>> {
    let names = model.fitted.features();
    if names.is_empty() {
        return with_pool(threads, &Stop::new(), || model.fitted.predict(f))
            .map_err(|error| explain(&error));
    }
    check_features(&names, table)?;
    let mut kinds: HashMap<String, FeatureKind> = HashMap::new();
    loop {
        let kind = |name: &str| kinds.get(name).copied().unwrap_or_default();
        let rows = FeatureRows::all(Arc::new(features(table, &names, &kind)?));
        let given = || model.fitted.predict_given(f, &rows, &[Purpose::Use]);
        let (name, reason) = match with_pool(threads, &Stop::new(), given) {
            Ok(found) => return Ok(found.into_iter().next().unwrap_or_default()),
            Err(calipers::Error::Feature { name, reason }) => (name, reason),
            Err(error) => return Err(explain(&error)),
        };
        // What looks like numbers here may have been categories there, and the other way round: the
        // model knows, and what it does not take is read in another way.
        let next = match kind(&name) {
            FeatureKind::AsItLooks => FeatureKind::Category,
            FeatureKind::Category => FeatureKind::Number,
            FeatureKind::Number => {
                let source = &table.source.name;
                return Err(Failure::input(format!("{source}, column {name}: {reason}")));
            }
        };
        kinds.insert(name, next);
    }
}

/// Refuses a table without a feature of the model.
fn check_features(names: &[String], table: &Table) -> Result<()> {
    let there = |name: &String| table.columns.iter().any(|column| column.name == *name);
    match names.iter().find(|name| !there(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::input(format!(
            "{}: there is no column {name:?}, which is a feature of the model",
            table.source.name
        ))
        .hint(format!("the features of the model are {}", listed(names)))),
    }
}

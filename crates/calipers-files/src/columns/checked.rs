//! Numbers that were checked, with errors that name their place: the same for a whole file and for a
//! batch of its rows.

use calipers::Probabilities;
use ndarray::Array2;

use super::cells::numbers;
use super::choose::ScoreChoice;
use super::locate;
use super::score::Scores;
use crate::error::Result;
use crate::table::{Column, Source};

/// Takes the numbers out of the scores and checks them.
pub fn scores(
    scores: &mut Scores,
    choice: &ScoreChoice,
    renormalise: bool,
    source: &Source,
) -> Result<Probabilities<'static>> {
    let values = std::mem::take(&mut scores.values);
    probabilities(values, choice.logits, renormalise)
        .map_err(|error| locate::scores(error, source, scores, choice))
}

/// The weights of a column: finite and not negative, but perhaps all of them zero.
pub fn weights(column: &Column, source: &Source) -> Result<Vec<f64>> {
    let weights = numbers(source, &column.name, &column.values, "weight")?;
    let reason = |weight: f64| match weight {
        weight if !weight.is_finite() => Some("is not finite"),
        weight if weight < 0.0 => Some("is negative"),
        _ => None,
    };
    let fault = weights.iter().enumerate().find_map(|(row, &value)| {
        reason(value).map(|reason| calipers::Error::Weight { row, value, reason })
    });
    match fault {
        None => Ok(weights.to_vec()),
        Some(fault) => Err(locate::weights(fault, source, &column.name)),
    }
}

/// Checks the numbers of a table.
fn probabilities(
    values: Array2<f64>,
    logits: bool,
    renormalise: bool,
) -> calipers::Result<Probabilities<'static>> {
    if renormalise && (logits || values.ncols() == 1) {
        let what = if logits { "logits have" } else { "a single column has" };
        let reason = format!("{what} no sum to be divided by");
        Err(calipers::Error::Setting { name: "--renormalise", reason })
    } else if logits {
        Probabilities::from_owned_logits(values)
    } else if values.ncols() == 1 {
        // The column is handed over as it is: the table holds nothing else.
        let (column, _) = values.into_flat().into_raw_vec_and_offset();
        Probabilities::binary(column)
    } else if renormalise {
        Probabilities::renormalised(values)
    } else {
        Probabilities::new(values)
    }
}

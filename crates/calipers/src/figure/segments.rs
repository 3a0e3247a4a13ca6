//! Segments: the curve of a segment's rows beside that of all others.

use super::comparison::overlay;
use super::reliability::diagram;
use super::{Figure, View};
use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::{Estimator, Report};
use crate::numeric::random::generator;
use crate::words::thousands;

/// So many segments have a figure.
const MOST: usize = 8;

/// A curve is fitted to at most so many rows: there are two of them a segment, of 21 fits each.
const MOST_ROWS: usize = 20_000;

/// What the seeds of the drawn rows are told apart from others by.
const DRAWN: u64 = 3;

/// One figure a segment that a report shows, in its order: g of the class that is off, in the segment and in
/// all other rows.
///
/// Both are of the rows that the segments were measured in: where a segment was found it looks more odd than it
/// is.
pub(crate) fn segments(
    estimator: &Estimator,
    predictions: &Predictions<'_>,
    report: &Report,
) -> Result<Vec<Figure>> {
    let (Some(given), Some(features)) = (&report.given_features, predictions.features()) else {
        return Ok(Vec::new());
    };
    let (_, measured) = estimator.search_and_measure(predictions);
    let mut figures = Vec::new();
    for segment in given.segments.shown.iter().take(MOST) {
        let holds = segment.holds(features);
        let rows = measured.iter().map(|&row| row as usize);
        let (inside, outside) = rows.partition::<Vec<usize>, _>(|&row| holds[row]);
        let view = View::class(predictions, &segment.class)?;
        let drawn = match inside.len().max(outside.len()) > MOST_ROWS {
            true => format!(", at most {} each", thousands(MOST_ROWS)),
            false => String::new(),
        };
        let mut names = Vec::new();
        let mut diagrams = Vec::new();
        for (name, rows) in [("the segment", inside), ("all other rows", outside)] {
            if rows.is_empty() {
                continue;
            }
            let some = predictions.select(&draw(rows, estimator.own_seed()));
            diagrams.push(diagram(estimator.learner(), estimator.own_seed(), &some, view)?);
            names.push(name.to_owned());
        }
        figures.extend(overlay(&names, &diagrams.iter().collect::<Vec<_>>()).map(|figure| {
            let mut panels = figure.panels;
            if let (Some(main), Some(own)) = (panels.first_mut(), diagrams[0].panels.first()) {
                main.y = own.y.clone();
            }
            let caption = format!(
                "Each curve is a g with its 95 % band, fitted by {} to rows that no segment was looked for \
                 in{drawn}. Where the curves are apart, the segment knows what f does not; where both leave \
                 the diagonal, f is off for everybody.",
                estimator.learner().name(),
            );
            Figure { title: "A segment and all other rows".to_owned(), caption, panels, ..figure }
        }));
    }
    Ok(figures)
}

/// A fixed draw of rows where there are too many.
fn draw(rows: Vec<usize>, seed: u64) -> Vec<usize> {
    if rows.len() <= MOST_ROWS {
        return rows;
    }
    let chosen = rand::seq::index::sample(&mut generator(seed, DRAWN), rows.len(), MOST_ROWS);
    let mut drawn: Vec<usize> = chosen.into_iter().map(|place| rows[place]).collect();
    drawn.sort_unstable();
    drawn
}

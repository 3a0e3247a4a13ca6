//! A page of leaderboards.

use calipers::Comparison;
use calipers::words::thousands;

use super::shell;
use super::table::{Cell, Column, table};
use crate::escape::{escape, name};
use crate::text::board::{about, confidence, entries, letters, rank};
use crate::text::lower_name;

/// How much of a long name is kept for hovering.
const HOVER: usize = 1_000;

/// The leaderboards of a comparison as a page that needs nothing but itself.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::leaderboard_page;
///
/// let over = simulate("binary-overconfident", 500, 0)?;
/// let estimator = Estimator::new().metric("l1".parse()?).draws(0);
/// let html = leaderboard_page(&estimator.compare(&[("one", &over), ("other", &over)])?);
/// assert!(html.contains("1 to 2"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn leaderboard_page(comparison: &Comparison) -> String {
    let confidence = confidence(comparison);
    let rows = comparison.reports.first().map_or(0, |report| report.rows);
    let models = comparison.models.len();
    let lower = lower_name(confidence);
    let mut body = format!("<p>{}</p>\n", escape(&about(confidence)));
    for (number, board) in comparison.leaderboards().iter().enumerate() {
        let tested = entries(comparison, board).any(|(.., one)| one.p_value.is_some());
        // What a phone shows without scrolling comes first.
        let mut columns: Vec<Column<'_>> = vec![
            ("rank", true),
            ("model", true),
            ("estimate", false),
            (lower.as_str(), false),
            ("group", true),
            ("std. error", false),
        ];
        columns.extend(tested.then_some(("p_value", false)));
        let lines: Vec<Vec<Cell>> = entries(comparison, board)
            .map(|(place, model, one)| {
                let mut cells = vec![
                    Cell::valued(place.rank.0 as f64, rank(place)),
                    Cell::html(name(model, HOVER)),
                    Cell::decimal(one.value),
                    Cell::decimal(one.lower),
                    Cell::word(&letters(place)),
                    Cell::decimal(one.stderr),
                ];
                cells.extend(tested.then(|| Cell::maybe(one.p_value)));
                cells
            })
            .collect();
        body.push_str(&format!("<section><h2>{}</h2>\n", escape(&board.metric)));
        body.push_str(&table(&format!("board{number}"), &columns, &lines));
        body.push_str("</section>\n");
    }
    let files = format!("{} models, {} rows each", thousands(models), thousands(rows));
    shell::page(&format!("Leaderboard of {models} models"), &files, &body)
}

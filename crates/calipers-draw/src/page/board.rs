//! A page of leaderboards.

use calipers::words::thousands;
use calipers::{Comparison, Leaderboard};

use super::shell;
use super::table::{Cell, Column, table};
use crate::escape::{escape, name};
use crate::text::board::{about, columns, confidence, entries, letters, rank, remarks};
use crate::text::{Face, lower_name};

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
    let mut body = format!("<p>{}</p>\n", escape(&about(confidence)));
    for (number, board) in comparison.leaderboards().iter().enumerate() {
        body.push_str(&format!("<section><h2>{}</h2>\n", escape(&board.metric)));
        body.push_str(&places(comparison, board, number));
        body.push_str("</section>\n");
    }
    for note in remarks(comparison, Face::CommandLine) {
        body.push_str(&format!("<p class=\"note\">{}</p>\n", escape(&note)));
    }
    body.push_str(&run(comparison));
    let files = format!("{} models, {} rows each", thousands(models), thousands(rows));
    shell::page(&format!("Leaderboard of {models} models"), &files, &body)
}

/// The places by one metric, all of them: a leaderboard of which only the top is seen is read as a list of
/// winners.
fn places(comparison: &Comparison, board: &Leaderboard, number: usize) -> String {
    let tested = entries(comparison, board).any(|(.., one)| one.p_value.is_some());
    let lower = lower_name(confidence(comparison));
    // What a phone shows without scrolling comes first: what is claimed, before the numbers.
    let mut columns: Vec<Column<'_>> = vec![("model", true), ("rank", true)];
    columns.extend(board.is_grouped().then_some(("group", true)));
    columns.extend([("estimate", false), (lower.as_str(), false), ("std. error", false)]);
    columns.extend(tested.then_some(("p_value", false)));
    let lines: Vec<Vec<Cell>> = entries(comparison, board)
        .map(|(place, model, one)| {
            let rank = Cell::valued(place.rank.0 as f64, rank(place));
            let mut cells = vec![Cell::html(name(model, HOVER)), rank];
            cells.extend(board.is_grouped().then(|| Cell::word(&letters(place))));
            cells.extend([one.value, one.lower, one.stderr].map(Cell::decimal));
            cells.extend(tested.then(|| Cell::maybe(one.p_value)));
            cells
        })
        .collect();
    table(&format!("board{number}"), &columns, &lines).replacen(
        "class=\"scroll long\"",
        "class=\"scroll\"",
        1,
    )
}

/// What was measured, and how.
fn run(comparison: &Comparison) -> String {
    let Some(report) = comparison.reports.first() else { return String::new() };
    let folds = match report.repeats {
        1 => report.folds.to_string(),
        repeats => format!("{}, drawn {repeats} times", report.folds),
    };
    let columns = columns(comparison, Face::CommandLine);
    let columns: Vec<String> = columns.iter().map(|one| escape(one)).collect();
    let items = [
        ("columns", columns.join("<br>")),
        ("rows", thousands(report.rows)),
        ("classes", thousands(report.classes.len())),
        ("recalibrator", escape(&report.recalibrator)),
        ("folds", folds),
        ("seed", report.seed.to_string()),
    ];
    let items = items.iter().filter(|(_, text)| !text.is_empty());
    let list: String =
        items.map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>")).collect();
    format!("<section><h2>What was run</h2>\n<dl>{list}</dl></section>\n")
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, Origin, Predictions, recalibrator, simulate};

    use super::*;

    #[test]
    fn all_places_are_seen_with_what_was_run() {
        let over = simulate("binary-overconfident", 300, 0).unwrap();
        let names: Vec<String> = (0..20).map(|at| format!("m{at:02}")).collect();
        let own = |name: &String| {
            over.clone().with_origin(Origin::new("label", [format!("p_{name}")], false))
        };
        let own: Vec<Predictions<'_>> = names.iter().map(own).collect();
        let models: Vec<(&str, &Predictions<'_>)> =
            names.iter().map(String::as_str).zip(&own).collect();
        let isotonic = recalibrator("isotonic").unwrap();
        let estimator = Estimator::new().metric("l1".parse().unwrap()).recalibrator(isotonic);
        let html = leaderboard_page(&estimator.draws(0).compare(&models).unwrap());
        assert!(html.contains("<div class=\"scroll\"") && !html.contains("class=\"scroll long\""));
        let place = |word: &str| html.find(&format!(">{word}</button>")).unwrap();
        assert!(place("model") < place("rank") && place("rank") < place("group"));
        assert!(place("group") < place("estimate"));
        for words in [
            "m00: p_m00 -&gt; P(1); labels: label<br>",
            "… and the columns of 16 more models",
            "<dt>recalibrator</dt><dd>isotonic</dd><dt>folds</dt><dd>5</dd>",
        ] {
            assert!(html.contains(words), "{words}\n{html}");
        }
    }
}

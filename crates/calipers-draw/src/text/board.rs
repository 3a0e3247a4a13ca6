//! Models in the order of what is found of their errors.

use calipers::{Comparison, Estimate, Leaderboard, Place};
use serde_json::{Map, Value};

use super::csv::{number, quoted};
use super::numbers::percent;
use super::report::with_numbers;
use super::table::paragraph;
use super::{Look, Table};

/// The leaderboards of a comparison as text, one table a metric.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::text::{Look, leaderboard};
///
/// let over = simulate("binary-overconfident", 500, 0)?;
/// let estimator = Estimator::new().metric("l1".parse()?).draws(0);
/// let text = leaderboard(&estimator.compare(&[("one", &over), ("other", &over)])?, Look::PYTHON);
/// assert!(text.starts_with("l1      group  model  estimate  std. error  lower 95%\n1 to 2  a      one"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn leaderboard(comparison: &Comparison, look: Look) -> String {
    let confidence = confidence(comparison);
    let mut text = String::new();
    for board in comparison.leaderboards() {
        let own: Vec<&Estimate> = entries(comparison, &board).map(|(.., one)| one).collect();
        let places = || board.places.iter();
        let table = Table::new()
            .words(&board.metric, places().map(rank))
            .words("group", places().map(letters))
            .words("model", places().map(|place| comparison.models[place.model].clone()));
        text.push_str(&with_numbers(table, &own, confidence).text(look));
        text.push('\n');
    }
    text.push_str(&paragraph(&about(confidence)));
    text
}

/// `metric,rank_from,rank_to,groups,model,value,stderr,lower,p_value`, one line a model and metric.
pub fn leaderboard_csv(comparison: &Comparison) -> String {
    let mut text = "metric,rank_from,rank_to,groups,model,value,stderr,lower,p_value\n".to_owned();
    for board in comparison.leaderboards() {
        for (place, model, one) in entries(comparison, &board) {
            let numbers = [Some(one.value), Some(one.stderr), Some(one.lower), one.p_value];
            let words = [
                quoted(&board.metric),
                place.rank.0.to_string(),
                place.rank.1.to_string(),
                quoted(&letters(place)),
                quoted(model),
            ];
            let cells = words.into_iter().chain(numbers.map(number));
            text.push_str(&cells.collect::<Vec<_>>().join(","));
            text.push('\n');
        }
    }
    text
}

/// The leaderboards by their metrics.
pub fn leaderboard_json(comparison: &Comparison) -> Value {
    let boards = comparison.leaderboards();
    let boards: Map<String, Value> =
        boards.iter().map(|board| (board.metric.clone(), board.to_json(comparison))).collect();
    boards.into()
}

/// What the ranks and the groups say.
pub(crate) fn about(confidence: f64) -> String {
    format!(
        "The least error found comes first. Of two models that share a group neither is shown to have more \
         error; a rank is from the best to the worst that the rows allow. With {} confidence all of this \
         holds together.",
        percent(confidence)
    )
}

/// The places of a leaderboard, with the models' names and numbers.
pub(crate) fn entries<'a>(
    comparison: &'a Comparison,
    board: &'a Leaderboard,
) -> impl Iterator<Item = (&'a Place, &'a str, &'a Estimate)> {
    board.places.iter().filter_map(|place| {
        let own = comparison.reports.get(place.model)?.get(&board.metric)?;
        Some((place, comparison.models.get(place.model)?.as_str(), own))
    })
}

/// The confidence of all that is claimed.
pub(crate) fn confidence(comparison: &Comparison) -> f64 {
    comparison.reports.first().map_or(0.95, |report| report.confidence)
}

/// A rank, or those that may be.
pub(crate) fn rank(place: &Place) -> String {
    match place.rank {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    }
}

/// The groups' letters.
pub(crate) fn letters(place: &Place) -> String {
    place.groups.iter().map(|&group| Leaderboard::letter(group)).collect::<Vec<_>>().join(" ")
}

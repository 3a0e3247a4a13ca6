//! Models in the order of what is found of their errors.

use calipers::words::{listed, visible};
use calipers::{Comparison, Estimate, Leaderboard, Place};
use serde_json::{Map, Value};

use super::csv::{number, quoted};
use super::notes::{note, notes};
use super::numbers::{count, percent};
use super::report::{measured, with_numbers};
use super::table::{hanging, paragraph};
use super::{Face, Look, Table};

/// Of so many models it is said which columns are theirs: enough to see how a pattern was read. Those of all
/// are in the JSON.
const MOST_SAID: usize = 4;

/// The leaderboards of a comparison as text: what was measured and how, one table a metric, what they claim,
/// and the notes.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::text::{Look, leaderboard};
///
/// let over = simulate("binary-overconfident", 500, 0)?;
/// let estimator = Estimator::new().metric("l1".parse()?).draws(0);
/// let text = leaderboard(&estimator.compare(&[("one", &over), ("other", &over)])?, Look::PYTHON);
/// assert!(text.starts_with("500 rows, 2 classes, recalibrator auto, 5 folds\n\nrank (l1)  group  model"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn leaderboard(comparison: &Comparison, look: Look) -> String {
    let confidence = confidence(comparison);
    let mut text = head(comparison, look.face);
    for board in comparison.leaderboards() {
        let own: Vec<&Estimate> = entries(comparison, &board).map(|(.., one)| one).collect();
        let places = || board.places.iter();
        let name = format!("rank ({})", board.metric);
        let mut table = Table::new().words(&name, places().map(rank));
        if board.is_grouped() {
            table = table.words("group", places().map(letters));
        }
        let table =
            table.words("model", places().map(|place| comparison.models[place.model].clone()));
        text.push('\n');
        text.push_str(&with_numbers(table, &own, confidence).text(look));
    }
    text.push('\n');
    text.push_str(&paragraph(&about(confidence)));
    text.extend(remarks(comparison, look.face).iter().map(|one| hanging(one)));
    text
}

/// What stands around the tables, for those who print them without: what was measured and how, and the notes.
pub fn leaderboard_remarks(comparison: &Comparison, look: Look) -> String {
    let notes = remarks(comparison, look.face);
    head(comparison, look.face) + &notes.iter().map(|one| hanging(one)).collect::<String>()
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
                quoted(&visible(model)),
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

/// What the ranks and the groups say, and of what.
pub(crate) fn about(confidence: f64) -> String {
    format!(
        "The models are in the order of the estimates of what was found, the least first; the order itself \
         shows nothing. Of two models that share a group, in neither more error is shown to be found than in \
         the other; a rank is from the best to the worst that the rows allow. For each metric, what is said \
         of all pairs holds together with {} confidence. It is of what is found: the recalibrator may miss \
         more of one error than of another.",
        percent(confidence)
    )
}

fn head(comparison: &Comparison, face: Face) -> String {
    let measured = comparison.reports.first().map(|report| measured(report, None) + "\n");
    let columns = columns(comparison, face);
    measured.into_iter().chain(columns.iter().map(|one| hanging(one))).collect()
}

/// Which columns were taken for what: once where it is the same for all models.
pub(crate) fn columns(comparison: &Comparison, face: Face) -> Vec<String> {
    let line = |at: usize| {
        let report = comparison.reports.get(at)?;
        report.origin.as_ref().map(|origin| origin.line(&report.classes))
    };
    let lines: Vec<Option<String>> = (0..comparison.reports.len()).map(line).collect();
    if lines.iter().all(|line| *line == lines[0]) {
        return lines.into_iter().next().flatten().into_iter().collect();
    }
    let named = comparison.models.iter().zip(lines);
    let mut said: Vec<String> =
        named.filter_map(|(model, line)| Some(format!("{}: {}", visible(model), line?))).collect();
    let left = said.len().saturating_sub(MOST_SAID);
    said.truncate(MOST_SAID);
    if left > 0 {
        let all = face.pick("--format json has those of all", "the reports have those of all");
        said.push(format!("… and the columns of {}; {all}", count(left, "more model")));
    }
    said
}

/// What a reader of the tables should know: the notes on the models, each once, and why some are not told
/// apart.
pub(crate) fn remarks(comparison: &Comparison, face: Face) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for (model, report) in comparison.models.iter().zip(&comparison.reports) {
        for text in notes(report, face) {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match found.iter_mut().find(|(other, _)| *other == text) {
                Some((_, models)) => models.push(model),
                None => found.push((text, vec![model])),
            }
        }
    }
    let named = |(text, models): (String, Vec<&str>)| match text.strip_prefix("note: ") {
        Some(rest) if models.len() < comparison.models.len() => {
            let models: Vec<_> = models.into_iter().map(visible).collect();
            note(&format!("of {}: {rest}", listed(&models)))
        }
        _ => text,
    };
    let mut said: Vec<String> = found.into_iter().map(named).collect();
    for board in comparison.leaderboards() {
        let metric = &board.metric;
        if !board.is_grouped() {
            said.push(note(&format!(
                "of {metric}, those that cannot be told apart are more groups than there are letters, and are \
                 left out; the ranks hold all the same, and {} every pair",
                face.pick("--format json has", "differences has")
            )));
        }
        let infinite = |one: &Estimate| one.value >= f64::INFINITY;
        let own = entries(comparison, &board).filter(|(.., one)| infinite(one));
        let many = board.places.len();
        let open =
            own.filter(|(place, ..)| place.rank.0 < many).map(|(_, model, _)| visible(model));
        let open: Vec<_> = open.collect();
        if !open.is_empty() {
            said.push(note(&format!(
                "{metric} of {} is infinite, and yet told apart from nothing: rows do not show how sure an \
                 infinite difference is",
                listed(&open)
            )));
        }
    }
    // Hints come after all that they may be about.
    said.sort_by_key(|text| text.starts_with("hint: "));
    said
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

#[cfg(test)]
mod tests {
    use calipers::{Comparison, Estimator, Predictions, recalibrator, simulate};

    use super::*;
    use crate::text::WIDTH;

    fn compared(models: &[(&str, &Predictions<'_>)], metric: &str) -> Comparison {
        let isotonic = recalibrator("isotonic").unwrap();
        let estimator = Estimator::new().metric(metric.parse().unwrap()).recalibrator(isotonic);
        estimator.draws(0).compare(models).unwrap()
    }

    #[test]
    fn a_leaderboard_says_what_it_is_of_and_what_it_claims() {
        let over = simulate("binary-overconfident", 500, 0).unwrap();
        let found = compared(&[("one", &over), ("other", &over)], "l1");
        let text = leaderboard(&found, Look::PYTHON);
        assert!(
            text.starts_with(
                "500 rows, 2 classes, recalibrator isotonic, 5 folds\n\n\
                 rank (l1)  group  model  estimate"
            ),
            "{text}"
        );
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [
            "in neither more error is shown to be found than in the other",
            "For each metric, what is said of all pairs holds together with 95% confidence.",
            "the recalibrator may miss more of one error than of another.",
        ] {
            assert!(flat.contains(words), "{words}\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn what_is_infinite_is_told_apart_from_nothing_and_that_is_said() {
        let labels: Vec<usize> = (0..40).map(|row| row % 2).collect();
        let sure: Vec<f64> = (0..40).map(|row| if row == 1 { 0.0 } else { 0.4 }).collect();
        let sure = Predictions::binary(sure, &labels).unwrap();
        let calm = Predictions::binary(vec![0.5; 40], &labels).unwrap();
        let found = compared(&[("sure", &sure), ("calm", &calm)], "log");
        let said = remarks(&found, Face::CommandLine).join("\n");
        assert!(said.contains("note: of sure: log is infinite: 1 row gives"), "{said}");
        assert!(
            said.contains("note: log of sure is infinite, and yet told apart from nothing"),
            "{said}"
        );
        assert!(said.contains("hint: --log-floor"), "{said}");
        let csv = leaderboard_remarks(&found, Look::command_line(false));
        assert!(csv.starts_with("40 rows, 2 classes") && csv.contains("--log-floor"), "{csv}");
    }

    #[test]
    fn groups_that_are_too_many_are_left_out_with_a_note() {
        let over = simulate("binary-overconfident", 500, 0).unwrap();
        let names: Vec<String> = (0..10).map(|at| format!("m{at}\u{1b}")).collect();
        let models: Vec<(&str, &Predictions<'_>)> =
            names.iter().map(|name| (name.as_str(), &over)).collect();
        let mut found = compared(&models, "l1");
        for one in &mut found.differences {
            // One of each of five pairs: 32 groups.
            one.p_value = if one.first % 2 == 0 && one.second == one.first + 1 { 0.0 } else { 1.0 };
        }
        let text = leaderboard(&found, Look::command_line(false));
        assert!(
            text.contains("\nrank (l1)  model  ") && text.contains("more groups than"),
            "{text}"
        );
        let csv = leaderboard_csv(&found);
        assert!(csv.contains(",,m0\\u{1b},") && !csv.contains('\u{1b}'), "{csv}");
    }
}

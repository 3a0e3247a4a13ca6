//! A report for people.

use calipers::words::{listed, thousands, visible};
use calipers::{Decomposition, Estimate, Group, GroupErrors, Report};

use super::numbers::{count, decimal, lower_name, percent, upper_name};
use super::section::Section;
use super::table::paragraph;
use super::tested::Tested;
use super::{Look, Table, WIDTH, given};
use crate::escape::escape;

/// A report as text: a heading, one line a metric, what was asked for beyond that, and the notes.
///
/// `name` is what the predictions are called, such as their file; `decompose` adds the parts of the
/// mean losses.
pub fn report(
    report: &Report,
    name: Option<&str>,
    decompose: bool,
    notes: &[String],
    look: Look,
) -> String {
    let mut parts: Vec<String> =
        sections(report, name, decompose).iter().map(|section| section.text(look)).collect();
    if !notes.is_empty() {
        parts.push(notes.iter().map(|note| format!("{note}\n")).collect());
    }
    parts.join("\n")
}

/// The same as HTML, for notebooks.
pub fn report_html(report: &Report, notes: &[String]) -> String {
    let parts: String = sections(report, None, false).iter().map(Section::html).collect();
    let notes: String =
        notes.iter().map(|note| format!("<p><small>{}</small></p>", escape(note))).collect();
    format!("<div>{parts}{notes}</div>")
}

/// What was measured and how, on one line if it fits; and which column was taken for what.
pub(super) fn heading(report: &Report, name: Option<&str>) -> String {
    let measured = measured(report, name);
    match columns(report) {
        Some(columns) => format!("{measured}\n{}", columns.trim_end()),
        None => measured,
    }
}

/// Which column was taken for what, where that was said.
pub(super) fn columns(report: &Report) -> Option<String> {
    let origin = report.origin.as_ref()?;
    Some(filled(&origin.line(&report.classes)) + "\n")
}

/// What was measured and how.
pub(super) fn measured(report: &Report, name: Option<&str>) -> String {
    let rows = count(report.rows, "row");
    let sample = report.sample.map(|sample| format!("learnt from {} of them", thousands(sample)));
    let mut parts = vec![
        name.map_or_else(|| rows.clone(), |name| format!("{name}: {rows}")),
        format!("{} classes", report.classes.len()),
    ];
    parts.extend([
        format!("recalibrator {}", report.recalibrator),
        format!("{} folds", report.folds),
    ]);
    if let Some(clusters) = report.clusters {
        parts.insert(1, count(clusters, "cluster"));
    }
    if let Some(sample) = sample {
        parts.insert(1, sample);
    }
    if report.repeats != 1 {
        parts.push(format!("{} repeats", report.repeats));
    }
    filled(&parts.join(", "))
}

/// A line that is broken between its parts, which end in a comma or a semicolon and a space, where it is
/// too long.
fn filled(line: &str) -> String {
    let mut text = String::new();
    let (mut width, mut rest) = (0, line);
    while !rest.is_empty() {
        let end = [", ", "; "].iter().filter_map(|end| rest.find(end)).min();
        let (part, others) = end.map_or((rest, ""), |end| (&rest[..=end], &rest[end + 2..]));
        let length = part.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push_str("\n  ");
            width = 2;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(part);
        (width, rest) = (width + length, others);
    }
    text
}

/// What the column of intervals around best guesses is called.
pub(crate) fn interval_name() -> String {
    format!("{} interval", percent(Estimate::INTERVAL))
}

/// The interval around a best guess.
pub(crate) fn interval(one: &Estimate) -> Option<String> {
    one.interval.map(|(low, high)| format!("{} to {}", decimal(low), decimal(high)))
}

/// A column of numbers: its name, and what it takes from an estimate.
type Numbers<'a> = (&'a str, fn(&Estimate) -> Option<f64>);

/// Adds the numbers of estimates that are of one metric, one a model.
pub(super) fn with_numbers(table: Table, estimates: &[&Estimate], confidence: f64) -> Table {
    with_columns(table, estimates, confidence, &[("p_value", |one| one.p_value)])
}

/// Adds the numbers of estimates, one a line, and others; columns without numbers are left out.
fn with_columns(
    mut table: Table,
    estimates: &[&Estimate],
    confidence: f64,
    others: &[Numbers<'_>],
) -> Table {
    let (lower, upper) = (lower_name(confidence), upper_name(confidence));
    let columns: [Numbers<'_>; 5] = [
        ("estimate", |one| Some(one.value)),
        ("std. error", |one| Some(one.stderr)),
        (&lower, |one| Some(one.lower)),
        (&upper, |one| one.upper),
        ("best guess", |one| one.best),
    ];
    let in_sample: Numbers<'_> = ("in-sample", |one| one.in_sample);
    for (name, get) in columns.iter().chain(others).chain([&in_sample]) {
        if estimates.iter().any(|one| get(one).is_some()) {
            table = table.numbers(name, estimates.iter().map(|one| get(one)));
        }
    }
    if estimates.iter().any(|one| one.interval.is_some()) {
        let cells = estimates.iter().map(|one| interval(one).unwrap_or_default());
        table = table.words(&interval_name(), cells);
    }
    table
}

fn sections(report: &Report, name: Option<&str>, decompose: bool) -> Vec<Section> {
    let mut sections = vec![
        Section::words(heading(report, name)),
        Section::table(estimates(&report.estimates, report.confidence)),
    ];
    let tested = Tested::all(&report.estimates);
    if !tested.is_empty() {
        let sentences: String = tested.iter().map(|one| paragraph(&one.sentence())).collect();
        sections.push(Section::words(sentences.trim_end().to_owned()));
    }
    if decompose {
        sections.push(parts(report));
    }
    if let Some(found) = &report.groups {
        sections.extend(groups(found, report.confidence));
    }
    if let Some(found) = &report.given_features {
        sections.extend(given::sections(found, report));
    }
    sections
}

/// One line a metric. What is tested is the model, not a metric: the p-value stands elsewhere.
fn estimates(estimates: &[Estimate], confidence: f64) -> Table {
    let metrics = Table::new().words("metric", estimates.iter().map(|one| one.metric.as_str()));
    with_columns(metrics, &estimates.iter().collect::<Vec<_>>(), confidence, &[])
}

/// The parts of the mean losses.
fn parts(report: &Report) -> Section {
    let own: Vec<(&str, &Decomposition)> = report
        .estimates
        .iter()
        .filter_map(|one| one.decomposition.as_ref().map(|parts| (one.metric.as_str(), parts)))
        .collect();
    if own.is_empty() {
        return Section::words(
            "no parts to show: only finite brier and log losses have them".into(),
        );
    }
    let column =
        |number: fn(&Decomposition) -> f64| own.iter().map(move |(_, one)| Some(number(one)));
    let table = Table::new()
        .words("loss", own.iter().map(|(name, _)| *name))
        .numbers("mean", column(|parts| parts.loss))
        .numbers("= miscalibration", column(|parts| parts.miscalibration))
        .numbers("- discrimination", column(|parts| parts.discrimination))
        .numbers("+ uncertainty", column(|parts| parts.uncertainty));
    Section::table(table)
}

/// The errors within groups, and of a g that is told the group.
fn groups(found: &GroupErrors, confidence: f64) -> Vec<Section> {
    if let [only] = found.groups.as_slice() {
        let words = format!("All rows are of one group, {}.", visible(&only.name));
        return vec![Section::words(words)];
    }
    let told = found.groups.iter().filter(|group| group.estimates.is_some()).count();
    let mut sections = Vec::new();
    if told > 0 {
        sections.push(Section::words(format!(
            "Within groups; the bounds hold together with {} confidence, the p-values are\n\
             adjusted for {} by Holm's method.",
            percent(confidence),
            count(told, "group"),
        )));
    }
    for group in &found.groups {
        if let Some(own) = &group.estimates {
            let mut head = rows_of(group);
            let tested = Tested::adjusted(own, told);
            head.extend(tested.iter().map(|one| {
                let whose = if one.top { "top class " } else { "" };
                format!(", {whose}p_value {}", one.number())
            }));
            // Within a group all tests draw equally often.
            head.extend(tested.first().map(|one| format!(" ({})", one.drawings())));
            sections.push(Section::titled(head, estimates(own, confidence)));
        }
    }
    sections.extend(
        too_small(found).map(|words| Section::words(paragraph(&words).trim_end().to_owned())),
    );
    if !found.aware.is_empty() {
        let table = Table::new()
            .words("metric", found.aware.iter().map(|one| one.metric.as_str()))
            .numbers("estimate", found.aware.iter().map(|one| Some(one.value)))
            .numbers("std. error", found.aware.iter().map(|one| Some(one.stderr)))
            .numbers(&lower_name(confidence), found.aware.iter().map(|one| Some(one.lower)));
        let words = "All rows, recalibrated with the group known:".to_owned();
        sections.push(Section::titled(words, table));
    }
    sections
}

fn rows_of(group: &Group) -> String {
    format!("{}: {}", visible(&group.name), count(group.rows, "row"))
}

/// The groups of which nothing can be said, in one sentence however many they are.
pub(crate) fn too_small(found: &GroupErrors) -> Option<String> {
    let small: Vec<&Group> =
        found.groups.iter().filter(|group| group.estimates.is_none()).collect();
    match small.as_slice() {
        [] => None,
        [one] => Some(format!("{}, too few to say anything", rows_of(one))),
        many => {
            let names: Vec<_> = many.iter().map(|group| visible(&group.name)).collect();
            Some(format!("Groups with too few rows to say anything: {}", listed(&names)))
        }
    }
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, recalibrator, simulate};

    use super::*;

    fn found() -> Report {
        let predictions = simulate("binary-over", 20, 0).unwrap();
        let identity = recalibrator("identity").unwrap();
        Estimator::new().recalibrator(identity).estimate(&predictions).unwrap()
    }

    #[test]
    fn bounds_have_columns_where_there_are_any_and_the_p_value_a_line() {
        let mut found = found();
        found.estimates.truncate(2);
        found.estimates[0].value = -0.25;
        found.estimates[0].lower = 0.000_12;
        found.estimates[0].p_value = Some(0.04);
        found.estimates[1].p_value = Some(0.04);
        found.estimates[1].in_sample = Some(0.5);
        assert_eq!(
            report(&found, None, false, &[], Look::command_line(false)),
            "20 rows, 2 classes, recalibrator identity, 5 folds\n\n\
             metric  estimate  std. error  lower 95%  in-sample\n\
             l1      -0.2500   0.0000      0.00012\n\
             brier    0.0000   0.0000      0.0000     0.5000\n\n\
             p_value 0.0400 (999 drawings): how often a calibrated model looks so odd\n"
        );
    }

    #[test]
    fn groups_of_which_nothing_can_be_said_are_one_sentence() {
        let names: Vec<String> = (0..40).map(|row| format!("site\t{}", row.max(30))).collect();
        let predictions = simulate("binary-over", 40, 0).unwrap().with_groups(&names).unwrap();
        let estimator = Estimator::new().metric("l1".parse().unwrap()).draws(9);
        let found = estimator.estimate(&predictions).unwrap();
        let text = report(&found, None, false, &[], Look::command_line(false));
        let groups = text.split("adjusted for 1 group by Holm's method.\n\n").nth(1).unwrap();
        assert!(groups.starts_with("site\\t30: 31 rows, p_value "), "{groups}");
        assert_eq!(groups.matches("too few").count(), 1);
        assert!(
            groups.contains(
                "\n\nGroups with too few rows to say anything: site\\t31, site\\t32, site\\t33,\n\
             site\\t34, site\\t35, site\\t36, site\\t37, site\\t38, site\\t39\n"
            ),
            "{groups}"
        );
        let alone: Vec<String> = (0..40).map(|row| format!("row {row}")).collect();
        let predictions = simulate("binary-over", 40, 0).unwrap().with_groups(&alone).unwrap();
        let found = estimator.estimate(&predictions).unwrap();
        let text = report(&found, None, false, &[], Look::command_line(false));
        assert!(
            !text.contains("Within groups") && text.ends_with("row 39 (40 in all)\n"),
            "{text}"
        );
    }

    #[test]
    fn a_long_heading_has_several_lines() {
        let mut found = found();
        assert_eq!(heading(&found, None), "20 rows, 2 classes, recalibrator identity, 5 folds");
        found.recalibrator = "x".repeat(60);
        let text = heading(&found, Some("a.csv"));
        assert!(text.starts_with("a.csv: 20 rows, 2 classes,\n  recalibrator xxx"), "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn a_notebook_shows_the_same_numbers_and_notes() {
        let html = report_html(&found(), &["note: a <note>".to_owned()]);
        assert!(html.starts_with("<div><p>20 rows, 2 classes, recalibrator identity, 5 folds</p>"));
        assert!(html.contains("<td style=\"text-align: right\">0.0000</td>"));
        assert!(html.ends_with("<p><small>note: a &lt;note&gt;</small></p></div>"));
    }
}

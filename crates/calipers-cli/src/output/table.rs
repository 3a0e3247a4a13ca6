//! A report for people.

use calipers::{Decomposition, Estimate, GroupAware, GroupErrors, Report};

use super::notes::count;
use super::style::{WIDTH, aligned, decimal, render, table};

/// A heading, one line a metric, what was asked for beyond that, and the notes.
pub fn report(report: &Report, file: &str, decompose: bool, notes: &[String]) -> String {
    let mut text = heading(report, file);
    text.push_str("\n\n");
    text.push_str(&estimates(&report.estimates, "metric", report.confidence));
    if decompose {
        text.push_str(&parts(report));
    }
    if let Some(found) = &report.groups {
        text.push_str(&groups(found, report));
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        text.push_str(note);
        text.push('\n');
    }
    text
}

/// What was measured and how, on one line if it fits.
pub fn heading(report: &Report, file: &str) -> String {
    let name = if file == "-" { "standard input" } else { file };
    let mut parts = vec![
        format!("{name}: {}", count(report.rows, "row")),
        format!("{} classes", report.classes.len()),
        format!("recalibrator {}", report.recalibrator),
        format!("{} folds", report.folds),
    ];
    if report.repeats != 1 {
        parts.push(format!("{} repeats", report.repeats));
    }
    let mut text = String::new();
    let mut width = 0;
    for (position, part) in parts.iter().enumerate() {
        let length = part.chars().count() + 1;
        if position > 0 && width + 1 + length > WIDTH {
            text.push_str(",\n  ");
            width = 2;
        } else if position > 0 {
            text.push_str(", ");
            width += 2;
        }
        text.push_str(part);
        width += length - 1;
    }
    text
}

/// What the column of lower bounds is called.
pub fn lower_name(confidence: f64) -> String {
    // 0.95 is not 95 hundredths to the last bit.
    let percent = (confidence * 1e6).round() / 1e4;
    format!("lower {percent}%")
}

/// A column of numbers: its name, and what it takes from an estimate.
type Numbers<'a> = (&'a str, fn(&Estimate) -> Option<f64>);

/// One line an estimate; columns without numbers are left out.
fn estimates(estimates: &[Estimate], first: &str, confidence: f64) -> String {
    let lower = lower_name(confidence);
    let columns: [Numbers<'_>; 5] = [
        ("estimate", |one| Some(one.value)),
        ("std. error", |one| Some(one.stderr)),
        (&lower, |one| Some(one.lower)),
        ("p_value", |one| one.p_value),
        ("in-sample", |one| one.in_sample),
    ];
    let shown: Vec<&Numbers<'_>> =
        columns.iter().filter(|(_, get)| estimates.iter().any(|one| get(one).is_some())).collect();
    let mut header = vec![first];
    header.extend(shown.iter().map(|(name, _)| *name));
    let cells: Vec<Vec<String>> = shown
        .iter()
        .map(|(_, get)| {
            let texts = estimates.iter().map(|one| get(one).map_or_else(String::new, decimal));
            aligned(&texts.collect::<Vec<_>>())
        })
        .collect();
    let mut table = table(&header);
    for (row, estimate) in estimates.iter().enumerate() {
        let numbers = cells.iter().map(|column| column[row].as_str());
        table.add_row(std::iter::once(estimate.metric.as_str()).chain(numbers));
    }
    render(table)
}

/// The parts of the mean losses.
fn parts(report: &Report) -> String {
    let own: Vec<(&str, &Decomposition)> = report
        .estimates
        .iter()
        .filter_map(|one| one.decomposition.as_ref().map(|parts| (one.metric.as_str(), parts)))
        .collect();
    if own.is_empty() {
        return "\nno parts to show: only finite brier and log losses have them\n".to_owned();
    }
    let header = ["loss", "mean", "= miscalibration", "- discrimination", "+ uncertainty"];
    let mut table = table(&header);
    let column = |number: fn(&Decomposition) -> f64| {
        aligned(&own.iter().map(|(_, parts)| decimal(number(parts))).collect::<Vec<_>>())
    };
    let means = column(|parts| parts.loss);
    let (first, second) =
        (column(|parts| parts.miscalibration), column(|parts| parts.discrimination));
    let third = column(|parts| parts.uncertainty);
    for (row, (name, _)) in own.iter().enumerate() {
        table.add_row([*name, &means[row], &first[row], &second[row], &third[row]]);
    }
    format!("\n{}", render(table))
}

/// The errors within groups, and of a g that is told the group.
fn groups(found: &GroupErrors, report: &Report) -> String {
    let mut text = format!(
        "\nWithin groups; the bounds hold together with {}% confidence, the p-values are\n\
         adjusted for {} by Holm's method.\n",
        (report.confidence * 1e6).round() / 1e4,
        count(found.groups.iter().filter(|group| group.estimates.is_some()).count(), "group"),
    );
    for group in &found.groups {
        let head = format!("{}: {}", group.name, count(group.rows, "row"));
        match &group.estimates {
            None => text.push_str(&format!("\n{head}, too few to say anything\n")),
            Some(own) => {
                text.push_str(&format!("\n{head}\n"));
                text.push_str(&estimates(own, "metric", report.confidence));
            }
        }
    }
    if found.aware.is_empty() {
        return text;
    }
    let lower = lower_name(report.confidence);
    let mut table = table(&["metric", "estimate", "std. error", &lower]);
    let column = |number: fn(&GroupAware) -> f64| {
        aligned(&found.aware.iter().map(|one| decimal(number(one))).collect::<Vec<_>>())
    };
    let (values, errors) = (column(|one| one.value), column(|one| one.stderr));
    let lowers = column(|one| one.lower);
    for (row, one) in found.aware.iter().enumerate() {
        table.add_row([one.metric.as_str(), &values[row], &errors[row], &lowers[row]]);
    }
    text.push_str("\nAll rows, recalibrated with the group known:\n");
    text.push_str(&render(table));
    text
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, recalibrator, simulate};

    use super::*;

    #[test]
    fn bounds_and_p_values_have_columns_where_there_are_any() {
        let predictions = simulate("binary-over", 20, 0).unwrap();
        let identity = recalibrator("identity").unwrap();
        let mut found = Estimator::new().recalibrator(identity).estimate(&predictions).unwrap();
        found.estimates.truncate(2);
        found.estimates[0].value = -0.25;
        found.estimates[0].lower = 0.000_12;
        found.estimates[0].p_value = Some(0.04);
        found.estimates[1].p_value = None;
        assert_eq!(
            estimates(&found.estimates, "metric", 0.95),
            "metric  estimate  std. error  lower 95%  p_value\n\
             l1      -0.2500   0.0000      0.00012    0.0400\n\
             l2       0.0000   0.0000      0.0000\n"
        );
    }
}

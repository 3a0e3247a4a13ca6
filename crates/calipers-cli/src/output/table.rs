//! A report for people.

use calipers::{Estimate, Report};

use super::notes::count;
use super::style::{WIDTH, aligned, decimal, render, table};

/// A heading, one line a metric, and the notes.
pub fn report(report: &Report, file: &str, notes: &[String]) -> String {
    let mut text = heading(report, file);
    text.push_str("\n\n");
    text.push_str(&estimates(report));
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
fn heading(report: &Report, file: &str) -> String {
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

/// A column of numbers: its name, and what it takes from an estimate.
type Numbers = (&'static str, fn(&Estimate) -> Option<f64>);

fn estimates(report: &Report) -> String {
    let columns: [Numbers; 4] = [
        ("estimate", |one| Some(one.value)),
        ("std. error", |one| Some(one.stderr)),
        ("lower", |one| one.lower),
        ("p_value", |one| one.p_value),
    ];
    let shown: Vec<&Numbers> = columns
        .iter()
        .filter(|(_, get)| report.estimates.iter().any(|one| get(one).is_some()))
        .collect();
    let mut header = vec!["metric"];
    header.extend(shown.iter().map(|(name, _)| *name));
    let cells: Vec<Vec<String>> = shown
        .iter()
        .map(|(_, get)| {
            let texts =
                report.estimates.iter().map(|one| get(one).map_or_else(String::new, decimal));
            aligned(&texts.collect::<Vec<_>>())
        })
        .collect();
    let mut table = table(&header);
    for (row, estimate) in report.estimates.iter().enumerate() {
        let numbers = cells.iter().map(|column| column[row].as_str());
        table.add_row(std::iter::once(estimate.metric.as_str()).chain(numbers));
    }
    render(table)
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
        found.estimates[0].lower = Some(0.000_12);
        found.estimates[0].p_value = Some(0.04);
        assert_eq!(
            estimates(&found),
            "metric  estimate  std. error  lower    p_value\n\
             l1      -0.2500   0.0000      0.00012  0.0400\n\
             l2       0.0000   0.0000\n"
        );
    }
}

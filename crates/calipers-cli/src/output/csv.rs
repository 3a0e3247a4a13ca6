//! A report for spreadsheets: one line a metric.

use calipers::{Estimate, Report};

/// `metric,value,stderr,lower,p_value`, with in-sample estimates `in_sample` as well, and with groups
/// `group,rows` before them all; what was not computed is empty, and infinity is `inf`. The whole file
/// is the group without a name.
///
/// Metric names hold no commas and no quotes, so only groups' names need quoting.
pub fn report(report: &Report) -> String {
    let in_sample = report.estimates.iter().any(|one| one.in_sample.is_some());
    let mut text = String::new();
    if report.groups.is_some() {
        text.push_str("group,rows,");
    }
    text.push_str("metric,value,stderr,lower,p_value");
    text.push_str(if in_sample { ",in_sample\n" } else { "\n" });
    let mut lines = |before: &str, estimates: &[Estimate]| {
        for one in estimates {
            let numbers = [Some(one.value), Some(one.stderr), Some(one.lower), one.p_value];
            let numbers = numbers.into_iter().chain(in_sample.then_some(one.in_sample));
            text.push_str(before);
            text.push_str(&one.metric);
            for number in numbers {
                text.push(',');
                text.push_str(&number.map_or_else(String::new, |number| format!("{number:?}")));
            }
            text.push('\n');
        }
    };
    match &report.groups {
        None => lines("", &report.estimates),
        Some(groups) => {
            lines(&format!(",{},", report.rows), &report.estimates);
            for group in &groups.groups {
                let before = format!("{},{},", quoted(&group.name), group.rows);
                lines(&before, group.estimates.as_deref().unwrap_or_default());
            }
        }
    }
    text
}

/// A cell as CSV has it.
pub fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

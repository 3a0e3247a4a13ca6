//! A report for spreadsheets: one line a metric.

use calipers::Report;

/// `metric,value,stderr,lower,p_value`; what was not computed is empty, and infinity is `inf`.
///
/// Metric names hold no commas and no quotes, so nothing needs quoting.
pub fn report(report: &Report) -> String {
    let mut text = "metric,value,stderr,lower,p_value\n".to_owned();
    for one in &report.estimates {
        let cell =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
        text.push_str(&format!(
            "{},{},{},{},{}\n",
            one.metric,
            cell(Some(one.value)),
            cell(Some(one.stderr)),
            cell(one.lower),
            cell(one.p_value)
        ));
    }
    text
}

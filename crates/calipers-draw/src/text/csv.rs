//! Reports and measurements for spreadsheets.

use calipers::{Estimate, Measurements, Report};

use super::GIVEN_FEATURES;

/// `metric,value,stderr,lower,p_value`, with in-sample estimates `in_sample` as well, with best guesses
/// `best,interval_low,interval_high`, with upper bounds `upper`, and with groups
/// `group,rows` before them all; what was not computed is empty, and infinity is `inf`. The whole file
/// is the group without a name. With features there are `given-features-l1` for the error given them, and
/// `given-features-gain-l1` for what it is beyond that given f.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::text::csv;
///
/// let predictions = simulate("binary-overconfident", 500, 0)?;
/// let report = Estimator::new().metric("l1".parse()?).estimate(&predictions)?;
/// assert!(csv::report(&report).starts_with("metric,value,stderr,lower,p_value\nl1,0.1"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn report(report: &Report) -> String {
    let in_sample = report.estimates.iter().any(|one| one.in_sample.is_some());
    let mut text = String::new();
    if report.groups.is_some() {
        text.push_str("group,rows,");
    }
    text.push_str("metric,value,stderr,lower,p_value");
    let best = report.estimates.iter().any(|one| one.best.is_some());
    let upper = report.estimates.iter().any(|one| one.upper.is_some());
    text.push_str(if in_sample { ",in_sample" } else { "" });
    text.push_str(if best { ",best,interval_low,interval_high" } else { "" });
    text.push_str(if upper { ",upper\n" } else { "\n" });
    let mut lines = |before: &str, estimates: &[Estimate]| {
        for one in estimates {
            let numbers = [Some(one.value), Some(one.stderr), Some(one.lower), one.p_value];
            let (low, high) = one.interval.unzip();
            let guess = [one.best, low, high].into_iter().filter(|_| best);
            let numbers = numbers.into_iter().chain(in_sample.then_some(one.in_sample));
            let numbers = numbers.chain(guess).chain(upper.then_some(one.upper));
            text.push_str(before);
            text.push_str(&quoted(&one.metric));
            for value in numbers {
                text.push(',');
                text.push_str(&number(value));
            }
            text.push('\n');
        }
    };
    let whole = report.groups.as_ref().map_or_else(String::new, |_| format!(",{},", report.rows));
    lines(&whole, &report.estimates);
    for group in report.groups.iter().flat_map(|groups| &groups.groups) {
        let before = format!("{},{},", quoted(&group.name), group.rows);
        lines(&before, group.estimates.as_deref().unwrap_or_default());
    }
    lines(&whole, &given_features(report));
    text
}

/// The errors given features, and what they are beyond those given f, by names of their own.
fn given_features(report: &Report) -> Vec<Estimate> {
    let Some(given) = &report.given_features else { return Vec::new() };
    let mut all = given.estimates.clone();
    for one in &mut all {
        one.metric = format!("{GIVEN_FEATURES}{}", one.metric);
    }
    for (one, gain) in given.estimates.iter().zip(&given.gains) {
        let mut one = one.clone();
        one.metric = format!("{GIVEN_FEATURES}gain-{}", gain.metric);
        (one.value, one.stderr, one.lower) = (gain.value, gain.stderr, gain.lower);
        one.p_value = None;
        all.push(one);
    }
    all
}

/// `measure,value,p_value,details`, and of a stream `rows`: how many the measure is of. Infinity is `inf`, and
/// the details are one cell.
pub fn measurements(found: &Measurements) -> String {
    let mut text = "measure,value,p_value,details".to_owned();
    text.push_str(if found.sample.is_some() { ",rows\n" } else { "\n" });
    for one in &found.found {
        let details = one.details.iter().map(|(key, value)| format!("{key}={value:?}"));
        let details = details.chain(one.reason.clone()).collect::<Vec<_>>().join("; ");
        let mut cells = vec![one.name.clone(), number(one.value), number(one.p_value), details];
        cells.extend(found.sample.map(|_| one.rows.to_string()));
        text.push_str(&cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

/// As many digits as tell it from any other number.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:?}"))
}

/// A cell as CSV has it.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_are_quoted_where_they_have_to_be() {
        assert_eq!(
            [quoted("a b"), quoted("a, b"), quoted("\"a\"")],
            ["a b", "\"a, b\"", "\"\"\"a\"\"\""]
        );
    }
}

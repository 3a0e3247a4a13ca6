//! Where the evidence against calibration stands.

use calipers::Monitor;
use calipers::words::thousands;
use serde_json::{Value, json};

use super::numbers::{count, decimal};

/// What is less than this is not told apart by four decimals.
const SMALL: f64 = 1e-4;

/// The state of affairs after so many new rows of a file, for people.
///
/// ```
/// use calipers::{Monitor, simulate};
/// use calipers_draw::text::monitor;
///
/// let mut evidence = Monitor::new(2)?;
/// evidence.observe(&simulate("binary-calibrated", 1, 0)?)?;
/// let text = monitor("log.csv", &evidence, 1, 20.0);
/// assert!(text.starts_with("log.csv: 1 new row, 1 in all\n\ne-value "), "{text}");
/// assert!(text.ends_with("not crossed: the evidence against calibration has not reached 20\n"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn monitor(name: &str, monitor: &Monitor, new: usize, limit: f64) -> String {
    let said = match monitor.largest() >= limit {
        true => format!("crossed: the evidence against calibration has reached {limit}"),
        false => format!("not crossed: the evidence against calibration has not reached {limit}"),
    };
    format!(
        "{name}: {}, {} in all\n\ne-value {}, at most {} so far, p_value {}\n{}{said}\n",
        count(new, "new row"),
        thousands(monitor.rows()),
        decimal(monitor.e_value()),
        decimal(monitor.largest()),
        p_value(monitor.p_value()),
        impossible(monitor.impossible_rows())
    )
}

/// The same for programs.
pub fn monitor_json(name: &str, monitor: &Monitor, new: usize, limit: f64) -> Value {
    json!({
        "file": name,
        "rows": monitor.rows(),
        "new": new,
        "e_value": finite(monitor.e_value()),
        "largest": finite(monitor.largest()),
        "p_value": monitor.p_value(),
        "impossible_rows": monitor.impossible_rows(),
        "limit": limit,
        "crossed": monitor.largest() >= limit,
    })
}

/// A p-value; of one that is next to nothing, what it is below.
fn p_value(value: f64) -> String {
    if value < SMALL { format!("< {SMALL}") } else { decimal(value) }
}

/// Why the evidence is infinite, if it is.
fn impossible(rows: usize) -> String {
    match rows {
        0 => String::new(),
        1 => "1 row was of a class of probability 0: the e-value is infinite from there on\n"
            .to_owned(),
        rows => format!(
            "{} were of a class of probability 0: the e-value is infinite from there on\n",
            count(rows, "row")
        ),
    }
}

/// JSON has no infinity.
fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!("inf") }
}

#[cfg(test)]
mod tests {
    use calipers::Predictions;
    use ndarray::array;

    use super::*;

    #[test]
    fn impossible_rows_are_explained() {
        let mut evidence = Monitor::new(2).unwrap();
        let rows = array![[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]];
        evidence.observe(&Predictions::new(rows, &[0, 1, 1]).unwrap()).unwrap();
        let text = monitor("log.csv", &evidence, 2, 20.0);
        assert_eq!(
            text,
            "log.csv: 2 new rows, 3 in all\n\ne-value inf, at most inf so far, p_value < 0.0001\n\
             2 rows were of a class of probability 0: the e-value is infinite from there on\n\
             crossed: the evidence against calibration has reached 20\n"
        );
        assert_eq!(monitor_json("log.csv", &evidence, 2, 20.0)["largest"], "inf");
    }

    #[test]
    fn p_values_are_bounds_where_they_are_next_to_nothing() {
        assert_eq!(
            [1.0, 0.000_14, 0.000_01, 0.0].map(p_value),
            ["1.0000", "0.00014", "< 0.0001", "< 0.0001"]
        );
    }
}

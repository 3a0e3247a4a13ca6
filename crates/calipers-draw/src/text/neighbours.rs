//! What other measures of calibration say.

use calipers::words::thousands;
use calipers::{Measurement, Measurements};

use super::numbers::{count, decimal};
use super::{Look, Table};

/// Measurements as text: a heading, one line a measure, and what was left out.
///
/// `name` is what the predictions are called, such as their file.
///
/// ```
/// use calipers::{Neighbours, simulate};
/// use calipers_draw::text::{Look, measurements};
///
/// let predictions = simulate("binary-overconfident", 500, 0)?;
/// let found = Neighbours::new().ask("ece".parse()?).measure(&predictions)?;
/// let text = measurements(&found, None, Look::PYTHON);
/// assert!(text.starts_with("500 rows, 2 classes\n\nmeasure  value   p_value  details\nece      0.1"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn measurements(found: &Measurements, name: Option<&str>, look: Look) -> String {
    let name = name.map_or_else(String::new, |name| format!("{name}: "));
    let (rows, classes) = (count(found.rows, "row"), found.classes.len());
    let mut table = Table::new()
        .words("measure", found.found.iter().map(|one| one.name.as_str()))
        .numbers("value", found.found.iter().map(|one| one.value))
        .numbers("p_value", found.found.iter().map(|one| one.p_value));
    if found.sample.is_some() {
        table = table.words("rows", found.found.iter().map(|one| thousands(one.rows)));
    }
    let table = table.words("details", found.found.iter().map(details));
    let mut text = format!("{name}{rows}, {classes} classes\n\n{}", table.text(look));
    if let Some(sample) = found.sample
        && found.found.iter().any(|one| one.rows < found.rows)
    {
        text.push_str(&format!(
            "\nnote: measures that take more than sums over rows are of a sample of {}\n",
            count(sample, "row")
        ));
    }
    if !found.left_out.is_empty() {
        text.push_str(&format!(
            "\nnote: left out, since their cost grows with the square of the rows: {}\nhint: {} \
             asks for them\n",
            found.left_out.join(", "),
            look.face.pick("--measure", "measures=")
        ));
    }
    text
}

/// What else there is to know, in words.
fn details(one: &Measurement) -> String {
    let name = |name: &str| name.replace('_', " ");
    let number = |value: f64| {
        if value.fract().abs() > 0.0 { decimal(value) } else { value.to_string() }
    };
    let details =
        one.details.iter().map(|(key, value)| format!("{} {}", name(key), number(*value)));
    details.chain(one.reason.clone()).collect::<Vec<_>>().join(", ")
}

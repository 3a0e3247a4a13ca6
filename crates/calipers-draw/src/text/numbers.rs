//! How numbers are written.

use calipers::words::thousands;

/// Four decimals, or two significant digits where four decimals would show fewer, and four where they would show
/// more than anybody reads.
///
/// ```
/// use calipers_draw::text::decimal;
///
/// assert_eq!([0.137_04, 0.000_31, 3.2e-9].map(decimal), ["0.1370", "0.00031", "3.2e-9"]);
/// assert_eq!([12_345.678_9, 5.680_69e20].map(decimal), ["12345.6789", "5.681e20"]);
/// ```
pub fn decimal(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    if size >= 1e9 {
        return format!("{value:.3e}");
    }
    if size >= 0.000_95 || size <= 0.0 {
        return format!("{value:.4}");
    }
    if size < 1e-6 {
        return format!("{value:.1e}");
    }
    let first = (-size.log10()).ceil() as usize;
    format!("{value:.*}", first + 1)
}

/// `1 row`, `2,019 rows`.
///
/// ```
/// use calipers_draw::text::count;
///
/// assert_eq!([count(1, "row"), count(2_019, "row")], ["1 row", "2,019 rows"]);
/// ```
pub fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
}

/// A share in hundredths: `95%`, `99.9%`.
pub fn percent(share: f64) -> String {
    // 0.95 is not 95 hundredths to the last bit.
    format!("{}%", (share * 1e6).round() / 1e4)
}

/// What the column of lower bounds is called.
pub(crate) fn lower_name(confidence: f64) -> String {
    format!("lower {}", percent(confidence))
}

/// What the column of upper bounds is called.
pub(crate) fn upper_name(confidence: f64) -> String {
    format!("upper {}", percent(confidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_keep_two_digits() {
        let cases = [
            (0.137_04, "0.1370"),
            (0.001, "0.0010"),
            (0.000_31, "0.00031"),
            (-0.000_312, "-0.00031"),
            (0.000_009_96, "0.0000100"),
            (0.000_001_2, "0.0000012"),
            (3.2e-9, "3.2e-9"),
            (0.0, "0.0000"),
            (-0.02, "-0.0200"),
            (12.5, "12.5000"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(decimal(value), text);
        }
    }

    #[test]
    fn shares_are_said_in_hundredths() {
        assert_eq!([0.95, 0.999, 0.5].map(percent), ["95%", "99.9%", "50%"]);
    }
}

//! Numbers as text.

/// Four decimals, or two significant digits where four decimals would show fewer.
pub fn decimal(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return value.to_string().to_lowercase();
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

/// `1234567` as `1,234,567`.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// At most five significant digits and no trailing zeros: what a drawing needs, in few bytes.
pub fn compact(value: f64) -> f64 {
    if value.abs() < 1e-12 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// A position in a drawing, to a tenth of a unit.
pub fn place(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_say_enough() {
        assert_eq!([0.137_04, 0.000_31, 3.2e-9].map(decimal), ["0.1370", "0.00031", "3.2e-9"]);
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!([12.0, 0.25, 99.96].map(place), ["12", "0.2", "100"]);
        assert!((compact(0.123_456_789) - 0.123_46).abs() < 1e-15);
        assert!((compact(-123_456.7) + 123_460.0).abs() < 1e-9);
    }
}

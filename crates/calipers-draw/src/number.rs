//! Numbers within a drawing: as few bytes as are seen.

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
        assert_eq!([12.0, 0.25, 99.96].map(place), ["12", "0.2", "100"]);
        assert!((compact(0.123_456_789) - 0.123_46).abs() < 1e-15);
        assert!((compact(-123_456.7) + 123_460.0).abs() < 1e-9);
    }
}

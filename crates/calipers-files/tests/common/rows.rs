//! The rows that many tests measure.

/// Rows of three classes whose numbers are exact in any floating-point type: (label, f).
pub fn rows() -> Vec<(i64, [f64; 3])> {
    (0..60u32)
        .map(|row| {
            let first = f64::from(1 + row * 7 % 19) / 64.0;
            let second = f64::from(1 + row * 11 % 41) / 64.0;
            let label = i64::from(row * row % 7 % 3);
            (label, [first, second, 1.0 - first - second])
        })
        .collect()
}

/// The rows as text.
pub fn delimited(delimiter: &str, line_end: &str) -> String {
    let mut text = ["label", "p_0", "p_1", "p_2"].join(delimiter) + line_end;
    for (label, f) in rows() {
        let cells = [label.to_string(), f[0].to_string(), f[1].to_string(), f[2].to_string()];
        text.push_str(&cells.join(delimiter));
        text.push_str(line_end);
    }
    text
}

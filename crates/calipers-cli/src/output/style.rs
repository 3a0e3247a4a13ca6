//! How numbers and tables look.

use std::io::{IsTerminal, stdout};

use comfy_table::presets::{NOTHING, UTF8_HORIZONTAL_ONLY};
use comfy_table::{Attribute, Cell, ContentArrangement, Table};

/// Wide enough for any table here, and what a terminal has at least.
pub const WIDTH: usize = 80;

/// Whether standard output is a person's terminal, where lines and bold letters help.
fn is_fancy() -> bool {
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !colourless
}

/// An empty table with a header: lines in a terminal, plain columns in a file.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    let fancy = is_fancy();
    // The width is fixed, so that output is the same wherever it is read.
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH as u16);
    if fancy {
        table.load_style(UTF8_HORIZONTAL_ONLY);
        table.style_mut().row_separator = comfy_table::LineStyle::none();
    } else {
        table.load_style(NOTHING).force_no_tty();
    }
    let bold = |name: &&str| match fancy {
        true => Cell::new(name).add_attribute(Attribute::Bold),
        false => Cell::new(name),
    };
    table.set_header(header.iter().map(bold));
    table
}

/// The table as text. Without lines around it, it starts at the left edge.
pub fn render(mut table: Table) -> String {
    if !is_fancy() {
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    text
}

/// `1234567` as `1,234,567`.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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
    // 0.00031 has its first digit in the fourth place: one more shows two.
    let first = (-size.log10()).ceil() as usize;
    format!("{value:.*}", first + 1)
}

/// Pads numbers so that their points stand below each other.
pub fn aligned(numbers: &[String]) -> Vec<String> {
    let before = |number: &str| number.find('.').unwrap_or(number.len());
    let widest = numbers.iter().map(|number| before(number)).max().unwrap_or(0);
    let pad = |number: &String| format!("{}{number}", " ".repeat(widest - before(number)));
    numbers.iter().map(pad).collect()
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
    fn thousands_are_separated() {
        let texts = [0, 999, 1000, 123_456, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn points_stand_below_each_other() {
        let numbers = ["0.1".to_owned(), "-12.25".to_owned(), "inf".to_owned()];
        assert_eq!(aligned(&numbers), ["  0.1", "-12.25", "inf"]);
    }
}

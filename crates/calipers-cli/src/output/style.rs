//! How numbers and tables look.

use std::io::{IsTerminal, stdout};

pub use calipers_draw::{decimal, thousands};
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, ContentArrangement, LineStyle, Table};

/// Wide enough for any table here, and what a terminal has at least.
pub const WIDTH: usize = 80;

/// Whether standard output is a person's terminal, where bold letters help.
fn is_fancy() -> bool {
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !colourless && !is_dumb()
}

/// Whether the terminal, if there is one, says that it can only print letters: an editor's, for example.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|value| value == "dumb")
}

/// An empty table with a header for standard output: in a terminal the header stands out.
pub fn table(header: &[&str]) -> Table {
    let mut table = plain_table(header);
    if is_fancy() {
        table.style_mut().header_separator = LineStyle::none().fill('─').junction('─');
        table.set_header(header.iter().map(|name| Cell::new(name).add_attribute(Attribute::Bold)));
        table.enforce_styling();
    }
    table
}

/// An empty table with a header, for wherever it may be read.
pub fn plain_table(header: &[&str]) -> Table {
    let mut table = Table::new();
    // The width is fixed, so that a table looks the same in a file as in a terminal.
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH as u16);
    table.load_style(NOTHING).force_no_tty().set_header(header);
    table
}

/// The table as text, from the left edge on.
pub fn render(mut table: Table) -> String {
    let last = table.column_count().saturating_sub(1);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if at == last { 0 } else { 2 }));
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    text
}

/// Pads numbers so that their points stand below each other.
pub fn aligned(numbers: &[String]) -> Vec<String> {
    // What has no point, such as inf, starts where the digits do.
    let sign = |number: &str| usize::from(number.starts_with('-'));
    let before = |number: &str| number.find('.').unwrap_or_else(|| sign(number) + 1);
    let widest = numbers.iter().map(|number| before(number)).max().unwrap_or(0);
    let pad =
        |number: &String| format!("{}{number}", " ".repeat(widest.saturating_sub(before(number))));
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
        assert_eq!(aligned(&numbers), ["  0.1", "-12.25", "  inf"]);
    }
}

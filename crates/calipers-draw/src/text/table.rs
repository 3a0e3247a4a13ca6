//! Tables: lines of letters, or HTML for notebooks.

use calipers::words::visible;

use super::numbers::decimal;
use super::{Look, WIDTH};
use crate::escape::escape;

/// What stands between two columns.
const GAP: usize = 2;

/// A table, column by column. As text it is at most [`WIDTH`] letters wide, in a file as in a
/// terminal: the widest columns are broken into several lines.
///
/// ```
/// use calipers_draw::text::{Look, Table};
///
/// let table = Table::new()
///     .words("metric", ["l1", "brier"])
///     .numbers("estimate", [Some(0.25), Some(-0.5)])
///     .numbers("p_value", [None, Some(0.01)]);
/// assert_eq!(
///     table.text(Look::PYTHON),
///     "metric  estimate  p_value\n\
///      l1       0.2500\n\
///      brier   -0.5000   0.0100\n"
/// );
/// ```
#[derive(Debug, Clone, Default)]
pub struct Table {
    columns: Vec<Column>,
}

#[derive(Debug, Clone)]
struct Column {
    name: String,
    cells: Vec<String>,
    numbers: bool,
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column of words, in which a line cannot be broken.
    #[must_use]
    pub fn words<T: Into<String>>(self, name: &str, cells: impl IntoIterator<Item = T>) -> Self {
        let cells = cells.into_iter().map(Into::into);
        self.column(name, cells.map(|cell| visible(&cell).into_owned()).collect(), false)
    }

    /// Adds a column of numbers; what is not there is left empty.
    #[must_use]
    pub fn numbers(self, name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let cells = values.into_iter().map(|value| value.map_or_else(String::new, decimal));
        self.column(name, cells.collect(), true)
    }

    fn column(mut self, name: &str, cells: Vec<String>, numbers: bool) -> Self {
        self.columns.push(Column { name: name.to_owned(), cells, numbers });
        self
    }

    /// The table as lines. The points of numbers stand below each other; in a terminal the header
    /// stands out.
    pub fn text(&self, look: Look) -> String {
        let header = self.header();
        let columns: Vec<Vec<String>> = self.columns.iter().map(Column::padded).collect();
        let width = |(name, cells): (&&str, &Vec<String>)| {
            cells.iter().map(|cell| letters(cell)).fold(letters(name), usize::max)
        };
        let widths = fitting(&header.iter().zip(&columns).map(width).collect::<Vec<_>>());
        let mut text = String::new();
        for line in lines(&header, &widths) {
            let (bold, plain) = if look.fancy { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
            text.push_str(&format!("{bold}{line}{plain}\n"));
        }
        if look.fancy {
            text.push_str(&"─".repeat(widths.iter().sum::<usize>() + gaps(&widths)));
            text.push('\n');
        }
        for row in 0..self.rows() {
            let cells: Vec<&str> = columns.iter().map(|cells| cell(cells, row)).collect();
            for line in lines(&cells, &widths) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        text
    }

    /// The table as HTML, with numbers aligned to the right.
    pub fn html(&self) -> String {
        let row = |tag: &str, cells: &[&str]| -> String {
            let cells = self.columns.iter().zip(cells).map(|(column, cell)| {
                let side = if column.numbers { " style=\"text-align: right\"" } else { "" };
                format!("<{tag}{side}>{}</{tag}>", escape(cell))
            });
            format!("<tr>{}</tr>", cells.collect::<String>())
        };
        let body: String = (0..self.rows())
            .map(|at| {
                let cells = self.columns.iter().map(|column| cell(&column.cells, at));
                row("td", &cells.collect::<Vec<_>>())
            })
            .collect();
        let head = row("th", &self.header());
        format!("<table><thead>{head}</thead><tbody>{body}</tbody></table>")
    }

    fn header(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    fn rows(&self) -> usize {
        self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0)
    }
}

impl Column {
    /// The cells as they stand below each other.
    fn padded(&self) -> Vec<String> {
        if self.numbers { aligned(&self.cells) } else { self.cells.clone() }
    }
}

/// A cell or a line; nothing where there is none.
fn cell(cells: &[String], row: usize) -> &str {
    cells.get(row).map_or("", String::as_str)
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

fn gaps(widths: &[usize]) -> usize {
    GAP * widths.len().saturating_sub(1)
}

/// The widths that columns can have: where there is too little room the widest give way, to one
/// width for all of them.
fn fitting(wanted: &[usize]) -> Vec<usize> {
    let room = WIDTH.saturating_sub(gaps(wanted));
    let together = |most: usize| wanted.iter().map(|width| *width.min(&most)).sum::<usize>();
    let most = (1..=room).rev().find(|most| together(*most) <= room).unwrap_or(1);
    wanted.iter().map(|width| *width.min(&most)).collect()
}

/// One row, as many lines as its longest cell takes.
fn lines(cells: &[&str], widths: &[usize]) -> Vec<String> {
    let broken: Vec<Vec<String>> =
        cells.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
    let count = broken.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let mut line = String::new();
        for (parts, width) in broken.iter().zip(widths) {
            let part = cell(parts, number);
            line.push_str(part);
            line.push_str(&" ".repeat(width + GAP - letters(part).min(*width)));
        }
        line.trim_end().to_owned()
    };
    (0..count).map(line).collect()
}

/// A text of one line or several, as long as lines may be.
pub(super) fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n") + "\n"
}

/// A line that goes on below, two letters in, where it is too long.
pub(super) fn hanging(line: &str) -> String {
    let mut lines = wrapped(line, WIDTH).into_iter();
    let first = lines.next().unwrap_or_default();
    let rest = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match rest.strip_prefix(&first).map(str::trim_start).filter(|rest| !rest.is_empty()) {
        None => first + "\n",
        Some(rest) => {
            let rest = wrapped(rest, WIDTH - 2);
            rest.iter().fold(first + "\n", |text, line| text + "  " + line + "\n")
        }
    }
}

/// The text in lines of at most `width` letters, broken between words; a word that is longer is cut.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if letters(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && letters(&line) + 1 + letters(word) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for letter in word.chars() {
            if letters(&line) == width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    lines
}

/// Pads numbers so that their points stand below each other.
fn aligned(numbers: &[String]) -> Vec<String> {
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
    fn points_stand_below_each_other() {
        let numbers = ["0.1".to_owned(), "-12.25".to_owned(), "inf".to_owned()];
        assert_eq!(aligned(&numbers), ["  0.1", "-12.25", "  inf"]);
    }

    #[test]
    fn the_widest_columns_give_way() {
        assert_eq!(fitting(&[10, 20, 30]), [10, 20, 30]);
        assert_eq!(fitting(&[10, 100]), [10, 68]);
        assert_eq!(fitting(&[100, 10, 100]), [33, 10, 33]);
        assert_eq!(fitting(&[]), [] as [usize; 0]);
    }

    #[test]
    fn lines_break_between_words_and_long_words_are_cut() {
        assert_eq!(wrapped("  as it is", 10), ["  as it is"]);
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("a äöüäöüäöü b", 4), ["a", "äöüä", "öüäö", "ü b"]);
        let long = Table::new().words("metric", ["é".repeat(200)]).numbers("l1", [Some(0.5)]);
        assert!(long.text(Look::PYTHON).lines().all(|line| letters(line) <= WIDTH));
    }

    #[test]
    fn a_cell_cannot_break_a_line_or_colour_it() {
        let table = Table::new().words("name", ["a\n\u{1b}[31mb"]);
        assert_eq!(table.text(Look::PYTHON), "name\na\\n\\u{1b}[31mb\n");
    }

    #[test]
    fn in_a_terminal_the_header_stands_out() {
        let table = Table::new().words("name", ["a"]).words("what", ["first"]);
        assert_eq!(
            table.text(Look::command_line(true)),
            "\u{1b}[1mname  what\u{1b}[0m\n───────────\na     first\n"
        );
    }

    #[test]
    fn markup_in_cells_stays_text() {
        let table = Table::new().words("<i>", ["<b>"]).numbers("l1", [None]);
        assert_eq!(
            table.html(),
            "<table><thead><tr><th>&lt;i&gt;</th><th style=\"text-align: right\">l1</th></tr></thead>\
             <tbody><tr><td>&lt;b&gt;</td><td style=\"text-align: right\"></td></tr></tbody></table>"
        );
    }
}

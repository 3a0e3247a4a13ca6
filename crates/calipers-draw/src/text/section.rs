//! A part of a text: words, a table, or lines.

use super::table::hanging;
use super::{Look, Table};
use crate::escape::escape;

/// Words above a table or above lines; there may be one of them alone.
#[derive(Debug, Default)]
pub(super) struct Section {
    words: Option<String>,
    table: Option<Table>,
    /// Below them, one remark each.
    lines: Vec<String>,
}

impl Section {
    /// Words alone.
    pub fn words(words: String) -> Self {
        Self { words: Some(words), ..Self::default() }
    }

    /// A table alone.
    pub fn table(table: Table) -> Self {
        Self { table: Some(table), ..Self::default() }
    }

    /// Words above a table.
    pub fn titled(words: String, table: Table) -> Self {
        Self { words: Some(words), table: Some(table), ..Self::default() }
    }

    /// Words above lines, which are broken where they are too long.
    pub fn lines(words: String, lines: Vec<String>) -> Self {
        Self { words: Some(words), lines, ..Self::default() }
    }

    /// As text.
    pub fn text(&self, look: Look) -> String {
        let words = self.words.iter().map(|words| format!("{words}\n"));
        let table = self.table.iter().map(|table| table.text(look));
        words.chain(table).chain(self.lines.iter().map(|line| hanging(line))).collect()
    }

    /// As HTML.
    pub fn html(&self) -> String {
        let words = self.words.iter().map(|words| format!("<p>{}</p>", escape(words)));
        let mut html: String = words.chain(self.table.iter().map(Table::html)).collect();
        if !self.lines.is_empty() {
            let lines = self.lines.iter().map(|line| format!("<li>{}</li>", escape(line)));
            html.push_str(&format!("<ul>{}</ul>", lines.collect::<String>()));
        }
        html
    }
}

//! Tables that can be sorted and copied.

use calipers::words::thousands;

use crate::escape::escape;
use crate::text::{Tested, decimal};

/// A column's name, and whether it holds words.
pub type Column<'a> = (&'a str, bool);

/// One cell: what is read, and the number behind it.
pub struct Cell {
    html: String,
    value: Option<String>,
}

impl Cell {
    /// Markup that was made safe.
    pub fn html(html: impl Into<String>) -> Self {
        Self { html: html.into(), value: None }
    }

    /// A word.
    pub fn word(text: &str) -> Self {
        Self::html(escape(text))
    }

    /// A number with four decimals.
    pub fn decimal(value: f64) -> Self {
        Self { html: decimal(value), value: Some(short(value)) }
    }

    /// A number that may not be there.
    pub fn maybe(value: Option<f64>) -> Self {
        value.map_or_else(
            || Self { html: "–".to_owned(), value: Some(String::new()) },
            Self::decimal,
        )
    }

    /// A p-value, as a bound where it is one.
    pub fn p_value(tested: &Tested) -> Self {
        Self { html: escape(&tested.number()), value: Some(short(tested.p_value)) }
    }

    /// A change of a share, in percentage points, with its sign.
    pub fn points(value: f64) -> Self {
        let sign = if value > 0.0 { "+" } else { "" };
        let hundred = 100.0 * value;
        // Of a thousand classes each moves by little.
        let text = if hundred.abs() >= 0.095 { format!("{hundred:.2}") } else { decimal(hundred) };
        Self { html: format!("{sign}{text}"), value: Some(short(value)) }
    }

    /// A number that is shown in another way, in markup that was made safe.
    pub fn valued(value: f64, html: String) -> Self {
        Self { html, value: Some(short(value)) }
    }

    /// A count.
    pub fn count(value: usize) -> Self {
        Self { html: thousands(value), value: Some(value.to_string()) }
    }
}

/// Six significant digits.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let text = format!("{value:.5e}").parse::<f64>().unwrap_or(value);
    text.to_string()
}

/// The table, with a button that copies it; one of more than 15 lines scrolls.
pub fn table(identifier: &str, columns: &[Column<'_>], rows: &[Vec<Cell>]) -> String {
    wrapped(identifier, "", columns, rows)
}

/// The same of a kind that the style sheet knows.
pub fn wrapped(identifier: &str, kind: &str, columns: &[Column<'_>], rows: &[Vec<Cell>]) -> String {
    let kind = if kind.is_empty() { String::new() } else { format!(" class=\"{kind}\"") };
    let long = if rows.len() > 15 { " long" } else { "" };
    let mut html = format!(
        "<div class=\"scroll{long}\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table id=\"{identifier}\"{kind}><thead><tr>"
    );
    for (name, word) in columns {
        let class = if *word { " class=\"word\"" } else { "" };
        html.push_str(&format!(
            "<th scope=\"col\"{class}><button type=\"button\">{}</button></th>",
            escape(name)
        ));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for ((_, word), cell) in columns.iter().zip(row) {
            let class = if *word { " class=\"word\"" } else { "" };
            let value = cell.value.as_ref().map(|value| format!(" data-v=\"{value}\""));
            html.push_str(&format!("<td{class}{}>{}</td>", value.unwrap_or_default(), cell.html));
        }
        html.push_str("</tr>\n");
    }
    html.push_str(&format!(
        "</tbody></table></div><p class=\"tools\"><button type=\"button\" data-copy=\"{identifier}\" hidden>Copy as CSV</button></p>\n"
    ));
    html
}

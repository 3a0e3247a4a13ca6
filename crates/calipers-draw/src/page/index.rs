//! A page that lists the pages of models.

use calipers::Report;
use calipers::words::thousands;

use super::table::{Cell, Column, wrapped};
use super::verdict::headline;
use super::{Page, shell};
use crate::escape::{escape, name, shorten};
use crate::text::{Shown, lower_name};

/// How much of a long name is kept for hovering.
const HOVER: usize = 1_000;

/// A model in an [`index_page`].
#[derive(Debug, Clone)]
pub struct Listed {
    /// What it is called.
    pub model: String,
    /// Where its own page is, beside the index.
    pub page: String,
    /// What was found.
    pub report: Report,
}

/// A page with a line for each model, which leads to its own page; a table for each of the metrics, or
/// if there are none for the one that each model's page is about. Below stands what was left out, and
/// why.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::{Listed, index_page};
///
/// let over = simulate("binary-overconfident", 500, 0)?;
/// let report = Estimator::new().metric("l1".parse()?).draws(0).estimate(&over)?;
/// let (model, page) = ("night".to_owned(), "night.html".to_owned());
/// let html = index_page(&[Listed { model, page, report }], &[], &[]);
/// assert!(html.contains("<a href=\"night.html\"><bdi>night</bdi></a>"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn index_page(models: &[Listed], metrics: &[String], left_out: &[String]) -> String {
    let confidence = models.first().map_or(0.95, |one| one.report.confidence);
    let mut body = "<p>Each model is measured on rows of its own, and its bound holds for it alone: these \
                    tables say where to look, not which model is better. Models on the same rows are \
                    compared by <code>calipers compare</code>.</p>\n"
        .to_owned();
    let asked: Vec<&str> = metrics.iter().map(String::as_str).collect();
    let shown = if asked.is_empty() { headlines(models) } else { asked };
    for (number, metric) in shown.into_iter().enumerate() {
        let own =
            models.iter().filter(|one| !metrics.is_empty() || headline(&one.report) == metric);
        body.push_str(&format!("<section><h2>{}</h2>\n", escape(metric)));
        body.push_str(&lines(&format!("index{number}"), metric, own, confidence));
        body.push_str("</section>\n");
    }
    if !left_out.is_empty() {
        let items: String = left_out
            .iter()
            .map(|one| format!("<li>{}</li>\n", escape(&shorten(one, HOVER))))
            .collect();
        body.push_str(&format!("<section><h2>Left out</h2><ul>\n{items}</ul></section>\n"));
    }
    let count = models.len();
    let of = if count == 1 { "1 model".to_owned() } else { format!("{} models", thousands(count)) };
    shell::page(&format!("Calibration of {of}"), &of, &body)
}

impl Page<'_> {
    /// As [`html`](Page::html), of a page that an [`index_page`] lists: it leads back there.
    pub fn listed_html(mut self, index: &str) -> String {
        let models: Vec<String> = self.seen.models.iter().map(|model| self.name(model)).collect();
        let title = format!("Calibration of {}", self.seen.models.join(", "));
        let body = self.body();
        let back = format!("<a href=\"{}\">all models</a>", escape(index));
        shell::page(&title, &format!("{} \u{b7} {back}", models.join(", ")), &body)
    }
}

/// The metrics that the models' pages are about.
fn headlines(models: &[Listed]) -> Vec<&'static str> {
    let mut all: Vec<&str> = models.iter().map(|one| headline(&one.report)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The table of a metric: what is shown to be furthest off comes first.
fn lines<'a>(
    identifier: &str,
    metric: &str,
    models: impl Iterator<Item = &'a Listed>,
    confidence: f64,
) -> String {
    let lower = lower_name(confidence);
    let mut found: Vec<_> = models
        .filter_map(|model| model.report.get(metric).map(|estimate| (model, estimate)))
        .collect();
    found.sort_by(|(_, one), (_, other)| other.lower.total_cmp(&one.lower));
    let tested = found.iter().any(|(_, one)| one.p_value.is_some());
    // What one looks for stands beside the model: a telephone shows no more than that.
    let mut columns: Vec<Column<'_>> =
        vec![("model", true), ("estimate", false), (lower.as_str(), false)];
    columns.extend([("std. error", false), ("rows", false), ("classes", false)]);
    columns.extend(tested.then_some(("p_value", false)));
    columns.push(("shown", true));
    let rows: Vec<Vec<Cell>> = found
        .into_iter()
        .map(|(model, estimate)| {
            let link = escape(&model.page);
            let shown = match Shown::of(estimate, confidence) {
                Shown::Size => "off by at least the lower bound",
                Shown::Presence => "off, but not by how much",
                Shown::Nothing => "nothing",
            };
            let mut cells = vec![
                Cell::html(format!("<a href=\"{link}\">{}</a>", name(&model.model, HOVER))),
                Cell::decimal(estimate.value),
                Cell::decimal(estimate.lower),
                Cell::decimal(estimate.stderr),
                Cell::count(model.report.rows),
                Cell::count(model.report.classes.len()),
            ];
            cells.extend(tested.then(|| Cell::maybe(estimate.p_value)));
            cells.push(Cell::word(shown));
            cells
        })
        .collect();
    wrapped(identifier, "listed", &columns, &rows)
}

//! The report: one page of HTML that needs nothing but itself.
//!
//! The page is a template (`page.html`), a style sheet and a script, each a
//! file of its own, and sections that are written here. It forbids every request by a content security
//! policy, allows the one script by its hash, and is readable without it.

mod board;
mod features;
mod figures;
mod index;
mod sections;
mod shell;
mod table;
mod verdict;
mod when;

use std::time::SystemTime;

use calipers::Examination;

use crate::escape::name;
use crate::text::Face;
pub use board::leaderboard_page;
pub use index::{Listed, index_page};

/// Names in a page are kept whole for hovering as long as they are this long together.
const HOVER_BUDGET: usize = 100_000;

/// What a page says of how it came about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// The program and its version.
    pub program: String,
    /// How long reading, estimating and drawing took, in seconds.
    pub seconds: f64,
    /// When it was made.
    pub when: SystemTime,
    /// Whether the errors of two classes are those of both columns.
    pub vector: bool,
    /// The files that were read, where they are called by other names on the page.
    pub inputs: Vec<String>,
    /// Who made it: notes name options in its way.
    pub face: Face,
    /// What else a reader should know, before the notes on the reports.
    pub notes: Vec<String>,
}

impl Run {
    /// Made now, by a program.
    pub fn new(program: impl Into<String>, seconds: f64) -> Self {
        Self::at(program, seconds, SystemTime::now())
    }

    /// Made at a moment: a browser tells it to what runs there, which has no clock.
    pub fn at(program: impl Into<String>, seconds: f64, when: SystemTime) -> Self {
        let program = program.into();
        let (inputs, notes) = (Vec::new(), Vec::new());
        Self { program, seconds, when, vector: false, inputs, face: Face::CommandLine, notes }
    }
}

/// A page about one model, or several on the same labels.
///
/// ```
/// use calipers::{Estimator, simulate};
/// use calipers_draw::{Page, Run};
///
/// let predictions = simulate("binary-overconfident", 500, 0)?;
/// let seen = Estimator::new().examine(&[("model.csv", &predictions)])?;
/// let html = Page::new(&seen, Run::new("an example", 0.1)).html();
/// assert!(html.contains("shown to be off by at least"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub struct Page<'a> {
    seen: &'a Examination,
    run: Run,
    /// How much of a long name is kept for hovering.
    hover: usize,
    /// How many figures and tables there are so far: their identifiers.
    count: usize,
}

impl<'a> Page<'a> {
    /// A page, to be written.
    pub fn new(seen: &'a Examination, run: Run) -> Self {
        let classes = seen.reports.iter().flat_map(|report| &report.classes);
        let groups = seen.reports.iter().filter_map(|report| report.groups.as_ref());
        let groups = groups.flat_map(|found| found.groups.iter().map(|group| &group.name));
        let given = seen.reports.iter().filter_map(|report| report.given_features.as_ref());
        let segments: usize = given
            .clone()
            .flat_map(|given| &given.segments.shown)
            .map(|one| one.words().len())
            .sum();
        let features = given.flat_map(|given| &given.names);
        let names = classes.chain(groups).chain(features).chain(&seen.models);
        let all = segments + names.map(String::len).sum::<usize>();
        let hover = if all <= HOVER_BUDGET { usize::MAX } else { 100 };
        Self { seen, run, hover, count: 0 }
    }

    /// The text of the file.
    pub fn html(mut self) -> String {
        let models: Vec<String> = self.seen.models.iter().map(|model| self.name(model)).collect();
        let title = format!("Calibration of {}", self.seen.models.join(", "));
        let body = self.body();
        shell::page(&title, &models.join(", "), &body)
    }

    fn name(&self, text: &str) -> String {
        name(text, self.hover)
    }

    /// An identifier that nothing else has.
    fn identifier(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}{}", self.count)
    }
}

#[cfg(test)]
mod tests;

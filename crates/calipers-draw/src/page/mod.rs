//! The report: one page of HTML that needs nothing but itself.
//!
//! The page is a template (`page.html`), a style sheet and a script, each a
//! file of its own, and sections that are written here. It forbids every request by a content security
//! policy, allows the one script by its hash, and is readable without it.

mod features;
mod figures;
mod sections;
mod table;
mod verdict;
mod when;

use std::time::SystemTime;

use calipers::Examination;

use crate::escape::{escape, name, shorten};
use crate::text::Face;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The SHA-256 hashes of [`STYLE`] and [`SCRIPT`], by which the page's policy knows them. A test
/// computes them again.
const STYLE_HASH: &str = include_str!("style.sha256");
const SCRIPT_HASH: &str = include_str!("script.sha256");

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
        let (program, when) = (program.into(), SystemTime::now());
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
        let title = format!("Calibration of {}", shorten(&self.seen.models.join(", "), 80));
        let parts: [(&str, String); 7] = [
            ("style-hash", STYLE_HASH.trim().to_owned()),
            ("script-hash", SCRIPT_HASH.trim().to_owned()),
            ("title", escape(&title)),
            ("style", STYLE.to_owned()),
            ("files", models.join(", ")),
            ("body", self.body()),
            ("script", SCRIPT.to_owned()),
        ];
        // One pass over the template: what is filled in is never looked at again.
        let mut html = String::new();
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("{{") {
            html.push_str(before);
            let Some((key, after)) = after.split_once("}}") else { break };
            let part = parts.iter().find(|(name, _)| *name == key);
            html.push_str(part.map_or("", |(_, text)| text));
            rest = after;
        }
        html.push_str(rest);
        html
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

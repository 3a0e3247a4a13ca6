//! What the features know: errors given f and features, what each feature is worth, and segments.

use calipers::words::thousands;
use calipers::{FeatureGain, Figure, GivenFeatures, Report, Segment, Segments};

use super::Page;
use super::table::{Cell, Column, wrapped};
use super::verdict::headline;
use crate::escape::{escape, shorten};
use crate::number::place;
use crate::svg::Size;
use crate::text::{Tested, count, decimal, lower_name, percent};

/// So many features, or sets of them, have a bar.
const MOST_BARS: usize = 12;

/// So many names of a set are said.
const MOST_NAMES: usize = 6;

/// So many segments have a figure on a page, of all models together: each takes 40 kB.
const MOST_FIGURES: usize = 12;

/// What the words of a segment are cut to.
const MOST_WORDS: usize = 160;

impl Page<'_> {
    /// The section, if there are features.
    pub(super) fn features(&mut self, report: &Report, figures: &[Figure]) -> String {
        let Some(given) = &report.given_features else { return String::new() };
        let mut html = "<section><h2>What the features know</h2>\n".to_owned();
        html.push_str(&beyond(given, report.confidence));
        html.push_str(&self.given(report, given));
        html.push_str(&self.shares(given));
        html.push_str(&self.segments(report, &given.segments, figures));
        html.push_str("</section>\n");
        html
    }

    /// What the verdict says of the features: nothing, if they show nothing; markup.
    pub(super) fn known(&self, report: &Report) -> String {
        let metric = headline(report);
        let Some(given) = &report.given_features else { return String::new() };
        let clear = |gain: &&FeatureGain| gain.metric == metric && gain.lower > 0.0;
        if given.gains.iter().find(clear).is_none() {
            return String::new();
        }
        let least = given.get(metric).map(|one| one.lower).filter(|lower| *lower > 0.0);
        let least = least.map_or_else(String::new, |lower| {
            format!(": given f and the features it is off by at least {}", self.points(lower))
        });
        format!(
            " <strong>Rows with the same prediction differ</strong> in a way that the features \
             know{least}."
        )
    }

    /// Every metric given f, and given f and features.
    fn given(&mut self, report: &Report, given: &GivenFeatures) -> String {
        let lower = lower_name(report.confidence);
        let of_it = format!("difference, {lower}");
        let columns: [Column<'_>; 6] = [
            ("metric", true),
            ("given f", false),
            ("given f and features", false),
            (&lower, false),
            ("difference", false),
            (&of_it, false),
        ];
        let rows: Vec<Vec<Cell>> = given
            .estimates
            .iter()
            .zip(&given.gains)
            .map(|(one, gain)| {
                vec![
                    Cell::word(&one.metric),
                    Cell::maybe(report.get(&one.metric).map(|alone| alone.value)),
                    Cell::decimal(one.value),
                    Cell::decimal(one.lower),
                    Cell::decimal(gain.value),
                    Cell::decimal(gain.lower),
                ]
            })
            .collect();
        let tests: String = Tested::all(&given.estimates)
            .iter()
            .map(|tested| {
                let what = if tested.top { "top class" } else { "model" };
                let words = format!(
                    "{}: how often a {what} that is calibrated given the features, too, looks so odd.",
                    tested.words()
                );
                format!("<p>{}</p>\n", escape(&words))
            })
            .collect();
        let identifier = self.identifier("t");
        format!(
            "{}{tests}<p class=\"note\">Given f: what a g that sees f alone finds of the error, as above. Given f \
             and features: what a g that sees both finds. The difference is what the second found beyond the \
             first, in the same held-out rows. A lower bound above 0 shows that rows with the same prediction \
             differ in a way that the features know, which recalibrating f alone leaves as it is. One of 0 shows \
             nothing, and not that there is nothing.</p>\n",
            wrapped(&identifier, "given", &columns, &rows),
        )
    }

    /// A bar for each feature, or set of features that say much the same.
    fn shares(&mut self, given: &GivenFeatures) -> String {
        let first = given.shares.iter().filter_map(|share| Some((share, share.lost.first()?)));
        let all: Vec<_> = first.collect();
        let Some((_, most)) = all.first() else { return String::new() };
        let heading = "<h3>What each feature is worth</h3>\n";
        if all.iter().all(|(_, lost)| lost.value.abs() <= 0.0) {
            return format!(
                "{heading}<p>Nothing is lost without any of them: where they know nothing, g is that of f \
                 alone.</p>\n"
            );
        }
        let metric = escape(&most.metric);
        let name = format!("lost of {}", most.metric);
        let columns = [("feature", true), (name.as_str(), false), ("std. error", false)];
        let shown: Vec<&FeatureGain> = all.iter().take(MOST_BARS).map(|(_, lost)| *lost).collect();
        let ends =
            shown.iter().flat_map(|lost| [lost.value - lost.stderr, lost.value + lost.stderr]);
        let (mut from, mut to) = (0.0_f64, 0.0_f64);
        for end in ends.filter(|end| end.is_finite()) {
            (from, to) = (from.min(end), to.max(end));
        }
        let rows: Vec<Vec<Cell>> = all
            .iter()
            .take(MOST_BARS)
            .map(|(share, lost)| {
                let bar = format!("{}<span>{}</span>", bar(lost, from, to), decimal(lost.value));
                let names = Cell::html(self.set(&share.names));
                vec![names, Cell::valued(lost.value, bar), Cell::decimal(lost.stderr)]
            })
            .collect();
        let left = match all.len().saturating_sub(MOST_BARS) {
            0 => String::new(),
            left => format!(" {} that lose less are left out.", thousands(left)),
        };
        let sets = match all.iter().any(|(share, _)| share.names.len() > 1) {
            true => " Features that say much the same are joined by + and shuffled together.",
            false => "",
        };
        let sum = match all.len() {
            1 => "",
            _ => {
                " What two features both know is lost with neither, so that the bars need not add up."
            }
        };
        let chance = match given.gains.first().is_some_and(|gain| gain.lower > 0.0) {
            true => "",
            false => " As nothing beyond f is shown, all of it may be chance.",
        };
        let identifier = self.identifier("t");
        format!(
            "{heading}{}<p class=\"note\">How much less of {metric} is found where the values of a feature are \
             those of other rows, with whiskers of one standard error.{sets}{sum}{chance}{left}</p>\n",
            wrapped(&identifier, "bars", &columns, &rows),
        )
    }

    /// Names that are joined; markup.
    fn set(&self, names: &[String]) -> String {
        let mut html: Vec<String> =
            names.iter().take(MOST_NAMES).map(|name| self.name(name)).collect();
        if names.len() > MOST_NAMES {
            html.push(format!("{} more", names.len() - MOST_NAMES));
        }
        html.join(" + ")
    }

    /// Who is off: a table, and a figure of the one that is chosen.
    fn segments(&mut self, report: &Report, found: &Segments, figures: &[Figure]) -> String {
        let whose = match report.classes.as_slice() {
            [_, one] => format!("class {}", self.name(one)),
            _ => "a class".to_owned(),
        };
        let mut html = "<h3>Segments that are off</h3>\n".to_owned();
        if found.shown.is_empty() {
            html.push_str(&none(found));
            return html;
        }
        let shown = found.shown.len();
        html.push_str(&format!(
            "<p>{} of {} {} confirmed: {whose} happens more, or less, often there than f says. Found in {}, \
             measured in {} others; the bounds hold together with {} confidence, for all that were tried.</p>\n",
            thousands(shown),
            count(found.tried, "segment"),
            if shown == 1 { "is" } else { "are" },
            count(found.searched, "row"),
            thousands(found.measured),
            percent(report.confidence),
        ));
        let most =
            if self.has_details() { MOST_FIGURES / self.seen.models.len().max(1) } else { 0 };
        let figures = &figures[..figures.len().min(most)];
        let identifier = self.identifier("t");
        let mut choices = String::new();
        let mut rows = Vec::new();
        for (number, segment) in found.shown.iter().enumerate() {
            let words = self.words(segment);
            let class = (report.classes.len() > 2).then(|| self.name(&segment.class));
            let Some(figure) = figures.get(number) else {
                rows.push(line(segment, words, class));
                continue;
            };
            let choice = self.identifier("c");
            let heading = match &class {
                Some(class) => format!("{words}: class {class}"),
                None => words.clone(),
            };
            let checked = if number == 0 { " checked" } else { "" };
            let radio = format!(
                "<label><input type=\"radio\" name=\"{identifier}\" value=\"{choice}\" \
                 aria-controls=\"{choice}\"{checked} hidden>\
                 <span>{words}</span></label>"
            );
            rows.push(line(segment, radio, class));
            choices.push_str(&format!(
                "<div id=\"{choice}\">{}<p class=\"note\">{}</p></div>\n",
                self.figure(figure, &heading, Size::TALL, true),
                said(segment)
            ));
        }
        let mut columns: Vec<Column<'_>> = vec![("segment", true)];
        if report.classes.len() > 2 {
            columns.push(("class", true));
        }
        columns.extend([
            ("rows", false),
            ("measured", false),
            ("predicted", false),
            ("bound", false),
            ("observed", false),
        ]);
        html.push_str(&format!(
            "<div class=\"chosen\"><div>{}<p class=\"note\">Predicted and observed are means over the measured rows. \
             The bound says what the mean probability is at least, or at most. A segment may be off because f is \
             off for everybody with such predictions: the curve of all other rows tells.{}</p></div>\n<div>{choices}\
             </div></div>\n",
            wrapped(&identifier, "segments", &columns, &rows),
            if choices.is_empty() { "" } else { " Choose a segment to see both." },
        ));
        html
    }

    /// A segment's conditions; markup.
    fn words(&self, segment: &Segment) -> String {
        let (words, most) = (segment.words(), MOST_WORDS.min(self.hover));
        let short = shorten(&words, most);
        if short == words {
            return format!("<bdi>{}</bdi>", escape(&words));
        }
        let full = escape(&shorten(&words, self.hover));
        format!("<bdi title=\"{full}\">{}</bdi>", escape(&short))
    }
}

/// What a g that sees the features found, in one sentence; markup.
fn beyond(given: &GivenFeatures, confidence: f64) -> String {
    let Some(gain) = given.gains.first() else { return String::new() };
    let (metric, value) = (escape(&gain.metric), decimal(gain.value));
    if gain.lower > 0.0 {
        format!(
            "<p><strong>The features know what f does not.</strong> Of {metric}, a g that sees them beside f finds \
             {value} more than one that sees f alone, and at least {} with {} confidence: rows with the same \
             prediction differ in a way that the features know.</p>\n",
            decimal(gain.lower),
            percent(confidence),
        )
    } else {
        let more = match gain.value > 0.0 {
            true => format!("{value} more than one that sees f alone, which may be chance"),
            false => "nothing that one that sees f alone does not find".to_owned(),
        };
        format!(
            "<p>The features are <strong>not shown to know what f does not</strong>. Of {metric}, a g that sees them \
             beside f finds {more}.</p>\n"
        )
    }
}

fn none(found: &Segments) -> String {
    match found.tried {
        0 => format!(
            "<p>None was found in {} that would be worth measuring.</p>\n",
            count(found.searched, "row")
        ),
        tried => format!(
            "<p>None was confirmed: {} {} found in {} and measured in {} others, which do not show that any of \
             them is off.</p>\n",
            thousands(tried),
            if tried == 1 { "was" } else { "were" },
            count(found.searched, "row"),
            thousands(found.measured),
        ),
    }
}

/// A segment's numbers, for those who see no more of the table than its first columns.
fn said(segment: &Segment) -> String {
    format!(
        "In its {} f says {} on average. It is {} {}; {} was observed.",
        count(segment.measured, "measured row"),
        decimal(segment.predicted),
        way(segment),
        decimal(segment.bound),
        decimal(segment.observed),
    )
}

/// Which side of the truth a segment's bound is on.
fn way(segment: &Segment) -> &'static str {
    if segment.above { "at\u{a0}least" } else { "at\u{a0}most" }
}

/// A line of the table of segments.
fn line(segment: &Segment, words: String, class: Option<String>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = std::iter::once(words).chain(class).map(Cell::html).collect();
    cells.extend([
        Cell::count(segment.rows),
        Cell::count(segment.measured),
        Cell::decimal(segment.predicted),
        Cell::valued(segment.bound, format!("{} {}", way(segment), decimal(segment.bound))),
        Cell::decimal(segment.observed),
    ]);
    cells
}

/// A bar from 0 with a whisker of one standard error to either side, between the ends of all of them.
fn bar(lost: &FeatureGain, from: f64, to: f64) -> String {
    let way = |value: f64| {
        place(100.0 * (value.clamp(from, to) - from) / (to - from).max(f64::MIN_POSITIVE))
    };
    let zero = way(0.0);
    let mut paths = String::new();
    if lost.value.is_finite() && lost.stderr.is_finite() {
        let (end, low, high) =
            (way(lost.value), way(lost.value - lost.stderr), way(lost.value + lost.stderr));
        paths = format!(
            "<path class=\"lost\" d=\"M{zero} 3H{end}V17H{zero}Z\"/><path class=\"whisker\" \
             d=\"M{low} 10H{high}M{low} 6V14M{high} 6V14\"/>"
        );
    }
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 20\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{paths}\
         <path class=\"foot\" d=\"M{zero} 0V20\"/></svg>"
    )
}

//! The sections of a page, from the verdict down to what was run.

use calipers::words::thousands;
use calipers::{ClassTable, Estimate, Report};

use super::table::{Cell, Column, table};
use super::verdict::headline;
use super::{Page, when};
use crate::escape::escape;
use crate::number::place;
use crate::svg::Size;
use crate::text::{
    Tested, count, decimal, interval, interval_name, lower_name, notes, too_small, upper_name,
};

/// Beyond so many lines, a table holds those with the largest errors.
const MOST_LINES: usize = 1_000;

/// Beyond so many models the others have no figures, and there is none of all together.
const MOST_MODELS: usize = 12;

/// Beyond so many models classes and segments have no diagrams of their own.
const MOST_DETAILED: usize = 3;

/// So many features are named.
const MOST_FEATURES: usize = 50;

impl Page<'_> {
    pub(super) fn body(&mut self) -> String {
        let several = self.seen.models.len() > 1;
        let mut html = String::new();
        if several {
            html.push_str(&format!("<p class=\"verdict\">{}</p>\n", self.comparison_verdict()));
        } else if let Some(report) = self.seen.reports.first() {
            html.push_str(&format!("<p class=\"verdict\">{}</p>\n", self.verdict(report)));
        }
        html.push_str(&self.errors());
        if several {
            html.push_str(&self.comparison());
        }
        let seen = self.seen;
        for (number, (report, figures)) in seen.reports.iter().zip(&seen.figures).enumerate() {
            if several && number == MOST_MODELS {
                let left = seen.models.len() - MOST_MODELS;
                html.push_str(&format!(
                    "<p class=\"note\">The figures of {left} more models are left out, to keep the page small.</p>"
                ));
                break;
            }
            let heading =
                if several { self.name(&seen.models[number]) } else { "Reliability".to_owned() };
            html.push_str(&format!("<section><h2>{heading}</h2>\n"));
            if several {
                html.push_str(&format!("<p>{}</p>\n", self.verdict(report)));
            }
            html.push_str("<div class=\"pair\">");
            html.push_str(&self.figure(&figures.reliability, "g over f", Size::TALL, true));
            html.push_str("<div>");
            if let Some(figure) = &figures.contribution {
                html.push_str(&self.figure(figure, "Where the error comes from", Size::WIDE, true));
            }
            html.push_str(&self.split(report));
            html.push_str("</div></div></section>\n");
            if let Some(classes) = &figures.classes {
                html.push_str(&self.classes(classes));
            }
            html.push_str(&self.groups(report));
            html.push_str(&self.features(report, &figures.segments));
        }
        html.push_str(&self.run());
        html
    }

    /// Every estimate.
    fn errors(&mut self) -> String {
        let several = self.seen.models.len() > 1;
        let Some(first) = self.seen.reports.first() else { return String::new() };
        let lower = lower_name(first.confidence);
        let any = |has: fn(&Estimate) -> bool| {
            self.seen.reports.iter().flat_map(|report| &report.estimates).any(has)
        };
        let bracket = any(|one| one.in_sample.is_some());
        let (guessed, bounded) = (any(|one| one.best.is_some()), any(|one| one.upper.is_some()));
        let (upper, around) = (upper_name(first.confidence), interval_name());
        let mut columns: Vec<Column<'_>> = vec![("metric", true)];
        if several {
            columns.insert(0, ("model", true));
        }
        columns.extend([("estimate", false), ("std. error", false), (lower.as_str(), false)]);
        if bounded {
            columns.push((upper.as_str(), false));
        }
        if guessed {
            columns.extend([("best guess", false), (around.as_str(), true)]);
        }
        if bracket {
            columns.push(("in-sample", false));
        }
        let mut rows = Vec::new();
        for (model, report) in self.seen.models.iter().zip(&self.seen.reports) {
            for one in &report.estimates {
                let mut row = vec![Cell::word(&one.metric)];
                if several {
                    row.insert(0, Cell::html(self.name(model)));
                }
                row.extend(numbers(one));
                if bounded {
                    row.push(Cell::maybe(one.upper));
                }
                if guessed {
                    row.push(Cell::maybe(one.best));
                    row.push(Cell::word(&interval(one).unwrap_or_else(|| "–".to_owned())));
                }
                if bracket {
                    row.push(Cell::maybe(one.in_sample));
                }
                rows.push(row);
            }
        }
        rows.truncate(MOST_LINES);
        let guess = match guessed {
            true => {
                " The best guess errs to either side, and its interval holds the error in about 90 of \
                     100 data sets."
            }
            false => "",
        };
        let identifier = self.identifier("t");
        format!(
            "<section><h2>Errors</h2>\n{}{}<p class=\"note\">Estimates are lower bounds of the true errors, in \
             expectation. With the confidence said, the error is above its lower bound.{guess} The p-value is how often \
             labels drawn from the predictions would look as odd as those observed.</p>\n{}</section>\n",
            table(&identifier, &columns, &rows),
            self.tests(),
            self.notes()
        )
    }

    /// The p-values, once a model: they are no metric's.
    fn tests(&self) -> String {
        let several = self.seen.models.len() > 1;
        let mut html = String::new();
        for (model, report) in self.seen.models.iter().zip(&self.seen.reports).take(MOST_LINES) {
            for tested in Tested::all(&report.estimates) {
                let whose = if several { self.name(model) + ": " } else { String::new() };
                html.push_str(&format!("<p>{whose}{}.</p>\n", escape(&tested.sentence())));
            }
        }
        html
    }

    /// What a reader of the estimates should know about them, each note once.
    fn notes(&self) -> String {
        let own = self.seen.reports.iter().flat_map(|report| notes(report, self.run.face));
        let mut all: Vec<String> = Vec::new();
        for note in self.run.notes.iter().cloned().chain(own) {
            if !all.contains(&note) {
                all.push(note);
            }
        }
        all.iter().map(|note| format!("<p class=\"note\">{}</p>\n", escape(note))).collect()
    }

    /// The models over each other, and their differences.
    fn comparison(&mut self) -> String {
        let seen = self.seen;
        let mut html = "<section><h2>Comparison</h2>\n".to_owned();
        if let Some(figure) = seen.overlay.as_ref().filter(|_| seen.models.len() <= MOST_MODELS) {
            html.push_str(&self.figure(figure, "The models together", Size::TALL, true));
        }
        let columns = [
            ("metric", true),
            ("first", true),
            ("second", true),
            ("difference", false),
            ("from", false),
            ("to", false),
            ("p_value", false),
        ];
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for one in &seen.differences {
            rows.push(vec![
                Cell::word(&one.metric),
                Cell::html(self.name(&seen.models[one.first])),
                Cell::html(self.name(&seen.models[one.second])),
                Cell::decimal(one.value),
                Cell::decimal(one.interval.0),
                Cell::decimal(one.interval.1),
                Cell::decimal(one.p_value),
            ]);
        }
        rows.truncate(MOST_LINES);
        let identifier = self.identifier("t");
        html.push_str(&table(&identifier, &columns, &rows));
        html.push_str(
            "<p class=\"note\">The first estimate less the second, on the same rows and folds: of what is \
             found of the errors, which bounds them from below. Intervals and p-values allow for the \
             number of pairs.</p></section>\n",
        );
        html
    }

    /// How much of the error is over- and how much under-confidence.
    fn split(&mut self, report: &Report) -> String {
        let metric = headline(report);
        let side = |side: &str| report.get(&metric.replace("l1", &format!("{side}-l1")));
        let (Some(over), Some(under)) = (side("over"), side("under")) else { return String::new() };
        let (high, low) = (over.value.max(0.0), under.value.max(0.0));
        let mut html = "<h3>Over- and under-confidence</h3>\n".to_owned();
        if high + low > 0.0 {
            let cut = 460.0 * high / (high + low);
            // The patterns are those of the figure before.
            let number = self.count;
            html.push_str(&format!(
                "<svg class=\"split\" viewBox=\"0 0 460 20\" preserveAspectRatio=\"none\" role=\"img\" \
                 aria-label=\"shares of over- and under-confidence\"><path fill=\"url(#f{number}-over)\" \
                 d=\"M0 0H{0}V20H0Z\"/><path fill=\"url(#f{number}-under)\" d=\"M{0} 0H460V20H{0}Z\"/></svg>\n",
                place(cut)
            ));
        }
        let say = |name: &str, one: &Estimate| {
            let shown = if one.lower > 0.0 { "shown" } else { "not shown" };
            format!(
                "<li>{name}: {} of {metric}, {shown} (at least {})</li>",
                decimal(one.value),
                decimal(one.lower)
            )
        };
        html.push_str(&format!(
            "<ul>{}{}</ul>\n",
            say("over-confident", over),
            say("under-confident", under)
        ));
        html
    }

    /// Whether classes and segments have diagrams of their own.
    pub(super) fn has_details(&self) -> bool {
        self.seen.models.len() <= MOST_DETAILED
    }

    /// Class by class.
    fn classes(&mut self, classes: &ClassTable) -> String {
        let columns = [
            ("class", true),
            ("l1", false),
            ("lower", false),
            ("rows", false),
            ("predicted", false),
            ("mean f", false),
            ("frequency", false),
            ("mean g", false),
            ("gain (points)", false),
        ];
        let most = MOST_LINES / self.seen.models.len().max(1);
        let mut order: Vec<&calipers::ClassRow> = classes.rows.iter().collect();
        order.sort_by(|a, b| b.lower.total_cmp(&a.lower).then(b.value.total_cmp(&a.value)));
        let left = order.len().saturating_sub(most);
        order.truncate(most);
        let rows: Vec<Vec<Cell>> = order
            .iter()
            .map(|row| {
                vec![
                    Cell::html(self.name(&row.name)),
                    Cell::decimal(row.value),
                    Cell::decimal(row.lower),
                    Cell::count(row.rows),
                    Cell::count(row.predicted),
                    Cell::decimal(row.mean_f),
                    Cell::decimal(row.frequency),
                    Cell::maybe(row.mean_g),
                    row.mean_g.map_or_else(|| Cell::maybe(None), |g| Cell::points(g - row.mean_f)),
                ]
            })
            .collect();
        let identifier = self.identifier("t");
        let mut html = format!(
            "<section><h2>Classes</h2>\n{}<p class=\"note\">Each class against the rest, measured with {} on {}; \
             the lower bounds hold together. The gain is what the class would have more, or less, of all \
             probability after recalibration.{}</p>\n",
            table(&identifier, &columns, &rows),
            escape(&classes.recalibrator),
            count(classes.measured_rows, "row"),
            if left > 0 {
                format!(" {} classes with smaller errors are left out.", thousands(left))
            } else {
                String::new()
            },
        );
        if self.has_details() {
            html.push_str("<h3>The classes with the largest estimates</h3>\n<div class=\"many\">");
            for (class, figure) in &classes.worst {
                let heading = self.name(&classes.rows[*class].name);
                html.push_str(&self.figure(figure, &heading, Size::SMALL, false));
            }
            html.push_str("</div>\n");
        }
        html.push_str(&self.movement(classes));
        html.push_str("</section>\n");
        html
    }

    /// Which classes gain and lose.
    fn movement(&mut self, classes: &ClassTable) -> String {
        let Some(moved) = classes.movement.as_ref().filter(|moved| !moved.largest.is_empty())
        else {
            return String::new();
        };
        let columns = [("predicted", true), ("class", true), ("gain (points)", false)];
        let rows: Vec<Vec<Cell>> = moved
            .largest
            .iter()
            .map(|one| {
                vec![
                    Cell::html(self.name(&classes.rows[one.predicted].name)),
                    Cell::html(self.name(&classes.rows[one.class].name)),
                    Cell::points(one.gain),
                ]
            })
            .collect();
        let identifier = self.identifier("t");
        format!(
            "<h3>What recalibration moves</h3>\n{}<p class=\"note\">Among the rows whose most probable class is \
             the first, the second gains so much probability when f becomes the held-out g, in percentage points \
             of all rows. The largest {} movements.</p>\n",
            table(&identifier, &columns, &rows),
            rows.len(),
        )
    }

    /// Within groups.
    fn groups(&mut self, report: &Report) -> String {
        let Some(found) = &report.groups else { return String::new() };
        let columns = [
            ("group", true),
            ("rows", false),
            ("metric", true),
            ("estimate", false),
            ("std. error", false),
            ("lower", false),
        ];
        let metrics = report.estimates.len().max(1);
        let mut order: Vec<&calipers::Group> =
            found.groups.iter().filter(|group| group.estimates.is_some()).collect();
        let told = order.len();
        let key = |group: &calipers::Group| {
            let own = group.estimates.as_ref().and_then(|all| all.first());
            own.map_or(f64::NEG_INFINITY, |one| one.lower)
        };
        let most = (MOST_LINES / metrics / self.seen.models.len().max(1)).max(1);
        let left = order.len().saturating_sub(most);
        if left > 0 {
            order.sort_by(|a, b| key(b).total_cmp(&key(a)));
            order.truncate(most);
        }
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        let mut tests: Vec<Vec<Cell>> = Vec::new();
        for group in order {
            let own = group.estimates.as_deref().unwrap_or_default();
            rows.extend(own.iter().map(|one| {
                let mut row = vec![Cell::html(self.name(&group.name)), Cell::count(group.rows)];
                row.push(Cell::word(&one.metric));
                row.extend(numbers(one));
                row
            }));
            for tested in Tested::adjusted(own, told) {
                let what = if tested.top { "the most probable class" } else { "the model" };
                let name = Cell::html(self.name(&group.name));
                tests.push(vec![name, Cell::word(what), Cell::p_value(&tested)]);
            }
        }
        let mut html = "<section><h2>Groups</h2>\n".to_owned();
        if told > 0 {
            let identifier = self.identifier("t");
            html.push_str(&format!(
                "{}<p class=\"note\">Each group on its own rows. The lower bounds of all groups hold \
                 together.{}</p>\n",
                table(&identifier, &columns, &rows),
                if left > 0 {
                    format!(" {} groups with smaller bounds are left out.", thousands(left))
                } else {
                    String::new()
                }
            ));
        }
        if !tests.is_empty() {
            let columns = [("group", true), ("tested", true), ("p_value", false)];
            let identifier = self.identifier("t");
            html.push_str(&format!(
                "<h3>Is each group calibrated?</h3>\n{}<p class=\"note\">How often a calibrated model looks so \
                 odd within a group, adjusted for the number of groups by Holm's method.</p>\n",
                table(&identifier, &columns, &tests)
            ));
        }
        if let Some(small) = too_small(found) {
            html.push_str(&format!("<p class=\"note\">{}.</p>\n", escape(&small)));
        }
        if !found.aware.is_empty() {
            let columns =
                [("metric", true), ("estimate", false), ("std. error", false), ("lower", false)];
            let rows: Vec<Vec<Cell>> = found
                .aware
                .iter()
                .map(|one| {
                    let numbers = [one.value, one.stderr, one.lower].map(Cell::decimal);
                    std::iter::once(Cell::word(&one.metric)).chain(numbers).collect()
                })
                .collect();
            let identifier = self.identifier("t");
            html.push_str(&format!(
                "<h3>With the group known</h3>\n{}<p class=\"note\">The errors over all rows if g is told the \
                 group, too: what stays hidden where the errors of groups cancel.</p>\n",
                table(&identifier, &columns, &rows)
            ));
        }
        html.push_str("</section>\n");
        html
    }

    /// How it came about.
    fn run(&self) -> String {
        let Some(report) = self.seen.reports.first() else { return String::new() };
        let inputs = if self.run.inputs.is_empty() { &self.seen.models } else { &self.run.inputs };
        let files: Vec<String> = inputs.iter().map(|file| self.name(file)).collect();
        let read = self.seen.reports.iter().filter_map(|report| {
            report.origin.as_ref().map(|origin| escape(&origin.line(&report.classes)))
        });
        let mut columns: Vec<String> = read.collect();
        columns.dedup();
        let given = report.given_features.as_ref().map_or(&[][..], |given| &given.names);
        let mut features: Vec<String> =
            given.iter().take(MOST_FEATURES).map(|name| self.name(name)).collect();
        if given.len() > MOST_FEATURES {
            features.push(format!("… ({} in all)", thousands(given.len())));
        }
        let folds = match report.repeats {
            1 => report.folds.to_string(),
            repeats => format!("{}, drawn {repeats} times", report.folds),
        };
        let items = [
            ("input", files.join("<br>")),
            ("columns", columns.join("<br>")),
            ("features", features.join(", ")),
            ("rows", thousands(report.rows)),
            ("classes", thousands(report.classes.len())),
            ("recalibrator", escape(&report.recalibrator)),
            ("folds", folds),
            ("seed", report.seed.to_string()),
            ("made by", escape(&self.run.program)),
            ("made at", when::utc(self.run.when)),
            ("took", format!("{:.2} s", self.run.seconds)),
        ];
        let list: String = items
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>"))
            .collect();
        format!("<section><h2>What was run</h2>\n<dl>{list}</dl></section>\n")
    }
}

fn numbers(one: &Estimate) -> [Cell; 3] {
    [one.value, one.stderr, one.lower].map(Cell::decimal)
}

//! The verdict in one sentence: what the data show, and what they do not.

use calipers::{Difference, Estimate, Report};

use super::Page;
use crate::escape::escape;
use crate::text::{Shown, Tested, count, decimal, percent};

/// The metric that the verdict is about.
pub(super) fn headline(report: &Report) -> &'static str {
    if report.classes.len() == 2 { "l1" } else { "top-l1" }
}

impl Page<'_> {
    /// What the data show of one model; markup.
    pub(super) fn verdict(&self, report: &Report) -> String {
        let metric = headline(report);
        let side = |side: &str| report.get(&metric.replace("l1", &format!("{side}-l1")));
        let Some(whole) = report.get(metric) else { return String::new() };
        let subject = match report.classes.as_slice() {
            [_, one] => format!("The probability of {}", self.name(one)),
            _ => "The probability of the most probable class".to_owned(),
        };
        let shown = Shown::of(whole, report.confidence);
        let mut words = match shown {
            Shown::Size => format!(
                "{subject} is <strong>shown to be off by at least {}</strong> on average (with {} \
                 confidence); the {}.",
                self.points(whole.lower),
                percent(report.confidence),
                match whole.best {
                    Some(best) => format!("best guess is {}", self.points(best)),
                    None => format!("estimate is {}", self.points(whole.value)),
                },
            ),
            Shown::Presence => format!(
                "{subject} is <strong>shown not to be calibrated</strong> ({}), but {} are too few to say \
                 by how much.",
                p_value(whole),
                count(report.rows, "row"),
            ),
            Shown::Nothing => format!(
                "{subject} is <strong>not shown to be miscalibrated</strong>: {} show no error that chance \
                 could not explain{}.",
                count(report.rows, "row"),
                whole.p_value.map_or_else(String::new, |_| format!(" ({})", p_value(whole))),
            ),
        };
        if shown == Shown::Size {
            words.push_str(sides(side("over"), side("under")));
        }
        words.push_str(&self.known(report));
        // Of many classes the whole vector has its own word.
        if report.classes.len() > 2
            && let Some(vector) = report.get("l1")
        {
            words.push_str(&match Shown::of(vector, report.confidence) {
                Shown::Size => format!(
                    " Over all classes together, probability of at least {} is misplaced.",
                    // What one class has too much another has too little.
                    percentage_points(0.5 * vector.lower)
                ),
                Shown::Presence => {
                    " The whole vector is shown not to be calibrated, but not by how much."
                        .to_owned()
                }
                Shown::Nothing => " The whole vector is not shown to be miscalibrated.".to_owned(),
            });
        }
        words
    }

    /// What the data show of every two models; markup.
    pub(super) fn comparison_verdict(&self) -> String {
        let Some(report) = self.seen.reports.first() else { return String::new() };
        let metric = headline(report);
        let own: Vec<&Difference> =
            self.seen.differences.iter().filter(|one| one.metric == metric).collect();
        let clear: Vec<&&Difference> =
            own.iter().filter(|one| one.is_clear(report.confidence)).collect();
        let model = |number: usize| self.name(&self.seen.models[number]);
        let sentence = |one: &Difference| {
            let (more, less) =
                if one.value > 0.0 { (one.first, one.second) } else { (one.second, one.first) };
            format!(
                "<strong>More error is found</strong> in {} than in {}: by {} (p = {}).",
                model(more),
                model(less),
                self.points(one.value.abs()),
                decimal(one.p_value)
            )
        };
        let shown = |report: &Report| report.get(metric).is_some_and(|one| one.lower > 0.0);
        let none = !self.seen.reports.iter().any(shown);
        match (clear.as_slice(), own.len()) {
            ([], 1) if none => {
                "<strong>Neither</strong> of the two models is <strong>shown to have an error</strong>."
                    .to_owned()
            }
            ([], _) if none => {
                "<strong>None</strong> of the models is <strong>shown to have an error</strong>."
                    .to_owned()
            }
            ([], 1) => {
                "The two models are <strong>not shown to differ</strong> in calibration.".to_owned()
            }
            ([], _) => "No two of the models are <strong>shown to differ</strong> in calibration."
                .to_owned(),
            ([one], _) => sentence(one),
            (several, pairs) => format!(
                "In {} of {} pairs of models <strong>more error is found</strong> in one than in the other. {}",
                several.len(),
                pairs,
                several
                    .iter()
                    .max_by(|a, b| a.value.abs().total_cmp(&b.value.abs()))
                    .map_or_else(String::new, |one| sentence(one))
            ),
        }
    }

    /// An l1 error in percentage points of one class.
    pub(super) fn points(&self, value: f64) -> String {
        percentage_points(if self.run.vector { 0.5 * value } else { value })
    }
}

fn sides(over: Option<&Estimate>, under: Option<&Estimate>) -> &'static str {
    let shown = |side: Option<&Estimate>| side.is_some_and(|side| side.lower > 0.0);
    match (shown(over), shown(under)) {
        (true, false) => " It is shown to be over-confident.",
        (false, true) => " It is shown to be under-confident.",
        (true, true) => " It is over-confident in places, and under-confident in others.",
        (false, false) => " Whether it is over- or under-confident is not shown.",
    }
}

/// Markup.
fn p_value(estimate: &Estimate) -> String {
    let tested = Tested::all(std::slice::from_ref(estimate));
    tested
        .first()
        .map_or_else(String::new, |tested| escape(&format!("p_value {}", tested.number())))
}

fn percentage_points(value: f64) -> String {
    let hundred = 100.0 * value;
    let decimals = if hundred.abs() >= 0.995 { 1 } else { 2 };
    format!("{hundred:.decimals$} percentage points")
}

//! What was found given f and features: beside what was found given f, by which features, and for whom.

use calipers::words::{listed, thousands, visible};
use calipers::{FeatureShare, GivenFeatures, Report, Segment, Segments};

use super::Table;
use super::numbers::{count, lower_name, percent};
use super::section::Section;
use super::table::paragraph;
use super::tested::Tested;

/// What stands before the name of a metric whose error is the one given f and features.
///
/// ```
/// use calipers_draw::text::GIVEN_FEATURES;
///
/// assert_eq!(format!("{GIVEN_FEATURES}l1"), "given-features-l1");
/// ```
pub const GIVEN_FEATURES: &str = "given-features-";

/// So many features, or sets of them, are said.
const MOST_SHARES: usize = 5;

/// Everything: the errors, what the difference means, the test, what the features are worth, and for whom.
pub(super) fn sections(given: &GivenFeatures, report: &Report) -> Vec<Section> {
    let names: Vec<_> = given.names.iter().map(|name| visible(name)).collect();
    let head = format!("Given f and {}: {}", count(names.len(), "feature"), listed(&names));
    let mut sections = vec![
        Section::titled(sentence(&head), errors(given, report)),
        Section::words(sentence(&meaning(given))),
    ];
    sections.extend(tested(given).map(Section::words));
    // Where nothing is shown, what each feature is worth is chance.
    if given.gains.iter().any(|gain| gain.lower > 0.0) {
        sections.extend(shares(given));
    }
    sections.push(segments(&given.segments, report));
    sections
}

/// Lines of the right length, without an end.
fn sentence(text: &str) -> String {
    paragraph(text).trim_end().to_owned()
}

/// Every metric given f, given f and features, and what the one is beyond the other.
fn errors(given: &GivenFeatures, report: &Report) -> Table {
    let own = &given.estimates;
    let lower = lower_name(report.confidence);
    Table::new()
        .words("metric", own.iter().map(|one| one.metric.as_str()))
        .numbers("given f", own.iter().map(|one| report.get(&one.metric).map(|one| one.value)))
        .numbers("given f and features", own.iter().map(|one| Some(one.value)))
        .numbers(&lower, own.iter().map(|one| Some(one.lower)))
        .numbers("difference", given.gains.iter().map(|gain| Some(gain.value)))
        .numbers(&lower, given.gains.iter().map(|gain| Some(gain.lower)))
}

/// What the difference is, and what it shows.
fn meaning(given: &GivenFeatures) -> String {
    let shown = given.gains.iter().filter(|gain| gain.lower > 0.0);
    let shown: Vec<&str> = shown.map(|gain| gain.metric.as_str()).collect();
    let what = "The difference is what a g that sees the features found, in held-out rows, beyond the g that \
                sees f alone";
    match shown.as_slice() {
        [] => format!(
            "{what}. No lower bound of it is above 0: of these errors nothing beyond f was shown."
        ),
        _ => format!(
            "{what}. Its lower bound is above 0 for {}: rows with the same prediction differ in a way that \
             the features know.",
            listed(&shown)
        ),
    }
}

/// How odd the labels are to a model that is calibrated given the features.
pub(super) fn tested(given: &GivenFeatures) -> Option<String> {
    let one = |one: &Tested| {
        let what = if one.top { "top class" } else { "model" };
        let words = one.words();
        paragraph(&format!(
            "{words}: how often a {what} that is calibrated given the features looks so odd"
        ))
    };
    let all: String = Tested::all(&given.estimates).iter().map(one).collect();
    (!all.is_empty()).then(|| all.trim_end().to_owned())
}

/// The features that carry most; nothing where nothing is lost without any of them.
fn shares(given: &GivenFeatures) -> Option<Section> {
    let first = given.estimates.iter().position(|one| one.metric == "l1").unwrap_or(0);
    let carry = |share: &&FeatureShare| share.lost.get(first).is_some_and(|lost| lost.value > 0.0);
    let carrying: Vec<&FeatureShare> = given.shares.iter().filter(carry).collect();
    let own = &carrying[..carrying.len().min(MOST_SHARES)];
    let metric = &own.first()?.lost.get(first)?.metric;
    let lost = || own.iter().map(|share| share.lost.get(first));
    let table = Table::new()
        .words("features", own.iter().map(|share| share.names.join(" + ")))
        .numbers(&format!("lost {metric}"), lost().map(|lost| Some(lost?.value)))
        .numbers("std. error", lost().map(|lost| Some(lost?.stderr)));
    let which = match carrying.len().saturating_sub(MOST_SHARES) {
        0 => String::new(),
        left => format!(" (the first {MOST_SHARES}; {} lose less)", thousands(left)),
    };
    let words = format!(
        "What is lost of {metric} where a feature's values are those of other rows{which}:"
    );
    Some(Section::titled(sentence(&words), table))
}

/// The segments in words, or that there are none.
pub(super) fn segments(found: &Segments, report: &Report) -> Section {
    let Segments { shown, tried, searched, measured, .. } = found;
    let (searched, measured) = (count(*searched, "row"), thousands(*measured));
    if *tried == 0 {
        let words = format!("No segment that f might be wrong about was found in {searched}.");
        return Section::words(sentence(&words));
    }
    if shown.is_empty() {
        let words = format!(
            "{} that f might be wrong about {} found in {searched} and measured in {measured} others: none \
             could be confirmed.",
            count(*tried, "segment"),
            if *tried == 1 { "was" } else { "were" }
        );
        return Section::words(sentence(&words));
    }
    let whose = match report.classes.as_slice() {
        [_, one] => format!(" (class {})", visible(one)),
        _ => String::new(),
    };
    let words = format!(
        "Segments that f is wrong about{whose}, {} of {} that were found in {searched} and measured in \
         {measured} others; the bounds hold together with {} confidence:",
        thousands(shown.len()),
        thousands(*tried),
        percent(report.confidence)
    );
    let many = report.classes.len() > 2;
    Section::lines(sentence(&words), shown.iter().map(|one| segment(one, many)).collect())
}

/// `age > 62 and region = south: 1,204 rows, predicted 31%, at least 38% happen`
fn segment(one: &Segment, many: bool) -> String {
    let class = if many { format!("class {}: ", visible(&one.class)) } else { String::new() };
    let (way, digits) = (if one.above { "least" } else { "most" }, digits(one));
    // A bound that is rounded is to hold all the same.
    let scale = 100.0 * 10f64.powi(digits as i32);
    let scaled = one.bound * scale;
    let bound = if one.above { (scaled + 1e-9).floor() } else { (scaled - 1e-9).ceil() };
    format!(
        "{}: {}, {class}predicted {:.digits$}%, at {way} {:.digits$}% happen",
        visible(&one.words()),
        count(one.rows, "row"),
        one.predicted * 100.0,
        bound / scale * 100.0
    )
}

/// So many decimals of a percentage tell what was predicted from the bound.
fn digits(one: &Segment) -> usize {
    let apart = (one.bound - one.predicted).abs();
    (0..6).find(|digits| apart >= 0.02 / 10f64.powi(*digits as i32)).unwrap_or(6)
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, Features, Predictions, Report};

    use super::super::{Look, WIDTH, csv, report, report_html};
    use super::*;

    /// Calibrated on the whole; in the south a quarter more happens than f says, in the north less.
    fn found(rows: usize, knows: bool) -> Report {
        let south = |row: usize| row * 7919 % 10 < 5;
        let draw = |row: usize| (row * 7_919_777 % 10_007) as f64 / 10_007.0;
        let truth = |row: usize| if south(row) { 0.75 } else { 0.25 };
        let labels: Vec<usize> = (0..rows).map(|row| usize::from(draw(row) < truth(row))).collect();
        let region = (0..rows).map(|row| Some(if south(row) == knows { "south" } else { "north" }));
        let region: Vec<_> = if knows { region.collect() } else { vec![Some("here"); rows] };
        let age = (0..rows).map(|row| (row * 31 % 71) as f64).collect();
        let features = Features::new()
            .category("region", &region)
            .and_then(|all| all.number("an age that goes by a very long name", age))
            .unwrap();
        let predictions = Predictions::binary(vec![0.5; rows], &labels).unwrap();
        let estimator = Estimator::new().metrics(["l1", "brier"].map(|one| one.parse().unwrap()));
        estimator.draws(99).estimate(&predictions.with_features(features).unwrap()).unwrap()
    }

    #[test]
    fn what_features_know_is_said_with_whom_it_is_about() {
        let found = found(2_000, true);
        let text = report(&found, None, false, &[], Look::command_line(false));
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [
            "Given f and 2 features: region, an age that goes by a very long name metric given f given f \
             and features lower 95% difference lower 95% l1 ",
            "Its lower bound is above 0 for l1, brier: rows with the same prediction differ in a way",
            "how often a model that is calibrated given the features looks so odd What is lost of l1",
            " features lost l1 std. error region 0.2",
            "Segments that f is wrong about (class 1), ",
        ] {
            assert!(flat.contains(words), "{words}\n{text}");
        }
        for line in [
            "\nregion = south: 1,000 rows, predicted 50%, at least ",
            "\nregion = north: 1,000 rows, predicted 50%, at most ",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let html = report_html(&found, &[]);
        assert!(html.contains("<ul><li>region = "), "{html}");
        let csv = csv::report(&found);
        assert_eq!(csv.matches("\ngiven-features-l1,0.2").count(), 1, "{csv}");
        assert_eq!(csv.matches("\ngiven-features-gain-brier,").count(), 1, "{csv}");
    }

    #[test]
    fn what_was_not_shown_is_not_said() {
        let mut found = found(400, false);
        let text = report(&found, None, false, &[], Look::command_line(false));
        assert!(
            text.contains("is above 0: of these errors\nnothing beyond f was shown."),
            "{text}"
        );
        assert!(!text.contains("lost l1"), "{text}");
        let mut given = found.given_features.take().unwrap();
        let mut said = |tried| {
            given.segments.shown.clear();
            given.segments.tried = tried;
            segments(&given.segments, &found).text(Look::PYTHON)
        };
        assert_eq!(said(0), "No segment that f might be wrong about was found in 240 rows.\n");
        assert_eq!(
            said(3),
            "3 segments that f might be wrong about were found in 240 rows and measured in\n\
             160 others: none could be confirmed.\n"
        );
    }

    #[test]
    fn bounds_are_rounded_so_that_they_hold() {
        let found = found(2_000, true);
        let mut one = found.given_features.unwrap().segments.shown[0].clone();
        let mut said = |predicted: f64, bound: f64, above: bool| {
            (one.predicted, one.bound, one.above) = (predicted, bound, above);
            segment(&one, false).split(", ").skip(1).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(said(0.312, 0.389, true), "predicted 31%, at least 38% happen");
        assert_eq!(said(0.312, 0.251, false), "predicted 31%, at most 26% happen");
        assert_eq!(said(0.312, 0.3257, true), "predicted 31.2%, at least 32.5% happen");
        assert_eq!(said(0.0004, 0.0009, true), "predicted 0.04%, at least 0.09% happen");
        assert_eq!(said(0.2, 0.3, true), "predicted 20%, at least 30% happen");
        assert!(segment(&one, true).contains("rows, class 1: predicted 20%"));
    }
}

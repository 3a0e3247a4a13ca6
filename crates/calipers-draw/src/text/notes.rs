//! What a reader of the estimates should know about them.

use calipers::words::thousands;
use calipers::{Estimate, Fitted, Report, Scope};

use super::numbers::count;
use super::{Face, Shown};

/// A remark as a note.
pub fn note(remark: &str) -> String {
    format!("note: {remark}")
}

/// The notes on a report that apply, each of one line or more.
pub fn notes(report: &Report, face: Face) -> Vec<String> {
    let mut notes = Vec::new();
    let renormalised = report.renormalised_rows;
    if renormalised > 0 {
        notes.push(note(&format!(
            "{} did not sum to 1 and {} renormalised",
            count(renormalised, "row"),
            if renormalised == 1 { "was" } else { "were" }
        )));
    }
    if report.constant {
        notes.push(note(
            "every row has the same prediction: what is measured is how far from it the\n      \
             frequency is (for a confidence: the accuracy)",
        ));
    }
    if let Some(sample) = report.sample
        && report.estimates.iter().any(|one| one.p_value.is_some())
    {
        notes.push(note(&format!(
            "the p_value is of the sample of {}; the errors are of all rows",
            count(sample, "row")
        )));
    }
    if report.unconverged_fits > 0 {
        notes.push(note(&format!(
            "{} of {} stopped before they converged",
            thousands(report.unconverged_fits),
            count(report.fits, "fit")
        )));
    }
    for estimate in report.estimates.iter().filter(|estimate| estimate.infinite_rows > 0) {
        let rows = count(estimate.infinite_rows, "row");
        let verb = if estimate.infinite_rows == 1 { "gives" } else { "give" };
        notes.push(note(&format!(
            "{} is infinite: {rows} {verb} the observed class no probability",
            estimate.metric
        )));
    }
    if report.estimates.iter().any(|estimate| estimate.infinite_rows > 0) {
        let floor = face.pick("--log-floor 1e-12", "log_floor=1e-12");
        notes.push(format!("hint: {floor} lets no probability count as less than that"));
    }
    let given = report.given_features.iter().flat_map(|given| &given.estimates);
    if report.estimates.iter().chain(given).any(|one| one.value < 0.0 && one.value.is_finite()) {
        notes.push(note(
            "an estimate below 0 means that no error was detected (estimates are\n      \
             lower bounds in expectation, so they may fall below 0)",
        ));
    }
    if presence_alone(report) {
        notes.push(note(
            "a small p_value, and no lower bound above 0: the model is not calibrated,\n      \
             but the rows are too few to say by how much",
        ));
    }
    if report.contradicted {
        notes.push(note(
            "the data contradict a truth that never falls as the prediction rises: there is\n      \
             no upper bound",
        ));
    } else if report.assumption.is_some() {
        notes.push(note("upper bounds hold if the truth never falls as the prediction rises"));
        if let Some(one) = report.estimates.iter().find(|one| one.upper.is_none()) {
            notes.push(note(&format!(
                "{} has no upper bound: what rises is a class or the top one; top-{} and\n      \
                 classwise-{} have one",
                one.metric, one.metric, one.metric
            )));
        }
    }
    if report.estimates.iter().any(|one| one.in_sample.is_some()) {
        notes.push(note(
            "in-sample estimates err upwards, as the others err downwards; they are no\n      \
             upper confidence bounds",
        ));
    }
    notes
}

/// The notes on a single fit of a recalibrator that goes by `name`.
pub fn fit_notes(name: &str, fitted: &dyn Fitted) -> Vec<String> {
    let early = (!fitted.converged())
        .then(|| note(&format!("the fit of {name} stopped before it converged")));
    early.into_iter().collect()
}

/// What kept fits quick on much data, for those who want to know: it is in no way unusual.
pub fn approximations(all: &[String]) -> Option<String> {
    let all = all.join(";\n      ");
    (!all.is_empty()).then(|| {
        note(&format!(
            "to be quick on much data, the recalibrator does not look at every detail;\n      \
             the bounds hold all the same. Here: {all}"
        ))
    })
}

/// Whether a test shows an error of which no estimate shows the size. Shares of an error do not count
/// against it: there may be nothing on one side, however large the error is. The size of the error given
/// features is one as well.
fn presence_alone(report: &Report) -> bool {
    let shows_size = |one: &Estimate| Shown::of(one, report.confidence) == Shown::Size;
    if report.given_features.iter().flat_map(|given| &given.estimates).any(shows_size) {
        return false;
    }
    [false, true].into_iter().any(|top| {
        let own = || report.estimates.iter().filter(|one| (one.scope == Scope::Top) == top);
        let shown = |one: &Estimate| Shown::of(one, report.confidence);
        own().any(|one| one.side.is_none() && shown(one) == Shown::Presence)
            && own().all(|one| shown(one) != Shown::Size)
    })
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, recalibrator, simulate};

    use super::*;

    #[test]
    fn there_is_a_note_for_everything_unusual() {
        let predictions = simulate("binary-over", 20, 0).unwrap();
        let identity = recalibrator("identity").unwrap();
        let mut report =
            Estimator::new().recalibrator(identity).draws(0).estimate(&predictions).unwrap();
        let notes = |report: &Report| notes(report, Face::CommandLine);
        assert_eq!(notes(&report), [] as [String; 0]);
        report.renormalised_rows = 1;
        report.unconverged_fits = 2;
        report.fits = 1005;
        let found = notes(&report);
        assert_eq!(found[0], "note: 1 row did not sum to 1 and was renormalised");
        assert_eq!(found[1], "note: 2 of 1,005 fits stopped before they converged");
        report.estimates[2].infinite_rows = 1;
        let found = notes(&report);
        assert!(found[2].ends_with("1 row gives the observed class no probability"));
        assert!(found[3].starts_with("hint: --log-floor 1e-12 lets"));
        assert!(super::notes(&report, Face::Python)[3].starts_with("hint: log_floor=1e-12 lets"));
        report.estimates[0].value = -0.01;
        assert_eq!(notes(&report).len(), 5);
        report.estimates[0].p_value = Some(0.01);
        report.estimates[1].in_sample = Some(0.2);
        let found = notes(&report);
        assert!(found[5].starts_with("note: a small p_value, and no lower bound above 0"));
        assert!(found[6].starts_with("note: in-sample estimates err upwards"));
        report.approximations = vec!["some of it".to_owned(), "less of that".to_owned()];
        assert_eq!(notes(&report), found, "what is usual is no note");
        let said = approximations(&report.approximations).unwrap();
        assert!(said.ends_with("Here: some of it;\n      less of that"), "{said}");
        assert_eq!(approximations(&[]), None);
        // What one side does not show is no riddle where the whole is shown.
        report.estimates[0].lower = 0.01;
        assert!(!notes(&report).iter().any(|note| note.contains("p_value")));
        report.estimates[0].lower = 0.0;
        report.estimates[0].side = Some(calipers::Side::Under);
        assert!(!notes(&report).iter().any(|note| note.contains("p_value")));
    }
}

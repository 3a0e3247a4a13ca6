//! What a reader of the estimates should know about them.

use calipers::Report;

use super::style::thousands;

/// The notes that apply, one a line.
pub fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    let renormalised = report.renormalised_rows;
    if renormalised > 0 {
        notes.push(format!(
            "note: {} did not sum to 1 and {} renormalised",
            count(renormalised, "row"),
            if renormalised == 1 { "was" } else { "were" }
        ));
    }
    if report.unconverged_fits > 0 {
        notes.push(format!(
            "note: {} of {} stopped before they converged",
            thousands(report.unconverged_fits),
            count(report.fits, "fit")
        ));
    }
    if !report.approximations.is_empty() {
        notes.push(format!("note: to bound the cost: {}", report.approximations.join(";\n      ")));
    }
    for estimate in report.estimates.iter().filter(|estimate| estimate.infinite_rows > 0) {
        let rows = count(estimate.infinite_rows, "row");
        let verb = if estimate.infinite_rows == 1 { "gives" } else { "give" };
        notes.push(format!(
            "note: {} is infinite: {rows} {verb} the observed class no probability",
            estimate.metric
        ));
    }
    if report.estimates.iter().any(|estimate| estimate.infinite_rows > 0) {
        notes
            .push("hint: --log-floor 1e-12 lets no probability count as less than that".to_owned());
    }
    if report.estimates.iter().any(|estimate| estimate.value < 0.0 && estimate.value.is_finite()) {
        notes.push(
            "note: an estimate below 0 means that no error was detected (estimates are\n      \
             lower bounds in expectation, so they may fall below 0)"
                .to_owned(),
        );
    }
    let unsized_error = |one: &calipers::Estimate| {
        one.lower <= 0.0 && one.p_value.is_some_and(|p| p <= 1.0 - report.confidence)
    };
    if report.estimates.iter().any(unsized_error) {
        notes.push(
            "note: a small p_value beside a lower bound of 0: the model is not calibrated,\n      \
             but the rows are too few to say by how much"
                .to_owned(),
        );
    }
    if report.estimates.iter().any(|one| one.in_sample.is_some()) {
        notes.push(
            "note: in-sample estimates err upwards, as the others err downwards; they are no\n      \
             upper confidence bounds"
                .to_owned(),
        );
    }
    notes
}

/// `1 row`, `2,019 rows`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
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
        assert_eq!(notes(&report), [] as [String; 0]);
        report.renormalised_rows = 1;
        report.unconverged_fits = 2;
        report.fits = 1005;
        let found = notes(&report);
        assert_eq!(found[0], "note: 1 row did not sum to 1 and was renormalised");
        assert_eq!(found[1], "note: 2 of 1,005 fits stopped before they converged");
        report.estimates[3].infinite_rows = 1;
        assert!(notes(&report)[2].ends_with("1 row gives the observed class no probability"));
        report.estimates[0].value = -0.01;
        assert_eq!(notes(&report).len(), 5);
        report.estimates[0].p_value = Some(0.01);
        report.estimates[1].in_sample = Some(0.2);
        let found = notes(&report);
        assert!(found[5].starts_with("note: a small p_value beside a lower bound of 0"));
        assert!(found[6].starts_with("note: in-sample estimates err upwards"));
        report.approximations = vec!["some of it".to_owned(), "less of that".to_owned()];
        assert_eq!(notes(&report)[2], "note: to bound the cost: some of it;\n      less of that");
    }
}

//! Several models on the same labels.

use calipers::{Comparison, Difference, Estimate, Report};

use super::numbers::decimal;
use super::report::{columns, with_numbers};
use super::{Look, Table};

/// A comparison as text: a letter for every model, whose names may be long; then for each metric a
/// table of the models, and of every two of them whether they differ.
pub fn comparison(comparison: &Comparison, look: Look) -> String {
    let names = comparison.models.iter().enumerate();
    let mut text: String = names.map(|(at, name)| format!("{}  {name}\n", letter(at))).collect();
    let Some(first) = comparison.reports.first() else { return text };
    let read: Vec<Option<String>> = comparison.reports.iter().map(columns).collect();
    let alike = read.iter().all(|one| *one == read[0]);
    for (at, one) in read.iter().enumerate().take(if alike { 1 } else { read.len() }) {
        let whose = if alike { String::new() } else { format!("{}: ", letter(at)) };
        text.extend(one.iter().map(|one| format!("{whose}{one}")));
    }
    for metric in first.estimates.iter().map(|one| &one.metric) {
        let own: Vec<&Estimate> =
            comparison.reports.iter().filter_map(|report| report.get(metric)).collect();
        let models = Table::new().words(metric, (0..own.len()).map(letter));
        text.push('\n');
        text.push_str(&with_numbers(models, &own, first.confidence).text(look));
        for one in comparison.differences.iter().filter(|one| one.metric == *metric) {
            text.push_str(&sentence(one, &comparison.reports));
            text.push('\n');
        }
    }
    text
}

/// In so many words: no more than which model more error is found in, since what is found of an error
/// bounds it from below alone.
fn sentence(one: &Difference, reports: &[Report]) -> String {
    let (first, second) = (letter(one.first), letter(one.second));
    let numbers = format!(
        "{first} - {second} = {} ({} to {}), p = {}",
        decimal(one.value),
        decimal(one.interval.0),
        decimal(one.interval.1),
        decimal(one.p_value)
    );
    let own = [one.first, one.second].map(|model| reports.get(model));
    let confidence = own[0].map_or(0.95, |report| report.confidence);
    if one.is_clear(confidence) {
        let (more, less) = if one.value > 0.0 { (first, second) } else { (second, first) };
        return format!("more error is found in {more} than in {less}: {numbers}");
    }
    let shown = own.iter().flatten().filter_map(|report| report.get(&one.metric));
    if shown.into_iter().any(|own| own.lower > 0.0) {
        format!("{first} and {second} are not shown to differ: {numbers}")
    } else {
        format!("neither {first} nor {second} is shown to have an error: {numbers}")
    }
}

/// A, B, …, Z, A1, B1, …
fn letter(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, recalibrator, simulate};

    use super::*;

    #[test]
    fn models_have_letters_and_sentences() {
        assert_eq!([0, 25, 26, 53].map(letter), ["A", "Z", "A1", "B2"]);
        let over = simulate("binary-overconfident", 2_000, 0).unwrap();
        let shown = |models: &[(&str, &calipers::Predictions<'_>)]| {
            let isotonic = recalibrator("isotonic").unwrap();
            let estimator = Estimator::new().metric("l1".parse().unwrap()).recalibrator(isotonic);
            comparison(&estimator.draws(0).compare(models).unwrap(), Look::PYTHON)
        };
        let text = shown(&[("one", &over), ("other", &over)]);
        assert!(
            text.starts_with("A  one\nB  other\n\nl1  estimate  std. error  lower 95%\nA   0.1")
        );
        assert!(
            text.contains("\nA and B are not shown to differ: A - B = 0.0000 (0.0000 to 0.0000)")
        );
    }

    #[test]
    fn where_more_is_found_is_said_whichever_comes_first() {
        let over = simulate("binary-overconfident", 2_000, 0).unwrap();
        let isotonic = recalibrator("isotonic").unwrap();
        let estimator = Estimator::new().metric("l1".parse().unwrap()).recalibrator(isotonic);
        let mut found = estimator.draws(0).compare(&[("a", &over), ("b", &over)]).unwrap();
        let mut one = found.differences.remove(0);
        (one.value, one.p_value) = (0.02, 0.01);
        let said = |one: &Difference| sentence(one, &found.reports);
        assert!(said(&one).starts_with("more error is found in A than in B: A - B = 0.0200 ("));
        one.value = -0.02;
        assert!(said(&one).starts_with("more error is found in B than in A: A - B = -0.0200 ("));
        one.p_value = 0.06;
        assert!(said(&one).starts_with("A and B are not shown to differ: A - B = -0.0200 ("));
        found.reports.iter_mut().for_each(|report| report.estimates[0].lower = 0.0);
        let said = sentence(&one, &found.reports);
        assert!(said.starts_with("neither A nor B is shown to have an error: A - B = -0.0200 ("));
    }
}

//! The same seed gives the same bits, on any number of threads.

use calipers::{
    Comparison, Estimate, Estimator, Predictions, Report, recalibrator, recalibrators, simulate,
};
use proptest::prelude::*;

use crate::properties::cases::Property;
use crate::properties::drawn::{Drawn, drawn};
use crate::properties::lists;

/// Every number of an estimate.
fn numbers(one: &Estimate) -> Vec<f64> {
    let parts = one.decomposition.map_or(vec![], |parts| {
        vec![parts.loss, parts.miscalibration, parts.discrimination, parts.uncertainty]
    });
    let own = [one.value, one.stderr, one.lower, one.infinite_rows as f64];
    let may = [one.p_value, one.in_sample].into_iter().flatten();
    one.scores.iter().copied().chain(own).chain(may).chain(parts).collect()
}

/// Every number of a report, its groups included.
fn bits(report: &Report) -> Vec<u64> {
    let groups = report.groups.iter().flat_map(|all| &all.groups);
    let within = groups.flat_map(|group| group.estimates.iter().flatten());
    let aware = report.groups.iter().flat_map(|all| &all.aware);
    let aware = aware.flat_map(|one| [one.value, one.stderr, one.lower]);
    let all = report.estimates.iter().chain(within).flat_map(numbers).chain(aware);
    all.map(f64::to_bits).collect()
}

fn compared_bits(comparison: &Comparison) -> Vec<u64> {
    let own = comparison.reports.iter().flat_map(bits);
    let differences = comparison.differences.iter().flat_map(|one| {
        [one.value, one.stderr, one.interval.0, one.interval.1, one.p_value].map(f64::to_bits)
    });
    own.chain(differences).collect()
}

/// The rows three times over, in two groups, so that groups are large enough to be measured.
fn grouped(drawn: &Drawn) -> Predictions<'static> {
    let rows: Vec<usize> = (0..3 * drawn.rows.len()).map(|row| row % drawn.rows.len()).collect();
    let groups: Vec<&str> = rows.iter().enumerate().map(|(at, _)| ["a", "b"][at % 2]).collect();
    drawn.select(&rows).predictions().with_groups(&groups).unwrap()
}

fn asked(name: &str, drawn: &Drawn) -> Estimator {
    Estimator::new()
        .recalibrator(recalibrator(name).unwrap())
        .metrics(lists::metrics(drawn.classes()))
        .seed(drawn.seed)
        .folds(3)
        .draws(19)
        .bracket(true)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let property = Property {
        says: "any number of threads gives the same bits",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: lists::metric_count(),
        cases: 4,
    };
    property.holds(drawn(2..=4), |drawn, compared| {
        let predictions = grouped(&drawn);
        for name in lists::of_case(&drawn) {
            let run = |threads| {
                bits(&asked(name, &drawn).threads(threads).estimate(&predictions).unwrap())
            };
            let one = run(1);
            for threads in [1, 2, 3, 8] {
                prop_assert_eq!(&one, &run(threads), "{} on {} threads", name, threads);
                compared.one();
            }
        }
        Ok(())
    });
}

#[test]
fn comparisons_are_the_same_on_any_number_of_threads() {
    let property = Property {
        says: "comparisons on any number of threads give the same bits",
        file: file!(),
        recalibrators: 1,
        metrics: lists::metric_count(),
        cases: 8,
    };
    property.holds(drawn(2..=4), |drawn, compared| {
        let first = drawn.predictions();
        // The same labels and weights, with each row's prediction taken from another.
        let other = Drawn { rows: drawn.select(&drawn.row_order).rows, ..drawn.clone() };
        let second = other.predictions();
        let models = [("first", &first), ("second", &second)];
        let run = |threads| {
            compared_bits(&asked("auto", &drawn).threads(threads).compare(&models).unwrap())
        };
        let one = run(1);
        for threads in [1, 2, 3, 8] {
            prop_assert_eq!(&one, &run(threads), "{} threads", threads);
            compared.one();
        }
        Ok(())
    });
}

/// So many rows that they are worked on in blocks, with repeats.
#[test]
fn any_number_of_threads_gives_the_same_bits_for_more_rows() {
    for setting in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(setting, 500, 0).unwrap();
        for info in recalibrators() {
            let run = |threads| {
                let names = ["l1", "brier", "log", "top-over-l1", "classwise-l2"];
                let asked = Estimator::new().metrics(names.map(|name| name.parse().unwrap()));
                let asked = asked.recalibrator(recalibrator(info.name).unwrap()).repeats(2);
                bits(&asked.threads(threads).estimate(&predictions).unwrap())
            };
            let one = run(1);
            assert_eq!(one, run(2), "{}", info.name);
            assert_eq!(one, run(7), "{}", info.name);
        }
    }
}

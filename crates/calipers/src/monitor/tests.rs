//! Fair bets, the level, the power, and that nothing but the rows counts.

mod simulated;
mod twin;

use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use rand::RngExt;

use self::simulated::{Setting, largest, reaching};
use super::*;
use crate::data::simulate;
use crate::numeric::random::generator;
use crate::run::{Stop, with_pool};

fn observed(probs: Array2<f64>, labels: &[u32]) -> Monitor {
    let mut monitor = Monitor::new(probs.ncols()).unwrap();
    monitor.observe(&Predictions::new(probs, labels).unwrap()).unwrap();
    monitor
}

/// The settings that the bets were chosen on, with what a slow twin of a few lines makes of them.
#[test]
fn it_is_what_the_formulas_say() {
    for (name, rows) in [
        ("binary-calibrated", 400),
        ("binary-underconfident", 400),
        ("multiclass-overconfident-3", 400),
        ("multiclass-calibrated-10", 200),
    ] {
        let predictions = simulate(name, rows, 5).unwrap();
        let mut monitor = Monitor::new(predictions.classes()).unwrap();
        monitor.observe(&predictions).unwrap();
        let (last, largest) = twin::e_values(&predictions);
        // The twin inverts matrices and multiplies wealths: it loses some thousand ulps on the way.
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-7;
        assert!(close(monitor.e_value(), last), "{name}: {} {last}", monitor.e_value());
        assert!(close(monitor.largest(), largest), "{name}: {} {largest}", monitor.largest());
        assert!(close(monitor.p_value(), 1.0 / largest), "{name}");
    }
}

/// A row of probabilities, some of them 0 or all but 0.
fn row(classes: usize) -> impl Strategy<Value = Vec<f64>> {
    let mass = prop_oneof![Just(0.0), Just(1e-300), Just(1e-9), 0.001..1.0, 0.001..1.0];
    prop::collection::vec(mass, classes).prop_map(|mut masses| {
        if masses.iter().sum::<f64>() < 0.001 {
            masses[0] = 1.0;
        }
        let sum: f64 = masses.iter().sum();
        masses.iter_mut().for_each(|mass| *mass /= sum);
        masses
    })
}

/// A monitor in any state, reached or not.
fn state(classes: usize) -> impl Strategy<Value = Monitor> {
    let parameters = prop::collection::vec((-4.0..4.0, 0.0..1e4, -50.0..5.0), 20);
    parameters.prop_map(move |parameters| {
        let mut monitor = Monitor::new(classes).unwrap();
        for (account, start) in monitor.accounts.iter_mut().zip(0..) {
            let at = |place: usize| parameters[(start + place) % parameters.len()];
            match &mut account.player {
                Player::Quadratic(player) => {
                    player.set(std::array::from_fn(|i| at(i).0), std::array::from_fn(|i| at(i).1));
                }
                Player::Scaling(player) => player.set(|place| at(place).0, |place| at(place).1),
            }
            account.stakes.set(std::array::from_fn(|i| at(i).2));
        }
        monitor
    })
}

/// Σ f_y · wealth after y / wealth before, for every state: what makes it an e-process.
fn expected_factor(monitor: &Monitor, f: &[f64]) -> f64 {
    let after = |label: usize| {
        let mut next = monitor.clone();
        let probs = Array2::from_shape_vec((1, f.len()), f.to_vec()).unwrap();
        next.observe(&Predictions::new(probs, &[label]).unwrap()).unwrap();
        (next.log_wealth() - monitor.log_wealth()).exp()
    };
    let possible = (0..f.len()).filter(|&label| f[label] > 0.0);
    possible.map(|label| f[label] * after(label)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Wealths are kept as logarithms of up to 50 here, whose rounding is far below the tolerance.
    #[test]
    fn no_bet_is_better_than_fair(
        (monitor, f) in (2usize..7).prop_flat_map(|classes| (state(classes), row(classes)))
    ) {
        let expected = expected_factor(&monitor, &f);
        prop_assert!(expected <= 1.0 + 1e-12, "{expected}");
        // It is fair, too, but for what a player stakes on what cannot be.
        prop_assert!(expected >= 1.0 - 1e-9, "{expected}");
    }
}

/// The share of streams that ever reach 20 is at most 5 %, whatever the classes and however rare.
#[test]
fn calibrated_streams_seldom_reach_twenty() {
    for (setting, streams) in [
        (Setting::Named("binary-calibrated"), 4_000),
        (Setting::Rare, 4_000),
        (Setting::Named("multiclass-calibrated-3"), 2_000),
        (Setting::Named("multiclass-calibrated-10"), 1_000),
    ] {
        let share = reaching(20.0, &largest(setting, streams, 1_000));
        println!("{setting:?}: {:.2} % of {streams} calibrated streams reach 20", 100.0 * share);
        let error = (0.05 * 0.95 / streams as f64).sqrt();
        assert!(share <= 0.05 + 2.0 * error, "{setting:?}: {share}");
    }
}

/// Ville's inequality at every level, on longer streams.
#[test]
fn every_level_holds() {
    let streams = 1_000;
    let values = largest(Setting::Named("binary-calibrated"), streams, 5_000);
    for alpha in [0.5, 0.2, 0.1, 0.05, 0.01] {
        let share = reaching(1.0 / alpha, &values);
        println!("{:.2} % of calibrated streams of 5,000 reach {}", 100.0 * share, 1.0 / alpha);
        assert!(share <= alpha + 2.0 * (alpha * (1.0 - alpha) / streams as f64).sqrt(), "{alpha}");
    }
}

/// The floors are three standard errors below what was measured when they were set.
#[test]
fn errors_are_found() {
    for (setting, floor) in [
        (Setting::Named("binary-shifted"), 0.39),
        (Setting::Named("binary-overconfident"), 0.99),
        (Setting::Power { power: 0.85, classes: 3 }, 0.56),
        (Setting::Power { power: 0.85, classes: 10 }, 0.86),
    ] {
        let share = reaching(20.0, &largest(setting, 2_000, 1_000));
        println!("{setting:?}: {:.1} % of streams of 1,000 reach 20", 100.0 * share);
        assert!(share >= floor, "{setting:?}: {share}");
    }
}

/// What was learnt from calibrated rows has to be unlearnt: the price of learning from all rows alike.
#[test]
fn errors_that_begin_late_take_longer() {
    let delay = |calibrated: usize, seed: u64| {
        let mut monitor = Monitor::new(2).unwrap();
        if calibrated > 0 {
            monitor.observe(&simulate("binary-calibrated", calibrated, seed).unwrap()).unwrap();
        }
        let changed = simulate("binary-overconfident", 3_000, seed + 1_000).unwrap();
        let (probs, labels) = (changed.probs(), changed.labels());
        let found = (0..labels.len()).find(|&at| {
            let row = probs.slice_axis(Axis(0), (at..at + 1).into());
            monitor.observe(&Predictions::borrowed(row, &labels[at..=at]).unwrap()).unwrap();
            monitor.largest() >= 20.0
        });
        found.map_or(usize::MAX, |at| at + 1)
    };
    let mut medians = Vec::new();
    for calibrated in [0, 1_000, 10_000] {
        let mut delays: Vec<usize> = (0..101).map(|seed| delay(calibrated, seed)).collect();
        delays.sort_unstable();
        println!(
            "after {calibrated} calibrated rows: 20 is reached {} rows later (median)",
            delays[50]
        );
        medians.push(delays[50]);
    }
    assert!(medians[0] < 100 && medians.is_sorted() && medians[2] < 1_500, "{medians:?}");
}

#[test]
fn batches_make_no_difference() {
    for name in ["binary-shifted", "multiclass-overconfident-3"] {
        let predictions = simulate(name, 500, 3).unwrap();
        let (probs, labels) = (predictions.probs(), predictions.labels());
        let mut whole = Monitor::new(probs.ncols()).unwrap();
        whole.observe(&predictions).unwrap();
        let mut draws = generator(9, 0);
        for longest in [1, 2, 50] {
            let mut cut = Monitor::new(probs.ncols()).unwrap();
            let mut from = 0;
            while from < labels.len() {
                let to = (from + draws.random_range(1..=longest)).min(labels.len());
                let part = probs.slice_axis(Axis(0), (from..to).into());
                cut.observe(&Predictions::borrowed(part, &labels[from..to]).unwrap()).unwrap();
                from = to;
            }
            assert_eq!(cut, whole, "{name} {longest}");
            assert_eq!(cut.to_json(), whole.to_json(), "{name} {longest}");
        }
    }
}

#[test]
fn what_was_saved_goes_on_as_if_it_had_never_stopped() {
    for name in ["binary-shifted", "multiclass-overconfident-3"] {
        let [first, second] = [1, 2].map(|seed| simulate(name, 300, seed).unwrap());
        let mut without = Monitor::new(first.classes()).unwrap();
        assert_eq!(Monitor::from_json(&without.to_json()).unwrap(), without);
        without.observe(&first).unwrap();
        let mut resumed = Monitor::from_json(&without.to_json()).unwrap();
        without.observe(&second).unwrap();
        resumed.observe(&second).unwrap();
        assert_eq!(resumed, without);
        assert_eq!(resumed.to_json(), without.to_json());
    }
}

/// Every single byte of a saved monitor, deleted or replaced.
#[test]
fn damage_is_noticed() {
    for name in ["binary-shifted", "multiclass-overconfident-3"] {
        let predictions = simulate(name, 30, 4).unwrap();
        let mut monitor = Monitor::new(predictions.classes()).unwrap();
        monitor.observe(&predictions).unwrap();
        let text = monitor.to_json();
        for at in 0..text.len() {
            for other in ["", "0", "9", "-", "e", "\"", "{", "null"] {
                let damaged = [&text[..at], other, &text[at + 1..]].concat();
                // A digit beyond the precision of a number may change nothing.
                if let Ok(read) = Monitor::from_json(&damaged) {
                    assert_eq!(read, monitor, "{damaged}");
                }
            }
        }
    }
    let error = Monitor::from_json("{}").unwrap_err().to_string();
    assert!(error.starts_with("saved monitor: missing field"), "{error}");
}

/// A checksum can be computed by anybody: what cannot have come about is refused, all the same.
#[test]
fn impossible_states_are_refused() {
    let refused = |change: &dyn Fn(&mut Monitor), classes: usize| {
        let mut monitor = Monitor::new(classes).unwrap();
        monitor.rows = 10;
        assert!(Monitor::from_json(&monitor.to_json()).is_ok());
        change(&mut monitor);
        let error = Monitor::from_json(&monitor.to_json()).unwrap_err().to_string();
        assert_eq!(error, "saved monitor: its numbers do not fit together");
    };
    for classes in [2, 3] {
        refused(&|monitor| monitor.classes += 1, classes);
        refused(&|monitor| monitor.classes = 0, classes);
        refused(&|monitor| monitor.impossible_rows = 11, classes);
        refused(&|monitor| monitor.log_largest = -1.0, classes);
        refused(&|monitor| drop(monitor.accounts.pop()), classes);
        refused(&|monitor| monitor.accounts[0].stakes.set([1e5, 0.0, 0.0]), classes);
        // More than it has ever been.
        refused(&|monitor| monitor.accounts[0].stakes.set([5.0, 0.0, 0.0]), classes);
    }
    let quadratic = |mean: f64, precision: f64| {
        move |monitor: &mut Monitor| {
            if let Player::Quadratic(player) = &mut monitor.accounts[0].player {
                player.set([mean; 3], [precision; 3]);
            }
        }
    };
    refused(&quadratic(1e9, 0.0), 2);
    refused(&quadratic(0.0, 1e9), 2);
    refused(&quadratic(0.0, -1.0), 2);
    let scaling = |value: f64, added: f64| {
        move |monitor: &mut Monitor| {
            if let Player::Scaling(player) = &mut monitor.accounts[1].player {
                player.set(|_| value, |_| added);
            }
        }
    };
    refused(&scaling(1e9, 0.0), 3);
    refused(&scaling(0.0, 1e9), 3);
    refused(&scaling(0.0, -1.0), 3);
}

#[test]
fn what_f_rules_out_and_happens_is_infinite_for_good() {
    let certain = array![[0.3, 0.7], [1.0, 0.0], [0.6, 0.4]];
    assert!(observed(certain.clone(), &[1, 0, 0]).e_value().is_finite());
    let mut refuted = observed(certain, &[1, 1, 0]);
    refuted.observe(&simulate("binary-calibrated", 100, 0).unwrap()).unwrap();
    let mut resumed = Monitor::from_json(&refuted.to_json()).unwrap();
    resumed.observe(&simulate("binary-calibrated", 100, 1).unwrap()).unwrap();
    for monitor in [refuted, resumed] {
        for value in [monitor.e_value(), monitor.log_e_value(), monitor.largest()] {
            assert!(value.is_infinite() && value > 0.0);
        }
        assert!(monitor.p_value() <= 0.0);
        assert_eq!(monitor.impossible_rows(), 1);
    }
    let three = observed(array![[0.5, 0.5, 0.0]], &[2]);
    assert!(three.e_value().is_infinite());
}

/// Probabilities at the edge of what a double holds, observed against all odds and with them.
#[test]
fn the_smallest_probabilities_do_no_harm() {
    for tiny in [1e-17, 1e-300, 5e-324] {
        for classes in [2, 4] {
            let mut probs = Array2::from_elem((200, classes), tiny);
            probs.column_mut(0).fill(1.0);
            let monitor = observed(probs.clone(), &[1; 200]);
            assert!(monitor.log_e_value().is_finite() && monitor.log_e_value() > 100.0);
            let monitor = observed(probs, &[0; 200]);
            assert!((monitor.e_value() - 1.0).abs() < 1e-6, "{}", monitor.e_value());
        }
    }
}

#[test]
fn a_million_calibrated_rows_stay_finite() {
    for (name, parts) in [("binary-calibrated", 10), ("multiclass-calibrated-3", 1)] {
        let mut monitor = Monitor::new(if parts == 10 { 2 } else { 3 }).unwrap();
        for seed in 0..parts {
            monitor.observe(&simulate(name, 100_000, seed).unwrap()).unwrap();
        }
        println!("{name}: {} rows, ln E = {:.2}", monitor.rows(), monitor.log_e_value());
        assert_eq!(monitor.rows() as u64, 100_000 * parts);
        // A Bayesian bet of d parameters loses about d/2 ln n, which is 20 here; that staked by a
        // quarter less.
        assert!(monitor.log_e_value() > -40.0 && monitor.largest() < 20.0);
        assert_eq!(Monitor::from_json(&monitor.to_json()).unwrap(), monitor);
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut monitor = observed(array![[0.3, 0.7]], &[1]);
    let before = monitor.clone();
    let three = simulate("multiclass-calibrated-3", 10, 0).unwrap();
    let error = monitor.observe(&three).unwrap_err().to_string();
    assert_eq!(error, "classes: expected 2, found 3");
    let two = simulate("binary-calibrated", 10, 0).unwrap();
    let weighted = two.clone().with_weights(vec![1.0; 10]).unwrap();
    let error = monitor.observe(&weighted).unwrap_err().to_string();
    assert!(error.starts_with("weights: a monitor bets on each row once"), "{error}");
    let stop = Stop::new();
    let stopped = with_pool(1, &stop, || {
        stop.stop();
        monitor.observe(&two)
    });
    assert_eq!(stopped, Err(Error::Stopped));
    assert_eq!(monitor, before);
    assert!(matches!(Monitor::new(1), Err(Error::TooFewClasses { columns: 1 })));
    let new = Monitor::new(3).unwrap();
    assert!((new.e_value() - 1.0).abs() < 1e-15 && (new.p_value() - 1.0).abs() < 1e-15);
    assert_eq!((new.rows(), new.classes()), (0, 3));
}

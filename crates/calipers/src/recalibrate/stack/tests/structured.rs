//! `svs` without a bag, against fitting it again.

use super::super::super::linear::{LinearMap, Penalty};
use super::super::super::shape::Shape;
use super::super::super::tempered::Tempered;
use super::super::structured::Structured;
use super::super::training::{Training, in_bag};
use super::{drawn, training};
use crate::Sample;

/// Mean distances from what a fit without each row's bag predicts of it: of the fit to all rows, and
/// of the one step.
fn distances(training: &Training) -> (f64, f64) {
    let (rows, classes) = (training.rows(), training.classes());
    let (all, found) = Structured::fit(training, rows);
    let [_, all] = all.rows(training.sample.probs().as_slice().unwrap());
    let model = Tempered::fit(&training.sample, Shape::Diagonal);
    let (mut from_all, mut from_step) = (0.0, 0.0);
    for bag in 0..training.bags() {
        let is_left_out = |row: &u32| (bag..rows).step_by(8).any(|other| other == *row as usize);
        let rest: Vec<u32> = (0..rows as u32).filter(|row| !is_left_out(row)).collect();
        let rest: Sample = training.sample.select(&rest);
        // The temperature stays, and so does the penalty's share of the sum of the losses.
        let more = rows as f64 / rest.rows() as f64;
        let Penalty { intercept, diagonal, off_diagonal } = model.penalty();
        let penalty =
            Penalty { intercept: more * intercept, diagonal: more * diagonal, off_diagonal };
        let features = |sample: &Sample| model.features(sample.probs().as_slice().unwrap());
        let refit = LinearMap::fit(&rest, &features(&rest), Shape::Diagonal, penalty);
        for row in in_bag(bag, rows) {
            let mut expected = vec![0.0; classes];
            refit.apply(&model.features(training.sample.row(row)), &mut expected);
            for (class, expected) in expected.into_iter().enumerate() {
                let at = row * classes + class;
                from_all += (f64::from(all[at]) - expected).abs();
                from_step += (f64::from(found[at]) - expected).abs();
            }
        }
    }
    (from_all / rows as f64, from_step / rows as f64)
}

/// The step's error is of the order of the square of what it changes. Beyond 32 classes only a part
/// of the Hessian is used.
#[test]
fn one_step_leaves_a_bag_out() {
    for (rows, classes, most) in [(300, 3, 0.05), (500, 10, 0.05), (600, 32, 0.05), (600, 40, 0.1)]
    {
        let (from_all, from_step) = distances(&training(&drawn(rows, classes, 7)));
        assert!(from_all > 1e-3, "{classes}: there is nothing to leave out, {from_all}");
        assert!(from_step < most * from_all, "{classes}: {from_step}, of all {from_all}");
    }
}

/// Rows of a table are in the order of the training rows, and only as many as are asked for.
#[test]
fn the_first_rows_are_predicted() {
    let training = training(&drawn(100, 3, 3));
    let (_, all) = Structured::fit(&training, 100);
    let (_, some) = Structured::fit(&training, 21);
    assert_eq!(some.len(), 63);
    // Blocks of other lengths may round differently.
    assert!(some.iter().zip(&all).all(|(some, all)| (some - all).abs() < 1e-6));
}

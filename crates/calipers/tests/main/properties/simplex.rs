//! Predictions stay on the simplex.

use calipers::{Predictions, Purpose};
use ndarray::{Array2, array};
use proptest::prelude::*;

use crate::properties::cases::Property;
use crate::properties::drawn::drawn;
use crate::properties::lists;

/// Fitted to one set, predicting another, for every purpose.
#[test]
fn recalibrated_predictions_are_on_the_simplex() {
    let property = Property {
        says: "predictions stay on the simplex",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: 0,
        cases: 60,
    };
    let pairs =
        (2usize..=5).prop_flat_map(|classes| (drawn(classes..=classes), drawn(classes..=classes)));
    property.holds(pairs, |(learnt, asked), compared| {
        let (learnt_from, asked_for) = (learnt.predictions(), asked.predictions());
        let f = asked_for.probs();
        for name in lists::of_case(&learnt) {
            let fitted = lists::fit(name, &learnt_from, learnt.seed);
            for purpose in [Purpose::Direction, Purpose::Squared, Purpose::Log] {
                let mut g = Array2::zeros(f.dim());
                fitted.predict_into(f.view(), purpose, g.view_mut()).unwrap();
                for row in g.rows() {
                    let inside = row.iter().all(|p| (0.0..=1.0).contains(p));
                    prop_assert!(inside, "{} {:?}: {}", name, purpose, row);
                    // A few operations a class, each of which rounds by 1e-16.
                    prop_assert!(
                        (row.sum() - 1.0).abs() < 1e-12,
                        "{} {:?}: {}",
                        name,
                        purpose,
                        row
                    );
                }
            }
            compared.one();
        }
        Ok(())
    });
}

/// Found above: a step of the stack that is shortened to end at a vertex went beyond it by rounding.
#[test]
fn a_step_to_a_vertex_ends_there() {
    let probs = array![
        [1.0 / 3.0, 2.0 / 3.0],
        [0.9996410241837973, 0.0003589758162027879],
        [0.5, 0.5],
        [0.5, 0.5]
    ];
    let fitted =
        lists::fit("stack", &Predictions::new(probs, &[0, 1, 0, 0]).unwrap(), 849525640109482);
    let f = array![[0.9846340251209329, 0.015365974879066976]];
    let mut g = Array2::zeros((1, 2));
    fitted.predict_into(f.view(), Purpose::Direction, g.view_mut()).unwrap();
    assert!(g.iter().all(|p| (0.0..=1.0).contains(p)), "{g}");
    assert!((g.sum() - 1.0).abs() <= f64::EPSILON, "{g}");
}

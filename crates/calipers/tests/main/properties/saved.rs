//! What is saved and loaded is the same.

use calipers::{Fitted, ModelNotes, Predictions, Purpose, load_model, save_model, simulate};
use ndarray::Array2;
use proptest::prelude::*;

use crate::properties::cases::{Held, Property};
use crate::properties::drawn::drawn;
use crate::properties::lists;

fn bits(fitted: &dyn Fitted, f: &Array2<f64>, purpose: Purpose) -> Vec<u64> {
    let mut g = Array2::zeros(f.dim());
    fitted.predict_into(f.view(), purpose, g.view_mut()).unwrap();
    g.iter().map(|g| g.to_bits()).collect()
}

fn same(name: &str, predictions: &Predictions<'_>, seed: u64) -> Held {
    let f = predictions.probs().to_owned();
    let fitted = lists::fit(name, predictions, seed);
    let saved = save_model(fitted.as_ref(), &ModelNotes::default()).unwrap();
    let again = load_model(&saved).map(|model| model.fitted);
    prop_assert!(again.is_ok(), "{}: {:?} {}", name, again.err(), saved);
    let again = again.unwrap();
    prop_assert_eq!(
        &saved,
        &save_model(again.as_ref(), &ModelNotes::default()).unwrap(),
        "{}",
        name
    );
    for purpose in [Purpose::Direction, Purpose::Squared, Purpose::Log] {
        let (one, other) = (bits(fitted.as_ref(), &f, purpose), bits(again.as_ref(), &f, purpose));
        prop_assert_eq!(one, other, "{} {:?}", name, purpose);
    }
    prop_assert_eq!(fitted.converged(), again.converged(), "{}", name);
    prop_assert_eq!(fitted.approximations(), again.approximations(), "{}", name);
    Ok(())
}

#[test]
fn saved_models_predict_the_same_bits() {
    let property = Property {
        says: "saved and loaded models are the same",
        file: file!(),
        recalibrators: lists::all().len(),
        metrics: 0,
        cases: 40,
    };
    property.holds(drawn(2..=5), |drawn, compared| {
        let predictions = drawn.predictions();
        for name in lists::of_case(&drawn) {
            same(name, &predictions, drawn.seed)?;
            compared.one();
        }
        Ok(())
    });
}

/// So many rows that cells and tables take their place.
#[test]
fn saved_models_of_more_rows_predict_the_same_bits() {
    for setting in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(setting, 400, 3).unwrap();
        for name in lists::all() {
            same(name, &predictions, 7).unwrap();
        }
    }
}

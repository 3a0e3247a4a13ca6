//! Saved models: what is loaded predicts points of the simplex, and is saved to the same.

use calipers::{load_model, save_model};
use ndarray::Array2;

use crate::sound::simplex;

/// Loads a model and predicts with it, for every number of classes that it may be for.
pub fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(model) = load_model(text) else { return };
    let again = save_model(model.fitted.as_ref(), &model.about);
    let again = again.and_then(|saved| load_model(&saved));
    for classes in 2..=6 {
        let f = rows(classes);
        // A model is for one number of classes, or for any.
        let Ok(g) = model.fitted.predict(f.view()) else { continue };
        simplex(g.view());
        let again = again.as_ref().map(|again| again.fitted.predict(f.view()));
        assert!(matches!(again, Ok(Ok(same)) if same == g), "saved and loaded, it differs");
    }
}

/// Predictions at the edges and within: certain, undecided, tiny and plain ones.
fn rows(classes: usize) -> Array2<f64> {
    let mut rows = Array2::zeros((classes + 4, classes));
    for class in 0..classes {
        rows[[class, class]] = 1.0;
        rows[[classes, class]] = 1.0 / classes as f64;
        rows[[classes + 1, class]] = if class == 0 { 1.0 } else { 1e-300 };
        rows[[classes + 2, class]] = if class < 2 { 0.5 } else { 0.0 };
        rows[[classes + 3, class]] = 2.0 * (class + 1) as f64 / (classes * (classes + 1)) as f64;
    }
    rows
}

//! How does my service answer with corrected probabilities?
//!
//! Load a saved correction once and share it between threads: it is read only. The file may come from Python's
//! `Recalibrator.save` or from `calipers recalibrate fit`; here it is made first. What a caller sends is checked, and
//! a bad number is named with its place.

use std::error::Error;
use std::thread;

use calipers::{ModelNotes, Probabilities, Sample, SavedModel, load_model};
use calipers::{recalibrator, save_model, simulate};
use ndarray::{Array2, array};

/// Answers one request.
fn answer(model: &SavedModel, request: Array2<f64>) -> String {
    let corrected = Probabilities::new(request)
        .and_then(|checked| model.fitted.predict(checked.probs().view()));
    match corrected {
        Ok(corrected) => format!("{corrected:.2}"),
        Err(error) => format!("refused: {error}"),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let history = simulate("multiclass-overconfident-3", 3_000, 0)?;
    let fitted = recalibrator("temperature")?.fit(&Sample::from(&history), 0)?;
    let file = save_model(fitted.as_ref(), &ModelNotes::default())?;

    let model = load_model(&file)?;
    let requests = [array![[0.9, 0.08, 0.02]], array![[0.4, 0.3, 0.3]], array![[0.9, 0.9, 0.1]]];
    let answers = thread::scope(|scope| {
        let waiting = requests.map(|request| scope.spawn(|| answer(&model, request)));
        waiting.map(|thread| thread.join().unwrap_or_else(|_| "the thread is gone".to_owned()))
    });
    for answer in answers {
        println!("{answer}");
    }
    Ok(())
}

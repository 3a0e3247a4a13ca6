//! How do I measure predictions that my service holds in memory?
//!
//! A view of the service's own `f32` scores is enough: nothing is copied. One thread leaves the other cores to
//! requests, a `Stop` ends the estimate when the service does, and the lower bound says when to act.

use std::error::Error;

use calipers::{Estimator, Predictions, Stop, simulate};
use ndarray::Array2;

/// What was answered since the last look, and what came of it.
struct Log {
    scores: Array2<f32>,
    outcomes: Vec<u32>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let simulated = simulate("binary-overconfident", 5_000, 0)?;
    let log = Log {
        scores: simulated.probs().mapv(|score| score as f32),
        outcomes: simulated.labels().to_vec(),
    };

    let stop = Stop::new(); // A clone of it, with another thread, can stop the estimate.
    let predictions = Predictions::borrowed(log.scores.view(), &log.outcomes)?;
    let report = Estimator::new()
        .metrics(["l1".parse()?, "over-l1".parse()?, "under-l1".parse()?])
        .threads(1)
        .stop(stop)
        .estimate(&predictions)?;

    for error in &report.estimates {
        println!("{:8}  {:.3}, at least {:.3}", error.metric, error.value, error.lower);
    }
    let shown = report.get("l1").is_some_and(|l1| l1.lower > 0.05);
    println!("{}", if shown { "time to recalibrate" } else { "nothing to do" });
    Ok(())
}

//! Estimates the calibration errors of simulated predictions, and prints the report as JSON.
//!
//! ```sh
//! cargo run --package calipers --example simulated -- binary-overconfident 1000 isotonic l1 log
//! ```

use std::env;
use std::error::Error;

use calipers::{Estimator, Metric, recalibrator, simulate};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("{what} is missing"));
    let predictions = simulate(&next("the setting")?, next("the number of rows")?.parse()?, 0)?;
    let recalibrator = recalibrator(&next("the recalibrator")?)?;
    let metrics = arguments.map(|name| name.parse()).collect::<Result<Vec<Metric>, _>>()?;
    let report = Estimator::new().recalibrator(recalibrator).metrics(metrics).best(true);
    println!("{:#}", report.estimate(&predictions)?.to_json());
    Ok(())
}

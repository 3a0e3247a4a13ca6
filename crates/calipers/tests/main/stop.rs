//! Stopping: whatever is being fitted, it ends soon after it was told to.
use std::thread;
use std::time::{Duration, Instant};

use calipers::{
    Error, Estimator, Metric, Predictions, Sample, Stop, recalibrator, recalibrators, simulate,
    with_pool,
};
use ndarray::Array2;

/// When the stop comes: late enough that fits have begun.
const DELAY: Duration = Duration::from_millis(50);

/// How long after it everything must have ended. Measured on an idle machine it is a few hundredths
/// of a second; the rest is for a machine that does much else.
const LIMIT: Duration = Duration::from_secs(5);

/// Says stop after [`DELAY`] to what works under the handle; how long that took to end.
fn stop_in_the_middle<R>(work: impl FnOnce(Stop) -> calipers::Result<R>) -> Duration {
    let stop = Stop::new();
    let hand = stop.clone();
    let stopper = thread::spawn(move || {
        thread::sleep(DELAY);
        hand.stop();
        Instant::now()
    });
    let result = work(stop);
    let ended = Instant::now();
    assert_eq!(result.err(), Some(Error::Stopped));
    ended.duration_since(stopper.join().unwrap())
}

/// So many rows of so many classes.
fn many_classes(rows: usize, classes: usize) -> Predictions<'static> {
    let probs = Array2::from_shape_fn((rows, classes), |(row, class)| {
        1.0 + ((row * 31 + class * class * 17) % 97) as f64
            + if class == row % classes { 300.0 } else { 0.0 }
    });
    let sums = probs.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
    let labels: Vec<usize> = (0..rows).map(|row| (row + row % 3) % classes).collect();
    Predictions::new(probs / sums, &labels).unwrap()
}

/// An estimate that would go on for hours: by its fits, and if these are short by their number.
fn assert_stops(name: &str, predictions: &Predictions<'_>) {
    let metrics = ["l1.5", "log"].map(|name| name.parse::<Metric>().unwrap());
    let estimator = Estimator::new()
        .metrics(metrics)
        .recalibrator(recalibrator(name).unwrap())
        .repeats(1_000_000);
    let took = stop_in_the_middle(|stop| estimator.stop(stop).estimate(predictions));
    let size = (predictions.rows(), predictions.classes());
    assert!(took < LIMIT, "{name} {size:?}: {took:?}");
}

#[test]
fn every_recalibrator_stops_in_the_middle_of_two_classes() {
    let predictions = simulate("binary-overconfident", 300_000, 0).unwrap();
    for info in recalibrators() {
        assert_stops(info.name, &predictions);
    }
}

#[test]
fn every_recalibrator_stops_in_the_middle_of_ten_classes() {
    let predictions = simulate("multiclass-overconfident-10", 30_000, 0).unwrap();
    for info in recalibrators() {
        assert_stops(info.name, &predictions);
    }
}

#[test]
fn every_recalibrator_stops_in_the_middle_of_many_classes() {
    let predictions = many_classes(3_000, 300);
    for info in recalibrators() {
        assert_stops(info.name, &predictions);
    }
}

#[test]
fn parameters_that_take_long_stop_too() {
    let predictions = simulate("multiclass-overconfident-10", 30_000, 0).unwrap();
    for name in ["partition:cells=3000", "boost:trees=10000", "boost-leafwise:trees=10000"] {
        assert_stops(name, &predictions);
    }
}

#[test]
fn a_single_fit_stops_and_so_does_a_prediction() {
    let predictions = simulate("multiclass-overconfident-10", 30_000, 0).unwrap();
    let sample = Sample::from(&predictions);
    let slow = recalibrator("boost-cold").unwrap();
    let took = stop_in_the_middle(|stop| with_pool(2, &stop, || slow.fit(&sample, 0)));
    assert!(took < LIMIT, "fit: {took:?}");
    let fitted = recalibrator("kernel").unwrap().fit(&sample, 0).unwrap();
    let probs = predictions.probs();
    let took = stop_in_the_middle(|stop| with_pool(2, &stop, || fitted.predict(probs.view())));
    assert!(took < LIMIT, "predict: {took:?}");
}

//! The paper's synthetic figures: ten data sets of each size, `isotonic` and `temperature`, beside
//! the published means (`data/synthetic.csv`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use calipers::{Estimator, recalibrator, simulate};

/// How many data sets a point of the paper's figures averages.
const REPEATS: u64 = 10;

/// How many more are drawn here to know the spread of an estimate, which was not published.
const DRAWS: u64 = 40;

struct Point {
    setting: String,
    metric: String,
    rows: usize,
    published: [f64; 2],
}

fn published() -> Vec<Point> {
    let text = include_str!("data/synthetic.csv");
    let number = |cell: &str| -> f64 { cell.parse().unwrap() };
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            Point {
                setting: cells[0].to_owned(),
                metric: cells[1].to_owned(),
                rows: cells[2].parse().unwrap(),
                published: [number(cells[3]), number(cells[4])],
            }
        })
        .collect()
}

/// 300 points: of as many normal draws, 0.8 would lie outside three standard errors; with these
/// seeds none does.
#[test]
fn the_published_means_are_within_three_standard_errors() {
    let methods = ["isotonic", "temperature"];
    let mut outside = Vec::new();
    let points = published();
    for (number, point) in points.iter().enumerate() {
        for (method, published) in methods.iter().zip(point.published) {
            let values: Vec<f64> = (0..DRAWS)
                .map(|draw| {
                    let seed = 1000 * number as u64 + draw;
                    let predictions = simulate(&point.setting, point.rows, seed).unwrap();
                    let report = Estimator::new()
                        .metric(point.metric.parse().unwrap())
                        .recalibrator(recalibrator(method).unwrap())
                        .seed(seed)
                        .estimate(&predictions)
                        .unwrap();
                    report.estimates[0].value
                })
                .collect();
            let (_, error) = common::mean_and_error(&values);
            let spread = error * (DRAWS as f64).sqrt();
            let (ours, _) = common::mean_and_error(&values[..REPEATS as usize]);
            // Two means of ten independent data sets each.
            let allowed = 3.0 * spread * (2.0 / REPEATS as f64).sqrt();
            if (ours - published).abs() > allowed {
                outside.push(format!(
                    "{} n={} {method}: {ours:.5}, published {published:.5}, allowed {allowed:.5}",
                    point.setting, point.rows
                ));
            }
        }
    }
    assert_eq!(points.len(), 150);
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}

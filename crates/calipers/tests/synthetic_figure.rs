//! The paper's synthetic figures: ten data sets of each size, `isotonic` and `temperature`, beside
//! the published means (`data/synthetic.csv`); and `auto`, beside those of every method of the paper,
//! where they are there.
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

/// Columns of the published figures that are no cross-fitted estimates.
const OTHERS: [&str; 5] = ["setting", "n", "true", "ece15", "isotonic_in_sample"];

/// `auto` on two classes, averaged over all sizes of a setting: not below any published method, and
/// not above the truth, by more than three standard errors. Of 44 comparisons of equals, one in 17
/// runs would fail; the seeds are fixed.
#[test]
fn auto_recovers_as_much_as_any_published_method() {
    let path = common::root().join("../shared/reference/synthetic_binary_l1.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return;
    };
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let points: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for setting in ["calibrated", "overconfident", "shifted", "underconfident"] {
        let of_setting: Vec<&Vec<&str>> = points.iter().filter(|p| p[0] == setting).collect();
        assert_eq!(of_setting.len(), 15);
        let (mut ours, mut variance) = (0.0, 0.0);
        for (number, point) in of_setting.iter().enumerate() {
            let values: Vec<f64> = (0..REPEATS)
                .map(|draw| {
                    let seed = 100 * number as u64 + draw;
                    let rows = point[1].parse().unwrap();
                    let predictions = simulate(&format!("binary-{setting}"), rows, seed).unwrap();
                    let estimator = Estimator::new().metric("l1".parse().unwrap()).seed(seed);
                    estimator.estimate(&predictions).unwrap().estimates[0].value
                })
                .collect();
            let (mean, error) = common::mean_and_error(&values);
            ours += mean / 15.0;
            variance += error * error / 225.0;
        }
        for (column, name) in head.iter().enumerate() {
            let value = |point: &&Vec<&str>| point[column].parse::<f64>().unwrap();
            let published = || of_setting.iter().map(value).sum::<f64>() / 15.0;
            if *name == "true" {
                let gap = ours - published();
                assert!(gap < 3.0 * variance.sqrt(), "{setting}: {ours}, truth {}", published());
            } else if !OTHERS.contains(name) {
                println!(
                    "{setting}: {ours:.5} ± {:.5}, {name} {:.5}",
                    variance.sqrt(),
                    published()
                );
                // Two means of ten independent data sets of each size.
                let gap = published() - ours;
                assert!(gap < 3.0 * (2.0 * variance).sqrt(), "{setting}: {ours}, {name} {gap}");
            }
        }
    }
}

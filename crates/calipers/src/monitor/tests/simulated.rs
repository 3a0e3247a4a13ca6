//! Streams whose truth is known.

use ndarray::Array2;
use rand::RngExt;
use rand_distr::{Beta, Distribution};
use rayon::prelude::*;

use crate::data::{Predictions, simulate};
use crate::monitor::Monitor;
use crate::numeric::random::generator;
use crate::numeric::simplex::softmax;

#[derive(Debug, Clone, Copy)]
pub enum Setting {
    /// One of the crate's.
    Named(&'static str),
    /// Calibrated, two classes, class 1 with probabilities from Beta(½, 100).
    Rare,
    /// Dirichlet(½, …, ½) predictions u, labels from softmax(power · ln u).
    Power { power: f64, classes: usize },
}

impl Setting {
    fn draw(self, rows: usize, seed: u64) -> Predictions<'static> {
        let mut draws = generator(seed, 77);
        match self {
            Self::Named(name) => simulate(name, rows, seed).unwrap(),
            Self::Rare => {
                let beta = Beta::new(0.5, 100.0).unwrap();
                let probs: Vec<f64> = (0..rows).map(|_| beta.sample(&mut draws)).collect();
                let labels: Vec<u32> =
                    probs.iter().map(|p| u32::from(draws.random::<f64>() < *p)).collect();
                Predictions::binary(probs, &labels).unwrap()
            }
            Self::Power { power, classes } => {
                let calibrated = simulate(&format!("multiclass-calibrated-{classes}"), rows, seed);
                let probs: Array2<f64> = calibrated.unwrap().probs().to_owned();
                let label = |row: ndarray::ArrayView1<'_, f64>| {
                    let mut truth: Vec<f64> = row.iter().map(|u| power * u.ln()).collect();
                    softmax(&mut truth);
                    let mut left: f64 = draws.random();
                    let found = truth.iter().position(|p| {
                        left -= p;
                        left < 0.0
                    });
                    found.unwrap_or(0)
                };
                let labels: Vec<usize> = probs.rows().into_iter().map(label).collect();
                Predictions::new(probs, &labels).unwrap()
            }
        }
    }
}

/// The largest e-value of each of so many streams of so many rows.
pub fn largest(setting: Setting, streams: u64, rows: usize) -> Vec<f64> {
    let streams = (0..streams).into_par_iter();
    streams
        .map(|seed| {
            let predictions = setting.draw(rows, seed);
            let mut monitor = Monitor::new(predictions.classes()).unwrap();
            monitor.observe(&predictions).unwrap();
            monitor.largest()
        })
        .collect()
}

/// The share of values that reach a level.
pub fn reaching(level: f64, values: &[f64]) -> f64 {
    values.iter().filter(|value| **value >= level).count() as f64 / values.len() as f64
}

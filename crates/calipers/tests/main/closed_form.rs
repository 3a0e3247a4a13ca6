//! With the true C in place of g, the estimates are the true calibration errors.
use std::sync::Arc;

use calipers::{
    BinaryNorm, Estimator, Fitted, Metric, Purpose, Recalibrator, Result, Sample, Simulation,
};
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::common;

const ROWS: usize = 1_000_000;

/// g = g*, without a look at the sample.
#[derive(Clone, Copy)]
struct Truth(Simulation);

impl Recalibrator for Truth {
    fn name(&self) -> String {
        "truth".to_owned()
    }

    fn fit(&self, _: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(*self))
    }
}

impl Fitted for Truth {
    fn predict_into(
        &self,
        f: ArrayView2<'_, f64>,
        _: Purpose,
        mut g: ArrayViewMut2<'_, f64>,
    ) -> Result<()> {
        for (f, mut g) in f.rows().into_iter().zip(g.rows_mut()) {
            g.iter_mut().zip(self.0.truth(f)).for_each(|(g, truth)| *g = truth);
        }
        Ok(())
    }
}

/// A metric's distance between f and C, as its definition has it.
fn distance(metric: &str, f: &[f64], c: &[f64]) -> f64 {
    let steps = || f.iter().zip(c).map(|(f, c)| (f - c).abs());
    let two = f.len() == 2;
    match metric {
        "log" => f.iter().zip(c).filter(|(_, c)| **c > 0.0).map(|(f, c)| c * (c / f).ln()).sum(),
        "brier" if two => (f[1] - c[1]).powi(2),
        "brier" => steps().map(|step| step * step).sum(),
        _ if two => (f[1] - c[1]).abs(),
        "linf" => steps().fold(0.0, f64::max),
        lp => {
            let p: f64 = lp[1..].parse().unwrap();
            steps().map(|step| step.powf(p)).sum::<f64>().powf(1.0 / p)
        }
    }
}

/// 13 settings × 7 metrics at three standard errors of the difference: with these seeds none is
/// outside (a quarter of a percent of normal draws would be).
#[test]
fn the_truth_in_place_of_g_gives_the_true_error() {
    let names = ["l1", "l1.5", "l2", "l3", "linf", "brier", "log"];
    for &setting in Simulation::all() {
        let metrics: Vec<Metric> = names.iter().map(|name| name.parse().unwrap()).collect();
        let predictions = setting.draw(ROWS, 1).unwrap();
        let report = Estimator::new()
            .metrics(metrics)
            .recalibrator(Arc::new(Truth(setting)))
            .folds(2)
            .draws(0)
            .estimate(&predictions)
            .unwrap();
        // The truth from other draws, and from four times fewer to save time.
        let others = setting.draw(ROWS / 4, 2).unwrap();
        for (name, estimate) in names.iter().zip(&report.estimates) {
            let distances: Vec<f64> = others
                .probs()
                .rows()
                .into_iter()
                .map(|f| distance(name, f.as_slice().unwrap(), &setting.truth(f)))
                .collect();
            let (truth, error) = common::mean_and_error(&distances);
            let gap = estimate.value - truth;
            // This g learns nothing, so its scores are independent: the standard error without
            // what two folds would share, a factor of √2.
            let allowed = 3.0 * (error * error + estimate.stderr * estimate.stderr / 2.0).sqrt();
            assert!(
                gap.abs() <= allowed,
                "{} {name}: {} but the truth is {truth} ± {error}",
                setting.name,
                estimate.value
            );
            if setting.classes == 2 && name.starts_with('l') && *name != "log" {
                assert_eq!(estimate.value.to_bits(), report.estimates[0].value.to_bits());
            }
        }
    }
}

#[test]
fn two_columns_are_the_scalar_times_two_to_the_one_over_p() {
    let setting = Simulation::named("binary-overconfident").unwrap();
    let predictions = setting.draw(2_000, 0).unwrap();
    let names = ["l1", "l2", "l3", "linf", "brier", "log", "top-l1", "classwise-brier"];
    let factors = [2.0, 2f64.sqrt(), 2f64.cbrt(), 1.0, 2.0, 1.0, 1.0, 1.0];
    let estimate = |binary| {
        let metrics = names.iter().map(|name| name.parse().unwrap());
        Estimator::new().metrics(metrics).binary(binary).estimate(&predictions).unwrap()
    };
    let (scalar, vector) = (estimate(BinaryNorm::Scalar), estimate(BinaryNorm::Vector));
    for (number, factor) in factors.iter().enumerate() {
        let (one, both) = (scalar.estimates[number].value, vector.estimates[number].value);
        // A rounding of each of 2,000 scores and of their mean.
        assert!((both - factor * one).abs() < 1e-14, "{}: {both} {one}", names[number]);
    }
}

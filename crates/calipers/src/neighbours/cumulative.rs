//! Errors of cumulative differences: Kuiper and Kolmogorov-Smirnov.

use super::line::Line;
use super::listed::Listed;
use super::rule::{Chance, Found, Outcome, Rule};
use super::tail::{largest_excursion, range};

/// max C − min C, where C(t) = Σ_{f ≤ t} (y − f)/n, and C = 0 before the first row: the largest
/// absolute sum of y − f over any interval of f, a share of n.
///
/// No bins, no bandwidth. `scaled` is in standard deviations of C's end under calibration,
/// √(Σ f(1 − f))/n; the p-value is the tail of the range of a Brownian motion, good for large n.
/// Rows of the same prediction are added together, so their order never matters. Cost: a sort.
///
/// ## Reference
/// Arrieta-Ibarra et al., *Metrics of calibration for probabilistic predictions*, 2022 (ECCE-R);
/// Tygert, *Calibration of P-values for calibration and for deviation of a subpopulation from the
/// full population*, 2023.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kuiper;

/// max |C|, where C(t) = Σ_{f ≤ t} (y − f)/n: the largest absolute sum of y − f over all f up to some
/// point, a share of n.
///
/// As [`Kuiper`], with the tail of the largest excursion of a Brownian motion. It tells errors near
/// f = 0 and near f = 1 apart less evenly than Kuiper's. Cost: a sort.
///
/// ## Reference
/// Gupta et al., *Calibration of neural networks using splines*, 2021; Arrieta-Ibarra et al., *Metrics
/// of calibration for probabilistic predictions*, 2022 (ECCE-MAD).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KolmogorovSmirnov;

/// The least and the largest cumulative difference, and the standard deviation of its end.
#[allow(clippy::float_cmp, reason = "a tie is a prediction of the same bits")]
fn extremes(line: &Line) -> (f64, f64, f64) {
    let (mut sum, mut variance) = (0.0, 0.0);
    let (mut least, mut largest) = (0f64, 0f64);
    for (row, (f, y)) in line.iter().enumerate() {
        sum += y - f;
        variance += f * (1.0 - f);
        if line.f.get(row + 1) != Some(&f) {
            (least, largest) = (least.min(sum), largest.max(sum));
        }
    }
    let rows = line.rows() as f64;
    (least / rows, largest / rows, variance.sqrt() / rows)
}

fn found(value: f64, deviation: f64, tail: fn(f64) -> f64) -> Outcome {
    let scaled = if value > 0.0 { value / deviation } else { 0.0 };
    Ok(Found::new(value).tested(tail(scaled)).with("scaled", scaled))
}

impl Listed for Kuiper {
    const NAME: &'static str = "kuiper";
    const ABOUT: &'static str = "range of the cumulative differences y - f, with its test";
}

impl Rule for Kuiper {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let (least, largest, deviation) = extremes(line);
        found(largest - least, deviation, range)
    }
}

impl Listed for KolmogorovSmirnov {
    const NAME: &'static str = "kolmogorov-smirnov";
    const ABOUT: &'static str = "largest of the cumulative differences y - f, with its test";
}

impl Rule for KolmogorovSmirnov {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let (least, largest, deviation) = extremes(line);
        found(largest.max(-least), deviation, largest_excursion)
    }
}

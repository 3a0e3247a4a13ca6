//! Smooth ECE.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::line::Line;
use super::listed::{Listed, Tunable};
use super::rule::{Chance, Found, Outcome, Rule};
use crate::error::Result;
use crate::params::{Parameter, Params};
use crate::run::stop;

/// The σ at which the residuals f − y, smoothed along f with a Gaussian of width σ, have a mean
/// absolute value of σ.
///
/// smECE_σ = ∫ |Σ (f_i − y_i) K_σ(t, f_i)/n| dt over [0, 1], where K is the Gaussian reflected at 0
/// and 1. It falls as σ grows, so exactly one σ equals it. That σ is the value, and the `bandwidth`;
/// below 0.001, the value is smECE at a bandwidth of 0.001. With `bandwidth=`, smECE_σ for that σ.
///
/// The reflected Gaussian is 1 + 2 Σ_m exp(−(πmσ)²/2) cos(πmt) cos(πmf): the smoothed residuals are
/// a cosine series, exact to rounding with about 3/σ terms. |·| is integrated between the
/// series' zeros. Cost: a sort, and n/σ.
///
/// ## Reference
/// Błasiok and Nakkiran, *Smooth ECE: principled reliability diagrams via kernel smoothing*, 2024.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smooth {
    bandwidth: Option<f64>,
}

/// Narrower is never looked at: the number of terms grows with 1/σ.
const NARROWEST: f64 = 1e-3;

/// Sums of residuals that cancel are this small.
const ROUNDING: f64 = 1e-13;

impl Listed for Smooth {
    const NAME: &'static str = "smooth";
    const ABOUT: &'static str = "smooth ECE: residuals smoothed as much as they are large";
}

impl Tunable for Smooth {
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("bandwidth", "auto", "the width of the Gaussian, from 0.001 to 1")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { bandwidth: params.maybe_number("bandwidth", NARROWEST..=1.0)? })
    }
}

impl Rule for Smooth {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let mut series = Series::new(line);
        let (value, bandwidth) = match self.bandwidth {
            Some(width) => (series.smoothed(width), width),
            None => series.balance(),
        };
        Ok(Found::new(value).with("bandwidth", bandwidth))
    }

    fn power(&self) -> Option<f64> {
        Some(1.0)
    }
}

/// The residuals' cosine series, as far as it has been needed.
struct Series<'a> {
    line: &'a Line,
    /// Σ (f − y) cos(πmf)/n for m = 0, 1, …
    terms: Vec<f64>,
}

/// Rows whose terms are summed together; fixed, so that sums do not depend on the threads.
const BLOCK: usize = 1024;

/// Rows whose cosines are carried along together.
const LANES: usize = 16;

impl<'a> Series<'a> {
    fn new(line: &'a Line) -> Self {
        Self { line, terms: Vec::new() }
    }

    /// Adds terms up to a number.
    fn extend(&mut self, count: usize) {
        let from = self.terms.len();
        if count <= from {
            return;
        }
        let blocks: Vec<Vec<f64>> = (0..self.line.rows().div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut sums = vec![0.0; count - from];
                if stop::requested() {
                    return sums;
                }
                let rows = block * BLOCK..self.line.rows().min((block + 1) * BLOCK);
                let (f, y) = (&self.line.f[rows.clone()], &self.line.y[rows]);
                for (f, y) in f.chunks(LANES).zip(y.chunks(LANES)) {
                    add_terms(f, y, from, &mut sums);
                }
                sums
            })
            .collect();
        let rows = self.line.rows() as f64;
        let sum = |m: usize| blocks.iter().map(|block| block[m]).sum::<f64>() / rows;
        self.terms.extend((0..count - from).map(sum));
    }

    /// smECE_σ.
    fn smoothed(&mut self, width: f64) -> f64 {
        // Where exp(−(πmσ)²/2) is below the last bit of the first term.
        let count = (8.6 / (PI * width)).ceil() as usize + 1;
        self.extend(count);
        let damped: Vec<f64> = (0..count)
            .map(|m| {
                let once = if m == 0 { 1.0 } else { 2.0 };
                once * (-(PI * m as f64 * width).powi(2) / 2.0).exp() * self.terms[m]
            })
            .collect();
        absolute_integral(&damped)
    }

    /// The value, and the bandwidth that equals it.
    fn balance(&mut self) -> (f64, f64) {
        let mut high = 1.0;
        let mut low = 1.0;
        // The excess of smECE_σ over σ falls with σ.
        while low > NARROWEST && self.smoothed(low) < low {
            high = low;
            low = (0.5 * low).max(NARROWEST);
        }
        let at_low = self.smoothed(low);
        if at_low <= low {
            // Without residuals there is nothing to smooth: σ = 0 is equal to it.
            return if at_low < ROUNDING { (0.0, 0.0) } else { (at_low, low) };
        }
        let (mut excess_low, mut excess_high) = (at_low - low, self.smoothed(high) - high);
        // False position, with Illinois' halving: the function is smooth and nearly straight.
        for _ in 0..60 {
            let at = low + (high - low) * excess_low / (excess_low - excess_high);
            let excess = self.smoothed(at) - at;
            if excess > 0.0 {
                (low, excess_low, excess_high) = (at, excess, 0.5 * excess_high);
            } else {
                (high, excess_high, excess_low) = (at, excess, 0.5 * excess_low);
            }
            if excess.abs() < 1e-13 || high - low < 1e-14 || stop::requested() {
                return (at, at);
            }
        }
        (0.5 * (low + high), 0.5 * (low + high))
    }
}

/// Adds (f − y) cos(πmf) of a few rows to the sums, for m from `from` on.
fn add_terms(f: &[f64], y: &[f64], from: usize, sums: &mut [f64]) {
    let mut twice = [0.0; LANES];
    let mut now = [0.0; LANES];
    let mut before = [0.0; LANES];
    for (lane, (&f, &y)) in f.iter().zip(y).enumerate() {
        let angle = PI * f;
        twice[lane] = 2.0 * angle.cos();
        now[lane] = (f - y) * (from as f64 * angle).cos();
        before[lane] = (f - y) * ((from as f64 - 1.0) * angle).cos();
    }
    for sum in sums {
        *sum += now.iter().sum::<f64>();
        for lane in 0..LANES {
            let next = twice[lane] * now[lane] - before[lane];
            (before[lane], now[lane]) = (now[lane], next);
        }
    }
}

/// ∫ |Σ_m c_m cos(πmt)| dt over [0, 1].
fn absolute_integral(terms: &[f64]) -> f64 {
    // Ten points to the shortest wave that counts: a pair of zeros between two points is worth
    // less than 1e-7 of the whole.
    let points = 4 * terms.len().max(8);
    let at = |point: usize| point as f64 / points as f64;
    let heights: Vec<f64> = (0..=points).map(|point| height(terms, at(point))).collect();
    let mut total = 0.0;
    let mut area_before = 0.0;
    for (point, pair) in heights.windows(2).enumerate() {
        if (pair[0] < 0.0) != (pair[1] < 0.0) {
            let area = area(terms, zero(terms, at(point), at(point + 1), pair[0]));
            total += (area - area_before).abs();
            area_before = area;
        }
    }
    total + (area(terms, 1.0) - area_before).abs()
}

/// Σ_m c_m cos(πmt), by Clenshaw's recurrence.
fn height(terms: &[f64], t: f64) -> f64 {
    let cosine = (PI * t).cos();
    let (mut later, mut last) = (0.0, 0.0);
    for term in terms.iter().skip(1).rev() {
        (last, later) = (term + 2.0 * cosine * last - later, last);
    }
    terms.first().copied().unwrap_or(0.0) + cosine * last - later
}

/// Its integral from 0 to t, c₀t + Σ_m c_m sin(πmt)/(πm).
fn area(terms: &[f64], t: f64) -> f64 {
    let cosine = (PI * t).cos();
    let (mut later, mut last) = (0.0, 0.0);
    for (m, term) in terms.iter().enumerate().skip(1).rev() {
        (last, later) = (term / (PI * m as f64) + 2.0 * cosine * last - later, last);
    }
    terms.first().copied().unwrap_or(0.0) * t + (PI * t).sin() * last
}

/// Where the series changes its sign between two points, by false position.
fn zero(terms: &[f64], mut low: f64, mut high: f64, at_low: f64) -> f64 {
    let negative_low = at_low < 0.0;
    // The area errs by the square of this: 16 halvings of a tenth of a wave leave 1e-11.
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if (height(terms, middle) < 0.0) == negative_low {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::super::line::Order;
    use super::*;
    use crate::data::simulate;

    /// The definition, on a fine grid, with every image of the Gaussian that matters.
    fn plain(line: &Line, width: f64) -> f64 {
        let points = 20_000;
        let gauss = |d: f64| (-0.5 * (d / width).powi(2)).exp() / (width * (2.0 * PI).sqrt());
        let images = (10.0 * width / 2.0).ceil() as i32 + 1;
        let mut total = 0.0;
        for point in 0..points {
            let t = (f64::from(point) + 0.5) / f64::from(points);
            let mut sum = 0.0;
            for (f, y) in line.iter() {
                for image in -images..=images {
                    let shift = 2.0 * f64::from(image);
                    sum += (f - y) * (gauss(t - f - shift) + gauss(t + f - shift));
                }
            }
            total += sum.abs() / line.rows() as f64;
        }
        total / f64::from(points)
    }

    #[test]
    fn the_series_is_the_reflected_gaussian() {
        let line =
            Line::of_class(&simulate("binary-overconfident", 60, 3).unwrap(), 1, Order::Ascending);
        for width in [0.9, 0.3, 0.1, 0.03] {
            let (found, expected) = (Series::new(&line).smoothed(width), plain(&line, width));
            assert!((found - expected).abs() < 1e-7, "{width}: {found} {expected}");
        }
    }

    /// One prediction: the kernel has an integral of 1, so every bandwidth gives |f − ȳ|.
    #[test]
    fn a_single_prediction_is_its_own_error() {
        let line = Line::new(10, |_| 0.9, |row| row < 6);
        assert!((Series::new(&line).smoothed(0.05) - 0.3).abs() < 1e-13);
        let (value, bandwidth) = Series::new(&line).balance();
        assert!((value - 0.3).abs() < 1e-13 && (bandwidth - 0.3).abs() < 1e-13);
    }

    #[test]
    fn terms_added_later_are_those_added_at_once() {
        let line =
            Line::of_class(&simulate("binary-shifted", 3_000, 1).unwrap(), 1, Order::Ascending);
        let (mut slow, mut fast) = (Series::new(&line), Series::new(&line));
        slow.extend(7);
        slow.extend(300);
        fast.extend(300);
        for (a, b) in slow.terms.iter().zip(&fast.terms) {
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
    }

    #[test]
    fn perfect_predictions_have_no_error() {
        let line = Line::new(50, |row| f64::from(u8::from(row % 2 == 0)), |row| row % 2 == 0);
        assert!(Series::new(&line).balance().0.abs() < 1e-15);
    }
}

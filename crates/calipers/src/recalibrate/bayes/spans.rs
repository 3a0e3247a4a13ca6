//! Sums over runs of cells: what a shift of their logits makes of the likelihood.

use fearless_simd::{Select, Simd, f64x8, prelude::*};

use super::cells::Cell;
use crate::numeric::simd::{WIDE, exp, ln};

/// Cells in an order, whose runs are looked at.
pub(super) struct Spans {
    /// Filled up with zeros, so that a whole vector can be read from anywhere.
    masses: Vec<f64>,
    /// The logits that are to be shifted.
    smooth: Vec<f64>,
    /// The weight of class 1, of all cells up to each.
    observed: Vec<f64>,
    /// Σ mass · ln(1 + e^smooth), of all cells up to each.
    losses: Vec<f64>,
}

impl Spans {
    #[inline(always)]
    pub fn new<S: Simd>(simd: S, cells: &[Cell], smooth: &[f64]) -> Self {
        let fill = |values: &mut Vec<f64>| values.resize(cells.len() + WIDE, 0.0);
        let mut masses: Vec<f64> = cells.iter().map(|cell| cell.mass).collect();
        let mut smooth = smooth.to_vec();
        fill(&mut masses);
        fill(&mut smooth);
        let mut losses = vec![0.0; masses.len()];
        let places = losses.as_chunks_mut::<WIDE>().0.iter_mut();
        for ((losses, logits), masses) in
            places.zip(smooth.as_chunks::<WIDE>().0).zip(masses.as_chunks::<WIDE>().0)
        {
            let loss = softplus(simd, f64x8::load_array_ref(simd, logits));
            (loss * f64x8::load_array_ref(simd, masses)).store_array(losses);
        }
        let losses = sums(losses.into_iter().take(cells.len()));
        let observed = sums(cells.iter().map(|cell| cell.observed));
        Self { masses, smooth, observed, losses }
    }

    /// The first derivative of the log-likelihood by a shift, and minus the second.
    #[inline(always)]
    pub fn slopes<S: Simd>(&self, simd: S, from: usize, to: usize, shift: f64) -> (f64, f64) {
        let (zero, one) = (f64x8::splat(simd, 0.0), f64x8::splat(simd, 1.0));
        let (mut expected, mut bend) = (zero, zero);
        self.each(
            simd,
            from,
            to,
            #[inline(always)]
            |mass, logit| {
                let score = logit + shift;
                let tail = exp(simd, -score.abs());
                let high = one / (tail + 1.0);
                let low = tail * high;
                expected += mass * score.simd_ge(zero).select(high, low);
                bend += mass * (high * low);
            },
        );
        (self.observed[to] - self.observed[from] - expected.reduce_sum(), bend.reduce_sum())
    }

    /// What a shift adds to the log-likelihood.
    #[inline(always)]
    pub fn gain<S: Simd>(&self, simd: S, from: usize, to: usize, shift: f64) -> f64 {
        let mut loss = f64x8::splat(simd, 0.0);
        self.each(
            simd,
            from,
            to,
            #[inline(always)]
            |mass, logit| loss += mass * softplus(simd, logit + shift),
        );
        let observed = self.observed[to] - self.observed[from];
        observed * shift - (loss.reduce_sum() - (self.losses[to] - self.losses[from]))
    }

    /// Calls with the masses and logits of a run, a vector at a time; what is beyond the run has no mass.
    #[inline(always)]
    fn each<S: Simd>(
        &self,
        simd: S,
        from: usize,
        to: usize,
        mut visit: impl FnMut(f64x8<S>, f64x8<S>),
    ) {
        let mut at = from;
        while at + WIDE <= to {
            visit(
                f64x8::from_slice(simd, &self.masses[at..at + WIDE]),
                f64x8::from_slice(simd, &self.smooth[at..at + WIDE]),
            );
            at += WIDE;
        }
        if at < to {
            let mut masses = [0.0; WIDE];
            masses[..to - at].copy_from_slice(&self.masses[at..to]);
            let logits = f64x8::from_slice(simd, &self.smooth[at..at + WIDE]);
            visit(f64x8::load_array(simd, masses), logits);
        }
    }
}

/// ln(1 + eˣ).
#[inline(always)]
fn softplus<S: Simd>(simd: S, x: f64x8<S>) -> f64x8<S> {
    x.max(f64x8::splat(simd, 0.0)) + ln(exp(simd, -x.abs()) + 1.0)
}

/// The sums of the first 0, 1, … numbers.
fn sums(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut total = 0.0;
    let each = numbers.map(|number| {
        total += number;
        total
    });
    std::iter::once(0.0).chain(each).collect()
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;
    use crate::numeric::simplex::sigmoid;

    /// Every run of 21 cells, against sums cell by cell.
    #[test]
    fn runs_are_sums_of_cells() {
        let cell = |at: u32| Cell {
            mass: f64::from(3 + at % 5),
            observed: f64::from(at % 4),
            prediction: 0.5,
        };
        let cells: Vec<Cell> = (0..21).map(cell).collect();
        let smooth: Vec<f64> = (0..21).map(|at| 0.4 * f64::from(at) - 4.0).collect();
        let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
        dispatch!(Level::new(), simd => {
            let spans = Spans::new(simd, &cells, &smooth);
            for (from, to) in (0..21).flat_map(|from| (from + 1..=21).map(move |to| (from, to))) {
                for shift in [-2.0, 0.0, 0.3] {
                    let (slope, bend) = spans.slopes(simd, from, to, shift);
                    let gain = spans.gain(simd, from, to, shift);
                    let mut twin = (0.0, 0.0, 0.0);
                    for (cell, smooth) in cells[from..to].iter().zip(&smooth[from..to]) {
                        let p = sigmoid(smooth + shift);
                        twin.0 += cell.observed - cell.mass * p;
                        twin.1 += cell.mass * p * (1.0 - p);
                        twin.2 += cell.observed * shift
                            - cell.mass * (softplus(smooth + shift) - softplus(*smooth));
                    }
                    // Sums of at most 21 numbers of up to 7 · 4, taken from sums of all before them.
                    for (found, twin) in [(slope, twin.0), (bend, twin.1), (gain, twin.2)] {
                        assert!((found - twin).abs() < 1e-12, "{from} {to} {shift}: {found} {twin}");
                    }
                }
            }
        });
    }
}

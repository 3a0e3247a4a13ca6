//! Where the test of two classes looks: eight kinds of errors, from a shift to a wave, each with the evidence
//! for it.
//!
//! All of it is a function of the residuals r_i = Σ w(y − f) of the fine cells, whose variances V_i = Σ w² f(1 − f)
//! are known under calibration. The evidence for a kind is a Bayes factor, to first order in the error: of an
//! error of that kind, with normal coefficients, against none. Directions are orthonormal under Σ V f g, so that
//! a residual's part in each is standard normal under calibration.

use super::cells::{Cell, Coarse};
use crate::numeric::simplex::FLOOR;

/// Kinds of errors, in the order of their evidence.
pub(super) const KINDS: usize = 8;

/// How much of the prior each kind has: under-confidence and over-confidence, a shift, a bend, any of the three
/// (what there was before the others), a smooth error of any shape, waves; and with so many rows
/// that there are coarse cells, errors of any shape whatever. Chosen by the power over twelve shapes
/// (docs/choices.md, "The test").
pub(super) const PRIOR: [f64; KINDS] = [0.10, 0.05, 0.04, 0.10, 0.35, 0.25, 0.11, 0.08];

/// By how much the evidence for each kind grows between its 90th and its 98th percentile under calibration, where
/// residuals are normal; that of coarse cells depends on how many there are.
const SLOPES: [f64; KINDS - 1] = [1.93, 1.93, 1.16, 1.16, 1.345, 1.19, 1.84];

/// Waves: cosines of up to so many half turns.
const WAVES: usize = 16;

/// Directions: that of a wrong temperature, 1, z and z², and the waves.
const DIRECTIONS: usize = 4 + WAVES;

/// A direction of which less than this is left when those before it are taken out, is none.
const DEPENDENT: f64 = 1e-7;

/// A smooth error: how far along z its values are alike, and how large it is expected, as a multiple of what the
/// rows can just show.
const REACH: f64 = 1.5;
const SIZE: f64 = 8.0;

/// The least standard deviation by which z is measured.
const LEAST_DEVIATION: f64 = 0.1;

/// Sets of residuals that are looked at together.
const LANES: usize = super::LANES;

/// What is the same for all sets of residuals.
pub(super) struct Shapes {
    /// The directions of each cell.
    directions: Vec<[f64; DIRECTIONS]>,
    /// How a smooth error goes on from cell to cell.
    steps: Vec<Step>,
    /// What all smooth errors' evidence has in common.
    common: f64,
    /// Whether there is a direction of temperature, how many of 1, z and z² there are, and how many waves.
    tempered: bool,
    functions: usize,
    /// Half of what the square of each wave counts, and what all of them cost.
    waves: Vec<f64>,
    cost: f64,
    coarse: Option<Coarse>,
}

/// One step of Kalman's filter: how much of the last value is left, and the gains of what is seen.
#[derive(Debug, Clone, Copy)]
struct Step {
    kept: f64,
    gain: f64,
    left: f64,
    variance: f64,
}

/// What is known of some sets of residuals while cells go by.
#[derive(Clone)]
pub(super) struct Seen {
    sums: [[f64; LANES]; DIRECTIONS],
    smooth: [f64; LANES],
    evidence: [f64; LANES],
    coarse: [f64; LANES],
    terms: [f64; LANES],
}

impl Seen {
    pub fn new() -> Self {
        Self {
            sums: [[0.0; LANES]; DIRECTIONS],
            smooth: [0.0; LANES],
            evidence: [0.0; LANES],
            coarse: [0.0; LANES],
            terms: [0.0; LANES],
        }
    }
}

impl Shapes {
    /// Those of cells; none if no label is left to chance.
    pub fn of(cells: &[Cell], coarse: Option<Coarse>) -> Option<Self> {
        let total: f64 = cells.iter().map(|cell| cell.variance).sum();
        if total <= 0.0 {
            return None;
        }
        let raw: Vec<f64> = cells.iter().map(|cell| logit(cell.mean)).collect();
        let inner = |one: &[f64], other: &[f64]| -> f64 {
            let products = cells.iter().zip(one.iter().zip(other));
            products.map(|(cell, (one, other))| cell.variance * one * other).sum()
        };
        let ones = vec![1.0; cells.len()];
        let middle = inner(&raw, &ones) / total;
        let spread = (inner(&raw, &raw) / total - middle * middle).max(0.0).sqrt();
        let z: Vec<f64> =
            raw.iter().map(|raw| (raw - middle) / spread.max(LEAST_DEVIATION)).collect();
        let length = inner(&raw, &raw);
        let tempered = length > 1e-9 * total;
        let squares = z.iter().map(|z| z * z).collect();
        let functions = orthonormal(vec![ones, z.clone(), squares], inner);
        let possible = cells.iter().filter(|cell| cell.variance > 0.0).count();
        let turns = turns(cells, total);
        let wave = |order: usize| -> Vec<f64> {
            turns.iter().map(|turn| (order as f64 * turn).cos()).collect()
        };
        let waves = orthonormal((0..WAVES.min(possible)).map(wave).collect(), inner);
        let mut directions = vec![[0.0; DIRECTIONS]; cells.len()];
        for (cell, own) in directions.iter_mut().enumerate() {
            own[0] = if tempered { raw[cell] / length.sqrt() } else { 0.0 };
            own[1..].iter_mut().zip(&functions).for_each(|(to, from)| *to = from[cell]);
            own[4..].iter_mut().zip(&waves).for_each(|(to, from)| *to = from[cell]);
        }
        let (steps, common) = walk(cells, &z, SIZE / total);
        // The j-th wave has a normal coefficient of variance 5 j^−0.7.
        let sizes = || (1..=waves.len()).map(|order| 5.0 * (order as f64).powf(-0.7));
        let cost = sizes().map(|size| 0.5 * size.ln_1p()).sum();
        let waves = sizes().map(|size| 0.5 * size / (1.0 + size)).collect();
        let functions = functions.len();
        Some(Self { directions, steps, common, tempered, functions, waves, cost, coarse })
    }

    /// Adds the residuals of a cell.
    #[inline(always)]
    pub fn add(&self, seen: &mut Seen, cell: usize, residuals: &[f64; LANES]) {
        for (sums, direction) in seen.sums.iter_mut().zip(&self.directions[cell]) {
            for (sum, residual) in sums.iter_mut().zip(residuals) {
                *sum += direction * residual;
            }
        }
        let Step { kept, gain, left, variance } = self.steps[cell];
        let each = seen.smooth.iter_mut().zip(&mut seen.evidence).zip(residuals);
        for ((smooth, evidence), residual) in each {
            let before = *smooth * kept;
            *evidence += gain * residual * residual
                + left * (2.0 * residual * before - variance * before * before);
            *smooth = before + gain * (residual - variance * before);
        }
        let Some(coarse) = &self.coarse else { return };
        for (sum, residual) in seen.coarse.iter_mut().zip(residuals) {
            *sum += residual;
        }
        if let Some(variance) = coarse.ends[cell] {
            for (term, sum) in seen.terms.iter_mut().zip(&mut seen.coarse) {
                *term += *sum * *sum / variance;
                *sum = 0.0;
            }
        }
    }

    /// The logarithm of the evidence for each kind; −∞ for those that there are not.
    pub fn evidence(&self, seen: &Seen, lane: usize) -> [f64; KINDS] {
        let sum = |direction: usize| seen.sums[direction][lane];
        let mut found = [f64::NEG_INFINITY; KINDS];
        if self.tempered {
            // A coefficient of 2.5 standard deviations.
            found[0] = 2.5 * sum(0) - 3.125;
            found[1] = -2.5 * sum(0) - 3.125;
        }
        // A normal coefficient of variance 6.
        let one = |sum: f64| 3.0 / 7.0 * sum * sum - 0.5 * 7f64.ln();
        found[2] = one(sum(1));
        if self.functions == 3 {
            found[3] = one(sum(3));
        }
        // Normal coefficients of variance 3.
        let squares: f64 = (1..=self.functions).map(|at| sum(at) * sum(at)).sum();
        found[4] = 0.375 * squares - 0.5 * self.functions as f64 * 4f64.ln();
        found[5] = 0.5 * (seen.evidence[lane] + self.common);
        let waves = self.waves.iter().enumerate();
        found[6] =
            waves.map(|(at, rate)| rate * sum(4 + at) * sum(4 + at)).sum::<f64>() - self.cost;
        if let Some(coarse) = &self.coarse {
            found[7] = coarse.rate() * seen.terms[lane];
        }
        found
    }

    /// By how much the evidence for each kind grows from its 90th to its 98th percentile.
    pub fn slopes(&self) -> [f64; KINDS] {
        let mut slopes = [0.0; KINDS];
        slopes[..KINDS - 1].copy_from_slice(&SLOPES);
        slopes[KINDS - 1] = self.coarse.as_ref().map_or(1.0, Coarse::slope);
        slopes
    }
}

/// Where each cell is, from 0 to π: half by its share of the rows, half by its share of what chance decides.
fn turns(cells: &[Cell], total: f64) -> Vec<f64> {
    let weights: f64 = cells.iter().map(|cell| cell.weight).sum();
    let mut before = 0.0;
    let place = |cell: &Cell| {
        let share = 0.5 * (cell.weight / weights + cell.variance / total);
        before += share;
        std::f64::consts::PI * (before - 0.5 * share)
    };
    cells.iter().map(place).collect()
}

/// Functions made orthonormal, each to those before it; what depends on those is left out.
fn orthonormal(functions: Vec<Vec<f64>>, inner: impl Fn(&[f64], &[f64]) -> f64) -> Vec<Vec<f64>> {
    let mut kept: Vec<Vec<f64>> = Vec::with_capacity(functions.len());
    for mut function in functions {
        let before = inner(&function, &function);
        // Twice, since once leaves rounding behind.
        for _ in 0..2 {
            for other in &kept {
                let share = inner(&function, other);
                function.iter_mut().zip(other).for_each(|(value, other)| *value -= share * other);
            }
        }
        let left = inner(&function, &function);
        if left > DEPENDENT * before && left > 0.0 {
            function.iter_mut().for_each(|value| *value /= left.sqrt());
            kept.push(function);
        }
    }
    kept
}

/// A smooth error of the logit along z, a Gaussian process with the covariance τ² exp(−|z − z'|/reach): the gains
/// of its filter, and Σ ln of what they leave.
fn walk(cells: &[Cell], z: &[f64], size: f64) -> (Vec<Step>, f64) {
    let (mut steps, mut common) = (Vec::with_capacity(cells.len()), 0.0);
    let (mut last, mut gain) = (None, 0.0);
    for (cell, &z) in cells.iter().zip(z) {
        let kept = last.map_or(0.0, |last: f64| (-(z - last) / REACH).exp());
        let expected = kept * kept * gain + (1.0 - kept * kept) * size;
        let left = 1.0 / (1.0 + cell.variance * expected);
        gain = expected * left;
        common += left.ln();
        steps.push(Step { kept, gain, left, variance: cell.variance });
        last = Some(z);
    }
    (steps, common)
}

fn logit(p: f64) -> f64 {
    let p = p.clamp(FLOOR, 1.0 - FLOOR);
    (p / (1.0 - p)).ln()
}

/// How odd each set of residuals is, the observed one among those drawn: the mean evidence over all kinds, each on
/// the scale that the sets themselves show.
///
/// Few rows, or rare classes, give a kind's evidence a heavier tail than normal residuals would. So it is
/// measured from its own 95th percentile, and compressed where it grows faster than it should. Observed and drawn
/// sets have the same part in that, so that under calibration any of them is as likely to be the oddest.
pub(super) fn oddness(all: &[[f64; KINDS]], slopes: &[f64; KINDS]) -> Vec<f64> {
    let count = all.len();
    let mut scales = [None; KINDS];
    for (kind, scale) in scales.iter_mut().enumerate() {
        let mut own: Vec<f64> = all.iter().map(|one| one[kind]).collect();
        if own.iter().any(|one| !one.is_finite()) {
            continue;
        }
        own.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| own[((share * count as f64).ceil() as usize).clamp(1, count) - 1];
        let grows = at(0.98) - at(0.90);
        let factor = if grows > 0.0 { (slopes[kind] / grows).min(1.0) } else { 1.0 };
        *scale = Some((at(0.95), factor));
    }
    let odd = |one: &[f64; KINDS]| {
        let kinds = one.iter().zip(&scales).zip(PRIOR);
        let terms = kinds.filter_map(|((evidence, scale), prior)| {
            scale.map(|(middle, factor)| prior.ln() + factor * (evidence - middle))
        });
        let terms: Vec<f64> = terms.collect();
        let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()
    };
    all.iter().map(odd).collect()
}

#[cfg(test)]
mod tests {
    use super::super::cells::divide;
    use super::*;
    use crate::estimate::Ascending;
    use crate::numeric::solve::Cholesky;

    fn cells(f: &[f64]) -> Vec<Cell> {
        let pairs: Vec<[f64; 2]> = f.iter().map(|&f| [1.0 - f, f]).collect();
        divide(&Ascending { pairs: &pairs, labels: &vec![0; f.len()], weights: None }).0
    }

    /// By matrices: ln N(r; 0, V + V K V) − ln N(r; 0, V), K being the covariance of the error.
    #[test]
    fn the_evidence_for_a_smooth_error_is_that_of_a_gaussian_process() {
        let f: Vec<f64> = (1..40).map(|row| f64::from(row) / 40.0).collect();
        let cells = cells(&f);
        let shapes = Shapes::of(&cells, None).unwrap();
        let residuals: Vec<f64> = (0..39).map(|row| (f64::from(row) * 0.7).sin() * 0.4).collect();
        let mut seen = Seen::new();
        for (cell, residual) in residuals.iter().enumerate() {
            shapes.add(&mut seen, cell, &[*residual; LANES]);
        }
        let total: f64 = cells.iter().map(|cell| cell.variance).sum();
        let raw: Vec<f64> = f.iter().map(|&f| logit(f)).collect();
        let middle =
            cells.iter().zip(&raw).map(|(cell, raw)| cell.variance * raw).sum::<f64>() / total;
        let squares = cells.iter().zip(&raw).map(|(cell, raw)| cell.variance * raw * raw);
        let spread = (squares.sum::<f64>() / total - middle * middle).sqrt();
        let count = f.len();
        let mut covariance = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..count {
                let alike = (-(raw[i] - raw[j]).abs() / spread / REACH).exp() * SIZE / total;
                let own = if i == j { cells[i].variance } else { 0.0 };
                covariance[i * count + j] = own + cells[i].variance * alike * cells[j].variance;
            }
        }
        let factor = Cholesky::of(covariance, count).unwrap();
        let mut solved = residuals.clone();
        factor.solve(&mut solved);
        let quadratic: f64 = residuals.iter().zip(&solved).map(|(r, s)| r * s).sum();
        let plain: f64 = residuals.iter().zip(&cells).map(|(r, cell)| r * r / cell.variance).sum();
        let logs: f64 = cells.iter().map(|cell| cell.variance.ln()).sum();
        let expected = 0.5 * (plain - quadratic + logs - factor.log_determinant());
        let found = shapes.evidence(&seen, 3)[5];
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn directions_are_orthonormal_and_what_is_not_there_is_left_out() {
        let f: Vec<f64> = (1..300).map(|row| f64::from(row) / 300.0).collect();
        let own = cells(&f);
        let shapes = Shapes::of(&own, None).unwrap();
        for (from, to) in [(1, 4), (4, DIRECTIONS)] {
            for i in from..to {
                for j in from..to {
                    let rows = own.iter().zip(&shapes.directions);
                    let product: f64 =
                        rows.map(|(cell, all)| cell.variance * all[i] * all[j]).sum();
                    let expected = f64::from(u8::from(i == j));
                    assert!((product - expected).abs() < 1e-9, "{i} {j}: {product}");
                }
            }
        }
        let one = Shapes::of(&cells(&[0.3; 50]), None).unwrap();
        assert_eq!((one.functions, one.waves.len(), one.tempered), (1, 1, true));
        let four = Shapes::of(&cells(&[0.1, 0.1, 0.3, 0.6, 0.9]), None).unwrap();
        assert_eq!((four.functions, four.waves.len()), (3, 4));
        assert!(Shapes::of(&cells(&[0.0, 1.0]), None).is_none());
        // At 1/2 nothing is to be seen of a temperature.
        assert!(!Shapes::of(&cells(&[0.5; 9]), None).unwrap().tempered);
    }

    #[test]
    fn any_of_the_sets_may_be_the_oddest() {
        let all: Vec<[f64; KINDS]> = (0..99)
            .map(|set| std::array::from_fn(|kind| ((set * (kind + 3)) % 97) as f64 / 10.0))
            .collect();
        let slopes = [1.0; KINDS];
        let found = oddness(&all, &slopes);
        let turned: Vec<[f64; KINDS]> = all.iter().rev().copied().collect();
        let mut again = oddness(&turned, &slopes);
        again.reverse();
        assert_eq!(found, again);
    }
}

//! The values of a symmetric tree's leaves: one Newton step of the cross-entropy.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};

use super::{BinnedRows, LARGEST_STEP, LEAST_PROBABILITY};
use crate::run::stop;

/// Up to this many classes the Hessian is written out and eliminated; beyond, which would cost k³
/// a leaf, the step is found by conjugate gradients from products with the rows.
const MOST_ELIMINATED: usize = 64;

/// Conjugate gradients stop when the residual has shrunk by this much.
const TOLERANCE: f64 = 1e-10;

/// The rows' current probabilities, each row filled up with zeros: see [`width`].
pub(super) struct Padded {
    width: usize,
    probs: Vec<f64>,
}

impl Padded {
    pub fn new(rows: &BinnedRows) -> Self {
        let width = width(rows.classes);
        let mut probs = vec![0.0; rows.len() * width];
        let from = rows.probs.chunks_exact(rows.classes);
        for (to, from) in probs.chunks_exact_mut(width).zip(from) {
            to[..rows.classes].copy_from_slice(from);
        }
        Self { width, probs }
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.probs.chunks_exact(self.width)
    }

    fn row(&self, row: u32) -> &[f64] {
        &self.probs[row as usize * self.width..(row as usize + 1) * self.width]
    }
}

/// The classes filled up to one of the widths for which there is an elimination, or, where there
/// is none, to a multiple of four.
fn width(classes: usize) -> usize {
    match classes {
        ..=16 => classes.next_multiple_of(4),
        17..=32 => 32,
        33..=64 => 64,
        _ => classes.next_multiple_of(4),
    }
}

/// Solves (H + λI) v = G for a leaf, where G = Σ w(y − p) and H = Σ w(diag p − p pᵀ) over its
/// rows: CatBoost's leaf values for several classes. Cost: m·k² + k³/6 for m rows and k classes.
pub(super) struct Newton {
    classes: usize,
    l2: f64,
    rate: f64,
    /// G, then v, then exp(rate · v); zeros, then ones, after the last class.
    step: Vec<f64>,
    /// Σ w p.
    mass: Vec<f64>,
    /// The Hessian's rows from the diagonal on; what is left of the diagonal is not used.
    hessian: Vec<f64>,
    /// One over each pivot.
    inverse: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    level: Level,
}

impl Newton {
    pub fn new(classes: usize, l2: f64, rate: f64) -> Self {
        let width = width(classes);
        let size = if classes <= MOST_ELIMINATED { classes * width } else { 0 };
        let vector = || vec![0.0; width];
        Self {
            classes,
            l2,
            rate,
            step: vector(),
            mass: vector(),
            hessian: vec![0.0; size],
            inverse: vector(),
            residual: vector(),
            direction: vector(),
            product: vector(),
            level: Level::new(),
        }
    }

    /// Multiplies the rows' probabilities by exp(rate · v), and returns these factors.
    pub fn advance(&mut self, rows: &BinnedRows, probs: &mut Padded, leaf: &[u32]) -> &[f64] {
        let level = self.level;
        self.step.fill(0.0);
        self.mass.fill(0.0);
        for &row in leaf {
            self.step[rows.labels[row as usize] as usize] += rows.weights[row as usize];
        }
        match probs.width {
            4 => dispatch!(level, simd => self.by_elimination::<_, 4>(simd, rows, probs, leaf)),
            8 => dispatch!(level, simd => self.by_elimination::<_, 8>(simd, rows, probs, leaf)),
            12 => dispatch!(level, simd => self.by_elimination::<_, 12>(simd, rows, probs, leaf)),
            16 => dispatch!(level, simd => self.by_elimination::<_, 16>(simd, rows, probs, leaf)),
            32 => dispatch!(level, simd => self.by_elimination::<_, 32>(simd, rows, probs, leaf)),
            64 => dispatch!(level, simd => self.by_elimination::<_, 64>(simd, rows, probs, leaf)),
            _ => {
                self.by_conjugate_gradients(rows, probs, leaf);
                self.exponentiate();
                dispatch!(level, simd => multiply(simd, probs.width, probs, leaf, &self.step));
            }
        }
        &self.step[..self.classes]
    }

    /// Turns v into exp(rate · v).
    fn exponentiate(&mut self) {
        let (steps, others) = self.step.split_at_mut(self.classes);
        for step in steps {
            // A step that is not a number can only come of numbers too large to add up.
            let moved = if step.is_nan() { 0.0 } else { self.rate * *step };
            *step = moved.clamp(-LARGEST_STEP, LARGEST_STEP).exp();
        }
        others.fill(0.0);
    }

    /// Gaussian elimination without pivots, which a positive definite matrix does not need; W is
    /// the rows' width.
    #[inline(always)]
    fn by_elimination<S: Simd, const W: usize>(
        &mut self,
        simd: S,
        rows: &BinnedRows,
        current: &mut Padded,
        leaf: &[u32],
    ) {
        self.write_hessian::<S, W>(simd, rows, current, leaf);
        self.step.iter_mut().zip(&self.mass).for_each(|(step, mass)| *step -= mass);
        let (lines, _) = self.hessian.as_chunks_mut::<W>();
        let step = &mut self.step[..lines.len()];
        for pivot in 0..lines.len() {
            let (above, below) = lines.split_at_mut(pivot + 1);
            let line = &above[pivot];
            let scale = 1.0 / line[pivot].max(self.l2);
            self.inverse[pivot] = scale;
            let known = step[pivot];
            for ((other, step), &entry) in
                below.iter_mut().zip(&mut step[pivot + 1..]).zip(&line[pivot + 1..])
            {
                let share = entry * scale;
                *step -= share * known;
                let shares = f64x4::splat(simd, share);
                for (entry, pivots) in other.chunks_exact_mut(4).zip(line.chunks_exact(4)) {
                    (f64x4::from_slice(simd, entry) - shares * f64x4::from_slice(simd, pivots))
                        .store_slice(entry);
                }
            }
        }
        // Column by column, so that no step waits for the sum of all before it.
        for row in (0..lines.len()).rev() {
            let known = step[row] * self.inverse[row];
            step[row] = known;
            for (step, line) in step[..row].iter_mut().zip(&*lines) {
                *step -= line[row] * known;
            }
        }
        self.exponentiate();
        multiply(simd, W, current, leaf, &self.step);
    }

    /// Writes H + λI from the diagonal's block of four on, and Σ w p.
    #[inline(always)]
    fn write_hessian<S: Simd, const W: usize>(
        &mut self,
        simd: S,
        rows: &BinnedRows,
        current: &Padded,
        leaf: &[u32],
    ) {
        let (all, _) = current.probs.as_chunks::<W>();
        let (lines, _) = self.hessian.as_chunks_mut::<W>();
        lines.as_flattened_mut().fill(0.0);
        let mass = &mut self.mass[..W];
        // Four rows at a time, because reading and writing H takes longer than adding to it. The
        // last of fewer than four is taken again, with no weight.
        for four in leaf.chunks(4) {
            let mut weights = [0.0; 4];
            let mut probs = [&[0.0; W]; 4];
            for place in 0..4 {
                let row = four[place.min(four.len() - 1)] as usize;
                weights[place] = if place < four.len() { rows.weights[row] } else { 0.0 };
                probs[place] = &all[row];
            }
            let [a, b, c, d] = probs;
            for block in 0..W / 4 {
                let at = 4 * block..4 * block + 4;
                let one = f64x4::from_slice(simd, &a[at.clone()]) * weights[0]
                    + f64x4::from_slice(simd, &b[at.clone()]) * weights[1];
                let other = f64x4::from_slice(simd, &c[at.clone()]) * weights[2]
                    + f64x4::from_slice(simd, &d[at.clone()]) * weights[3];
                let mass = &mut mass[at];
                (f64x4::from_slice(simd, mass) + (one + other)).store_slice(mass);
            }
            for first in 0..W / 4 {
                for class in 4 * first..(4 * first + 4).min(lines.len()) {
                    let line = &mut lines[class];
                    let in_a = f64x4::splat(simd, weights[0] * a[class]);
                    let in_b = f64x4::splat(simd, weights[1] * b[class]);
                    let in_c = f64x4::splat(simd, weights[2] * c[class]);
                    let in_d = f64x4::splat(simd, weights[3] * d[class]);
                    for block in first..W / 4 {
                        let at = 4 * block..4 * block + 4;
                        let one = in_a * f64x4::from_slice(simd, &a[at.clone()])
                            + in_b * f64x4::from_slice(simd, &b[at.clone()]);
                        let other = in_c * f64x4::from_slice(simd, &c[at.clone()])
                            + in_d * f64x4::from_slice(simd, &d[at.clone()]);
                        let entry = &mut line[at];
                        (f64x4::from_slice(simd, entry) - (one + other)).store_slice(entry);
                    }
                }
            }
        }
        for (class, line) in lines.iter_mut().enumerate() {
            line[class] += mass[class] + self.l2;
        }
    }

    fn by_conjugate_gradients(&mut self, rows: &BinnedRows, current: &Padded, leaf: &[u32]) {
        for &row in leaf {
            let weight = rows.weights[row as usize];
            let probs = current.row(row);
            self.mass.iter_mut().zip(probs).for_each(|(mass, p)| *mass += weight * p);
        }
        self.step.iter_mut().zip(&self.mass).for_each(|(step, mass)| *step -= mass);
        let Self { l2, step, residual, direction, product, .. } = self;
        residual.copy_from_slice(step);
        direction.copy_from_slice(step);
        step.fill(0.0);
        let mut size = dot(residual, residual);
        let enough = size * TOLERANCE * TOLERANCE;
        for _ in 0..residual.len() {
            if size <= enough || stop::requested() {
                break;
            }
            product.iter_mut().zip(&*direction).for_each(|(product, d)| *product = *l2 * d);
            for &row in leaf {
                let (probs, weight) = (current.row(row), rows.weights[row as usize]);
                let mean = dot(probs, direction);
                for ((product, p), d) in product.iter_mut().zip(probs).zip(&*direction) {
                    *product += weight * p * (d - mean);
                }
            }
            let along = size / dot(direction, product);
            step.iter_mut().zip(&*direction).for_each(|(step, d)| *step += along * d);
            residual.iter_mut().zip(&*product).for_each(|(residual, p)| *residual -= along * p);
            let next = dot(residual, residual);
            let kept = next / size;
            direction.iter_mut().zip(&*residual).for_each(|(d, r)| *d = r + kept * *d);
            size = next;
        }
    }
}

/// Multiplies some rows' probabilities by factors, and divides them by their sum.
#[inline(always)]
fn multiply<S: Simd>(simd: S, width: usize, current: &mut Padded, leaf: &[u32], factors: &[f64]) {
    let least = f64x4::splat(simd, LEAST_PROBABILITY);
    let factors = &factors[..width];
    for &row in leaf {
        let probs = &mut current.probs[row as usize * width..(row as usize + 1) * width];
        let mut sum = f64x4::splat(simd, 0.0);
        for (p, factor) in probs.chunks_exact_mut(4).zip(factors.chunks_exact(4)) {
            let product = f64x4::from_slice(simd, p) * f64x4::from_slice(simd, factor);
            product.store_slice(p);
            sum += product;
        }
        let scale = f64x4::splat(simd, 1.0 / sum.reduce_sum());
        for p in probs.chunks_exact_mut(4) {
            (f64x4::from_slice(simd, p) * scale).max(least).store_slice(p);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

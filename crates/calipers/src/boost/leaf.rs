//! The values of a symmetric tree's leaves: one Newton step of the cross-entropy.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};

use super::{LARGEST_STEP, LEAST_PROBABILITY, Rows};

/// Up to this many classes the Hessian is written out and eliminated; beyond, which would cost k³
/// a leaf, the step is found by conjugate gradients from products with the rows.
const MOST_ELIMINATED: usize = 64;

/// Conjugate gradients stop when the residual has shrunk by this much.
const TOLERANCE: f64 = 1e-10;

/// The rows' current probabilities, each row filled up with zeros to a multiple of four.
pub(super) struct Padded {
    width: usize,
    probs: Vec<f64>,
}

impl Padded {
    pub fn new(rows: &Rows) -> Self {
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

fn width(classes: usize) -> usize {
    classes.next_multiple_of(4)
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
            residual: vector(),
            direction: vector(),
            product: vector(),
            level: Level::new(),
        }
    }

    /// Multiplies the rows' probabilities by exp(rate · v), and returns these factors.
    pub fn advance(&mut self, rows: &Rows, probs: &mut Padded, leaf: &[u32]) -> &[f64] {
        let level = self.level;
        match probs.width {
            4 => dispatch!(level, simd => self.advance_rows::<_, 1>(simd, rows, probs, leaf)),
            8 => dispatch!(level, simd => self.advance_rows::<_, 2>(simd, rows, probs, leaf)),
            12 => dispatch!(level, simd => self.advance_rows::<_, 3>(simd, rows, probs, leaf)),
            _ => dispatch!(level, simd => self.advance_rows::<_, 0>(simd, rows, probs, leaf)),
        }
        &self.step[..self.classes]
    }

    /// With Q vectors to a row, or any number if Q is 0.
    #[inline(always)]
    fn advance_rows<S: Simd, const Q: usize>(
        &mut self,
        simd: S,
        rows: &Rows,
        current: &mut Padded,
        leaf: &[u32],
    ) {
        let width = if Q == 0 { current.width } else { 4 * Q };
        self.step.fill(0.0);
        self.mass.fill(0.0);
        for &row in leaf {
            self.step[rows.labels[row as usize] as usize] += rows.weights[row as usize];
        }
        if self.hessian.is_empty() {
            for &row in leaf {
                let weight = rows.weights[row as usize];
                let probs = current.row(row);
                self.mass.iter_mut().zip(probs).for_each(|(mass, p)| *mass += weight * p);
            }
            self.step.iter_mut().zip(&self.mass).for_each(|(step, mass)| *step -= mass);
            self.by_conjugate_gradients(rows, current, leaf);
        } else {
            self.write_hessian::<S, Q>(simd, rows, current, leaf);
            self.step.iter_mut().zip(&self.mass).for_each(|(step, mass)| *step -= mass);
            self.eliminate(simd, width);
        }
        for step in &mut self.step[..self.classes] {
            // A step that is not a number can only come of numbers too large to add up.
            let moved = if step.is_nan() { 0.0 } else { self.rate * *step };
            *step = moved.clamp(-LARGEST_STEP, LARGEST_STEP).exp();
        }
        self.step[self.classes..].fill(0.0);
        let least = f64x4::splat(simd, LEAST_PROBABILITY);
        for &row in leaf {
            let row = row as usize;
            let probs = &mut current.probs[row * width..(row + 1) * width];
            let mut sum = f64x4::splat(simd, 0.0);
            for (p, factor) in probs.chunks_exact_mut(4).zip(self.step[..width].chunks_exact(4)) {
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

    /// Writes H + λI from the diagonal's block of four on, and Σ w p.
    #[inline(always)]
    fn write_hessian<S: Simd, const Q: usize>(
        &mut self,
        simd: S,
        rows: &Rows,
        current: &Padded,
        leaf: &[u32],
    ) {
        let width = if Q == 0 { current.width } else { 4 * Q };
        let of = |row: u32| &current.probs[row as usize * width..(row as usize + 1) * width];
        self.hessian.fill(0.0);
        // Two rows at a time, because reading and writing H takes longer than adding to it.
        for pair in leaf.chunks(2) {
            let (one, other) = (pair[0], pair[pair.len() - 1]);
            let second = if pair.len() == 2 { rows.weights[other as usize] } else { 0.0 };
            let (first, one, other) = (rows.weights[one as usize], of(one), of(other));
            for (block, mass) in self.mass[..width].chunks_exact_mut(4).enumerate() {
                let at = 4 * block..4 * block + 4;
                let p = f64x4::from_slice(simd, &one[at.clone()]) * first;
                let q = f64x4::from_slice(simd, &other[at]) * second;
                (f64x4::from_slice(simd, mass) + (p + q)).store_slice(mass);
            }
            for (class, line) in self.hessian.chunks_exact_mut(width).enumerate() {
                let scale = f64x4::splat(simd, first * one[class]);
                let also = f64x4::splat(simd, second * other[class]);
                let from = class / 4;
                for block in from..width / 4 {
                    let at = 4 * block..4 * block + 4;
                    let p = f64x4::from_slice(simd, &one[at.clone()]);
                    let q = f64x4::from_slice(simd, &other[at.clone()]);
                    let entry = f64x4::from_slice(simd, &line[at.clone()]);
                    (entry - (scale * p + also * q)).store_slice(&mut line[at]);
                }
            }
        }
        for class in 0..self.classes {
            self.hessian[class * width + class] += self.mass[class] + self.l2;
        }
    }

    /// Gaussian elimination without pivots, which a positive definite matrix does not need.
    #[inline(always)]
    fn eliminate<S: Simd>(&mut self, simd: S, width: usize) {
        let classes = self.classes;
        for pivot in 0..classes {
            let (above, below) = self.hessian.split_at_mut((pivot + 1) * width);
            let line = &above[pivot * width..];
            let scale = 1.0 / line[pivot].max(self.l2);
            for (row, other) in (pivot + 1..classes).zip(below.chunks_exact_mut(width)) {
                let share = line[row] * scale;
                let shares = f64x4::splat(simd, share);
                let from = row / 4 * 4;
                for (entry, pivots) in
                    other[from..].chunks_exact_mut(4).zip(line[from..].chunks_exact(4))
                {
                    (f64x4::from_slice(simd, entry) - shares * f64x4::from_slice(simd, pivots))
                        .store_slice(entry);
                }
                self.step[row] -= share * self.step[pivot];
            }
        }
        for row in (0..classes).rev() {
            let line = &self.hessian[row * width..(row + 1) * width];
            let known: f64 = (row + 1..classes).map(|class| line[class] * self.step[class]).sum();
            self.step[row] = (self.step[row] - known) / line[row].max(self.l2);
        }
    }

    fn by_conjugate_gradients(&mut self, rows: &Rows, current: &Padded, leaf: &[u32]) {
        let Self { l2, step, residual, direction, product, .. } = self;
        residual.copy_from_slice(step);
        direction.copy_from_slice(step);
        step.fill(0.0);
        let mut size = dot(residual, residual);
        let enough = size * TOLERANCE * TOLERANCE;
        for _ in 0..residual.len() {
            if size <= enough {
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

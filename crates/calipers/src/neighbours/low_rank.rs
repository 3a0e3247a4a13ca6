//! A kernel matrix as the product of a tall, thin one with itself.

use crate::run::stop;

/// Rows of length `rank`, whose inner products are nearly the kernel's values.
pub(super) struct LowRank {
    /// Row after row.
    pub rows: Vec<f64>,
    /// The length of a row.
    pub rank: usize,
}

impl LowRank {
    /// Pivoted Cholesky factorisation of a kernel with ones on its diagonal: at each step the row
    /// that is explained worst becomes the next direction.
    ///
    /// What comes out is a kernel in its own right, whatever is left unexplained. Cost: n·rank².
    pub fn of(count: usize, most: usize, kernel: impl Fn(usize, usize) -> f64) -> Self {
        let rank = most.min(count);
        let mut rows = vec![0.0; count * rank];
        let mut unexplained = vec![1f64; count];
        for step in 0..rank {
            let worst = |best: usize, row: usize| {
                if unexplained[row] > unexplained[best] { row } else { best }
            };
            let pivot = (1..count).fold(0, worst);
            let root = unexplained[pivot].sqrt();
            if root <= SMALLEST || stop::requested() {
                break;
            }
            let direction = rows[pivot * rank..pivot * rank + step].to_vec();
            for (row, cells) in rows.chunks_exact_mut(rank).enumerate() {
                let explained: f64 = cells.iter().zip(&direction).map(|(a, b)| a * b).sum();
                let cell = (kernel(row, pivot) - explained) / root;
                cells[step] = cell;
                unexplained[row] = (unexplained[row] - cell * cell).max(0.0);
            }
            unexplained[pivot] = 0.0;
        }
        Self { rows, rank }
    }
}

/// What is left to explain is rounding.
const SMALLEST: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    /// With as many directions as rows the kernel is met.
    #[test]
    fn the_whole_rank_is_the_kernel() {
        let kernel = |a: usize, b: usize| (-(a.abs_diff(b) as f64) / 5.0).exp();
        let factor = LowRank::of(30, 30, kernel);
        for a in 0..30 {
            for b in 0..30 {
                let row = |row: usize| &factor.rows[row * factor.rank..(row + 1) * factor.rank];
                let found: f64 = row(a).iter().zip(row(b)).map(|(a, b)| a * b).sum();
                assert!((found - kernel(a, b)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn equal_rows_need_one_direction() {
        let factor = LowRank::of(10, 4, |_, _| 1.0);
        assert!(factor.rows.chunks(4).all(|row| row == [1.0, 0.0, 0.0, 0.0]));
    }
}

use super::dot;
use crate::numeric::simd::widely;

/// The Cholesky factor of a positive definite matrix, row-major.
pub(crate) struct Cholesky {
    lower: Vec<f64>,
    size: usize,
}

/// Up to this size a matrix stays in the nearest cache while each of its columns is taken out of all that is
/// left, several numbers at a time.
const NEAR: usize = 64;

impl Cholesky {
    /// Factors a matrix; `None` if it is not positive definite.
    pub fn of(matrix: Vec<f64>, size: usize) -> Option<Self> {
        if size <= NEAR { Self::by_columns(matrix, size) } else { Self::by_rows(matrix, size) }
    }

    /// Factors a small matrix: no number waits for one before it in its row.
    fn by_columns(mut matrix: Vec<f64>, size: usize) -> Option<Self> {
        let lower = &mut matrix;
        let is_definite = widely(
            size * size,
            #[inline(always)]
            || {
                let mut column = [0.0; NEAR];
                for pivot in 0..size {
                    let left = lower[pivot * size + pivot];
                    // Written so that a NaN is refused as well.
                    if !(left > 0.0 && left.is_finite()) {
                        return false;
                    }
                    let root = left.sqrt();
                    lower[pivot * size + pivot] = root;
                    for row in pivot + 1..size {
                        column[row] = lower[row * size + pivot] / root;
                        lower[row * size + pivot] = column[row];
                    }
                    for row in pivot + 1..size {
                        let rest = &mut lower[row * size + pivot + 1..row * size + row + 1];
                        for (entry, other) in rest.iter_mut().zip(&column[pivot + 1..=row]) {
                            *entry -= column[row] * other;
                        }
                    }
                }
                true
            },
        );
        is_definite.then_some(Self { lower: matrix, size })
    }

    /// Factors a large matrix: each row is read along those before it.
    fn by_rows(mut matrix: Vec<f64>, size: usize) -> Option<Self> {
        for row in 0..size {
            let (above, rest) = matrix.split_at_mut(row * size);
            let current = &mut rest[..size];
            for column in 0..row {
                let pivot = &above[column * size..column * size + column + 1];
                let sum = dot(&current[..column], &pivot[..column]);
                current[column] = (current[column] - sum) / pivot[column];
            }
            let left = current[row] - dot(&current[..row], &current[..row]);
            // Written so that a NaN is refused as well.
            if !(left > 0.0 && left.is_finite()) {
                return None;
            }
            current[row] = left.sqrt();
        }
        Some(Self { lower: matrix, size })
    }

    /// Factors a matrix; where rounding has cost it its positive definiteness, with a growing
    /// ridge.
    pub fn with_ridge(matrix: &[f64], size: usize) -> Option<Self> {
        let trace: f64 = (0..size).map(|i| matrix[i * size + i]).sum();
        let mut ridge = 0.0;
        for _ in 0..8 {
            let mut shifted = matrix.to_vec();
            (0..size).for_each(|i| shifted[i * size + i] += ridge);
            if let Some(factor) = Self::of(shifted, size) {
                return Some(factor);
            }
            ridge = if ridge > 0.0 { ridge * 100.0 } else { 1e-14 * trace / size as f64 };
        }
        None
    }

    /// ln det A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.size).map(|i| self.lower[i * self.size + i].ln()).sum::<f64>()
    }

    /// Solves L X = right, in place, for a matrix of as many rows as A has: the squares of a column of
    /// X add up to bᵀ A⁻¹ b for that column b of the right side.
    pub fn solve_lower(&self, right: &mut [f64]) {
        let (size, lower, columns) = (self.size, &self.lower, right.len() / self.size);
        widely(
            columns,
            #[inline(always)]
            || {
                for row in 0..size {
                    let (known, rest) = right.split_at_mut(row * columns);
                    let current = &mut rest[..columns];
                    let entries = &lower[row * size..];
                    for (known, entry) in known.chunks_exact(columns).zip(entries) {
                        for (value, known) in current.iter_mut().zip(known) {
                            *value -= entry * known;
                        }
                    }
                    current.iter_mut().for_each(|value| *value /= entries[row]);
                }
            },
        );
    }

    /// Solves A x = right, in place.
    pub fn solve(&self, right: &mut [f64]) {
        let (size, lower) = (self.size, &self.lower);
        for row in 0..size {
            let sum = dot(&lower[row * size..row * size + row], &right[..row]);
            right[row] = (right[row] - sum) / lower[row * size + row];
        }
        // Each unknown is taken out of all that are left: rows are read along, not down.
        for row in (0..size).rev() {
            let (left, known) = right.split_at_mut(row);
            known[0] /= lower[row * size + row];
            for (left, entry) in left.iter_mut().zip(&lower[row * size..]) {
                *left -= entry * known[0];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_solves_what_it_factored() {
        // A Hilbert matrix plus the identity: full, positive definite, well conditioned.
        let size = 9;
        let entry = |i: usize, j: usize| 1.0 / (i + j + 1) as f64 + if i == j { 1.0 } else { 0.0 };
        let matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        let solution: Vec<f64> = (0..size).map(|i| i as f64 - 3.5).collect();
        let mut right: Vec<f64> =
            (0..size).map(|i| dot(&matrix[i * size..(i + 1) * size], &solution)).collect();
        Cholesky::of(matrix, size).unwrap().solve(&mut right);
        for (found, expected) in right.iter().zip(&solution) {
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
    }

    /// Small and large matrices are factored in two ways, to the same numbers but for rounding.
    #[test]
    fn both_ways_give_the_same_factor() {
        for size in [1, 2, 3, 21, NEAR] {
            let entry = |i: usize, j: usize| {
                let near = 1.0 / (1 + i.abs_diff(j)) as f64;
                if i == j { 2.0 + i as f64 / 10.0 } else { near / 4.0 }
            };
            let matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
            let [one, other] = [
                Cholesky::by_columns(matrix.clone(), size).unwrap(),
                Cholesky::by_rows(matrix, size).unwrap(),
            ];
            for row in 0..size {
                for at in row * size..=row * size + row {
                    assert!((one.lower[at] - other.lower[at]).abs() < 1e-14, "{size}: {row}");
                }
            }
        }
    }

    #[test]
    fn determinant_and_lower_factor_are_those_of_the_matrix() {
        let matrix = vec![4.0, 2.0, 0.0, 2.0, 4.0, 1.0, 0.0, 1.0, 2.0];
        let factor = Cholesky::of(matrix, 3).unwrap();
        let determinant = 4.0 * (4.0 * 2.0 - 1.0) - 2.0 * (2.0 * 2.0);
        assert!((factor.log_determinant() - f64::ln(determinant)).abs() < 1e-14);
        // Two right sides at once, b = (1, 0, 2) and c = (−1, 3, 1).
        let right = [1.0, -1.0, 0.0, 3.0, 2.0, 1.0];
        let mut lower = right;
        factor.solve_lower(&mut lower);
        for column in 0..2 {
            let b: Vec<f64> = right.iter().skip(column).step_by(2).copied().collect();
            let mut solution = b.clone();
            factor.solve(&mut solution);
            let squares: f64 = lower.iter().skip(column).step_by(2).map(|x| x * x).sum();
            assert!((squares - dot(&b, &solution)).abs() < 1e-14, "{column}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(Cholesky::of(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::with_ridge(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::of(vec![f64::NAN], 1).is_none());
        // Singular by rounding alone: a ridge of 1e-14 mends it.
        assert!(Cholesky::with_ridge(&[1.0, 1.0, 1.0, 1.0], 2).is_some());
    }
}

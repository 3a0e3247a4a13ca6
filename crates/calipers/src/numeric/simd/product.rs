//! Products of matrices, row-major, with rows of whole vectors.
//!
//! Four rows by two vectors of a product are summed in registers.

use fearless_simd::{Simd, SimdBase, SimdFloat, f64x4, f64x8};

use super::{LANES, WIDE};

/// Rows of this length are still close to each other.
const NEAR: usize = 256;

/// Of longer rows, so many by so many columns are 16 KiB.
const DEPTH: usize = 64;
const WIDTH: usize = 32;

/// A factor: its numbers and the length of its rows.
pub(crate) type Factor<'a> = (&'a [f64], usize);

/// Adds left · right to `out`, whose rows are a multiple of four; `left` may have columns to spare.
pub(crate) fn add_product<S: Simd>(
    simd: S,
    (left, left_stride): Factor<'_>,
    right: Factor<'_>,
    out: &mut [f64],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let columns = |first: usize| {
                let row = |i: usize| left[(first + i) * left_stride..][..left_stride].iter();
                let rows = row(0).zip(row(1)).zip(row(2)).zip(row(3));
                rows.map(|(((&a, &b), &c), &d)| [a, b, c, d])
            };
            add(simd, columns, right, out, |_| 0);
        },
    );
}

/// Adds leftᵀ · right to `out`.
pub(crate) fn add_transposed_product<S: Simd>(
    simd: S,
    left: Factor<'_>,
    right: Factor<'_>,
    out: &mut [f64],
) {
    simd.vectorize(
        #[inline(always)]
        || add(simd, |first| columns(left, first), right, out, |_| 0),
    );
}

/// Adds leftᵀ · right, which is symmetric, to `out`: the upper triangle, and of the lower only what
/// comes with it.
pub(crate) fn add_symmetric_product<S: Simd>(
    simd: S,
    left: Factor<'_>,
    right: Factor<'_>,
    out: &mut [f64],
) {
    simd.vectorize(
        #[inline(always)]
        || add(simd, |first| columns(left, first), right, out, |first| first),
    );
}

/// Four columns of a factor, row after row.
#[inline(always)]
fn columns((left, stride): Factor<'_>, first: usize) -> impl Iterator<Item = [f64; LANES]> + Clone {
    left.as_chunks().0[first / LANES..].iter().step_by(stride / LANES).copied()
}

/// Adds to each four rows of `out`, from the column `start` on, the sum of the outer products of
/// columns of four numbers and the rows of `right`.
#[inline(always)]
fn add<S: Simd, C: Iterator<Item = [f64; LANES]> + Clone>(
    simd: S,
    columns: impl Fn(usize) -> C,
    (right, stride): Factor<'_>,
    out: &mut [f64],
    start: impl Fn(usize) -> usize,
) {
    if stride > NEAR {
        add_far(simd, columns, (right, stride), out, start);
        return;
    }
    for (number, out) in out.chunks_exact_mut(LANES * stride).enumerate() {
        let first = LANES * number;
        strip(simd, columns(first), (right, stride), (out, stride), start(first));
    }
}

/// The same for long rows, each of which takes pages of memory of its own: the columns are brought
/// together once, and of the rows as much at a time as stays in the nearest cache.
#[inline(always)]
fn add_far<S: Simd, C: Iterator<Item = [f64; LANES]> + Clone>(
    simd: S,
    columns: impl Fn(usize) -> C,
    (right, stride): Factor<'_>,
    out: &mut [f64],
    start: impl Fn(usize) -> usize,
) {
    let inner = right.len() / stride;
    let strips = out.len() / (LANES * stride);
    let mut near_columns = Vec::with_capacity(strips * inner);
    for strip in 0..strips {
        near_columns.extend(columns(LANES * strip).take(inner));
    }
    let mut near = [0.0; DEPTH * WIDTH];
    for (slab, right) in right.chunks(DEPTH * stride).enumerate() {
        let depth = right.len() / stride;
        for left in (0..stride).step_by(WIDTH) {
            let width = WIDTH.min(stride - left);
            for (near, right) in near.chunks_exact_mut(width).zip(right.chunks_exact(stride)) {
                near.copy_from_slice(&right[left..left + width]);
            }
            let near = (&near[..depth * width], width);
            let out = out.chunks_exact_mut(LANES * stride);
            for ((number, out), columns) in out.enumerate().zip(near_columns.chunks_exact(inner)) {
                let columns = columns[slab * DEPTH..].iter().copied();
                let from = start(LANES * number).saturating_sub(left);
                strip(simd, columns, near, (&mut out[left..], stride), from);
            }
        }
    }
}

/// Four rows of `out`.
#[inline(always)]
fn strip<S: Simd>(
    simd: S,
    columns: impl Iterator<Item = [f64; LANES]> + Clone,
    right: Factor<'_>,
    (out, stride): (&mut [f64], usize),
    mut from: usize,
) {
    // A machine with vectors of eight has registers for twice as many sums.
    let is_wide = S::f64s::LEN == WIDE;
    while from < right.1 {
        let (columns, left) = (columns.clone(), (right.1 - from) / LANES);
        // As many sums as fit the registers of a machine that has sixteen.
        from += match left {
            4.. if is_wide => {
                tile::<S, f64x8<S>, 4, 2>(simd, columns, right, (out, stride), (0, from))
            }
            2.. if is_wide => {
                tile::<S, f64x8<S>, 4, 1>(simd, columns, right, (out, stride), (0, from))
            }
            1 => tile::<S, f64x4<S>, 4, 1>(simd, columns, right, (out, stride), (0, from)),
            3 => {
                let upper = columns.clone();
                tile::<S, f64x4<S>, 2, 3>(simd, upper, right, (out, stride), (0, from));
                tile::<S, f64x4<S>, 2, 3>(simd, columns, right, (out, stride), (2, from))
            }
            _ => tile::<S, f64x4<S>, 4, 2>(simd, columns, right, (out, stride), (0, from)),
        };
    }
}

/// Some rows by some vectors of `out`, which begin at a row and a column; returns how many columns.
#[inline(always)]
fn tile<S: Simd, V: SimdFloat<S, Element = f64>, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    columns: impl Iterator<Item = [f64; LANES]>,
    (right, right_stride): Factor<'_>,
    (out, stride): (&mut [f64], usize),
    (first, from): (usize, usize),
) -> usize {
    let lanes = V::LEN;
    let mut sums = [[V::splat(simd, 0.0); VECTORS]; ROWS];
    for (column, right) in columns.zip(right.chunks_exact(right_stride)) {
        let right = &right[from..from + lanes * VECTORS];
        for vector in 0..VECTORS {
            let right = V::from_slice(simd, &right[lanes * vector..lanes * (vector + 1)]);
            for row in 0..ROWS {
                sums[row][vector] += right * column[first + row];
            }
        }
    }
    for row in 0..ROWS {
        let out = &mut out[(first + row) * stride + from..][..lanes * VECTORS];
        for vector in 0..VECTORS {
            let out = &mut out[lanes * vector..lanes * (vector + 1)];
            (V::from_slice(simd, out) + sums[row][vector]).store_slice(out);
        }
    }
    lanes * VECTORS
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    /// Sizes below and above a vector, a tile and what is near.
    const SIZES: [(usize, usize, usize); 5] =
        [(4, 1, 4), (8, 11, 12), (12, 70, 28), (16, 130, 260), (64, 65, 4)];

    fn matrix(rows: usize, columns: usize, seed: f64) -> Vec<f64> {
        (0..rows * columns).map(|i| (seed + i as f64).sin()).collect()
    }

    /// The sum over l of left(i, l) right(l, j), added to 1.
    fn check(
        out: &[f64],
        stride: usize,
        inner: usize,
        left: impl Fn(usize, usize) -> f64,
        right: &[f64],
    ) {
        for (at, found) in out.iter().enumerate() {
            let (i, j) = (at / stride, at % stride);
            let expected: f64 =
                1.0 + (0..inner).map(|l| left(i, l) * right[l * stride + j]).sum::<f64>();
            // A hundred products of numbers up to 1, in another order.
            assert!((found - expected).abs() < 1e-13, "{i} {j}: {found} {expected}");
        }
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, inner, stride) in SIZES {
            let right = matrix(inner, stride, 0.5);
            let spare = inner + 3;
            let left = matrix(rows, spare, 0.1);
            let mut out = vec![1.0; rows * stride];
            dispatch!(Level::new(), simd => add_product(simd, (&left, spare), (&right, stride), &mut out));
            check(&out, stride, inner, |i, l| left[i * spare + l], &right);

            let left = matrix(inner, rows, 0.1);
            let mut out = vec![1.0; rows * stride];
            dispatch!(
                Level::new(),
                simd => add_transposed_product(simd, (&left, rows), (&right, stride), &mut out)
            );
            check(&out, stride, inner, |i, l| left[l * rows + i], &right);
        }
    }

    #[test]
    fn a_symmetric_product_is_right_from_the_diagonal_on() {
        for (_, inner, stride) in SIZES {
            let right = matrix(inner, stride, 0.5);
            let mut out = vec![1.0; stride * stride];
            let factor = (right.as_slice(), stride);
            dispatch!(Level::new(), simd => add_symmetric_product(simd, factor, factor, &mut out));
            // The lower triangle may be anything.
            for i in 0..stride {
                for j in 0..i {
                    out[i * stride + j] = out[j * stride + i];
                }
            }
            check(&out, stride, inner, |i, l| right[l * stride + i], &right);
        }
    }
}

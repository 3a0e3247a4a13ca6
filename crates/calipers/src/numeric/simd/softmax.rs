use fearless_simd::{Simd, f64x4, f64x8, prelude::*};

use super::{LANES, WIDE, exp};

/// Turns rows of scores, a multiple of four, of a length of whole vectors and filled up by −∞, into
/// unnormalised probabilities exp(score − largest); writes each row's largest score and sum.
///
/// One pass for each step: within a row they wait for each other, between rows they do not.
pub(crate) fn softmax_rows<S: Simd>(
    simd: S,
    scores: &mut [f64],
    stride: usize,
    largest: &mut [f64],
    sums: &mut [f64],
) {
    simd.vectorize(
        #[inline(always)]
        || softmax(simd, scores, stride, largest, sums),
    );
}

#[inline(always)]
fn softmax<S: Simd>(
    simd: S,
    scores: &mut [f64],
    stride: usize,
    largest: &mut [f64],
    sums: &mut [f64],
) {
    for (row, largest) in scores.chunks_exact_mut(stride).zip(largest) {
        let vectors = row.as_chunks_mut::<LANES>().0;
        let mut most = f64x4::splat(simd, f64::NEG_INFINITY);
        for scores in vectors.iter() {
            most = most.max(f64x4::load_array_ref(simd, scores));
        }
        *largest = most.reduce_max();
        for scores in vectors {
            (f64x4::load_array_ref(simd, scores) - *largest).store_array(scores);
        }
    }
    for scores in scores.as_chunks_mut::<WIDE>().0 {
        exp(simd, f64x8::load_array_ref(simd, scores)).store_array(scores);
    }
    for (row, sum) in scores.chunks_exact(stride).zip(sums) {
        let mut total = f64x4::splat(simd, 0.0);
        for masses in row.as_chunks::<LANES>().0 {
            total += f64x4::load_array_ref(simd, masses);
        }
        *sum = total.reduce_sum();
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    #[test]
    fn it_agrees_with_the_softmax_of_one_row() {
        let (classes, stride) = (6, 8);
        let mut scores = vec![f64::NEG_INFINITY; 4 * stride];
        for (row, scores) in scores.chunks_exact_mut(stride).enumerate() {
            for (class, score) in scores[..classes].iter_mut().enumerate() {
                *score = 300.0 * (row as f64) * (class as f64 - 2.5 * row as f64).sin();
            }
        }
        let before = scores.clone();
        let (mut largest, mut sums) = ([0.0; 4], [0.0; 4]);
        dispatch!(
            Level::new(),
            simd => softmax_rows(simd, &mut scores, stride, &mut largest, &mut sums)
        );
        for row in 0..4 {
            let mut expected = before[row * stride..row * stride + classes].to_vec();
            let log_sum = crate::numeric::simplex::softmax(&mut expected);
            assert!((largest[row] + sums[row].ln() - log_sum).abs() < 1e-12, "{row}");
            let found = &scores[row * stride..(row + 1) * stride];
            for class in 0..classes {
                let gap = (found[class] / sums[row] - expected[class]).abs();
                // Two roundings of the exponential, one of the division.
                assert!(gap <= 1e-15 * expected[class] + 1e-300, "{row} {class}: {gap}");
            }
            assert!(found[classes..].iter().all(|filler| filler.abs() <= 0.0), "{row}");
        }
    }
}

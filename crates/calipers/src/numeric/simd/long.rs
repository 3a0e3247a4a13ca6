use fearless_simd::{Level, Simd, dispatch};

/// Rows of fewer numbers are added up one by one.
const LONG: usize = 32;

/// How many sums are taken side by side.
const SUMS: usize = 8;

/// Runs a plain loop over so many numbers with the instructions that the machine has, if they are many. Its
/// results are the same with any: nothing in it is put in another order, nor are products and sums fused.
///
/// The loop is to be marked `#[inline(always)]`: one that is called is compiled for the least machine.
#[inline(always)]
pub(crate) fn widely<T>(numbers: usize, work: impl FnOnce() -> T) -> T {
    if numbers < LONG {
        return work();
    }
    dispatch!(Level::new(), simd => simd.vectorize(work))
}

/// Σ of what a term makes of each pair of numbers: of long rows in eight sums, because in one each term
/// would wait for the one before.
#[inline(always)]
pub(crate) fn sum_of<T: Copy>(a: &[T], b: &[T], term: impl Fn(T, T) -> f64) -> f64 {
    if a.len() < LONG {
        return a.iter().zip(b).map(|(a, b)| term(*a, *b)).sum();
    }
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<SUMS>(), b.as_chunks::<SUMS>());
    let mut sums = [0.0; SUMS];
    for (a, b) in a.iter().zip(b) {
        for at in 0..SUMS {
            sums[at] += term(a[at], b[at]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| term(*a, *b)).sum();
    sums.iter().sum::<f64>() + rest
}

/// The largest of what a term makes of each pair of numbers, and of a first one; nothing that is no number.
#[inline(always)]
pub(crate) fn largest_of(a: &[f64], b: &[f64], first: f64, term: impl Fn(f64, f64) -> f64) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<SUMS>(), b.as_chunks::<SUMS>());
    let mut most = [first; SUMS];
    for (a, b) in a.iter().zip(b) {
        for at in 0..SUMS {
            most[at] = larger(most[at], term(a[at], b[at]));
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| term(*a, *b));
    rest.chain(most).fold(first, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_rows_add_up() {
        for length in [0, 1, 31, 32, 33, 40, 1000] {
            let a: Vec<f64> = (0..length).map(f64::from).collect();
            let found = widely(
                a.len(),
                #[inline(always)]
                || sum_of(&a, &a, |a, b| a * b),
            );
            let n = f64::from(length);
            let expected = n * (n - 1.0) * (2.0 * n - 1.0) / 6.0;
            // Whole numbers are exact in any order.
            assert!((found - expected).abs() <= 0.0, "{length}: {found} {expected}");
        }
    }

    #[test]
    fn the_largest_is_found_at_any_place_and_is_a_number() {
        for length in [0, 1, 7, 8, 33] {
            for place in 0..length {
                let mut a = vec![-1.0; length];
                a[place] = 3.0;
                a[(place + 1) % length] = if length > 1 { f64::NAN } else { 3.0 };
                let found = largest_of(&a, &a, 0.0, |a, b| a.max(b));
                assert!((found - 3.0).abs() <= 0.0, "{length} {place}: {found}");
            }
            let none = vec![-1.0; length];
            assert!(largest_of(&none, &none, 0.0, |a, _| a).abs() <= 0.0);
        }
    }
}

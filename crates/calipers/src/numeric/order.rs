//! The order of rows by one probability.

use rayon::prelude::*;

use crate::run::stop;

/// A bucket of keys holds about this many: few enough to sort in a near cache, and in a moment if
/// somebody says stop.
const BUCKET: usize = 1 << 13;

/// The most buckets are 2 to this: more could not all be written to at once from a near cache.
const MOST_BITS: u32 = 12;

/// Row numbers in ascending order of their probabilities, equal ones in theirs; none when stopped.
pub(crate) fn ascending(rows: usize, probability: impl Fn(usize) -> f64) -> Vec<u32> {
    // A probability as a fraction of 2³² fits one word together with its row's number, and one
    // word sorts twice as fast as a pair. The few that agree in it are sorted once more.
    let fraction = |row: usize| (probability(row) * f64::from(u32::MAX)) as u64;
    let keys = sorted_keys(rows, |row| fraction(row) << 32 | row as u64);
    if stop::requested() {
        return Vec::new();
    }
    // Floats that are not negative sort as their bits do; adding 0 turns -0 into 0.
    let bits = |row: u32| (probability(row as usize) + 0.0).to_bits();
    let mut order: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
    let mut start = 0;
    for run in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        let end = start + run.len();
        if run.len() > 1 {
            order[start..end].sort_unstable_by_key(|&row| (bits(row), row));
        }
        start = end;
    }
    order
}

/// Keys in ascending order: dealt into buckets by their first bits, and each bucket sorted.
fn sorted_keys(rows: usize, key: impl Fn(usize) -> u64) -> Vec<u64> {
    let bits = (rows / BUCKET).checked_ilog2().map_or(0, |log| (log + 1).min(MOST_BITS));
    let bucket = |key: u64| key.checked_shr(u64::BITS - bits).unwrap_or(0) as usize;
    let mut ends = vec![0; 1 << bits];
    for row in (0..rows).take_while(|&row| !stop::requested_at(row)) {
        ends[bucket(key(row))] += 1;
    }
    let mut total = 0;
    for end in &mut ends {
        total += std::mem::replace(end, total);
    }
    // Each is now where its bucket begins, and moves to where it ends as the bucket is filled.
    let mut keys = vec![0; total];
    for row in (0..total).take_while(|&row| !stop::requested_at(row)) {
        let key = key(row);
        let end = &mut ends[bucket(key)];
        keys[*end] = key;
        *end += 1;
    }
    let mut buckets = Vec::with_capacity(ends.len());
    let (mut rest, mut start) = (keys.as_mut_slice(), 0);
    for end in ends {
        let (bucket, others) = rest.split_at_mut(end - start);
        buckets.push(bucket);
        (rest, start) = (others, end);
    }
    buckets.into_par_iter().filter(|_| !stop::requested()).for_each(|keys| keys.sort_unstable());
    keys
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::numeric::random::derive_seed;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]
        /// However many rows there are, wherever most of them lie and however many are equal,
        /// against the standard library's stable sort.
        #[test]
        fn rows_are_in_order(
            rows in 0usize..100_000, power in 1i32..40, steps in 1u64..1_000_000, seed in any::<u64>(),
        ) {
            let probability = |row: usize| {
                let draw = derive_seed(seed, &[row as u64]) % (steps + 1);
                (draw as f64 / steps as f64).powi(power)
            };
            let mut expected: Vec<u32> = (0..rows as u32).collect();
            expected.sort_by(|&a, &b| {
                probability(a as usize).total_cmp(&probability(b as usize))
            });
            prop_assert!(ascending(rows, probability) == expected);
        }
    }
}

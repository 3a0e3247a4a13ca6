//! A random order of the rows that does not depend on the order in which they came.

use crate::data::Sample;
use crate::numeric::random::derive_seed;

/// The rows in a random order, the first `most` of them.
///
/// Each row is ranked by a hash of the seed, its prediction, its label and its weight, so the order
/// is the same however the rows were ordered before. Rows that are equal in all of these are told
/// apart by counting them: hashed alike, they would stand together and end up in one bag.
/// Cost: n·k, and two sorts of n numbers.
pub(super) fn shuffled(sample: &Sample, seed: u64, most: usize) -> Vec<u32> {
    let mut ranked: Vec<(u64, u32)> =
        (0..sample.rows()).map(|row| (hash(sample, row, seed), row as u32)).collect();
    ranked.sort_unstable();
    let mut start = 0;
    while start < ranked.len() {
        let shared = ranked[start].0;
        let run = ranked[start..].iter().take_while(|(key, _)| *key == shared).count();
        for (number, (key, _)) in ranked[start..start + run].iter_mut().enumerate() {
            *key = derive_seed(shared, &[number as u64]);
        }
        start += run;
    }
    ranked.sort_unstable();
    ranked.truncate(most);
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// FNV-1a over the words of a row, with its bits stirred at the end.
fn hash(sample: &Sample, row: usize, seed: u64) -> u64 {
    let add =
        |state: u64, word: u64| (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let probs = sample.row(row).iter().fold(seed, |state, p| add(state, (p + 0.0).to_bits()));
    let label = add(probs, u64::from(sample.labels()[row]));
    // In single precision: weights that all were multiplied by something differ in their last bits.
    let weight = f64::from(sample.weight(row) as f32);
    derive_seed(add(label, weight.to_bits()), &[0])
}

//! Seeds and the random streams that follow from them.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The random stream of a seed for one purpose; streams of different numbers are independent.
pub(crate) fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    generator
}

/// A seed of its own for each place in the computation (splitmix64 over the path to it).
pub(crate) fn derive_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(seed, |state, step| {
        let mut z = state.wrapping_add(step.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step from a seed is the stream of splitmix64 that starts there: the numbers are those that
    /// its authors' program prints.
    #[test]
    fn seeds_are_derived_by_splitmix64() {
        let stream = |seed| -> Vec<u64> { (0..5).map(|step| derive_seed(seed, &[step])).collect() };
        let from_zero = [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
            0xf88b_b8a8_724c_81ec,
            0x1b39_896a_51a8_749b,
        ];
        let from_1234567 = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(stream(0), from_zero);
        assert_eq!(stream(1_234_567), from_1234567);
        assert_eq!(derive_seed(0, &[2, 1]), derive_seed(from_zero[2], &[1]));
        assert_eq!(derive_seed(9, &[]), 9);
    }
}

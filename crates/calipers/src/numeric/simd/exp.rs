use std::f64::consts::LOG2_E;

use fearless_simd::{Select, Simd, f64x8, prelude::*};

use super::WIDE;

/// The least argument whose exponential is not taken as 0, and the largest that is told apart.
const RANGE: (f64, f64) = (-708.0, 709.0);

/// Adding this rounds to a whole number, which then stands in the last bits.
const ROUNDING: f64 = 1.5 * (1u64 << 52) as f64;

/// ln 2 in two parts, the first with so few digits that its multiples are exact.
const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// 1/n! for n = 2, …, 12.
const COEFFICIENTS: [f64; 11] = {
    let (mut coefficients, mut factorial, mut i) = ([0.0; 11], 1.0, 0);
    while i < 11 {
        factorial *= (i + 2) as f64;
        coefficients[i] = 1.0 / factorial;
        i += 1;
    }
    coefficients
};

/// eˣ, to a relative error of 1e-15; 0 for x < −708 and for NaN, and e⁷⁰⁹ for all x above 709.
///
/// x = m ln 2 + r with |r| ≤ ln 2 / 2, and eˣ = 2ᵐ eʳ, where Taylor's polynomial of degree 12 leaves
/// out less than 2.5e-16 of eʳ.
#[inline(always)]
pub(crate) fn exp<S: Simd>(simd: S, x: f64x8<S>) -> f64x8<S> {
    let inside = x.max(RANGE.0).min(RANGE.1);
    let shifted = inside * LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let r = (inside - whole * LN_2.0) - whole * LN_2.1;
    // Estrin's scheme: short chains of operations that wait for each other.
    let [c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12] = COEFFICIENTS;
    let (r2, at) = (r * r, |low: f64, high: f64| r * high + low);
    let r4 = r2 * r2;
    let low = at(c2, c3) + r2 * at(c4, c5);
    let middle = at(c6, c7) + r2 * at(c8, c9);
    let high = at(c10, c11) + r2 * c12;
    let tail = low + r4 * (middle + r4 * high);
    let power = (r + r2 * tail) + 1.0;
    let scaled = f64x8::from_bits(power.to_bits() + (shifted.to_bits() << 52));
    x.simd_ge(RANGE.0).select(scaled, f64x8::splat(simd, 0.0))
}

/// Replaces each number by its exponential.
#[inline(always)]
pub(crate) fn exp_in_place<S: Simd>(simd: S, values: &mut [f64]) {
    let (vectors, rest) = values.as_chunks_mut::<WIDE>();
    for values in vectors {
        exp(simd, f64x8::load_array_ref(simd, values)).store_array(values);
    }
    if !rest.is_empty() {
        let mut last = [0.0; WIDE];
        last[..rest.len()].copy_from_slice(rest);
        let powers = exp(simd, f64x8::load_array(simd, last)).to_array();
        rest.copy_from_slice(&powers[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    use super::*;

    fn each(x: [f64; WIDE]) -> [f64; WIDE] {
        dispatch!(Level::new(), simd => exp(simd, f64x8::load_array(simd, x)).to_array())
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_standard_library(x in -708.0f64..708.0, small in -1.0f64..1.0) {
            let arguments = [x, small, 0.01 * x, 1e-9 * small, -x, -small, 0.1 * x, 0.1 * small];
            for (x, found) in arguments.into_iter().zip(each(arguments)) {
                // Two units in the last place: one for the remainder, one for rounding.
                prop_assert!((found / x.exp() - 1.0).abs() <= 5e-16, "{x}: {found}");
            }
        }
    }

    #[test]
    fn it_is_total() {
        let huge = 709f64.exp();
        let cases = [
            (0.0, 1.0),
            (-0.0, 1.0),
            (f64::NEG_INFINITY, 0.0),
            (f64::MIN, 0.0),
            (-708.5, 0.0),
            (-708.0, (-708f64).exp()),
            (f64::MIN_POSITIVE, 1.0),
            (709.0, huge),
            (1e300, huge),
            (f64::INFINITY, huge),
            (f64::NAN, 0.0),
        ];
        for (x, expected) in cases {
            let found = each([x; WIDE]);
            assert!((found[0] - expected).abs() <= 1e-15 * expected, "{x}: {found:?}");
        }
    }
}

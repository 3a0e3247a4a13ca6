use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};

use super::WIDE;

/// The bits of the number just below √½ from which mantissas are counted, so that they lie in
/// [√½, √2).
const LOWEST_MANTISSA: u64 = 0x3fe6_a09e_0000_0000;

/// The bits of 1.
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// 2⁵², in whose last bits a whole number can be put.
const TWO_52: f64 = (1u64 << 52) as f64;

/// The exponent's offset.
const BIAS: f64 = 1023.0;

/// ln 2 in two parts, the first with so few digits that its multiples are exact.
const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// The coefficients of s², s⁴, … in ln((1 + s)/(1 − s)) / s − 2.
const COEFFICIENTS: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];

/// ln x to a unit in the last place, for positive x that is not subnormal.
///
/// x = 2ᵐ (1 + f) with 1 + f between √½ and √2, and ln(1 + f) by a polynomial in s = f/(2 + f).
///
/// ## Reference
/// The logarithm of Sun's FDLIBM, e_log.c.
#[inline(always)]
pub(crate) fn ln<S: Simd>(x: f64x8<S>) -> f64x8<S> {
    let shifted = x.to_bits() + (ONE - LOWEST_MANTISSA);
    let exponent = f64x8::from_bits((shifted >> 52) | TWO_52.to_bits()) - (TWO_52 + BIAS);
    let mantissa = (shifted & 0x000f_ffff_ffff_ffff) + LOWEST_MANTISSA;
    let f = f64x8::from_bits(mantissa) - 1.0;
    let s = f / (f + 2.0);
    let half_square = f * f * 0.5;
    let (z, [c1, c2, c3, c4, c5, c6, c7]) = (s * s, COEFFICIENTS);
    let w = z * z;
    let odd = z * (w * (w * (w * c7 + c5) + c3) + c1);
    let even = w * (w * (w * c6 + c4) + c2);
    let small = s * (half_square + (odd + even)) + exponent * LN_2.1;
    exponent * LN_2.0 - ((half_square - small) - f)
}

/// Replaces each number by its logarithm; all are positive and not subnormal.
#[inline(always)]
pub(crate) fn ln_in_place<S: Simd>(simd: S, values: &mut [f64]) {
    let (vectors, rest) = values.as_chunks_mut::<WIDE>();
    for values in vectors {
        ln(f64x8::load_array_ref(simd, values)).store_array(values);
    }
    if !rest.is_empty() {
        let mut last = [1.0; WIDE];
        last[..rest.len()].copy_from_slice(rest);
        let logs = ln(f64x8::load_array(simd, last)).to_array();
        rest.copy_from_slice(&logs[..rest.len()]);
    }
}

/// ln p of each probability, none taken for less than the floor.
pub(crate) fn floored_logs(probabilities: impl Iterator<Item = f64>, floor: f64) -> Vec<f64> {
    let mut logs: Vec<f64> = probabilities.map(|p| p.max(floor)).collect();
    dispatch!(Level::new(), simd => ln_in_place(simd, &mut logs));
    logs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_agrees_with_the_standard_library(exponent in -700.0f64..700.0, near in -0.5f64..1.0) {
            let mut values = [exponent.exp(), 1.0 + near, 1.0 + 1e-9 * near, f64::MIN_POSITIVE, 2.0];
            let expected = values.map(f64::ln);
            dispatch!(Level::new(), simd => ln_in_place(simd, &mut values));
            for (found, expected) in values.into_iter().zip(expected) {
                // Both are right to a unit in the last place.
                prop_assert!((found - expected).abs() <= 5e-16 * expected.abs(), "{expected} {found}");
            }
        }
    }

    #[test]
    fn the_logarithm_of_one_is_zero() {
        let mut values = [1.0, f64::MAX];
        dispatch!(Level::new(), simd => ln_in_place(simd, &mut values));
        assert!(values[0].abs() <= 0.0 && (values[1] / f64::MAX.ln() - 1.0).abs() < 1e-15);
        let logs = floored_logs([0.0, 1.0].into_iter(), 1e-6);
        assert!((logs[0] - 1e-6f64.ln()).abs() < 1e-14 && logs[1].abs() <= 0.0);
    }
}

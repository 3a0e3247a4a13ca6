//! Four or eight numbers at a time: exponentials, logarithms, softmax and matrix products.
//!
//! Everything is generic over the instruction set, which `dispatch!` chooses at run time, and of a
//! fixed width: every machine then adds in the same order. No multiplication is fused with an
//! addition, because not every machine can. So the results are the same to the last bit everywhere.

mod exp;
mod ln;
mod long;
mod product;
mod softmax;

pub(crate) use exp::{exp, exp_in_place};
pub(crate) use ln::{floored_logs, ln, ln_in_place};
pub(crate) use long::{largest_of, sum_of, widely};
pub(crate) use product::{add_product, add_symmetric_product, add_transposed_product};
pub(crate) use softmax::softmax_rows;

/// The width of the vectors that rows of tables are made of.
pub(crate) const LANES: usize = 4;

/// The width of the vectors whose exponentials and logarithms are taken. These are long chains of
/// operations that wait for each other; on most machines this is two chains side by side.
pub(crate) const WIDE: usize = 8;

/// The length of a row that is filled up to whole vectors.
pub(crate) fn padded(length: usize) -> usize {
    length.next_multiple_of(LANES)
}

//! Plans and tallies: what is read from bytes is put together without a panic, and written to the same.

use calipers::{Identities, Plan, Probabilities, Rows, Tally};

/// Reads a plan, whose length comes first, and a tally; finishes it, and one of rows of its own.
pub fn run(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk::<4>() else { return };
    let length = (u32::from_le_bytes(*length) as usize).min(rest.len());
    let (plan, tally) = rest.split_at(length);
    let Ok(plan) = Plan::from_bytes(plan) else { return };
    let again = plan.to_bytes().and_then(|bytes| Plan::from_bytes(&bytes));
    assert!(again.is_ok(), "a plan that was read cannot be written");
    if let Ok(tally) = Tally::from_bytes(tally) {
        let again = tally.to_bytes().and_then(|bytes| Tally::from_bytes(&bytes));
        assert!(again.is_ok_and(|again| again.rows() == tally.rows()));
        let _ = plan.finish(&tally);
        let mut twice = tally.clone();
        let _ = twice.merge(&tally);
    }
    let mut own = plan.tally();
    let Ok(f) = Probabilities::binary(vec![0.0, 0.25, 0.5, 1.0]) else { return };
    let who = Identities::Numbered { part: 0, first: 0 };
    if let Ok(rows) = Rows::new(&f, &[0, 1, 0, 1], who) {
        let _ = own.add(&plan, &rows);
    }
    let _ = plan.finish(&own);
}

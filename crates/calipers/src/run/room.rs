//! Memory that is used again: the system takes longer to hand out new pages than it takes to fill old ones.
//!
//! Long vectors are [taken](stale) from here and [given back](give_back) when they are no longer needed. What
//! nobody took again is [left](leave) at the end of the work.

use std::sync::Mutex;

/// Shorter vectors, of less than a megabyte, are not worth it.
const LEAST: usize = 1 << 17;

/// So many vectors wait at the most.
const MOST: usize = 8;

/// Those that wait. Who cannot look at once does without: a process that was forked while somebody looked
/// never could.
static WAITING: Mutex<Vec<Vec<f64>>> = Mutex::new(Vec::new());

/// So many numbers, to be written over: they are whatever somebody else has left.
pub(crate) fn stale(length: usize) -> Vec<f64> {
    let mut numbers = take(length);
    numbers.resize(length, 0.0);
    numbers
}

/// An empty vector with room for so many numbers.
pub(crate) fn empty(length: usize) -> Vec<f64> {
    let mut numbers = take(length);
    numbers.clear();
    numbers
}

/// The smallest that is large enough, and not twice as large.
fn take(length: usize) -> Vec<f64> {
    let found = || {
        let mut waiting = WAITING.try_lock().ok()?;
        let fits = |numbers: &Vec<f64>| (length..=2 * length).contains(&numbers.capacity());
        let each = waiting.iter().enumerate().filter(|(_, numbers)| fits(numbers));
        let (place, _) = each.min_by_key(|(_, numbers)| numbers.capacity())?;
        Some(waiting.swap_remove(place))
    };
    if length < LEAST {
        return Vec::with_capacity(length);
    }
    // What holds four fifths of all rows, as in five folds, is to have room for all of them: it costs nothing
    // until it is written to.
    found().unwrap_or_else(|| Vec::with_capacity(length + length.div_ceil(4)))
}

/// Lets somebody else have the memory.
pub(crate) fn give_back(numbers: Vec<f64>) {
    if numbers.capacity() >= LEAST
        && let Ok(mut waiting) = WAITING.try_lock()
        && waiting.len() < MOST
    {
        waiting.push(numbers);
    }
}

/// Gives what waits back to the system.
pub(crate) fn leave() {
    let waiting = WAITING.try_lock().map(|mut waiting| std::mem::take(&mut *waiting));
    drop(waiting);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths that no other test asks for.
    #[test]
    fn memory_comes_back_to_who_needs_as_much() {
        let length = 7 * LEAST + 12_345;
        give_back(vec![1.0; length]);
        let again = empty(length - 9);
        assert!(again.is_empty() && again.capacity() >= length - 9);
        assert_eq!(stale(length).len(), length);
        assert_eq!(stale(3), [0.0; 3]);
        leave();
    }
}

//! Memory that is used again: the system takes longer to hand out new pages than it takes to fill old ones.
//!
//! Long vectors are [taken](stale) from here and [given back](give_back) when they are no longer needed. What
//! nobody took again is [left](leave) at the end of the work.

use std::sync::Mutex;

use super::pool::Pool;

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

/// Lets somebody else have the memory. Only of a pool's threads: nobody else's work has an end that is known
/// here, and what waits for it would wait forever.
pub(crate) fn give_back(numbers: Vec<f64>) {
    if numbers.capacity() >= LEAST
        && Pool::of_this_thread(|_| ()).is_some()
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
    use crate::run::{Stop, with_pool};

    /// A length that no other test asks for: another may take what waits away, but never puts it there.
    const LENGTH: usize = 7 * LEAST + 12_345;

    fn is_waiting() -> bool {
        WAITING.lock().unwrap().iter().any(|numbers| numbers.capacity() == LENGTH)
    }

    #[test]
    fn memory_is_as_long_as_was_asked_for_whatever_it_was_before() {
        let found = with_pool(1, &Stop::new(), || {
            give_back(vec![1.0; LENGTH]);
            Ok((empty(LENGTH - 9).len(), stale(LENGTH).len(), stale(3)))
        });
        assert_eq!(found.unwrap(), (0, LENGTH, vec![0.0; 3]));
        assert!(!is_waiting(), "nothing waits when the work has ended");
    }

    #[test]
    fn nothing_waits_for_who_has_no_pool() {
        give_back(vec![1.0; LENGTH]);
        assert!(!is_waiting());
    }
}

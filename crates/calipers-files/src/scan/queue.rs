//! The parts of the files, shared out among threads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A part of a file, both by their numbers; what is read first is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    pub file: usize,
    pub part: usize,
}

/// What is still to be read, and the first fault, if there was one.
///
/// How many parts a file has is known once somebody has opened it. Whoever takes its first part does, and
/// says so; the others take what comes next meanwhile.
///
/// Of several faults that of the smallest unit is kept. No unit after it is begun, and all before it are
/// read, so that it is the same whatever the number of threads.
pub struct Queue<E> {
    state: Mutex<State<E>>,
    changed: Condvar,
    files: usize,
}

struct State<E> {
    /// The first file of which no part was taken.
    file: usize,
    /// Parts of earlier files that were not taken.
    parts: BTreeMap<usize, Range<usize>>,
    /// How many files are being opened.
    opening: usize,
    fault: Option<(Unit, E)>,
}

/// Says, when it is dropped, that a file was opened, or could not be.
pub struct Opening<'q, E> {
    queue: &'q Queue<E>,
    file: usize,
    /// How many parts it has.
    pub parts: usize,
}

impl<E> Queue<E> {
    /// All parts of so many files.
    pub fn new(files: usize) -> Self {
        let state = State { file: 0, parts: BTreeMap::new(), opening: 0, fault: None };
        Self { state: Mutex::new(state), changed: Condvar::new(), files }
    }

    /// The next unit, if there is one; for the first of a file, also what to say once it is open.
    pub fn next(&self) -> Option<(Unit, Option<Opening<'_, E>>)> {
        let mut state = self.state();
        loop {
            let fault = state.fault.as_ref().map(|(unit, _)| *unit);
            let is_wanted = |unit: Unit| fault.is_none_or(|fault| unit < fault);
            if let Some(mut earlier) = state.parts.first_entry() {
                let file = *earlier.key();
                match earlier.get_mut().next() {
                    Some(part) if is_wanted(Unit { file, part }) => {
                        return Some((Unit { file, part }, None));
                    }
                    _ => {
                        earlier.remove();
                        continue;
                    }
                }
            }
            let unit = Unit { file: state.file, part: 0 };
            if unit.file < self.files && is_wanted(unit) {
                state.file += 1;
                state.opening += 1;
                return Some((unit, Some(Opening { queue: self, file: unit.file, parts: 1 })));
            }
            if state.opening == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes a fault; the rest of its file and all after it are left.
    pub fn fault(&self, unit: Unit, error: E) {
        let mut state = self.state();
        if state.fault.as_ref().is_none_or(|(before, _)| unit < *before) {
            state.fault = Some((unit, error));
        }
    }

    /// Whether there was a fault before a unit, so that nobody needs it any more.
    pub fn is_beyond(&self, unit: Unit) -> bool {
        self.state().fault.as_ref().is_some_and(|(before, _)| *before < unit)
    }

    /// The first fault, if there was one.
    pub fn finish(self) -> Result<(), E> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.fault.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn state(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E> Drop for Opening<'_, E> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.opening -= 1;
        if self.parts > 1 {
            state.parts.insert(self.file, 1..self.parts);
        }
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(file: usize, part: usize) -> Unit {
        Unit { file, part }
    }

    #[test]
    fn parts_come_as_they_are_known_and_earlier_ones_first() {
        let queue = Queue::<()>::new(2);
        let (first, opening) = queue.next().unwrap();
        assert_eq!(first, unit(0, 0));
        let (second, other) = queue.next().unwrap();
        assert_eq!(second, unit(1, 0));
        opening.unwrap().parts = 3;
        drop(other);
        let rest: Vec<Unit> = std::iter::from_fn(|| queue.next().map(|(unit, _)| unit)).collect();
        assert_eq!(rest, [unit(0, 1), unit(0, 2)]);
    }

    #[test]
    fn what_comes_after_a_fault_is_left_and_what_comes_before_is_not() {
        let queue = Queue::new(4);
        let (_, opening) = queue.next().unwrap();
        let (second, other) = queue.next().unwrap();
        drop(other);
        queue.fault(second, "second");
        let mut opening = opening.unwrap();
        opening.parts = 2;
        drop(opening);
        let (earlier, _) = queue.next().unwrap();
        assert_eq!(earlier, unit(0, 1));
        assert!(queue.next().is_none());
        assert!(!queue.is_beyond(earlier) && queue.is_beyond(unit(2, 0)));
        queue.fault(earlier, "first");
        queue.fault(second, "again");
        assert_eq!(queue.finish(), Err("first"));
    }

    #[test]
    fn who_finds_nothing_waits_until_all_files_are_open() {
        let queue = Queue::<()>::new(1);
        let (_, opening) = queue.next().unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| queue.next().map(|(unit, _)| unit));
            let mut opening = opening.unwrap();
            opening.parts = 2;
            drop(opening);
            assert_eq!(waits.join().unwrap(), Some(unit(0, 1)));
        });
    }
}

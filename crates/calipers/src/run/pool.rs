//! Threads that work under a handle, and then sleep until somebody else needs as many.

use std::cell::{Cell, OnceCell, RefCell};
use std::error::Error as _;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{process, thread};

use rayon::ThreadPool;

use super::handle::Stop;
use crate::error::{Error, Result};

/// So many pools sleep at the most: one more ends.
const MOST_ASLEEP: usize = 4;

/// How often, and how long apart, one thread is asked for where several were refused.
const PATIENCE: (usize, Duration) = (50, Duration::from_millis(2));

/// Those that sleep.
static ASLEEP: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// A pool of threads, for one work at a time.
pub(super) struct Pool {
    /// How many threads were asked for, and had.
    asked: usize,
    threads: ThreadPool,
    orders: Arc<Orders>,
    /// Whose threads they are: a process that was forked has none of its parent's.
    process: u32,
}

/// Under which handle a pool works.
struct Orders {
    handle: Mutex<Stop>,
    /// How often that has changed.
    turn: AtomicUsize,
}

/// What a thread of a pool knows.
struct Worker {
    orders: Arc<Orders>,
    /// The handle as it was at that turn; none while the thread works for nobody.
    handle: RefCell<Option<Stop>>,
    turn: Cell<usize>,
}

thread_local! {
    /// A thread outside a pool of ours has none.
    static WORKER: OnceCell<Worker> = const { OnceCell::new() };
}

impl Pool {
    /// So many threads (0: as many as there are cores) to work under a handle; one where the system does not
    /// give as many, since the number changes nothing but how long the work takes. None where it knows no
    /// threads, as in a browser: there the one that calls works [`alone`].
    pub fn take(threads: usize, stop: &Stop) -> Result<Option<Self>> {
        if let Some(pool) = Self::awake(threads) {
            *pool.orders.handle.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
            pool.orders.turn.fetch_add(1, Ordering::Release);
            return Ok(Some(pool));
        }
        let mut refusal = match Self::start(threads, stop) {
            Ok(pool) => return Ok(Some(pool)),
            Err(error) if knows_no_threads(&error) => return Ok(None),
            Err(error) => error,
        };
        for _ in 0..PATIENCE.0 {
            // Those that were started in vain count until they have ended, which takes them a moment; and
            // those that sleep count as well.
            drop(Self::all_asleep());
            thread::sleep(PATIENCE.1);
            match Self::start(1, stop) {
                Ok(pool) => return Ok(Some(pool)),
                Err(error) => refusal = error,
            }
        }
        Err(refused(refusal))
    }

    /// The threads.
    pub fn threads(&self) -> &ThreadPool {
        &self.threads
    }

    /// Lets the threads sleep, once their work is done. Where it has panicked, they end.
    pub fn give_back(self) {
        if let Ok(mut asleep) = ASLEEP.try_lock() {
            asleep.push(self);
            if asleep.len() > MOST_ASLEEP {
                asleep.remove(0);
            }
        }
    }

    /// What somebody makes of the handle that this thread works under, if it is one of a pool.
    #[inline]
    pub fn of_this_thread<T>(make: impl FnOnce(&Stop) -> T) -> Option<T> {
        let of_worker = |worker: &Worker| {
            let turn = worker.orders.turn.load(Ordering::Acquire);
            if turn != worker.turn.get() {
                worker.turn.set(turn);
                let handle = worker.orders.handle.lock().unwrap_or_else(PoisonError::into_inner);
                worker.handle.replace(Some(handle.clone()));
            }
            worker.handle.borrow().as_ref().map(make)
        };
        WORKER.try_with(|worker| worker.get().and_then(of_worker)).ok().flatten()
    }

    /// The one that fell asleep last of those with as many threads.
    fn awake(threads: usize) -> Option<Self> {
        // Who cannot look at once starts threads: a process that was forked while somebody looked never could.
        let mut asleep = ASLEEP.try_lock().ok()?;
        // Where there are no threads none sleeps, and there are no processes to ask for their number.
        if asleep.is_empty() {
            return None;
        }
        let own = process::id();
        // The parent's threads are not here, and cannot be told to end.
        asleep.extract_if(.., |pool| pool.process != own).for_each(std::mem::forget);
        let place = asleep.iter().rposition(|pool| pool.asked == threads)?;
        Some(asleep.remove(place))
    }

    /// All of them, to be ended.
    fn all_asleep() -> Vec<Self> {
        let own = process::id();
        let mut asleep =
            ASLEEP.try_lock().map(|mut asleep| std::mem::take(&mut *asleep)).unwrap_or_default();
        asleep.extract_if(.., |pool| pool.process != own).for_each(std::mem::forget);
        asleep
    }

    fn start(
        threads: usize,
        stop: &Stop,
    ) -> std::result::Result<Self, rayon::ThreadPoolBuildError> {
        let handle = Mutex::new(stop.clone());
        let orders = Arc::new(Orders { handle, turn: AtomicUsize::new(0) });
        let (known, stop) = (Arc::clone(&orders), stop.clone());
        let worker = move || Worker {
            orders: Arc::clone(&known),
            handle: RefCell::new(Some(stop.clone())),
            turn: Cell::new(0),
        };
        let started = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .start_handler(move |_| WORKER.with(|place| drop(place.set(worker()))))
            .build()?;
        Ok(Self { asked: threads, threads: started, orders, process: process::id() })
    }
}

/// Does work under a handle on the thread that calls, as if it were the only one of a pool. What the work does
/// in parallel, rayon does on this thread too where there is no other.
pub(super) fn alone<R>(stop: &Stop, work: impl FnOnce() -> R) -> R {
    let nobody = || Worker {
        orders: Arc::new(Orders { handle: Mutex::default(), turn: AtomicUsize::new(0) }),
        handle: RefCell::new(None),
        turn: Cell::new(0),
    };
    let under = |handle: Option<Stop>| {
        WORKER.with(|worker| worker.get_or_init(nobody).handle.replace(handle))
    };
    let before = under(Some(stop.clone()));
    let done = work();
    under(before);
    done
}

/// Whether no thread can be started here, ever.
fn knows_no_threads(refusal: &rayon::ThreadPoolBuildError) -> bool {
    let cause = refusal.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::Unsupported)
}

/// The system gives no thread.
pub(super) fn refused(error: impl std::fmt::Display) -> Error {
    Error::Setting { name: "threads", reason: format!("none can be started: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same threads do the next work, under its own handle; a handle of the work before means nothing to
    /// them.
    #[test]
    fn threads_that_slept_work_under_the_next_handle() {
        // No other test asks for as many.
        let many = 17;
        let index = |pool: &Pool| pool.threads().install(|| thread::current().id());
        let (first, second) = (Stop::new(), Stop::new());
        let pool = Pool::take(many, &first).unwrap().unwrap();
        pool.threads()
            .broadcast(|_| assert_eq!(Pool::of_this_thread(Stop::is_stopped), Some(false)));
        first.stop();
        pool.threads()
            .broadcast(|_| assert_eq!(Pool::of_this_thread(Stop::is_stopped), Some(true)));
        let threads = pool.threads().broadcast(|_| thread::current().id());
        pool.give_back();
        let pool = Pool::take(many, &second).unwrap().unwrap();
        assert!(threads.contains(&index(&pool)));
        pool.threads()
            .broadcast(|_| assert_eq!(Pool::of_this_thread(Stop::is_stopped), Some(false)));
        // A second work at the same time has other threads.
        let other = Pool::take(many, &second).unwrap().unwrap();
        assert!(!threads.contains(&index(&other)));
        assert!(Pool::of_this_thread(Stop::is_stopped).is_none(), "this thread belongs to no pool");
    }

    #[test]
    fn who_works_alone_works_under_a_handle_until_the_work_is_done() {
        let (outer, inner) = (Stop::new(), Stop::new());
        let is = |handle: &Stop| Pool::of_this_thread(|own| own.is(handle));
        let found = alone(&outer, || {
            assert_eq!(is(&outer), Some(true));
            assert_eq!(alone(&inner, || (is(&outer), is(&inner))), (Some(false), Some(true)));
            is(&outer)
        });
        assert_eq!((found, is(&outer)), (Some(true), None));
    }
}

//! Being told to stop in the middle of a fit.
//!
//! The loops that learn and predict are deep inside, and infallible. They are not handed anything:
//! the threads of a pool know which [`Stop`] they work under, and a loop asks [`requested`] once a
//! round, a step or a block of rows. A loop that is told to stop leaves with whatever it has; what
//! comes of that is thrown away by [`check`] before anybody sees it.

use std::thread;

use super::handle::Stop;
use super::pool::{Pool, alone, refused};
use super::room;
use crate::error::{Error, Result};

/// Whether the work that this thread does is to stop. Costs as much as a few additions.
#[inline]
pub(crate) fn requested() -> bool {
    Pool::of_this_thread(Stop::is_stopped).unwrap_or(false)
}

/// Whether to stop, for loops over rows: asks at every 256th.
#[inline]
pub(crate) fn requested_at(row: usize) -> bool {
    row.is_multiple_of(256) && requested()
}

/// Fails if the work that this thread does is to stop: what loops have made until then is unusable.
pub(crate) fn check() -> Result<()> {
    if requested() { Err(Error::Stopped) } else { Ok(()) }
}

/// Does work on so many threads of its own (0: as many as there are cores), until it is stopped.
/// Where the system does not give so many, one does the work: what comes of it is the same.
///
/// For a single fit; [`Estimator::estimate`](crate::Estimator::estimate) does this by itself. The
/// threads are its own while it works. Afterwards they sleep, for the next work that asks for as many: to
/// start them takes longer than a small estimate. Where there are no threads at all, as in a browser, the
/// one that calls does the work.
///
/// # Errors
/// What the work returns; [`Error::Stopped`] if the handle was stopped before its end;
/// [`Error::Setting`] if the system gives not even one thread.
///
/// ```
/// use calipers::{Sample, Stop, recalibrator, simulate, with_pool};
///
/// let predictions = simulate("binary-overconfident", 500, 0)?;
/// let boost = recalibrator("boost")?;
/// let fitted = with_pool(2, &Stop::new(), || boost.fit(&Sample::from(&predictions), 0))?;
/// assert!(fitted.converged());
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn with_pool<R: Send>(
    threads: usize,
    stop: &Stop,
    work: impl FnOnce() -> Result<R> + Send,
) -> Result<R> {
    with_pool_while(threads, stop, work, || ())
}

/// As [`with_pool`], while the calling thread does something else.
///
/// `meanwhile` is called when the work has been handed to the pool, or is done where there are no threads; it may listen for a reason to
/// stop, for instance, and should end when the work does: dropping what the work has captured is a
/// sign that it ended, however it did.
///
/// # Errors
/// As [`with_pool`].
///
/// ```
/// use std::sync::mpsc;
/// use calipers::{Error, Stop, with_pool_while};
///
/// let (stop, (news, inbox)) = (Stop::new(), mpsc::channel());
/// let mut heard = Vec::new();
/// let work = || {
///     let news = news; // Hangs up at the end of the work.
///     (1..=3).try_for_each(|step| news.send(step)).map_err(|_| Error::Stopped)
/// };
/// with_pool_while(1, &stop, work, || heard.extend(inbox))?;
/// assert_eq!(heard, [1, 2, 3]);
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn with_pool_while<R: Send>(
    threads: usize,
    stop: &Stop,
    work: impl FnOnce() -> Result<R> + Send,
    meanwhile: impl FnOnce(),
) -> Result<R> {
    stop.check()?;
    let Some(pool) = Pool::take(threads, stop)? else {
        let result = alone(stop, work);
        meanwhile();
        room::leave();
        stop.check()?;
        return result;
    };
    let mut result = None;
    if rayon::current_thread_index().is_some() {
        // A thread of the caller's pool that waited in rayon would begin other work of the caller's
        // meanwhile, which might wait here again, one on top of the other until the stack is full. A
        // plain thread waits in its stead.
        thread::scope(|scope| {
            let waiting = thread::Builder::new();
            waiting
                .spawn_scoped(scope, || result = Some(pool.threads().install(work)))
                .map_err(refused)?;
            meanwhile();
            Ok(())
        })?;
    } else {
        pool.threads().in_place_scope(|scope| {
            scope.spawn(|_| result = Some(work()));
            meanwhile();
        });
    }
    room::leave();
    // Threads that were stopped end, so that nothing is left of their work.
    if !stop.is_stopped() {
        pool.give_back();
    }
    // There is a result: a scope that was left has waited for its work, or has panicked with it.
    let result = result.unwrap_or(Err(Error::Stopped))?;
    stop.check()?;
    Ok(result)
}

/// Does work on the threads of the pool that this thread belongs to, unless it is to be stopped by
/// another handle than that pool is; elsewhere in a pool of its own. So whoever is called from within
/// a pool works in it, and nobody needs a second way in.
pub(crate) fn pooled<R: Send>(
    threads: usize,
    stop: Option<&Stop>,
    work: impl FnOnce() -> Result<R> + Send,
) -> Result<R> {
    let is_own = |own: &Stop| stop.is_none_or(|stop| own.is(stop));
    if Pool::of_this_thread(is_own).unwrap_or(false) {
        let done = work()?;
        check()?;
        return Ok(done);
    }
    with_pool(threads, &stop.cloned().unwrap_or_default(), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_threads_of_its_own_pool_hear_of_a_stop() {
        let (stopped, going) = (Stop::new(), Stop::new());
        let heard = with_pool(2, &going, || {
            let inner = with_pool(2, &stopped, || {
                assert!(!requested());
                stopped.stop();
                assert!(requested() && check().is_err());
                Ok(())
            });
            Ok((inner.unwrap_err(), requested()))
        });
        assert_eq!(heard.unwrap(), (Error::Stopped, false));
        assert!(!requested(), "this thread belongs to no pool");
    }

    #[test]
    fn the_calling_thread_may_stop_what_it_waits_for() {
        let stop = Stop::new();
        let work = || {
            while !requested() {
                std::thread::yield_now();
            }
            Ok(())
        };
        let result = with_pool_while(1, &stop, work, || stop.stop());
        assert_eq!(result.unwrap_err(), Error::Stopped);
    }

    /// Each of the caller's threads waits for one estimate at a time, however many it is to make: their
    /// frames do not pile up. A megabyte of stack is used up by a few hundred of them.
    #[test]
    fn a_callers_own_pool_may_make_thousands_of_estimates() {
        use rayon::prelude::*;

        let predictions = crate::simulate("binary-over", 40, 0).unwrap();
        let own = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(1 << 20).build();
        let identity = crate::recalibrator("identity").unwrap();
        let estimator = crate::Estimator::new().recalibrator(identity).draws(0).threads(1);
        let found: usize = own.unwrap().install(|| {
            let each = (0..2_000).into_par_iter();
            each.map(|_| estimator.estimate(&predictions).unwrap().estimates.len()).sum()
        });
        assert_eq!(found, 2_000 * 3);
    }

    #[test]
    fn nothing_begins_under_a_handle_that_was_stopped() {
        let stop = Stop::new();
        stop.clone().stop();
        let result = with_pool(1, &stop, || -> Result<()> { panic!("it began") });
        assert_eq!(result.unwrap_err(), Error::Stopped);
    }
}

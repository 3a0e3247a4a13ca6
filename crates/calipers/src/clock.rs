//! Progress: how many fits are done, and whether to go on.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// Called after each fit with the number done and the number to do; `Break` stops the estimate.
pub type Watcher = dyn Fn(usize, usize) -> ControlFlow<()> + Send + Sync;

/// Counts fits, tells the watcher, and remembers that it wants to stop.
pub(crate) struct Clock<'a> {
    done: AtomicUsize,
    total: usize,
    stopped: AtomicBool,
    watcher: Option<&'a Watcher>,
}

impl<'a> Clock<'a> {
    /// Starts counting towards a total.
    pub fn new(total: usize, watcher: Option<&'a Watcher>) -> Self {
        Self { done: AtomicUsize::new(0), total, stopped: AtomicBool::new(false), watcher }
    }

    /// Fails if the watcher has said stop.
    pub fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Counts a fit.
    pub fn tick(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(watcher) = self.watcher
            && watcher(done, self.total).is_break()
        {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.check()
    }
}

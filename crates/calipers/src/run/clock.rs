//! Progress: how many fits are done, and whether to go on.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::handle::Stop;
use crate::error::Result;

/// Called after each fit with the number done and the number to do; `Break` stops the estimate, as
/// [`Stop::stop`] does, also in the middle of other fits.
pub type Watcher = dyn Fn(usize, usize) -> ControlFlow<()> + Send + Sync;

/// Counts fits, tells the watcher, and stops everything if it says so.
pub(crate) struct Clock<'a> {
    done: AtomicUsize,
    total: usize,
    watcher: Option<&'a Watcher>,
    stop: &'a Stop,
}

impl<'a> Clock<'a> {
    /// Starts counting towards a total.
    pub fn new(total: usize, watcher: Option<&'a Watcher>, stop: &'a Stop) -> Self {
        Self { done: AtomicUsize::new(0), total, watcher, stop }
    }

    /// How many fits there are to do.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Fails if the watcher, or anybody else, has said stop.
    pub fn check(&self) -> Result<()> {
        self.stop.check()
    }

    /// Counts a fit.
    pub fn tick(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(watcher) = self.watcher
            && watcher(done, self.total).is_break()
        {
            self.stop.stop();
        }
        self.check()
    }
}

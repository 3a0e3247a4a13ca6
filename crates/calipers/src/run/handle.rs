use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// A handle by which work can be told to stop, from any thread.
///
/// Clones are the same handle. What works under it ends, well within a second as a rule, with
/// [`Error::Stopped`]. A handle that has been stopped stays so: the next work needs another one.
///
/// ```
/// use calipers::{Error, Estimator, Stop, recalibrator, simulate};
///
/// let predictions = simulate("multiclass-overconfident-10", 20_000, 0)?;
/// let stop = Stop::new();
/// let hand = stop.clone();
/// std::thread::spawn(move || hand.stop());
/// let slow = Estimator::new().recalibrator(recalibrator("boost-cold")?).stop(stop);
/// assert_eq!(slow.estimate(&predictions).unwrap_err(), Error::Stopped);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A handle that nobody has stopped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells everything that works under this handle to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has said stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails if somebody has said stop.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Whether the two are the same handle.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

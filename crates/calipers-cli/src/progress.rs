//! A progress bar for estimates that take a while.

use std::io::{IsTerminal, stderr};
use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use calipers::Estimator;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::look::is_dumb;

/// A run that is over sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that goes away when this is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// Dropping it tells the thread that waits to show the bar not to.
    _alive: Option<Sender<()>>,
}

impl Progress {
    /// Watches an estimator. Only a terminal gets a bar, and only after [`PATIENCE`].
    pub fn watch(estimator: Estimator) -> (Estimator, Self) {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if !stderr().is_terminal() || is_dumb() {
            return (estimator, Self { bar, _alive: None });
        }
        if let Ok(style) =
            ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {pos} of {len} fits")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        let (alive, waiting) = mpsc::channel();
        let later = bar.clone();
        // Without a thread there is no bar: the estimate needs it more.
        let _ = thread::Builder::new().spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout)
                && !later.is_finished()
            {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(Duration::from_millis(100));
            }
        });
        let counter = bar.clone();
        let estimator = estimator.watch(move |done, total| {
            counter.set_length(total as u64);
            counter.set_position(done as u64);
            ControlFlow::Continue(())
        });
        (estimator, Self { bar, _alive: Some(alive) })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

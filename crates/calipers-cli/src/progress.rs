//! A line for what takes a while: what is being done, and how many fits are.

use std::io::{IsTerminal, stderr};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use calipers::Estimator;
use calipers::words::thousands;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::say;
use crate::output::look::is_dumb;

/// A run that is over sooner needs no line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Something that has no measure of how far it is.
const DOING: &str = "{elapsed:>4} {msg}";
const FITTING: &str = "{elapsed:>4} [{bar:30}] {pos} of {len} fits";

/// Something that has a size.
const READING: &str = "{elapsed:>4} {msg} [{bar:24}] {bytes} of {total_bytes}, {eta} left";

/// Something that comes through a pipe.
const HEARING: &str = "{elapsed:>4} {msg}, {bytes}";

/// A line that goes away when this is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// Dropping it tells the thread that waits to show the line not to; none if there is no line.
    alive: Option<Sender<()>>,
}

impl Progress {
    /// Begins with something. Only a terminal gets a line, and only after [`PATIENCE`].
    pub fn start(doing: impl Into<String>) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if !stderr().is_terminal() || is_dumb() {
            return Self { bar, alive: None };
        }
        show(&bar, doing.into());
        let (alive, waiting) = mpsc::channel();
        let later = bar.clone();
        // Without a thread there is no line: the estimate needs it more.
        let _ = thread::Builder::new().spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout)
                && !later.is_finished()
            {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Self { bar, alive: Some(alive) }
    }

    /// Watches an estimator: its fits, what comes before them, which is a test if there are drawings,
    /// and `then` whatever follows.
    pub fn watch(
        &self,
        estimator: Estimator,
        draws: Option<usize>,
        then: &'static str,
    ) -> Estimator {
        if self.alive.is_none() {
            return estimator;
        }
        let first = if draws == Some(0) { "fitting" } else { "drawing labels for the p-value" };
        show(&self.bar, first.to_owned());
        let bar = self.bar.clone();
        estimator.watch(move |done, total| {
            if done < total {
                set_style(&bar, FITTING);
                bar.set_length(total as u64);
                bar.set_position(done as u64);
            } else {
                show(&bar, then.to_owned());
            }
            ControlFlow::Continue(())
        })
    }

    /// Begins to read so many bytes, if that is known, to do something with them.
    pub fn reading(&self, doing: &'static str, bytes: Option<u64>) -> Reading {
        if self.alive.is_some() {
            set_style(&self.bar, if bytes.is_some() { READING } else { HEARING });
            self.bar.set_message(doing);
            self.bar.set_length(bytes.unwrap_or(0));
            self.bar.set_position(0);
            self.bar.reset_eta();
        }
        Reading { bar: self.bar.clone(), doing, rows: AtomicU64::new(0) }
    }

    /// Says something to standard error, above the line if there is one.
    pub fn say(&self, remark: &str) {
        self.bar.suspend(|| say(remark));
    }
}

/// A reading under way.
pub struct Reading {
    bar: ProgressBar,
    doing: &'static str,
    rows: AtomicU64,
}

impl Reading {
    /// Counts rows and bytes.
    pub fn seen(&self, rows: u64, bytes: u64) {
        if self.bar.is_hidden() {
            self.rows.fetch_add(rows, Ordering::Relaxed);
            return self.bar.inc(bytes);
        }
        let rows = rows + self.rows.fetch_add(rows, Ordering::Relaxed);
        self.bar.set_message(format!("{} {} rows", self.doing, thousands(rows)));
        self.bar.inc(bytes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn show(bar: &ProgressBar, doing: String) {
    set_style(bar, DOING);
    bar.set_message(doing);
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
}

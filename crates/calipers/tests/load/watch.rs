//! What a process holds, and how long it may take.

use std::fs;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Ends the process with a message, unless it is dropped in time.
pub struct Watchdog {
    _alive: Sender<()>,
}

impl Watchdog {
    /// Starts to wait.
    pub fn start(patience: Duration) -> Self {
        let (alive, dropped) = mpsc::channel();
        thread::spawn(move || {
            if dropped.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                eprintln!("nothing has ended within {patience:?}: this is a hang");
                process::exit(1);
            }
        });
        Self { _alive: alive }
    }
}

/// What a process holds, where `/proc` tells.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Resident memory in MiB.
    pub memory: f64,
    /// Threads.
    pub threads: usize,
    /// Open files.
    pub files: usize,
}

impl State {
    fn now() -> Option<Self> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let number = |name: &str| -> Option<usize> {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        Some(Self {
            memory: number("VmRSS:")? as f64 / 1024.0,
            threads: number("Threads:")?,
            files: fs::read_dir("/proc/self/fd").ok()?.count(),
        })
    }

    /// The most threads that sleep until the next estimate: four pools, of no more than there are cores each.
    pub fn asleep() -> usize {
        4 * thread::available_parallelism().map_or(1, usize::from)
    }

    /// What it holds when no more threads are about to end than there were before: one that has been
    /// told to end takes a moment to be gone, which on a busy machine may be long.
    pub fn settled(before: Option<&Self>) -> Option<Self> {
        let most = before.map_or(usize::MAX, |state| state.threads + Self::asleep());
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut last = Self::now()?;
        loop {
            thread::sleep(Duration::from_millis(50));
            let state = Self::now()?;
            let quiet = state.threads == last.threads && state.threads <= most;
            if quiet || Instant::now() > deadline {
                return Some(state);
            }
            last = state;
        }
    }
}

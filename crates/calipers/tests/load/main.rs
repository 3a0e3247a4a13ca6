//! Many estimates at once, from one process and from several: the same answers, no hang, no growth.
//!
//! Eight threads make estimates of every kind at the same time, alone and inside a pool of the caller's
//! own; then four processes do, each by itself. Every answer is compared, bit for bit, with the one that
//! was computed before any of this began. A watchdog ends the program, which fails the test, where
//! something hangs. A process of its own without a test harness: memory and threads are its own.
//!
//! Without `unsafe` Rust cannot fork, so the processes are started afresh; forks are tried from Python
//! (`python/tests/load.py`). `CALIPERS_LOAD` is the number of estimates a worker: few by default, and
//! 1,000 for `make long WHAT=load`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod jobs;
mod memory;
mod watch;

use std::env;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jobs::Job;
use watch::{State, Watchdog};

const THREADS: usize = 8;
const PROCESSES: usize = 4;

/// Memory may grow by this much after the warm-up. Every estimate starts threads, and the allocator
/// gives each one of its arenas, of which there are up to eight a core: which of them have grown is
/// chance, and so are some megabytes, 7 to 10 after 240 estimates and after 3,200. A leak of two kilobytes
/// an estimate is 16 MiB at 8,000.
const GROWTH: f64 = 16.0;

/// How long a worker may take, for each of its estimates and in all: a hundred times what it should
/// take on a machine that does nothing else.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(120));

/// Says to a process that it is one of several.
const WORKER: &str = "CALIPERS_LOAD_WORKER";

fn main() {
    let given = env::var("CALIPERS_LOAD").ok();
    let estimates = given.map_or(30, |text| text.parse().unwrap());
    if let Ok(worker) = env::var(WORKER) {
        return alone(worker.parse().unwrap(), estimates);
    }
    memory::the_door_takes_memory_for_labels_alone();
    for line in [threads(estimates), processes(estimates)] {
        println!("{line}");
    }
}

/// Eight threads of one process.
fn threads(estimates: usize) -> String {
    let jobs = jobs::all();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let watchdog = Watchdog::start(PATIENCE.0 * (THREADS * estimates) as u32 + PATIENCE.1);
    let different = AtomicUsize::new(0);
    let all = |estimates: usize| {
        thread::scope(|scope| {
            for worker in 0..THREADS {
                let (jobs, pool, different) = (&jobs, &pool, &different);
                scope.spawn(move || {
                    for turn in 0..estimates {
                        let job = Job::chosen(jobs, worker, turn);
                        // Every third is asked for by a thread of a pool, as in a parallel loop.
                        let same =
                            if turn % 3 == 0 { pool.install(|| job.again()) } else { job.again() };
                        different.fetch_add(usize::from(!same), Ordering::Relaxed);
                    }
                });
            }
        });
    };
    all(estimates.div_ceil(10));
    let before = State::settled(None);
    let start = Instant::now();
    all(estimates);
    let seconds = start.elapsed();
    let after = State::settled(before.as_ref());
    drop(watchdog);
    let different = different.into_inner();
    assert_eq!(different, 0, "estimates that were not as before");
    if let (Some(before), Some(after)) = (&before, &after) {
        assert!(after.memory < before.memory + GROWTH, "memory: {before:?}, then {after:?}");
        let most = before.threads + State::asleep();
        assert!(after.threads <= most, "threads that are left: {before:?}, then {after:?}");
        assert_eq!(after.files, before.files, "open files that are left");
    }
    let memory = [before, after].map(|state| state.map_or(f64::NAN, |state| state.memory));
    line("Rust: threads of one process", THREADS, THREADS * estimates, seconds, memory, different)
}

/// One of several processes: prints how many answers differed, and its memory then and now.
fn alone(worker: usize, estimates: usize) {
    let jobs = jobs::all();
    let watchdog = Watchdog::start(PATIENCE.0 * (PROCESSES * estimates) as u32 + PATIENCE.1);
    let all = |estimates| {
        (0..estimates).filter(|turn| !Job::chosen(&jobs, worker, *turn).again()).count()
    };
    let warm = all(estimates.div_ceil(10));
    let before = State::settled(None).map_or(f64::NAN, |state| state.memory);
    let different = warm + all(estimates);
    let after = State::settled(None).map_or(f64::NAN, |state| state.memory);
    drop(watchdog);
    println!("{different} {before} {after}");
}

/// Four processes, of which each makes all its estimates one after the other.
fn processes(estimates: usize) -> String {
    let start = Instant::now();
    let children: Vec<_> = (0..PROCESSES)
        .map(|worker| {
            let mut command = Command::new(env::current_exe().unwrap());
            command.env("CALIPERS_LOAD", estimates.to_string()).env(WORKER, worker.to_string());
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let (mut different, mut before, mut after) = (0, 0.0, 0.0);
    for child in children {
        // Each has a watchdog of its own.
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "a process failed: {said}");
        let mut numbers = said.split_whitespace();
        different += numbers.next().unwrap().parse::<usize>().unwrap();
        before += numbers.next().unwrap().parse::<f64>().unwrap();
        after += numbers.next().unwrap().parse::<f64>().unwrap();
    }
    let seconds = start.elapsed();
    assert_eq!(different, 0, "estimates that were not as before");
    // Where it is not known, it is not a number.
    let growth = after - before;
    assert!(growth.is_nan() || growth < GROWTH * PROCESSES as f64, "memory: {before}, {after} MiB");
    let (what, memory) = ("Rust: processes of one program", [before, after]);
    line(what, PROCESSES, PROCESSES * estimates, seconds, memory, different)
}

/// A line of `docs/robustness/load.csv`: what, workers, estimates, seconds, memory then and now in
/// MiB, different answers, hangs. There is none of the last: a hang has no lines.
fn line(
    what: &str,
    workers: usize,
    estimates: usize,
    took: Duration,
    memory: [f64; 2],
    different: usize,
) -> String {
    let seconds = took.as_secs_f64();
    let [before, after] = memory;
    format!("load,{what},{workers},{estimates},{seconds:.1},{before:.1},{after:.1},{different},0")
}

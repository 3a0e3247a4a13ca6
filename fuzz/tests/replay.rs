//! Every target on its seeds, on every input that once failed, and on mutations of both.
//!
//! libFuzzer finds more, and takes longer (`make long WHAT=fuzz`); this runs wherever the tests run.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "replay/mutate.rs"]
mod mutate;

use std::fs;
use std::panic;
use std::path::Path;

use calipers_fuzz::TARGETS;
use mutate::Mutator;

/// The inputs in a folder, in the order of their names.
fn inputs(folder: &str, target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target);
    let Ok(files) = fs::read_dir(&folder) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Runs a target on its seeds and on so many mutations of them.
fn replay(target: &str, mutations: usize) {
    let (_, run) = TARGETS.into_iter().find(|(name, _)| *name == target).unwrap();
    let seeds = inputs("seeds", target);
    let failed = inputs("regressions", target);
    assert!(!seeds.is_empty(), "there are no seeds of {target}");
    let known = [seeds, failed].concat();
    let mut mutator = Mutator::new(&known);
    let mutated = (0..mutations).map(|_| mutator.next());
    for (at, input) in known.iter().cloned().chain(mutated).enumerate() {
        if panic::catch_unwind(|| run(&input)).is_err() {
            let kept = std::env::temp_dir().join(format!("calipers-{target}-{at}"));
            fs::write(&kept, &input).unwrap();
            panic!("{target} fails on input {at}, which is now in {}", kept.display());
        }
    }
}

// How many mutations take about a second in a build without optimisation.

#[test]
fn arrow() {
    replay("arrow", 1_000);
}

#[test]
fn csv() {
    replay("csv", 3_000);
}

#[test]
fn estimate() {
    replay("estimate", 300);
}

#[test]
fn jsonl() {
    replay("jsonl", 3_000);
}

#[test]
fn metric() {
    replay("metric", 10_000);
}

#[test]
fn model() {
    replay("model", 1_000);
}

#[test]
fn neighbour() {
    replay("neighbour", 10_000);
}

#[test]
fn npz() {
    replay("npz", 2_000);
}

#[test]
fn parquet() {
    replay("parquet", 1_000);
}

#[test]
fn predictions() {
    replay("predictions", 10_000);
}

#[test]
fn recalibrator() {
    replay("recalibrator", 10_000);
}

#[test]
fn tally() {
    replay("tally", 10_000);
}

#[test]
fn every_target_is_here() {
    let here = include_str!("replay.rs");
    for (target, _) in TARGETS {
        assert!(here.contains(&format!("replay(\"{target}\", ")), "{target}");
    }
}

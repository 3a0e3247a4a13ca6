//! Real predictions of many models, where they are at hand: 246 files that do not ship with the
//! project.

use std::fs;
use std::path::{Path, PathBuf};

use calipers::{Estimator, Metric, recalibrator, recalibrators};
use calipers_files::predictions;

/// The archives of a folder, in order of their names.
fn archives(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == "npz"))
        .collect();
    paths.sort();
    paths
}

/// Over- and under-confident shares add up to the whole: on every file, for the top class and for two
/// classes, with every recalibrator; unless there is time for all of them (`CALIPERS_LONG=1`), with
/// `auto` and three others, which take turns.
#[test]
fn shares_add_up_on_every_file() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.is_dir() {
        eprintln!("skipped: {} is not there", corpus.display());
        return;
    }
    let mut files = archives(&corpus.join("binary"));
    files.extend(archives(&corpus.join("multiclass")));
    assert!(!files.is_empty());
    // From scratch the same trees grow, by the hundred.
    let all: Vec<&str> =
        recalibrators().map(|info| info.name).filter(|name| !name.ends_with("cold")).collect();
    let long = std::env::var_os("CALIPERS_LONG").is_some_and(|value| value != "0");
    for (number, path) in files.into_iter().enumerate() {
        let turn = |place: usize| place == 0 || place % 7 == number % 7;
        let names = all.iter().enumerate().filter(|(place, _)| long || turn(*place));
        let predictions = predictions(&path).unwrap();
        let mut triples = vec![["top-l1", "top-over-l1", "top-under-l1"]];
        if predictions.classes() == 2 {
            triples.push(["l1", "over-l1", "under-l1"]);
        }
        let metrics: Vec<Metric> =
            triples.iter().flatten().map(|name| name.parse().unwrap()).collect();
        for (_, name) in names {
            let report = Estimator::new()
                .metrics(metrics.clone())
                .recalibrator(recalibrator(name).unwrap())
                .estimate(&predictions)
                .unwrap();
            let file = path.file_stem().unwrap().to_string_lossy();
            for triple in &triples {
                let [whole, over, under] = triple.map(|name| report.get(name).unwrap().value);
                let gap = (over + under - whole).abs();
                assert!(gap < 1e-12, "{file} {name} {}: {gap:e}", triple[0]);
            }
            assert_eq!(report.unconverged_fits, 0, "{file} {name}");
        }
    }
}

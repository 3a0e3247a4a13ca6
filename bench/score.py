"""Score recalibrators on a folder of real predictions, beside the figures of other packages.

Every recalibrator gives a lower bound of the calibration error, so whichever recovers more is
better. The folder holds NPZ files `<dataset>__<model>.npz`, in subfolders or not, each with `probs`
(n, k) and `labels` (n,). For every file, seed and recalibrator the estimates are computed once and
appended to a CSV file: a run that was stopped goes on where it was. Then two tables are printed, of
the files with two classes and of those with more:

- The paper's statistic: for each file the mean over seeds, clipped at 0, as a percentage of the
  largest of all methods listed; averaged over the files where the largest l1 (two classes) or l2
  (more) is above 0.02.
- The mean difference to a reference method, in units of 0.001, over all files, with a standard
  error that takes the files of one dataset as dependent.

The protocol is that of the peers' figures: of each dataset at most 1,500 rows, the same for every
model; classes with fewer than 16 of them are dropped and the rest renormalised; shuffled folds as
scikit-learn's `KFold(5, shuffle=True, random_state=seed)` deals them; a floor of 1e-12 for `log`.

Usage: python3 bench/score.py auto logistic [--help]
"""

import argparse
import csv
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
METRICS = ("l1", "l2", "brier", "log")
# The metric whose largest value decides whether a file counts in the paper's statistic.
DECIDES = {"binary": "l1", "multiclass": "l2"}
LEAST_ERROR = 0.02
FOLDS = 5
LEAST_ROWS_OF_A_CLASS = 16
FIELDS = ("task", "pair", "n", "k", "seed", "method", "seconds", *METRICS, "program")
TIMINGS = re.compile(r"estimating: ([\d.]+) s")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Means = dict[str, Floats]
"""For each method, (pairs, metrics) or (metrics,)."""

Row = dict[str, str]
"""A line of a CSV file."""

Key = tuple[str, int, str]
"""A file, a seed and a method."""


@dataclass(frozen=True)
class Data:
    """What is left of a file under the protocol."""

    pair: str
    probs: Floats
    labels: Ints

    @property
    def task(self) -> str:
        """Return the name of the table that it counts in."""
        return "binary" if self.probs.shape[1] == 2 else "multiclass"

    def folds(self, seed: int) -> Ints:
        """Return each row's fold: the rows in shuffled order, cut into equal runs."""
        order = np.arange(len(self.labels))
        np.random.RandomState(seed).shuffle(order)
        folds = np.empty(len(order), dtype=np.int64)
        for number, rows in enumerate(np.array_split(order, FOLDS)):
            folds[rows] = number
        return folds


def dataset(pair: str) -> str:
    """Return the dataset that a model was fitted to."""
    return pair.split("__", maxsplit=1)[0]


def checksum(name: str) -> int:
    """Return a number that depends on the name alone."""
    return zlib.crc32(name.encode())


def read(path: Path, most: int) -> Data:
    """Read a file, keep some rows, and drop the classes that are too rare among them."""
    with np.load(path) as arrays:
        probs, labels = arrays["probs"].astype(np.float64), arrays["labels"].astype(np.int64)
    order = np.random.default_rng(checksum(dataset(path.stem))).permutation(len(labels))
    rows = np.sort(order[:most])
    probs, labels = probs[rows], labels[rows]
    frequent = np.bincount(labels, minlength=probs.shape[1]) >= LEAST_ROWS_OF_A_CLASS
    rows = frequent[labels]
    probs, labels = probs[rows][:, frequent], (np.cumsum(frequent) - 1)[labels[rows]]
    sums = probs.sum(axis=1, keepdims=True)
    positive = sums > 0.0
    probs = np.where(positive, probs / np.where(positive, sums, 1.0), 1.0 / probs.shape[1])
    return Data(path.stem, probs, labels)


def key(row: Row) -> Key:
    """Return what a row is about."""
    return row["pair"], int(row["seed"]), row["method"]


@dataclass(frozen=True)
class Program:
    """The command line tool, and what tells this build of it from others."""

    path: Path
    digest: str

    @classmethod
    def find(cls, path: Path | None) -> "Program":
        """Take a program, or build one."""
        if path is None:
            build = ["cargo", "build", "--release", "--quiet", "--no-default-features"]
            subprocess.run([*build, "--package", "calipers-cli"], cwd=ROOT, check=True)
            path = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "calipers"
        return cls(path.absolute(), hashlib.sha256(path.read_bytes()).hexdigest()[:12])

    def estimate(self, file: Path, data: Data, seed: int, method: str) -> Row:
        """Run it on one file."""
        metrics = ["--metric", ",".join(METRICS), "--log-floor", "1e-12"]
        how = ["--recalibrator", method, "--fold-column", "folds", "--seed", str(seed)]
        printing = ["--threads", "1", "--timings", "--format", "json"]
        command = [self.path, "estimate", file, *metrics, *how, *printing]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = TIMINGS.search(done.stderr)
        if done.returncode != 0 or seconds is None:
            sys.exit(f"error: calipers failed on {data.pair} with {method}:\n{done.stderr}")
        found = json.loads(done.stdout)["metrics"]
        n, k = data.probs.shape
        row = {"task": data.task, "pair": data.pair, "n": n, "k": k, "seed": seed, "method": method}
        values = {name: repr(float(found[name]["value"])) for name in METRICS}
        return {**row, "seconds": seconds[1], **values, "program": self.digest}


class Results:
    """A CSV file that is appended to, row by row."""

    def __init__(self, path: Path, program: str) -> None:
        """Read what this program has computed before."""
        self.path = path
        self.rows: dict[Key, Row] = {}
        if path.exists():
            text = path.read_text()
            # A line that was cut short names no program, or not this one.
            rows = csv.DictReader(text.splitlines())
            self.rows = {key(row): row for row in rows if row["program"] == program}
            if not text.endswith("\n"):
                path.write_text(text + "\n")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(",".join(FIELDS) + "\n")

    def add(self, row: Row) -> None:
        """Keep a row, here and in the file."""
        self.rows[key(row)] = row
        with self.path.open("a", newline="") as file:
            csv.DictWriter(file, FIELDS).writerow(row)


class Bar:
    """A progress bar on standard error, if that is a terminal; else a line now and then."""

    WIDTH = 40

    def __init__(self, total: int) -> None:
        """Start counting."""
        self.total, self.done, self.start = total, 0, time.monotonic()
        self.said = self.start

    def step(self, what: str) -> None:
        """Count one more."""
        self.done += 1
        now = time.monotonic()
        left = (now - self.start) / self.done * (self.total - self.done)
        text = f"{self.done}/{self.total}, {left:.0f} s left: {what}"
        if sys.stderr.isatty():
            full = self.WIDTH * self.done // self.total
            end = "\n" if self.done == self.total else ""
            bar = "#" * full + "-" * (self.WIDTH - full)
            print(f"\r[{bar}] {text[:60]:60}", end=end, file=sys.stderr, flush=True)
        elif now - self.said > 10.0 or self.done == self.total:
            self.said = now
            print(text, file=sys.stderr, flush=True)


def compute(program: Program, files: list[Data], options: argparse.Namespace) -> Results:
    """Compute what is not there yet, several files at a time."""
    results = Results(options.results, program.digest)
    wanted = itertools.product(files, options.seeds)
    missing = [
        (data, seed, methods)
        for data, seed in wanted
        if (methods := [m for m in options.methods if (data.pair, seed, m) not in results.rows])
    ]
    bar = Bar(sum(len(methods) for _, _, methods in missing))

    def run(data: Data, seed: int, methods: list[str]) -> list[Row]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "data.npz"
            np.savez(file, probs=data.probs, labels=data.labels, folds=data.folds(seed))
            return [program.estimate(file, data, seed, method) for method in methods]

    with ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(run, *job) for job in missing]
        try:
            for finished in as_completed(running):
                for row in finished.result():
                    results.add(row)
                    bar.step(f"{row['pair']} {row['method']}")
        finally:
            pool.shutdown(cancel_futures=True)
    return results


def peers(path: Path, options: argparse.Namespace) -> Iterator[Row]:
    """Read the figures of other packages; a method named as one of ours is marked."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if int(row["seed"]) in options.seeds:
                mark = " (peer)" if row["method"] in options.methods else ""
                yield {**row, "method": row["method"] + mark}


def averages(rows: Iterable[Row], pairs: list[str]) -> Means:
    """Return each method's means over seeds, (pairs, metrics); without those that lack a pair."""
    found: dict[str, dict[str, list[list[float]]]] = {}
    for row in rows:
        values = [float(row[name]) for name in METRICS]
        found.setdefault(row["method"], {}).setdefault(row["pair"], []).append(values)
    return {
        method: np.array([np.mean(by_pair[pair], axis=0) for pair in pairs])
        for method, by_pair in found.items()
        if all(pair in by_pair for pair in pairs)
    }


def statistic(means: Means, task: str) -> tuple[Means, int]:
    """Return each method's average percentage of the largest error, and the number of files."""
    clipped = {method: np.maximum(values, 0.0) for method, values in means.items()}
    largest = np.max(list(clipped.values()), axis=0)
    counts = largest[:, METRICS.index(DECIDES[task])] > LEAST_ERROR
    divisors = np.where(largest > 0.0, largest, np.nan)[counts]
    percent = {
        method: 100.0 * np.nanmean(values[counts] / divisors, axis=0)
        for method, values in clipped.items()
    }
    return percent, int(counts.sum())


def clustered(differences: Floats, names: list[str]) -> tuple[Floats, Floats]:
    """Return the mean over files, and its standard error clustered by dataset."""
    mean = differences.mean(axis=0)
    groups = np.unique(names, return_inverse=True)[1]
    sums = np.zeros((groups.max() + 1, differences.shape[1]))
    np.add.at(sums, groups, differences - mean)
    spread = np.sum(sums**2, axis=0) * len(sums) / max(len(sums) - 1, 1)
    return mean, np.sqrt(spread) / len(differences)


def show(task: str, means: Means, pairs: list[str], reference: str) -> None:
    """Print the table of one task."""
    names = [dataset(pair) for pair in pairs]
    percent, counted = statistic(means, task)
    title = "Two classes" if task == "binary" else "More classes"
    print(f"\n{title}: {len(pairs)} files of {len(set(names))} datasets")
    print(f"{'':24}% of the largest ({counted} files)   difference to {reference}, 0.001")
    heads = "".join(f"{name:>7}" for name in METRICS)
    print(f"{'method':24}{heads}   " + "".join(f"{name:>16}" for name in METRICS))
    for method in sorted(means, key=lambda name: -float(np.sum(percent[name]))):
        line = f"{method[:23]:24}" + "".join(f"{value:7.1f}" for value in percent[method])
        if reference in means and method != reference:
            mean, error = clustered(means[method] - means[reference], names)
            both = zip(1e3 * mean, 1e3 * error, strict=True)
            line += "   " + "".join(f"{a:+9.2f} ±{b:5.2f}" for a, b in both)
        print(line)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Score recalibrators on a folder of real predictions.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    shared = ROOT.parent / "shared"
    add = parser.add_argument
    add("methods", nargs="+", help="recalibrators of calipers")
    add("--folder", type=Path, default=shared / "corpus", help="where the NPZ files are")
    figures = shared / "reference" / "peers_dev.csv"
    add("--peers", type=Path, default=figures, help="figures of other packages; may be absent")
    add("--reference", default="ws_catboost", help="the method that differences are taken to")
    add("--seeds", type=int, nargs="+", default=[0, 1, 2], help="seeds of the folds")
    add("--rows", type=int, default=1500, help="the most rows of a file")
    add("--task", choices=DECIDES, help="only files with two classes, or with more")
    parts = "only datasets whose name has an even (to choose on) or odd (to confirm on) CRC-32"
    add("--part", choices=("even", "odd"), help=parts)
    results = ROOT / "target" / "scores.csv"
    add("--results", type=Path, default=results, help="the file to append to")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="how many files at a time")
    add("--calipers", type=Path, help="a program to score instead of building one")
    return parser.parse_args()


def main() -> None:
    """Compute, then print."""
    options = arguments()
    paths = sorted(options.folder.rglob("*.npz"), key=lambda path: path.stem)
    if not paths:
        sys.exit(f"error: there is no NPZ file in {options.folder}")
    if options.part:
        parity = ["even", "odd"].index(options.part)
        paths = [path for path in paths if checksum(dataset(path.stem)) % 2 == parity]
    files = [read(path, options.rows) for path in paths]
    files = [data for data in files if data.probs.shape[1] > 1]
    files = [data for data in files if options.task in (None, data.task)]
    rows = list(compute(Program.find(options.calipers), files, options).rows.values())
    rows = [r for r in rows if r["method"] in options.methods and int(r["seed"]) in options.seeds]
    if options.peers.exists():
        rows += peers(options.peers, options)
    for task in DECIDES:
        pairs = [data.pair for data in files if data.task == task]
        if pairs:
            show(task, averages(rows, pairs), pairs, options.reference)


if __name__ == "__main__":
    main()

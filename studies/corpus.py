"""A folder of real predictions, what recalibrators recover on it, and the paper's statistic.

The folder holds NPZ files `<dataset>__<model>.npz`, in subfolders or not, each with `probs` (n, k)
and `labels` (n,). The protocol is that of the peers' figures: of each dataset at most 1,500 rows,
the same for every model; classes with fewer than 16 of them are dropped and the rest renormalised;
shuffled folds as scikit-learn's `KFold(5, shuffle=True, random_state=seed)` deals them; a floor of
1e-12 for `log`.
"""

import csv
import itertools
import tempfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studies.pages import Row
from studies.program import Program
from studies.results import Results, compute

METRICS = ("l1", "l2", "brier", "log")
# The metric whose largest value decides whether a file counts in the paper's statistic.
DECIDES = {"binary": "l1", "multiclass": "l2"}
LEAST_ERROR = 0.02
FOLDS = 5
MOST_ROWS = 1500
LEAST_ROWS_OF_A_CLASS = 16
PARTS = ("even", "odd")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Means = dict[str, Floats]
"""For each method, (pairs, metrics) or (metrics,)."""


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

    def row(self, seed: int, method: str) -> Row:
        """Return the part of a result that says what it is about."""
        n, k = self.probs.shape
        about = {"task": self.task, "pair": self.pair, "n": n, "k": k, "seed": seed}
        return {**{name: str(value) for name, value in about.items()}, "method": method}


def dataset(pair: str) -> str:
    """Return the dataset that a model was fitted to."""
    return pair.split("__", maxsplit=1)[0]


def checksum(name: str) -> int:
    """Return a number that depends on the name alone."""
    return zlib.crc32(name.encode())


def part(pair: str) -> str:
    """Return the half that a file is in: choices are made on one, and confirmed on the other."""
    return PARTS[checksum(dataset(pair)) % 2]


def normalised(probs: Floats) -> Floats:
    """Divide rows by their sums; a row of zeros says nothing of its classes."""
    sums = probs.sum(axis=1, keepdims=True)
    positive = sums > 0.0
    return np.where(positive, probs / np.where(positive, sums, 1.0), 1.0 / probs.shape[1])


def paths(folder: Path) -> list[Path]:
    """Return the files of a folder, by name."""
    return sorted(folder.rglob("*.npz"), key=lambda path: path.stem)


def read(path: Path, most: int = MOST_ROWS) -> Data:
    """Read a file, keep some rows, and drop the classes that are too rare among them."""
    with np.load(path) as arrays:
        probs, labels = arrays["probs"].astype(np.float64), arrays["labels"].astype(np.int64)
    order = np.random.default_rng(checksum(dataset(path.stem))).permutation(len(labels))
    rows = np.sort(order[:most])
    probs, labels = probs[rows], labels[rows]
    frequent = np.bincount(labels, minlength=probs.shape[1]) >= LEAST_ROWS_OF_A_CLASS
    rows = frequent[labels]
    probs, labels = probs[rows][:, frequent], (np.cumsum(frequent) - 1)[labels[rows]]
    return Data(path.stem, normalised(probs), labels)


def results(path: Path, program: Program) -> Results:
    """Open the file of a folder's results."""
    about = ("pair", "seed", "method")
    return Results(path, {program.digest}, about, ("task", "n", "k", "seconds", *METRICS))


@dataclass(frozen=True)
class Scored:
    """What is to be scored: every file with every seed and every method."""

    files: list[Data]
    seeds: list[int]
    methods: list[str]

    def compute(self, program: Program, results: Results, workers: int, title: str) -> list[Row]:
        """Compute what is not there yet, and return all."""

        def missing(data: Data, seed: int) -> list[str]:
            have = results.rows
            return [m for m in self.methods if (data.pair, str(seed), m) not in have]

        def work(job: tuple[Data, int]) -> list[Row]:
            data, seed = job
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "data.npz"
                np.savez(file, probs=data.probs, labels=data.labels, folds=data.folds(seed))
                return [estimate(program, file, data, seed, method) for method in missing(*job)]

        wanted = itertools.product(self.files, self.seeds)
        jobs = [(count, job) for job in wanted if (count := len(missing(*job)))]
        compute(title, jobs, work, results, workers)
        return [
            results.rows[data.pair, str(seed), method]
            for data, seed, method in itertools.product(self.files, self.seeds, self.methods)
        ]


def estimate(program: Program, file: Path, data: Data, seed: int, method: str) -> Row:
    """Run the program on one file."""
    more = ("--log-floor", "1e-12", "--fold-column", "folds")
    found = program.estimate(file, METRICS, method, seed, *more)
    values = {name: repr(found.values[name]) for name in METRICS}
    row = {**data.row(seed, method), "seconds": repr(found.seconds)}
    return {**row, **values, "program": program.digest}


def peers(path: Path, seeds: Collection[int]) -> Iterator[Row]:
    """Read the figures of other packages."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if int(row["seed"]) in seeds:
                yield row


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


def shares(means: Means, task: str) -> Means:
    """Return percentages of the largest error, (files that count, metrics); NaN where that is 0."""
    clipped = {method: np.maximum(values, 0.0) for method, values in means.items()}
    largest = np.max(list(clipped.values()), axis=0)
    counts = largest[:, METRICS.index(DECIDES[task])] > LEAST_ERROR
    divisors = np.where(largest > 0.0, largest, np.nan)[counts]
    return {method: 100.0 * values[counts] / divisors for method, values in clipped.items()}


def statistic(means: Means, task: str) -> tuple[Means, int]:
    """Return each method's average percentage of the largest error, and the number of files."""
    percent = shares(means, task)
    counted = len(next(iter(percent.values())))
    return {method: np.nanmean(values, axis=0) for method, values in percent.items()}, counted

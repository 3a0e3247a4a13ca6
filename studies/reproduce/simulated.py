"""Estimates on simulated data sets: the work behind the figures and the table of sides."""

import hashlib
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies.corpus import Floats, checksum
from studies.pages import Row
from studies.program import Program
from studies.reproduce import binning
from studies.reproduce.methods import BINNED, IN_SAMPLE, of_classes
from studies.reproduce.plan import FIGURES, REPEATS, SIDES, SIDES_ROWS, Plan, simulation
from studies.results import Results, compute

ABOUT = ("setting", "n", "repeat", "method", "metric")
SIDES_METRICS = ("over-l1", "under-l1", "l1")
SIDES_METHODS = ("boost", "auto")


@dataclass(frozen=True)
class DataSet:
    """One simulated data set, and what is estimated on it."""

    setting: str
    rows: int
    repeat: int
    metrics: tuple[str, ...]
    methods: tuple[str, ...]

    @property
    def seed(self) -> int:
        """Return the seed of its labels, its folds and everything else: no two have the same."""
        return checksum(f"{self.setting} {self.rows} {self.repeat}")

    def row(self, method: str, metric: str, value: float, program: str) -> Row:
        """Return a result."""
        about = (self.setting, str(self.rows), str(self.repeat), method, metric)
        return {**dict(zip(ABOUT, about, strict=True)), "value": repr(value), "program": program}


class Simulated:
    """All data sets, and the file of their results."""

    def __init__(self, program: Program, path: Path) -> None:
        """Open the file."""
        self.program = program
        source = Path(binning.__file__).read_bytes()
        # Binned errors hang on two programs: this one, which draws the data, and that one.
        self.binned = f"{program.digest}+{hashlib.sha256(source).hexdigest()[:12]}"
        self.results = Results(path, {program.digest, self.binned}, ABOUT, ("value",))
        # A binned error of another binning is as good as none.
        for key in [key for key, row in self.results.rows.items() if self.stale(row)]:
            del self.results.rows[key]

    def stale(self, row: Row) -> bool:
        """Return whether the program that a result names is not the one that computes it now."""
        return row["program"] != self.of(row["method"])

    def of(self, method: str) -> str:
        """Return the digest of what computes a method."""
        return self.binned if method in BINNED else self.program.digest

    def compute(self, title: str, wanted: Iterable[DataSet], workers: int) -> None:
        """Compute what is not there yet, the largest first, so that no worker waits at the end."""
        jobs = [(len(left), (data, left)) for data in wanted if (left := self.missing(data))]
        jobs.sort(key=lambda job: -job[1][0].rows)
        counted = [(count * len(job[0].metrics), job) for count, job in jobs]
        compute(title, counted, lambda job: self.work(*job), self.results, workers)

    def missing(self, data: DataSet) -> tuple[str, ...]:
        """Return the methods that are still to be run."""

        def there(method: str) -> bool:
            about = (data.setting, str(data.rows), str(data.repeat), method)
            return all((*about, metric) in self.results.rows for metric in data.metrics)

        return tuple(method for method in data.methods if not there(method))

    def work(self, data: DataSet, methods: tuple[str, ...]) -> list[Row]:
        """Draw the data and run the methods on them."""
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "data.npz"
            self.program.simulate(data.setting, data.rows, data.seed, file)
            for method in methods:
                values = self.estimate(file, data, method)
                rows += [data.row(method, m, values[m], self.of(method)) for m in data.metrics]
        return rows

    def estimate(self, file: Path, data: DataSet, method: str) -> dict[str, float]:
        """Return what a method finds, by metric."""
        if method in BINNED:
            with np.load(file) as arrays:
                probs, labels = arrays["probs"], arrays["labels"]
            value = binning.binned_error(probs, labels, method, data.seed)
            return dict.fromkeys(data.metrics, value)
        if method == IN_SAMPLE:
            run = self.program.estimate(file, data.metrics, "isotonic", data.seed, "--bracket")
            return run.in_sample
        return self.program.estimate(file, data.metrics, method, data.seed).values

    def values(self, setting: str, rows: int, method: str, metric: str, repeats: int) -> Floats:
        """Return the estimates of the first repeats."""
        keys = [(setting, str(rows), str(r), method, metric) for r in range(repeats)]
        return np.array([float(self.results.rows[key]["value"]) for key in keys])


def figure(plan: Plan, classes: int) -> list[DataSet]:
    """Return the data sets of a synthetic figure."""
    metrics = ("l1",) if classes == 2 else ("l2",)
    methods = [method.name for method in of_classes(classes)]
    found = []
    for setting in FIGURES[classes]:
        for rows in plan.sizes:
            for repeat in range(plan.repeats):
                chosen = tuple(m for m in methods if repeat < plan.repeats_of(m, rows, classes))
                name = simulation(setting, classes)
                found.append(DataSet(name, rows, repeat, metrics, chosen))
    return found


def sides() -> list[DataSet]:
    """Return the data sets of the table of over- and under-confidence."""
    return [
        DataSet(setting, SIDES_ROWS, repeat, SIDES_METRICS, SIDES_METHODS)
        for setting in SIDES
        for repeat in range(REPEATS)
    ]

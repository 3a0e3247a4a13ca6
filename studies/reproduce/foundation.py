"""TabICLv2 and RealTabPFN-2.5, the rows of Table 1 that need gigabytes and weights.

They are run through the Python package of calipers, by `make python` and `pip install --requirement
requirements/foundation.txt`, with weights that were downloaded before: nothing is downloaded
here.
"""

import hashlib
import importlib
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.corpus import METRICS, Data
from studies.pages import Row
from studies.results import Results, compute


def tabicl(weights: Path) -> Any:  # noqa: ANN401
    """Return the classifier of TabICL."""
    library = importlib.import_module("tabicl")
    return library.TabICLClassifier(model_path=weights, allow_auto_download=False)


def tabpfn(weights: Path) -> Any:  # noqa: ANN401
    """Return the classifier of TabPFN."""
    return importlib.import_module("tabpfn").TabPFNClassifier(model_path=weights)


@dataclass(frozen=True)
class Foundation:
    """A row of Table 1 that only runs where everything it needs is there."""

    row: str
    package: str
    make: Callable[[Path], Any]
    weights: Path | None

    @property
    def option(self) -> str:
        """Return the option that gives the weights."""
        return f"--{self.package}-weights"

    def absent(self) -> str | None:
        """Return why it is not run, if it is not."""
        for package in (self.package, "calipers"):
            if importlib.util.find_spec(package) is None:
                return f"not run: the package {package} is not installed"
        if self.weights is None:
            return f"not run: no weights were given ({self.option})"
        if not self.weights.exists():
            return f"not run: there are no weights at {self.weights}"
        return None

    def compute(self, files: list[Data], seeds: tuple[int, ...], path: Path) -> list[Row]:
        """Estimate on every file, one at a time; these models take all cores themselves."""
        if self.weights is None:
            return []
        digest = hashlib.sha256(self.weights.read_bytes()).hexdigest()[:12]
        about = ("pair", "seed", "method")
        results = Results(path, {digest}, about, ("task", "n", "k", "seconds", *METRICS))
        wanted = [(data, seed) for data in files for seed in seeds]
        keys = [(data.pair, str(seed), self.package) for data, seed in wanted]
        zipped = zip(wanted, keys, strict=True)
        jobs = [(1, job) for job, key in zipped if key not in results.rows]
        compute(self.row, jobs, lambda job: [self.estimate(*job, digest)], results, 1)
        return [results.rows[key] for key in keys]

    def estimate(self, data: Data, seed: int, digest: str) -> Row:
        """Run it on one file, on the folds that all methods have."""
        if self.weights is None:
            raise ValueError(self.option)
        calipers = importlib.import_module("calipers")
        start = time.perf_counter()
        report = calipers.evaluate(
            data.labels,
            data.probs,
            metrics=METRICS,
            recalibrator=self.make(self.weights),
            folds=data.folds(seed),
            seed=seed,
            log_floor=1e-12,
            draws=0,
        )
        seconds = time.perf_counter() - start
        values = {name: repr(float(report[name].value)) for name in METRICS}
        row = {**data.row(seed, self.package), "seconds": repr(seconds)}
        return {**row, **values, "program": digest}

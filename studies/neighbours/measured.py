"""What is measured on each data set, kept in a CSV file so that a stopped run goes on."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from studies.neighbours.settings import SETTINGS
from studies.pages import Row
from studies.results import Results
from studies.results import compute as run_all

BINS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
TESTS = ("skce", "kuiper", "kolmogorov-smirnov", "hosmer-lemeshow", "spiegelhalter", "cox")
ERRORS = ("ece", "ece:by=mass", "ece:p=2", "debiased", "sweep", "smooth", "kernel", "corp")
DEFAULT_BINS = 15
# Its cost grows with the square of the rows.
MOST_KERNEL_ROWS = 2000
METRICS = ("l1", "brier")
ABOUT = ("setting", "n", "seed", "measure")

Job = tuple[str, int, int]
"""A data set: setting, rows, seed."""


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]
    bin_sizes: tuple[int, ...]
    repeats: int

    def jobs(self) -> Iterator[Job]:
        """Yield every data set, the dearest first."""
        for rows in sorted({*self.sizes, *self.bin_sizes}, reverse=True):
            for setting in SETTINGS:
                for seed in range(self.repeats):
                    yield setting.name, rows, seed


FULL = Plan(sizes=(200, 500, 1000, 2000, 5000, 10_000), bin_sizes=(500, 2000, 10_000), repeats=200)
QUICK = Plan(sizes=(200, 1000), bin_sizes=(500,), repeats=6)


def binned(bins: int, mass: bool) -> str:
    """Return the name of a binned error, as calipers gives it."""
    parts = [f"bins={bins}"] if bins != DEFAULT_BINS else []
    parts += ["by=mass"] if mass else []
    return f"ece:{','.join(parts)}" if parts else "ece"


def program() -> str:
    """Return what tells this build of calipers from others."""
    from calipers import _calipers

    return hashlib.sha256(Path(_calipers.__file__).read_bytes()).hexdigest()[:12]


def asked(rows: int) -> list[str]:
    """Return the measures of a data set of so many rows."""
    names = [name for name in (*ERRORS, *TESTS) if name != "kernel" or rows <= MOST_KERNEL_ROWS]
    for bins in BINS:
        names += [binned(bins, mass=False), binned(bins, mass=True)]
    return list(dict.fromkeys(names))


def measure(job: Job, digest: str) -> list[Row]:
    """Measure one data set in every way."""
    import calipers

    name, rows, seed = job
    setting = next(one for one in SETTINGS if one.name == name)
    y_true, y_prob = setting.draw(rows, seed)
    measures = asked(rows)
    found = calipers.neighbours(y_true, y_prob, measures, seed=seed, draws=199, threads=1)
    report = calipers.evaluate(y_true, y_prob, metrics=METRICS, seed=seed, draws=199, threads=1)
    values = [(text, float(one), one.p_value) for text, one in zip(measures, found, strict=True)]
    values += [("squared", found["debiased"].details["squared"], None)]
    values += [(one.metric, one.value, one.p_value) for one in report.estimates.values()]
    about = {"setting": name, "n": str(rows), "seed": str(seed), "program": digest}
    return [
        {**about, "measure": text, "value": repr(value), "p_value": "" if p is None else repr(p)}
        for text, value, p in values
    ]


def compute(plan: Plan, cache: Path, workers: int) -> list[Row]:
    """Measure every data set of a plan that is not in the cache yet."""
    digest = program()
    results = Results(cache, {digest}, ABOUT, ("value", "p_value"))
    wanted = list(plan.jobs())
    # Its last line says that a data set is complete.
    missing = [job for job in wanted if (*map(str, job), METRICS[-1]) not in results.rows]
    jobs = [(len(asked(job[1])) + 1 + len(METRICS), job) for job in missing]
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    run_all("neighbours", jobs, partial(measure, digest=digest), results, pool)
    keep = set(wanted)
    lines = results.rows.values()
    return [row for row in lines if (row["setting"], int(row["n"]), int(row["seed"])) in keep]

"""What is measured on each data set, kept in a CSV file so that a stopped run goes on."""

import csv
import hashlib
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import calipers
from calipers import _calipers

from lesson.settings import SETTINGS

BINS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
TESTS = ("skce", "kuiper", "kolmogorov-smirnov", "hosmer-lemeshow", "spiegelhalter", "cox")
ERRORS = ("ece", "ece:by=mass", "ece:p=2", "debiased", "sweep", "smooth", "kernel", "corp")
DEFAULT_BINS = 15
# Its cost grows with the square of the rows.
MOST_KERNEL_ROWS = 2000
FIELDS = ("setting", "n", "seed", "measure", "value", "p_value", "program")
# Whoever is quicker than this leaves a line.
LINE_EVERY = 20.0

Row = dict[str, str]


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]
    bin_sizes: tuple[int, ...]
    repeats: int

    def jobs(self) -> Iterator[tuple[str, int, int]]:
        """Yield every data set: setting, rows, seed; the dearest first."""
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
    return hashlib.sha256(Path(_calipers.__file__).read_bytes()).hexdigest()[:12]


def measure(name: str, rows: int, seed: int) -> list[Row]:
    """Measure one data set in every way."""
    setting = next(one for one in SETTINGS if one.name == name)
    y_true, y_prob = setting.draw(rows, seed)
    asked = dict.fromkeys([*ERRORS, *TESTS])
    if rows > MOST_KERNEL_ROWS:
        del asked["kernel"]
    for bins in BINS:
        asked.update({binned(bins, mass=False): None, binned(bins, mass=True): None})
    found = calipers.neighbours(y_true, y_prob, list(asked), seed=seed, draws=199, threads=1)
    head = {"setting": name, "n": str(rows), "seed": str(seed)}
    lines = [
        {**head, "measure": text, "value": repr(float(one)), "p_value": text_of(one.p_value)}
        for text, one in zip(asked, found, strict=True)
    ]
    squared = found["debiased"].details["squared"]
    lines.append({**head, "measure": "squared", "value": repr(squared), "p_value": ""})
    report = calipers.evaluate(
        y_true, y_prob, metrics=("l1", "brier"), seed=seed, draws=199, threads=1
    )
    for one in report.estimates.values():
        value, p_value = repr(one.value), text_of(one.p_value)
        lines.append({**head, "measure": one.metric, "value": value, "p_value": p_value})
    return lines


def text_of(number: float | None) -> str:
    """Return a number as it is written to the file."""
    return "" if number is None else repr(number)


def compute(plan: Plan, cache: Path, workers: int) -> list[Row]:
    """Measure every data set of a plan that is not in the cache yet."""
    digest = program()
    wanted = list(plan.jobs())
    rows = [row for row in read(cache) if row["program"] == digest]
    done = {(row["setting"], int(row["n"]), int(row["seed"])) for row in rows}
    missing = [job for job in wanted if job not in done]
    cache.parent.mkdir(parents=True, exist_ok=True)
    start = said = time.monotonic()
    with (
        cache.open("a", newline="") as file,
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        writer = csv.DictWriter(file, FIELDS)
        if file.tell() == 0:
            writer.writeheader()
        futures = [pool.submit(measure, *job) for job in missing]
        for number, future in enumerate(as_completed(futures), start=1):
            found = [{**row, "program": digest} for row in future.result()]
            writer.writerows(found)
            file.flush()
            rows += found
            now = time.monotonic()
            if sys.stdout.isatty() or now - said > LINE_EVERY or number == len(missing):
                end = "\r" if sys.stdout.isatty() and number < len(missing) else "\n"
                text = f"lesson: {number} of {len(missing)} data sets, {now - start:.0f} s"
                print(text, end=end, flush=True)
                said = now
    keep = set(wanted)
    return [row for row in rows if (row["setting"], int(row["n"]), int(row["seed"])) in keep]


def read(path: Path) -> list[Row]:
    """Read a CSV file, if it is there."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))

"""Measures entrants, and keeps what each found in a CSV file of its own.

Every split goes to `target/contest.csv` first, so that a stopped run goes on; what is kept are
means over the splits of a file, in `docs/contest/entrants`.
"""

import contextlib
import io
import itertools
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from studies import corpus
from studies.contest import entrants, protocol
from studies.contest.entrants import UNCALIBRATED, Calibrator
from studies.contest.protocol import FLOOR, HARM, MOST_ROWS, SIZES
from studies.corpus import Data, Floats, Ints
from studies.pages import ROOT, Pages, Row
from studies.results import Results, compute

CACHE = ROOT / "target" / "contest.csv"
KEPT = ROOT / "docs" / "contest"
ABOUT = ("file", "split", "n_cal", "entrant")
MEANS = ("log_loss", "brier", "accuracy", "seconds")
FOUND = (*MEANS, "before", "failed")


@dataclass(frozen=True)
class Job:
    """A split of a file, and what is not measured there yet: sizes and entrants."""

    data: Data
    number: int
    missing: list[tuple[str, str]]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what packages say to themselves."""
    nowhere = io.StringIO()
    with (
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def checked(found: object, shape: tuple[int, ...]) -> Floats:
    """Return predictions that sum to 1; what is none is refused."""
    probs = np.asarray(found, dtype=np.float64)
    if probs.shape != shape or not np.all(np.isfinite(probs)):
        raise ValueError("not a probability for each row and class")
    return corpus.normalised(np.clip(probs, 0.0, 1.0))


def attempt(
    entrant: Calibrator, learn: tuple[Floats, Ints], probs: Floats
) -> tuple[Floats, bool, float]:
    """Return predictions, whether it failed and f stands in, and how many seconds it took."""
    start = time.perf_counter()
    try:
        with quiet():
            entrant.fit(*learn)
            found = checked(entrant.predict_proba(probs), probs.shape)
    except ImportError:
        raise
    except Exception:
        return probs, True, time.perf_counter() - start
    return found, False, time.perf_counter() - start


def measure(job: Job, programs: dict[str, str]) -> list[Row]:
    """Measure one split of a file."""
    split = protocol.split(job.data, job.number)
    sizes = split.sizes()
    probs, labels = job.data.probs[split.judge], job.data.labels[split.judge]
    before = protocol.losses(probs, labels).log_loss
    found: list[Row] = []
    for size, name in job.missing:
        learn = job.data.probs[sizes[size]], job.data.labels[sizes[size]]
        entrant = entrants.make(name, probs.shape[1])
        predicted, failed, seconds = attempt(entrant, learn, probs)
        about = zip(ABOUT, (job.data.pair, job.number, size, name), strict=True)
        values = {"before": before, "failed": int(failed), "seconds": seconds}
        row = {**dict(about), **asdict(protocol.losses(predicted, labels)), **values}
        found.append({**{key: str(value) for key, value in row.items()}, "program": programs[name]})
    return found


def jobs(data: Data, names: list[str], results: Results) -> Iterator[tuple[int, Job]]:
    """Yield the splits of a file where something is missing, and how much."""
    own = [name for name in names if data.task in entrants.tasks(name)]
    for number in protocol.splits(data.probs.shape[1]):
        sizes = protocol.split(data, number).sizes()
        missing = [
            (size, name)
            for size, name in itertools.product(sizes, own)
            if (data.pair, str(number), size, name) not in results.rows
        ]
        if missing:
            yield len(missing), Job(data, number, missing)


def run(pages: Pages, words: list[str], folder: Path) -> None:
    """Measure groups and entrants, and write their files anew."""
    names = [UNCALIBRATED, *entrants.called(words)]
    programs = {name: entrants.program(name) for name in names}
    results = Results(CACHE, set(programs.values()), ABOUT, FOUND)
    files = [corpus.read(path, MOST_ROWS) for path in corpus.paths(folder)]
    if not files:
        raise SystemExit(f"error: there is no NPZ file in {folder}")
    missing = [job for data in files for job in jobs(data, names, results)]
    # One after the other: what is timed has a core to itself.
    compute("contest", missing, partial(measure, programs=programs), results, 1)
    pages.records(KEPT / "files.csv", map(about, files))
    for name in names:
        own = [row for row in results.rows.values() if row["entrant"] == name]
        pages.records(KEPT / "entrants" / f"{name}.csv", means(own))


def about(data: Data) -> dict[str, object]:
    """Return what is to be known of a file; `zeros` are rows where f is below the floor."""
    n, k = data.probs.shape
    zeros = int(np.sum(np.any(data.probs < FLOOR, axis=1)))
    return {"file": data.pair, "task": data.task, "n": n, "k": k, "zeros": zeros}


def means(rows: list[Row]) -> Iterator[dict[str, object]]:
    """Bring the splits of a file together."""
    order = {size: place for place, size in enumerate(SIZES)}
    ordered = sorted(rows, key=lambda row: (row["file"], order[row["n_cal"]], row["split"]))
    for (file, size), group in itertools.groupby(ordered, lambda row: (row["file"], row["n_cal"])):
        own = list(group)
        mean = {name: float(np.mean([float(row[name]) for row in own])) for name in MEANS}
        changes = [float(row["log_loss"]) - float(row["before"]) for row in own]
        yield {
            "file": file,
            "n_cal": size,
            "splits": len(own),
            "failed": sum(row["failed"] == "1" for row in own),
            "harmed": sum(change > HARM for change in changes),
            "log_loss": mean["log_loss"],
            "brier": mean["brier"],
            "accuracy": f"{mean['accuracy']:.4f}",
            "seconds": f"{mean['seconds']:.2g}",
        }

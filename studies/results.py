"""Many runs of a program, several at a time, whose results outlive the script."""

import csv
import sys
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

from studies.pages import Row

Key = tuple[str, ...]
"""What a line is about."""

Job = TypeVar("Job")


class Results:
    """A CSV file that is appended to, row by row; a run that was stopped goes on where it was."""

    def __init__(
        self, path: Path, programs: Collection[str], about: Sequence[str], found: Sequence[str]
    ) -> None:
        """Read what these programs have computed before."""
        self.path, self.about = path, tuple(about)
        self.fields = (*about, *found, "program")
        self.rows: dict[Key, Row] = {}
        head = ",".join(self.fields)
        text = path.read_text() if path.exists() else ""
        if text.partition("\n")[0] != head:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head + "\n")
            return
        # A line that was cut short names no program, or not one of these.
        rows = csv.DictReader(text.splitlines())
        self.rows = {self.key(row): row for row in rows if row["program"] in programs}
        if not text.endswith("\n"):
            path.write_text(text + "\n")

    def key(self, row: Row) -> Key:
        """Return what a row is about."""
        return tuple(row[field] for field in self.about)

    def add(self, row: Row) -> None:
        """Keep a row, here and in the file."""
        self.rows[self.key(row)] = row
        with self.path.open("a", newline="") as file:
            csv.DictWriter(file, self.fields, lineterminator="\n").writerow(row)


class Bar:
    """A line of progress on standard error, if that is a terminal; else a line now and then."""

    WIDTH = 30
    SECONDS_BETWEEN_LINES = 15.0

    def __init__(self, title: str, total: int) -> None:
        """Start counting."""
        self.title, self.total, self.done = title, total, 0
        self.start = self.said = time.monotonic()

    def step(self, what: str, count: int = 1) -> None:
        """Count some more."""
        self.done += count
        now = time.monotonic()
        text = f"{self.done}/{self.total}, {now - self.start:.0f} s: {what}"
        if sys.stderr.isatty():
            full = self.WIDTH * self.done // self.total
            end = "\n" if self.done == self.total else ""
            bar = "#" * full + "-" * (self.WIDTH - full)
            print(f"\r{self.title} [{bar}] {text[:56]:56}", end=end, file=sys.stderr, flush=True)
        elif now - self.said > self.SECONDS_BETWEEN_LINES or self.done == self.total:
            self.said = now
            print(f"{self.title} {text}", file=sys.stderr, flush=True)


def compute(
    title: str,
    jobs: Sequence[tuple[int, Job]],
    work: Callable[[Job], list[Row]],
    results: Results,
    workers: int | Executor,
) -> None:
    """Do what is not there yet; a job comes with the number of rows that it will give."""
    bar = Bar(title, sum(count for count, _ in jobs))
    with ThreadPoolExecutor(workers) if isinstance(workers, int) else workers as pool:
        running = [pool.submit(work, job) for _, job in jobs]
        try:
            for finished in as_completed(running):
                rows = finished.result()
                for row in rows:
                    results.add(row)
                bar.step(" ".join(results.key(rows[-1])), len(rows))
        finally:
            pool.shutdown(cancel_futures=True)

"""What the entrants' files say of a task and a size, all entrants side by side."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from studies.contest.entrants import TASKS, UNCALIBRATED
from studies.contest.protocol import SIZES
from studies.contest.ranks import by_block, critical_difference, mean_ranks
from studies.corpus import Floats, dataset
from studies.pages import Row, read

LOSSES = ("log_loss", "brier")

Entries = dict[str, dict[tuple[str, str], Row]]
"""By entrant, the rows by file and size."""


@dataclass(frozen=True)
class Standing:
    """A line of a table: means over datasets, each of which counts once."""

    name: str
    changes: dict[str, float]
    """How much each loss is above that of f."""
    ranks: dict[str, float]
    harm: float
    """The share of splits in which the log loss is above that of f by more than 0.002."""
    worst: float
    """The largest change in the log loss of a file."""
    failed: float
    seconds: float


@dataclass(frozen=True)
class Contest:
    """One task at one size."""

    task: str
    size: str
    files: list[str]
    entries: Entries

    @cached_property
    def names(self) -> list[str]:
        """Return those who took part in all files."""
        wanted = {(file, self.size) for file in self.files}
        return [name for name, rows in self.entries.items() if wanted <= rows.keys()]

    @cached_property
    def datasets(self) -> list[str]:
        """Return the dataset of each file."""
        return [dataset(file) for file in self.files]

    @cached_property
    def critical(self) -> float:
        """Return the critical difference of mean ranks."""
        return critical_difference(len(self.names), len(set(self.datasets)))

    @cached_property
    def standings(self) -> list[Standing]:
        """Return a line for each entrant, by the mean rank of the log loss."""
        base = self.names.index(UNCALIBRATED)
        values = {loss: self.column(loss) for loss in LOSSES}
        changes = {loss: own - own[base] for loss, own in values.items()}
        ranks = {loss: mean_ranks(own, self.datasets) for loss, own in values.items()}
        means = {loss: self.mean(own) for loss, own in changes.items()}
        splits = self.column("splits")
        harm, failed = (self.mean(self.column(name) / splits) for name in ("harmed", "failed"))
        seconds = self.mean(self.column("seconds"))
        worst = changes["log_loss"].max(axis=1)
        lines = [
            Standing(
                name,
                {loss: float(own[i]) for loss, own in means.items()},
                {loss: float(own[i]) for loss, own in ranks.items()},
                *(float(own[i]) for own in (harm, worst, failed, seconds)),
            )
            for i, name in enumerate(self.names)
        ]
        return sorted(lines, key=lambda line: line.ranks["log_loss"])

    def column(self, name: str) -> Floats:
        """Return a column of all entrants, (entrants, files)."""
        return np.array(
            [
                [float(self.entries[entrant][file, self.size][name]) for file in self.files]
                for entrant in self.names
            ]
        )

    def mean(self, values: Floats) -> Floats:
        """Return the mean over datasets."""
        return np.asarray(by_block(values, self.datasets).mean(axis=1))

    def of(self, name: str) -> Standing:
        """Return the line of an entrant."""
        return next(line for line in self.standings if line.name == name)

    def only(self, files: Collection[str], names: Collection[str] | None = None) -> "Contest":
        """Return the same on some of the files, and of some entrants."""
        own = {name: self.entries[name] for name in self.entries if names is None or name in names}
        return Contest(self.task, self.size, [file for file in self.files if file in files], own)


def without_zeros(folder: Path) -> set[str]:
    """Return the files in which f is nowhere below the floor of the logarithm."""
    return {row["file"] for row in read(folder / "files.csv") if row["zeros"] == "0"}


def contests(folder: Path) -> list[Contest]:
    """Read every task and size."""
    kept = sorted((folder / "entrants").glob("*.csv"))
    entries = {path.stem: {(row["file"], row["n_cal"]): row for row in read(path)} for path in kept}
    tasks = {row["file"]: row["task"] for row in read(folder / "files.csv")}
    # Files with too few rows have none of that size.
    have = entries[UNCALIBRATED].keys()
    found = []
    for task in TASKS:
        for size in SIZES:
            files = [file for file, own in tasks.items() if own == task and (file, size) in have]
            found += [Contest(task, size, files, entries)] if files else []
    return found

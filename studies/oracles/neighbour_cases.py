"""The inputs of the neighbours' oracles: the files in data/, and tiny ones written here."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies.oracles.common import Floats, Ints

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """Rows of probabilities (n, k) with the number of the class that was observed."""

    name: str
    probs: Floats
    labels: Ints

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return int(self.probs.shape[1])

    def ones(self) -> tuple[Floats, Ints]:
        """Return the probability of class 1, and whether it is the one."""
        return self.against_rest(1)

    def against_rest(self, one: int) -> tuple[Floats, Ints]:
        """Return the probability of a class, and whether it is the one."""
        return np.ascontiguousarray(self.probs[:, one]), (self.labels == one).astype(np.int64)

    def top(self) -> tuple[Floats, Ints]:
        """Return the largest probability, and whether its class, the first if tied, is the one."""
        best = self.probs.argmax(axis=1)
        return self.probs.max(axis=1), (self.labels == best).astype(np.int64)

    def scope(self, name: str) -> list[tuple[Floats, Ints]]:
        """Return the two-class problems that a scope makes of this."""
        if name == "top":
            return [self.top()]
        if name in ("classwise", "marginal"):
            return [self.against_rest(one) for one in range(self.classes)]
        return [self.ones()]


def file_cases() -> Iterator[Case]:
    """Yield the files in data/ with their rows divided by their sums, whatever the weights."""
    for path in sorted((HERE / "data").glob("*.npz")):
        with np.load(path) as file:
            probs = file["probs"].astype(np.float64)
            labels = file["labels"].astype(np.int64)
        sums = np.cumsum(probs, axis=1)[:, -1:]
        rounding = np.finfo(np.float64).eps * probs.shape[1]
        yield Case(path.stem, np.where(np.abs(sums - 1.0) > rounding, probs / sums, probs), labels)


def two(name: str, ones: list[float], labels: list[int]) -> Case:
    """Return a case of two classes."""
    f = np.array(ones)
    return Case(name, np.column_stack([1.0 - f, f]), np.array(labels))


def tiny_cases() -> Iterator[Case]:
    """Yield what is hard, and small enough to be checked by hand."""
    yield two(
        "borders",
        [0, 0, 1 / 15, 2 / 15, 0.2, 0.2, 0.3, 0.4, 0.4, 0.6, 0.6, 0.7, 0.8, 0.9, 14 / 15, 1, 1, 1],
        [0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0],
    )
    yield two("near_one", [0.95, 1.0], [1, 0])
    yield two(
        "ties",
        [0.25] * 20 + [0.5] * 12 + [0.9] * 8,
        [1] * 7 + [0] * 13 + [1, 0] * 6 + [1] * 5 + [0] * 3,
    )
    yield two("all_ones", [0.1, 0.35, 0.35, 0.6, 0.8, 0.85, 0.97], [1] * 7)
    yield two("all_zeros", [0.05, 0.1, 0.3, 0.45, 0.55, 0.7], [0] * 6)
    yield two("one_prediction", [0.3] * 10, [1, 0, 0, 1, 0, 1, 0, 0, 1, 0])
    yield two("two_rows", [0.2, 0.7], [1, 0])
    yield two("halves", [0.5] * 6, [1, 0, 0, 0, 1, 0])
    yield two("sure_and_right", [0, 0, 1, 1, 1], [0, 0, 1, 1, 1])
    yield two("sure_and_wrong_once", [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1])
    yield two("sure_but_two", [0, 0, 0.3, 0.4, 0.6, 0.7, 1, 1], [0, 0, 1, 0, 1, 0, 1, 1])
    yield two(
        "exactly_calibrated", [0.25] * 4 + [0.5] * 2 + [0.75] * 4, [1, 0, 0, 0, 1, 0, 1, 1, 1, 0]
    )
    yield two("above_throughout", [0.2, 0.4, 0.6, 0.8], [1, 1, 1, 1])
    yield two(
        "spread",
        [0.03, 0.11, 0.19, 0.22, 0.31, 0.38, 0.44, 0.57, 0.63, 0.71, 0.86, 0.94],
        [0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1],
    )
    yield Case(
        "three_classes",
        np.array(
            [
                [0.7, 0.2, 0.1],
                [0.1, 0.6, 0.3],
                [0.25, 0.25, 0.5],
                [0.5, 0.125, 0.375],
                [0.2, 0.2, 0.6],
                [0.3, 0.5, 0.2],
                [0.8, 0.15, 0.05],
            ]
        ),
        np.array([0, 1, 1, 2, 2, 0, 0]),
    )
    yield Case(
        "three_classes_ties",
        np.array([[0.5, 0.5, 0], [0.4, 0.4, 0.2], [1, 0, 0], [0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]]),
        np.array([1, 0, 0, 2, 2, 1]),
    )
    yield Case(
        "two_of_three_observed",
        np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.3, 0.2], [0.3, 0.4, 0.3]]),
        np.array([0, 1, 1, 1]),
    )

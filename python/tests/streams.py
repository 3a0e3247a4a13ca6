"""A stream for tests: labels, predictions, keys, weights and groups, in any parts and order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow
from numpy.typing import NDArray

import calipers

# Quick to fit, and few drawings: what is tested is that bits are the same.
QUICK = {"recalibrator": "affine", "draws": 19}


class Stream(NamedTuple):
    """Rows, and everything that they may have."""

    labels: NDArray[np.str_]
    probs: NDArray[np.float64]
    keys: NDArray[np.int64]
    weights: NDArray[np.float64]
    groups: NDArray[np.str_]

    @property
    def columns(self) -> list[str]:
        """The names of the columns of predictions, which are called after classes."""
        return [f"p_{name}" for name in WORDS[self.probs.shape[1]]]

    def some(self, rows: NDArray[np.int64] | slice) -> Stream:
        """Return some rows, in this order."""
        return Stream(*(values[rows] for values in self))

    def parts(self, count: int, seed: int | None = None) -> list[Stream]:
        """Return so many parts, of shuffled rows if there is a seed."""
        order = np.arange(len(self.keys))
        if seed is not None:
            order = np.random.default_rng(seed).permutation(order)
        return [self.some(part) for part in np.array_split(order, count)]

    def table(self) -> pyarrow.Table:
        """Return it as a table of Arrow."""
        columns = {name: self.probs[:, at] for at, name in enumerate(self.columns)}
        lists = list(self.probs)
        others = {"key": self.keys, "text": [str(key) for key in self.keys]}
        others |= {"weight": self.weights, "group": self.groups, "lists": lists}
        return pyarrow.table({"label": self.labels, **columns, **others})


# Classes' names, by their number.
WORDS = {2: ["cat", "dog"], 3: ["cat", "dog", "fox"]}


def stream(rows: int = 3000, classes: int = 2, seed: int = 0) -> Stream:
    """Return rows whose keys are in no order."""
    name = "binary-overconfident" if classes == 2 else f"multiclass-overconfident-{classes}"
    codes, probs = calipers.simulate(name, rows, seed=seed)
    random = np.random.default_rng(seed)
    return Stream(
        labels=np.asarray(WORDS[classes])[codes],
        probs=probs,
        keys=random.permutation(10 * rows)[:rows],
        weights=random.uniform(0.25, 4.0, rows),
        groups=np.asarray(["north", "south", "west"])[random.choice(3, rows, p=(0.6, 0.39, 0.01))],
    )

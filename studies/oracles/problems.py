"""A problem: predictions with labels, folds and weights; and the problems made out of it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies.oracles.common import Fit, Floats, Ints


@dataclass(frozen=True)
class Problem:
    """Rows of predictions, none of zero weight."""

    probs: Floats  # (n, k), rows of sum 1
    labels: Ints  # (n,)
    folds: Ints  # (n,), the fold in which each row is held out
    weights: Floats  # (n,)

    def held_out(self, fit: Fit) -> Floats:
        """Return the recalibrated probabilities of each row, fitted on the other folds."""
        out = np.empty_like(self.probs)
        for fold in np.unique(self.folds):
            held = self.folds == fold
            train = ~held
            apply = fit(self.probs[train], self.labels[train], self.weights[train])
            out[held] = apply(self.probs[held])
        return out

    def estimate(self, scores: Floats) -> float:
        """Return the weighted mean of the scores."""
        return float(np.sum(self.weights * scores) / np.sum(self.weights))

    def against_rest(self, ones: Floats, labels: Ints) -> "Problem":
        """Return the two-class problem of the probabilities `ones` of class 1."""
        probs = np.column_stack([1.0 - ones, ones])
        return Problem(probs, labels, self.folds, self.weights)

    def top(self) -> "Problem":
        """Return the problem of whether the top class, the first of them if tied, is right."""
        best = self.probs.argmax(axis=1)
        return self.against_rest(self.probs.max(axis=1), (self.labels == best).astype(np.int64))

    def classes(self) -> list["Problem"]:
        """Return the problem of each class against the rest."""
        return [
            self.against_rest(self.probs[:, c], (self.labels == c).astype(np.int64))
            for c in range(self.probs.shape[1])
        ]


def read(path: Path) -> Problem:
    """Read an npz file; rows are divided by their sum, and rows of zero weight dropped.

    A row that sums to 1 to within k roundings is left as it is.
    """
    with np.load(path) as file:
        probs = file["probs"].astype(np.float64)
        labels = file["labels"].astype(np.int64)
        folds = file["folds"].astype(np.int64)
        weights = file["weights"] if "weights" in file else np.ones(len(labels))
    # A running sum adds from left to right, unlike the pairwise `sum`.
    sums = np.cumsum(probs, axis=1)[:, -1:]
    rounding = np.finfo(np.float64).eps * probs.shape[1]
    probs = np.where(np.abs(sums - 1.0) > rounding, probs / sums, probs)
    keep = weights > 0.0
    return Problem(probs[keep], labels[keep], folds[keep], weights[keep].astype(np.float64))

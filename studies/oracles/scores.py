"""The scores: one number for each held-out row, from f, its recalibration g and the label."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from studies.oracles.common import Floats, Ints

Bools = NDArray[np.bool_]

Score = Callable[[Floats, Floats, Ints], Floats]
"""(f, g, labels) to the scores (n,)."""

Side = Callable[[Floats, Floats], Bools]
"""(f, g) to whether each row is over-confident."""

LOG_FLOOR = 1e-12


def lp(p: float) -> Score:
    """Return the score of the Lp calibration error; p may be infinite."""

    def score(f: Floats, g: Floats, labels: Ints) -> Floats:
        residual = np.eye(f.shape[1])[labels] - f
        if f.shape[1] == 2:
            return np.sign(g[:, 1] - f[:, 1]) * residual[:, 1]
        return np.sum(dual(g - f, p) * residual, axis=1)

    return score


def dual(d: Floats, p: float) -> Floats:
    """Return sign(d)|d|^(p-1) / ||d||_p^(p-1) by rows, zero where d is zero.

    The limit at p = infinity shares the weight evenly among the largest entries.
    """
    largest = np.abs(d).max(axis=1, keepdims=True)
    moved = largest > 0.0
    scaled = np.abs(d) / np.where(moved, largest, 1.0)
    if np.isinf(p):
        powers = (np.abs(d) == largest).astype(np.float64)
        norms = powers.sum(axis=1, keepdims=True)
    elif p == 1.0:
        powers = np.ones_like(d)
        norms = np.ones_like(largest)
    else:
        powers = scaled ** (p - 1.0)
        norms = np.sum(scaled**p, axis=1, keepdims=True) ** ((p - 1.0) / p)
    return np.where(moved, np.sign(d) * powers / np.where(moved, norms, 1.0), 0.0)


def brier(f: Floats, g: Floats, labels: Ints) -> Floats:
    """Return the fall of the Brier score; of class 1 alone for two classes."""
    truth = np.eye(f.shape[1])[labels]
    terms = (f - g) * (f + g - 2.0 * truth)
    return terms[:, 1] if f.shape[1] == 2 else terms.sum(axis=1)


def log(f: Floats, g: Floats, labels: Ints) -> Floats:
    """Return the fall of the log loss, both sides floored."""
    rows = np.arange(len(f))
    after = np.log(np.maximum(g[rows, labels], LOG_FLOOR))
    return after - np.log(np.maximum(f[rows, labels], LOG_FLOOR))


def towards_half(f: Floats, g: Floats) -> Bools:
    """Return where class 1 moves towards 1/2: f was over-confident."""
    f1, g1 = f[:, 1], g[:, 1]
    return ((f1 > 0.5) & (g1 < f1)) | ((f1 < 0.5) & (g1 > f1))


def downwards(f: Floats, g: Floats) -> Bools:
    """Return where class 1, here the top class, loses probability: f was over-confident."""
    return g[:, 1] < f[:, 1]


def where(score: Score, side: Side, wanted: bool) -> Score:
    """Return the score on the rows whose side is `wanted`, and zero elsewhere."""

    def one_sided(f: Floats, g: Floats, labels: Ints) -> Floats:
        return np.where(side(f, g) == wanted, score(f, g, labels), 0.0)

    return one_sided


CANONICAL: dict[str, Score] = {
    "l1": lp(1.0),
    "l1.5": lp(1.5),
    "l2": lp(2.0),
    "l3": lp(3.0),
    "linf": lp(np.inf),
    "brier": brier,
    "log": log,
}
"""The scores of the predictions as they are."""

TWO_CLASS: dict[str, Score] = {
    "over-l1": where(lp(1.0), towards_half, wanted=True),
    "under-l1": where(lp(1.0), towards_half, wanted=False),
    "over-brier": where(brier, towards_half, wanted=True),
    "under-brier": where(brier, towards_half, wanted=False),
}
"""The one-sided scores, which exist for two classes only."""

TOP: dict[str, Score] = {
    "top-l1": lp(1.0),
    "top-brier": brier,
    "top-log": log,
    "top-over-l1": where(lp(1.0), downwards, wanted=True),
    "top-under-l1": where(lp(1.0), downwards, wanted=False),
}
"""The scores of the problem of the top class."""

CLASSWISE: dict[str, Score] = {"classwise-l1": lp(1.0), "classwise-brier": brier}
"""The scores of the problem of each class against the rest, averaged over classes."""

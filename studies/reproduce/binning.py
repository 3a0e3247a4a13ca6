"""Binned calibration errors, the estimators that the paper argues against.

Bins give each row the mean of the labels in its bin, the rows themselves included, so that the
noise of the means counts as error. This is the only place that knows how they are computed.
"""

import numpy as np
from sklearn.cluster import KMeans

from studies.corpus import Floats, Ints
from studies.reproduce.methods import CELLS, FEWER_CELLS, MASS, WIDTH

BINS = 15
CLUSTERS = {CELLS: 30, FEWER_CELLS: 15}


def binned_error(probs: Floats, labels: Ints, how: str, seed: int) -> float:
    """Return the sum over bins of n_b/n times the norm of (mean label - mean prediction).

    Two classes: the absolute value for class 1. More classes: the Euclidean norm.
    """
    bins = assign(probs, how, seed)
    outcomes = np.eye(probs.shape[1])[labels]
    gaps = np.zeros((bins.max() + 1, probs.shape[1]))
    np.add.at(gaps, bins, outcomes - probs)
    if probs.shape[1] == 2:
        gaps = gaps[:, 1:]
    return float(np.linalg.norm(gaps, axis=1).sum() / len(labels))


def assign(probs: Floats, how: str, seed: int) -> Ints:
    """Return the bin of each row."""
    if how == WIDTH:
        return np.minimum((probs[:, 1] * BINS).astype(np.int64), BINS - 1)
    if how == MASS:
        ranks = np.argsort(np.argsort(probs[:, 1], kind="stable"))
        return ranks * BINS // len(ranks)
    fitted = KMeans(CLUSTERS[how], n_init=1, random_state=seed).fit(probs)
    return np.asarray(fitted.labels_, dtype=np.int64)

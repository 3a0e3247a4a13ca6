"""The words that every recalibrator shares: types, the floor, the effective size, the mixing."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Map = Callable[[Floats], Floats]
"""A fitted recalibrator: probabilities (n, k) to probabilities (n, k)."""

Fit = Callable[[Floats, Ints, Floats], Map]
"""A recalibrator: (probs, labels, weights) of the training rows to its fitted map.

The weights are positive: rows of zero weight are dropped when a file is read.
"""

FLOOR = 1e-6
RIDGE = 1e-6


def log_floored(probs: Floats) -> Floats:
    """Return ln max(probs, FLOOR)."""
    return np.log(np.maximum(probs, FLOOR))


def softmax(logits: Floats) -> Floats:
    """Return the softmax of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def effective_size(weights: Floats) -> float:
    """Return (sum w)^2 / sum w^2."""
    return float(weights.sum() ** 2 / np.sum(weights**2))


def mix(probs: Floats, size: float) -> Floats:
    """Pull the probabilities towards 1/k by the share 1/(size + 1)."""
    return probs + (1.0 / probs.shape[1] - probs) / (size + 1.0)


def then_mix(fit: Fit) -> Fit:
    """Return the recalibrator whose output is mixed with the uniform distribution."""

    def mixed(probs: Floats, labels: Ints, weights: Floats) -> Map:
        inner = fit(probs, labels, weights)
        size = effective_size(weights)
        return lambda new: mix(inner(new), size)

    return mixed

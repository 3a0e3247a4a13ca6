"""Measures that no package on the index has, as quickly as NumPy and SciPy can compute them.

Sums over pairs go by blocks of rows, which fit a cache better than all pairs do; products of
matrices use all cores.
"""

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import gammaln

from studies.corpus import Floats, Ints

BLOCK = 256
BANDWIDTHS = (*np.logspace(-5, -1, 15), 0.2, 0.4, 0.6, 0.8, 1.0)
KERNEL_FLOOR = 1e-6


def sweep(f: Floats, y: Ints) -> float:
    """Return the sweep error from cumulative sums of the sorted rows."""
    n = len(f)
    order = np.argsort(f, kind="stable")
    f, y = f[order], y[order]
    sums = np.concatenate([[0.0], np.cumsum(f)])
    ones = np.concatenate([[0], np.cumsum(y)])
    # Where the run of equal predictions ends that a cut falls in.
    ends = np.searchsorted(f, f, side="right")
    best = np.array([0, n])
    for bins in range(2, n + 1):
        cuts = np.arange(1, bins) * (n // bins) + np.minimum(np.arange(1, bins), n % bins)
        bounds = np.concatenate([[0], np.unique(np.append(ends[cuts - 1], n))])
        rates = np.diff(ones[bounds]) / np.diff(bounds)
        if np.any(np.diff(rates) < 0.0):
            break
        best = bounds
    return float(np.abs(np.diff(sums[best]) - np.diff(ones[best])).sum() / n)


def blocks(n: int) -> Iterator[slice]:
    """Yield blocks of rows."""
    for start in range(0, n, BLOCK):
        yield slice(start, min(start + BLOCK, n))


def kernels(both: Floats, bandwidth: float) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield, by blocks, the kernels of all other rows over the largest, and its logarithm."""
    alpha = both / bandwidth + 1.0
    constant = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
    logs = np.log(np.maximum(both, KERNEL_FLOOR))
    for rows in blocks(len(both)):
        weights = logs[rows] @ (alpha - 1.0).T
        weights += constant
        weights[np.arange(weights.shape[0]), np.arange(rows.start, rows.stop)] = -np.inf
        largest = weights.max(axis=1)
        weights -= largest[:, None]
        yield rows, np.exp(weights, out=weights), largest


def kernel(probs: Floats, labels: Ints) -> float:
    """Return the kernel estimate, with the likeliest bandwidth; `probs` has k columns or one.

    With one column, `labels` are 0 or 1.
    """
    n, k = probs.shape
    both = np.hstack([probs, 1.0 - probs]) if k == 1 else probs
    hits = labels[:, None].astype(np.float64) if k == 1 else np.eye(k)[labels]

    def likelihood(bandwidth: float) -> float:
        each = (np.log(w.sum(axis=1)) + largest for _, w, largest in kernels(both, bandwidth))
        return float(sum(one.sum() for one in each))

    error = 0.0
    for rows, weights, _ in kernels(both, max(BANDWIDTHS, key=likelihood)):
        rates = weights @ hits / weights.sum(axis=1, keepdims=True)
        error += float(np.abs(rates - probs[rows]).sum())
    return float(error / n)


def skce(probs: Floats, labels: Ints, bandwidth: float = 1.0) -> float:
    """Return the squared kernel calibration error; `probs` has k columns or one."""
    n, k = probs.shape
    hits = labels[:, None].astype(np.float64) if k == 1 else np.eye(k)[labels]
    residuals = hits - probs
    total = 0.0
    for rows in blocks(n):
        weights = cdist(probs[rows], probs)
        weights /= -bandwidth
        np.exp(weights, out=weights)
        total += float(np.sum(residuals[rows] * (weights @ residuals)))
    return float((total - np.sum(residuals**2)) / (n * (n - 1)))


def hosmer_lemeshow(f: Floats, y: Ints, bins: int = 10) -> float:
    """Return the statistic from sums between cuts; no ties are looked for."""
    order = np.argsort(f)
    size, more = divmod(len(f), bins)
    bounds = [j * size + min(j, more) for j in range(bins + 1)]
    value = 0.0
    for low, high in itertools.pairwise(bounds):
        rows = order[low:high]
        mean = f[rows].mean()
        gap = y[rows].sum() - f[rows].sum()
        value += float(gap**2 / (rows.size * mean * (1.0 - mean)))
    return value

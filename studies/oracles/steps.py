"""Shifts of the log-odds, averaged over all prunings of trees, by recursion and bisection."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logsumexp

from studies.oracles.common import Floats

SPREADS = (0.1, 0.35, 1.2)
LEVEL = 0.8
FIRST_CUTS = (1 / 2, 1 / 3, 2 / 3)


def steps_over(mass: Floats, observed: Floats, smooth: Floats) -> Floats:
    """Return the mean shift of each cell, whose log-odds are smooth ones without it."""
    before = np.concatenate([[0.0], np.cumsum(mass)])

    def shared(low: int, high: int) -> tuple[float, float]:
        """Return the log evidence and the mean of one shift for some cells."""
        m, o, z = mass[low:high], observed[low:high], smooth[low:high]

        def slope(shift: float) -> float:
            return float(np.sum(o - m * expit(z + shift)))

        def posterior_slope(shift: float) -> float:
            return slope(shift) - shift / SPREADS[-1] ** 2

        mode = float(brentq(posterior_slope, -1e3, 1e3, xtol=1e-13, rtol=1e-14))
        p = expit(z + mode)
        bend = float(np.sum(m * p * (1 - p)))
        logs = o * (log_expit(z + mode) - log_expit(z)) + (m - o) * (
            log_expit(-z - mode) - log_expit(-z)
        )
        line = slope(mode) + bend * mode
        level = float(np.sum(logs)) - slope(mode) * mode - 0.5 * bend * mode**2
        evidence, means = [np.log(LEVEL)], [0.0]
        for spread in SPREADS:
            precision = bend + spread**-2
            occam = 0.5 * np.log(spread**2 * precision)
            prior = np.log((1 - LEVEL) / len(SPREADS))
            evidence.append(prior + level + 0.5 * line**2 / precision - occam)
            means.append(line / precision)
        total = float(logsumexp(evidence))
        return total, float(np.sum(np.exp(np.array(evidence) - total) * means))

    def pruned(low: int, high: int, cut_at: float) -> tuple[float, Floats]:
        """Return the log evidence of all prunings of a node, and the mean shifts of its cells."""
        own, shift = shared(low, high)
        if high - low == 1:
            return own, np.array([shift])
        middle = before[low] + cut_at * (before[high] - before[low])
        # The border nearest to the middle; of two that are as near, the later.
        gaps = np.abs(before[low + 1 : high] - middle)
        nearest = np.flatnonzero(gaps <= gaps.min() * (1 + 1e-9) + 1e-9)[-1]
        cut = low + 1 + int(nearest)
        left, left_shifts = pruned(low, cut, 0.5)
        right, right_shifts = pruned(cut, high, 0.5)
        halves = np.log(0.5) + left + right
        total = float(np.logaddexp(np.log(0.5) + own, halves))
        split = np.exp(halves - total)
        parts = np.concatenate([left_shifts, right_shifts])
        return total, (1 - split) * shift + split * parts

    trees = [pruned(0, len(mass), first)[1] for first in FIRST_CUTS]
    found: Floats = np.mean(trees, axis=0)
    return found if np.abs(found).max() >= 1e-4 else np.zeros_like(found)

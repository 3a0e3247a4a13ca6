"""Temperature scaling."""

import numpy as np
from scipy.optimize import brentq

from studies.oracles.common import Floats, Ints, Map, log_floored, softmax


def temperature(probs: Floats, labels: Ints, weights: Floats) -> Map:
    """Fit softmax(beta z), with ln beta in [-16, 16] at the root of the derivative.

    The cross-entropy is convex in beta, so that the derivative changes sign at most once; where
    it does not, the better end of the interval is the minimum.
    """
    logs = log_floored(probs)
    # The label's own term is exactly zero, which keeps the sum accurate where g is nearly one-hot.
    gaps = logs - np.take_along_axis(logs, labels[:, None], axis=1)

    def derivative(log_beta: float) -> float:
        beta = np.exp(log_beta)
        slopes = np.sum(softmax(beta * logs) * gaps, axis=1)
        return float(beta * np.average(slopes, weights=weights))

    if derivative(16.0) <= 0.0:
        log_beta = 16.0
    elif derivative(-16.0) >= 0.0:
        log_beta = -16.0
    else:
        log_beta = brentq(derivative, -16.0, 16.0, xtol=1e-14, rtol=1e-15, maxiter=1000)
    beta = np.exp(log_beta)
    return lambda new: softmax(beta * log_floored(new))

"""Temperature scaling."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from studies.oracles.common import FLOOR, Floats, Ints, Map, softmax

# A smaller floor is taken if it makes the labels likelier, by more than rounding does.
FLOORS = (FLOOR, 1e-12, 1e-38)
ROUNDING = 1e-9


def temperature(probs: Floats, labels: Ints, weights: Floats) -> Map:
    """Fit softmax(beta z) under each floor, and take the first that no later one improves on."""
    best, least = under_floor(probs, labels, weights, FLOORS[0])
    for floor in FLOORS[1:]:
        other, loss = under_floor(probs, labels, weights, floor)
        if loss < least * (1.0 - ROUNDING):
            best, least = other, loss
    return best


def under_floor(probs: Floats, labels: Ints, weights: Floats, floor: float) -> tuple[Map, float]:
    """Fit softmax(beta z), with ln beta in [-16, 16] at the root of the derivative.

    The cross-entropy is convex in beta, so that the derivative changes sign at most once; where
    it does not, the better end of the interval is the minimum. Its sum is over weights of mean 1.
    """
    logs = np.log(np.maximum(probs, floor))
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
    losses = logsumexp(beta * gaps, axis=1)
    loss = len(labels) * float(np.average(losses, weights=weights))
    return lambda new: softmax(beta * np.log(np.maximum(new, floor))), loss

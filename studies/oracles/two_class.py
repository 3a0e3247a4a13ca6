"""The recalibrators of two classes, and one-versus-rest, which lifts them to more."""

from collections.abc import Callable
from itertools import product

import numpy as np
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from studies.oracles.common import RIDGE, Fit, Floats, Ints, Map, log_floored
from studies.oracles.newton import SoftmaxRegression

ScalarMap = Callable[[Floats], Floats]
"""The probability of class 1 before, to the one after; both (n,)."""

ScalarFit = Callable[[Floats, Ints, Floats], ScalarMap]


def one_versus_rest(fit: ScalarFit) -> Fit:
    """Fit a two-class map to each class against the rest, and divide by the sum.

    Two classes need one fit only. A row that every map sends to zero becomes uniform.
    """

    def lifted(probs: Floats, labels: Ints, weights: Floats) -> Map:
        k = probs.shape[1]
        if k == 2:
            only = fit(probs[:, 1], labels, weights)

            def apply_two(new: Floats) -> Floats:
                ones = only(new[:, 1])
                return np.column_stack([1.0 - ones, ones])

            return apply_two

        maps = [fit(probs[:, c], (labels == c).astype(np.int64), weights) for c in range(k)]

        def apply(new: Floats) -> Floats:
            raw = np.column_stack([maps[c](new[:, c]) for c in range(k)])
            sums = raw.sum(axis=1, keepdims=True)
            return np.where(sums > 0.0, raw / np.where(sums > 0.0, sums, 1.0), 1.0 / k)

        return apply

    return lifted


def logit_regression(
    features: Floats, labels: Ints, weights: Floats, centre: Floats
) -> SoftmaxRegression:
    """Return the problem of sigmoid(features @ theta) with the ridge towards `centre`."""
    n, p = features.shape
    design = np.zeros((n, 2, p))
    design[:, 1, :] = features
    return SoftmaxRegression(
        offset=np.zeros((n, 2)),
        design=design,
        labels=labels,
        weights=weights,
        penalty=np.full(p, RIDGE),
        centre=centre,
    )


def quadratic_features(first: Floats) -> Floats:
    """Return (1, t, t^2) with t the log-odds."""
    odds = log_floored(first) - log_floored(1.0 - first)
    return np.column_stack([np.ones_like(odds), odds, odds**2])


def quadratic_map(first: Floats, labels: Ints, weights: Floats) -> ScalarMap:
    """Fit sigmoid(a + b t + c t^2)."""
    centre = np.array([0.0, 1.0, 0.0])
    theta = logit_regression(quadratic_features(first), labels, weights, centre).minimise()
    return lambda new: expit(quadratic_features(new) @ theta)


def beta_features(first: Floats) -> Floats:
    """Return (1, ln f1, -ln(1 - f1)), floored."""
    return np.column_stack([np.ones_like(first), log_floored(first), -log_floored(1.0 - first)])


def beta_map(first: Floats, labels: Ints, weights: Floats) -> ScalarMap:
    """Fit sigmoid(c + a ln f1 - b ln(1 - f1)) with a, b >= 0.

    The minimum over each of the four active sets is found, and the best feasible one is kept;
    as the problem is convex, that one is the constrained minimum.
    """
    features = beta_features(first)
    centre = np.array([0.0, 1.0, 1.0])
    whole = logit_regression(features, labels, weights, centre)
    best, best_value = np.zeros(3), np.inf
    for a_is_free, b_is_free in product([True, False], repeat=2):
        free = np.array([True, a_is_free, b_is_free])
        theta = np.zeros(3)
        theta[free] = logit_regression(features[:, free], labels, weights, centre[free]).minimise()
        value = whole.objective(theta)
        if theta[1:].min() >= 0.0 and value < best_value:
            best, best_value = theta, value
    return lambda new: expit(beta_features(new) @ best)


def isotonic_map(first: Floats, labels: Ints, weights: Floats) -> ScalarMap:
    """Fit scikit-learn's isotonic regression."""
    model = IsotonicRegression(y_min=0.0, y_max=1.0, increasing=True, out_of_bounds="clip")
    model.fit(first, labels.astype(np.float64), sample_weight=weights)
    return model.predict

"""The recalibrators whose logits are linear in log-probabilities."""

from collections.abc import Callable

import numpy as np

from studies.oracles.common import (
    RIDGE,
    Fit,
    Floats,
    Ints,
    Map,
    effective_size,
    log_floored,
    softmax,
    then_mix,
)
from studies.oracles.newton import SoftmaxRegression
from studies.oracles.temperature import temperature

# No ridge is weakened to less than this share.
LEAST = 0.05

Design = Callable[[Floats], Floats]
"""Log-probabilities (n, k) to the design (n, k, p) of the logits; intercepts come last."""


def bias_design(n: int, k: int) -> Floats:
    """Return the design (n, k, k) of one intercept for each class."""
    return np.tile(np.eye(k), (n, 1, 1))


def affine_design(logs: Floats) -> Floats:
    """Return the design (n, k, 1 + k) of the logits beta logs + b."""
    return np.concatenate([logs[:, :, None], bias_design(*logs.shape)], axis=2)


def vector_design(logs: Floats) -> Floats:
    """Return the design (n, k, 2k) of the logits w * logs + b."""
    n, k = logs.shape
    return np.concatenate([logs[:, :, None] * np.eye(k), bias_design(n, k)], axis=2)


def matrix_design(logs: Floats) -> Floats:
    """Return the design (n, k, k^2 + k) of the logits W logs + b, with W flattened by rows."""
    n, k = logs.shape
    products = np.einsum("ce,nd->nced", np.eye(k), logs).reshape(n, k, k * k)
    return np.concatenate([products, bias_design(n, k)], axis=2)


def towards_identity(design: Design, slopes: Callable[[int], Floats]) -> Fit:
    """Return the recalibrator softmax(design(z) theta), with a small ridge towards the identity.

    `slopes(k)` holds the slope parameters of the identity; its intercepts are zero.
    """

    def fit(probs: Floats, labels: Ints, weights: Floats) -> Map:
        n, k = probs.shape
        centre = np.concatenate([slopes(k), np.zeros(k)])
        theta = SoftmaxRegression(
            offset=np.zeros((n, k)),
            design=design(log_floored(probs)),
            labels=labels,
            weights=weights,
            penalty=np.full(len(centre), RIDGE),
            centre=centre,
        ).minimise()
        return lambda new: softmax(design(log_floored(new)) @ theta)

    return fit


def structured(design: Design, multipliers: Callable[[int], Floats]) -> Fit:
    """Return the recalibrator softmax(L + design(L) theta), with L of mixed temperature scaling.

    `multipliers(k)` times k / n_eff is the ridge on each parameter, or less where the scores at L
    say that the parameters which share it are larger.
    """

    def fit(probs: Floats, labels: Ints, weights: Floats) -> Map:
        scaled = then_mix(temperature)(probs, labels, weights)
        logs = np.log(scaled(probs))
        k = probs.shape[1]
        most = k * multipliers(k)
        strengths = np.clip(weakened(design, logs, labels, weights), LEAST * most, most)
        penalty = strengths / effective_size(weights)
        theta = SoftmaxRegression(
            offset=logs,
            design=design(logs),
            labels=labels,
            weights=weights,
            penalty=penalty,
            centre=np.zeros(len(penalty)),
        ).minimise()

        def apply(new: Floats) -> Floats:
            new_logs = np.log(scaled(new))
            return softmax(new_logs + design(new_logs) @ theta)

        return apply

    return fit


def weakened(design: Design, logs: Floats, labels: Ints, weights: Floats) -> Floats:
    """Return for each parameter 1 / (2 t), with t the variance of those of its kind by moments."""
    k = logs.shape[1]
    probs = np.exp(logs)
    residuals = weights[:, None] * (np.eye(k)[labels] - probs)
    masses = weights[:, None] * probs * (1.0 - probs)
    columns = design(logs)
    above: dict[str, list[float]] = {}
    kinds = []
    for number in range(columns.shape[2]):
        column = columns[:, :, number]
        # The one class whose logit the parameter moves.
        of = int(np.argmax(np.abs(column).sum(axis=0)))
        x, kind = column[:, of], "intercept"
        if number < columns.shape[2] - k:
            x = x - np.average(x, weights=masses[:, of])
            kind = "diagonal" if np.array_equal(column[:, of], logs[:, of]) else "other"
        kinds.append(kind)
        excess = np.sum(residuals[:, of] * x) ** 2 - np.sum(weights * masses[:, of] * x**2)
        sums = above.setdefault(kind, [0.0, 0.0])
        sums[0] += excess
        sums[1] += np.sum(masses[:, of] * x**2) ** 2
    variances = {kind: max(sums[0] / sums[1], 1e-300) for kind, sums in above.items()}
    return np.array([0.5 / variances[kind] for kind in kinds])


def svs_multipliers(k: int) -> Floats:
    """Return 1 for every slope and intercept."""
    return np.ones(2 * k)


def sms_multipliers(k: int) -> Floats:
    """Return 1 for the diagonal of W and the intercepts, k - 1 for the rest of W."""
    slopes = np.where(np.eye(k) == 1.0, 1.0, k - 1.0)
    return np.concatenate([slopes.ravel(), np.ones(k)])


affine = towards_identity(affine_design, lambda k: np.ones(1))
vector = towards_identity(vector_design, np.ones)
matrix = towards_identity(matrix_design, lambda k: np.eye(k).ravel())
svs = structured(vector_design, svs_multipliers)
sms = structured(matrix_design, sms_multipliers)

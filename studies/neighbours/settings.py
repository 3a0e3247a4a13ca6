"""Predictions whose truth is known, and the errors that follow from it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studies.corpus import Floats, Ints

# Points at the middles of equal shares of Beta(1/2, 1/2), whose quantiles are sin²(πq/2).
POINTS = 2_000_000


def logistic(u: Floats, slope: float, intercept: float) -> Floats:
    """Return sigmoid(slope · logit u + intercept)."""
    odds = np.exp(intercept) * (u / (1.0 - u)) ** slope
    return np.asarray(odds / (1.0 + odds))


def wave(u: Floats) -> Floats:
    """Return a truth that is above u here and below it there."""
    return u + 0.4 * u * (1.0 - u) * np.sin(6.0 * np.pi * u)


@dataclass(frozen=True)
class Setting:
    """Predictions u from Beta(1/2, 1/2), and the truth behind them."""

    name: str
    about: str
    truth: Callable[[Floats], Floats]

    def draw(self, rows: int, seed: int) -> tuple[Ints, Floats]:
        """Draw labels and predictions."""
        draws = np.random.default_rng([rows, seed])
        u = np.clip(draws.beta(0.5, 0.5, rows), 1e-12, 1.0 - 1e-12)
        return (draws.random(rows) < self.truth(u)).astype(np.int64), u

    def mean_error(self, power: int) -> float:
        """Return E |u - truth|^power."""
        u = np.sin(0.5 * np.pi * (np.arange(POINTS) + 0.5) / POINTS) ** 2
        u = np.clip(u, 1e-12, 1.0 - 1e-12)
        return float(np.mean(np.abs(u - self.truth(u)) ** power))


SETTINGS = (
    Setting("calibrated", "the truth is u", lambda u: u),
    Setting("overconfident", "sigmoid(0.4 logit u + 0.3)", lambda u: logistic(u, 0.4, 0.3)),
    Setting("shifted", "min(1, u + 0.02)", lambda u: np.minimum(1.0, u + 0.02)),
    Setting("wavy", "u + 0.4 u(1 - u) sin 6πu", wave),
)

"""The true errors of the synthetic settings, from their definitions alone.

`U ~ Beta(1/2, 1/2)` is sin² of a uniform angle, so that the mean over two classes is an integral
over [0, π/2], here by the midpoint rule. More classes: `U ~ Dirichlet(1/2)`, as in the paper by
300,000 draws.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from studies.corpus import Floats

STEPS = 200_000
DRAWS = 300_000


def logit(u: Floats) -> Floats:
    """Return the logarithm of the odds."""
    return np.log(u) - np.log1p(-u)


def sigmoid(z: Floats) -> Floats:
    """Return the probability of which z is the logit."""
    return 0.5 * (1.0 + np.tanh(0.5 * z))


def both(u: Floats) -> Floats:
    """Return what is over-confident below 1/2 and under-confident above."""
    return sigmoid(np.where(u < 0.5, 0.4, 4.0) * logit(u))


BINARY: dict[str, Callable[[Floats], Floats]] = {
    "binary-calibrated": lambda u: u,
    "binary-overconfident": lambda u: sigmoid(0.4 * logit(u) + 0.3),
    "binary-underconfident": lambda u: sigmoid(4.0 * logit(u) + 1.0),
    "binary-shifted": lambda u: np.minimum(1.0, u + 0.02),
    "binary-over": lambda u: sigmoid(0.4 * logit(u)),
    "binary-under": lambda u: sigmoid(4.0 * logit(u)),
    "binary-both": both,
}
EXPONENTS = {"calibrated": 1.0, "overconfident": 0.3, "underconfident": 2.0}
"""More classes: the truth is u to this power, renormalised."""


@cache
def true_error(setting: str) -> float:
    """Return E|u - g*(u)| of two classes, E‖u - g*(u)‖₂ of more."""
    if setting in BINARY:
        angles = (np.arange(STEPS) + 0.5) * (np.pi / 2.0 / STEPS)
        u = np.sin(angles) ** 2
        return float(np.abs(u - BINARY[setting](u)).mean())
    _, name, classes = setting.split("-")
    draws = np.random.default_rng(0).dirichlet(np.full(int(classes), 0.5), DRAWS)
    powers = draws ** EXPONENTS[name]
    truth = powers / powers.sum(axis=1, keepdims=True)
    return float(np.linalg.norm(draws - truth, axis=1).mean())

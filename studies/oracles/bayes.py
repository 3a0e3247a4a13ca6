"""Bayesian model averaging of corrections to the log-odds, for two classes."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from studies.oracles.common import FLOOR, Floats, Ints, effective_size
from studies.oracles.steps import steps_over

CELLS = 200
LEAST_ROWS = 16
KNOTS = 20
STRAYS = (0.2, 1.0, 5.0)
BENDS = (0.2, 0.7, 2.5)
TINY = float(np.finfo(np.float32).tiny)


def log_odds(p: Floats) -> Floats:
    """Return ln p - ln(1 - p), both floored at the smallest float32."""
    return np.log(np.maximum(p, TINY)) - np.log(np.maximum(1.0 - p, TINY))


def trusted(z: Floats) -> Floats:
    """Return the log-odds within those of the floor."""
    return np.clip(z, np.log(FLOOR), -np.log(FLOOR))


@dataclass(frozen=True)
class Cells:
    """Groups of rows of neighbouring predictions."""

    mass: Floats
    observed: Floats
    prediction: Floats


def divide(first: Floats, labels: Ints, weights: Floats, share: float) -> Cells:
    """Fill cells of a share of the weight with groups of ties."""
    order = np.argsort(first, kind="stable")
    first, labels, weights = first[order], labels[order], weights[order]
    groups: list[list[int]] = []
    for row, p in enumerate(first):
        start = first[groups[-1][0]] if groups else np.inf
        if p <= start + 1e-12 * min(start, 1.0 - start) and groups:
            groups[-1].append(row)
        else:
            groups.append([row])
    cells: list[list[int]] = [[]]
    for group in groups:
        mass = weights[cells[-1]].sum()
        full = mass >= share * (1 - 1e-9) or mass + weights[group].sum() > 1.5 * share
        if cells[-1] and full:
            cells.append([])
        cells[-1].extend(group)
    scale = effective_size(weights) / weights.sum()
    return Cells(
        mass=scale * np.array([weights[cell].sum() for cell in cells]),
        observed=scale * np.array([weights[cell] @ labels[cell] for cell in cells]),
        prediction=np.array([np.average(first[cell], weights=weights[cell]) for cell in cells]),
    )


def polynomial(cells: Cells) -> Floats:
    """Return 1, u and (u^2 - 1)/2."""
    z = trusted(log_odds(cells.prediction))
    mean = np.average(z, weights=cells.mass)
    deviation = np.sqrt(np.average((z - mean) ** 2, weights=cells.mass))
    u = (z - mean) / max(deviation, 0.3)
    return np.column_stack([np.ones_like(u), u, (u**2 - 1.0) / 2.0])


def spline(places: Floats) -> Floats:
    """Return the functions whose second differences at the knots are unit vectors."""
    differences = np.diff(np.eye(KNOTS), n=2, axis=0)
    at_knots = np.linalg.pinv(differences)
    knots = np.linspace(0.0, 1.0, KNOTS)
    columns = np.column_stack([np.interp(places, knots, column) for column in at_knots.T])
    return columns / np.sqrt(np.mean(np.sum(columns**2, axis=1)))


@dataclass(frozen=True)
class Posterior:
    """The log-odds offset + design @ theta, theta normal with the given standard deviations."""

    cells: Cells
    design: Floats
    deviations: Floats

    def scores(self, theta: Floats) -> Floats:
        """Return the log-odds of the cells."""
        return trusted(log_odds(self.cells.prediction)) + self.design @ theta

    def minus_log(self, theta: Floats) -> float:
        """Return minus the log of likelihood and prior, without the prior's constant."""
        scores, missed = self.scores(theta), self.cells.mass - self.cells.observed
        likelihood = self.cells.observed @ log_expit(scores) + missed @ log_expit(-scores)
        return float(0.5 * np.sum((theta / self.deviations) ** 2) - likelihood)

    def gradient(self, theta: Floats) -> Floats:
        """Return the gradient of `minus_log`."""
        residual = self.cells.mass * expit(self.scores(theta)) - self.cells.observed
        return self.design.T @ residual + theta / self.deviations**2

    def hessian(self, theta: Floats) -> Floats:
        """Return the Hessian of `minus_log`."""
        p = expit(self.scores(theta))
        curvature = self.cells.mass * p * (1.0 - p)
        return self.design.T @ (curvature[:, None] * self.design) + np.diag(self.deviations**-2)

    def solve(self) -> tuple[float, Floats]:
        """Return Laplace's log-evidence and the posterior mean probabilities of the cells."""
        start = np.zeros(self.design.shape[1])
        derivatives = {"jac": self.gradient, "hess": self.hessian}
        theta = minimize(self.minus_log, start, method="trust-exact", **derivatives).x
        for _ in range(5):
            theta = theta - np.linalg.solve(self.hessian(theta), self.gradient(theta))
        left = np.abs(self.gradient(theta)).max() / self.cells.mass.sum()
        if not left < 1e-9:
            raise ArithmeticError(f"gradient of {left:.2e} left at the mode")
        hessian = self.hessian(theta)
        _, log_determinant = np.linalg.slogdet(hessian)
        occam = 0.5 * log_determinant + np.sum(np.log(self.deviations))
        covariance = np.linalg.inv(hessian)
        variances = np.einsum("ij,jk,ik->i", self.design, covariance, self.design)
        mean = expit(self.scores(theta) / np.sqrt(1.0 + np.pi * variances / 8.0))
        return -self.minus_log(theta) - occam, mean


def models(cells: Cells) -> list[tuple[float, Posterior]]:
    """Return every model but the identity, with its prior mass."""
    flat = polynomial(cells)
    ranks = (np.cumsum(cells.mass) - 0.5 * cells.mass) / cells.mass.sum()
    bent = np.arcsinh(log_odds(cells.prediction) / 2.0)
    extent = bent[-1] - bent[0]
    bent = (bent - bent[0]) / extent if extent > 0.0 else np.full_like(bent, 0.5)
    found = [(0.1, Posterior(cells, flat, np.full(3, stray))) for stray in STRAYS]
    for places in (ranks, bent):
        design = np.column_stack([flat, spline(places)])
        for stray, bend in product(STRAYS, BENDS):
            deviations = np.concatenate([np.full(3, stray), np.full(KNOTS - 2, bend)])
            found.append((0.3 / 9.0, Posterior(cells, design, deviations)))
    return found


def bayes_map(first: Floats, labels: Ints, weights: Floats) -> Callable[[Floats], Floats]:
    """Fit the average."""
    cells = divide(first, labels, weights, weights.sum() / CELLS)
    z = log_odds(cells.prediction)
    identity = Posterior(cells, np.zeros((len(z), 1)), np.ones(1))
    log_weights = [np.log(0.1) - 0.5 * identity.minus_log(np.zeros(1))]
    means = [expit(trusted(z))]
    for mass, model in models(cells):
        log_evidence, mean = model.solve()
        log_weights.append(np.log(mass) + 0.5 * log_evidence)
        means.append(mean)
    shares = np.exp(np.array(log_weights) - max(log_weights))
    shares[shares < 1e-3] = 0.0
    average = np.average(means, axis=0, weights=shares)
    shifts = np.log(average) - np.log1p(-average) - trusted(z)

    def smooth(odds: Floats) -> Floats:
        return trusted(odds) + np.interp(odds, z, shifts)

    rows = LEAST_ROWS * weights.sum() / effective_size(weights)
    small = divide(first, labels, weights, rows)
    places = log_odds(small.prediction)
    steps = steps_over(small.mass, small.observed, smooth(places))
    borders = 0.5 * (places[1:] + places[:-1])

    def apply(new: Floats) -> Floats:
        odds = log_odds(new)
        return expit(smooth(odds) + steps[np.searchsorted(borders, odds, side="right")])

    return apply

"""Ridge-penalised softmax regression, minimised by Newton's method with the exact Hessian."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from studies.oracles.common import Floats, Ints, softmax

GRADIENT_TOLERANCE = 1e-9
"""The largest entry of the gradient that a minimum may keep. Most end near 1e-15."""

MAX_STEPS = 500


@dataclass(frozen=True)
class SoftmaxRegression:
    """Mean cross-entropy of softmax(offset + design @ theta) plus a diagonal ridge.

    The ridge is sum_j penalty_j (theta_j - centre_j)^2. It makes the objective strictly convex,
    so that the minimum is unique even where the classes are perfectly separable.
    """

    offset: Floats  # (n, k)
    design: Floats  # (n, k, p)
    labels: Ints  # (n,)
    weights: Floats  # (n,), of any positive scale
    penalty: Floats  # (p,)
    centre: Floats  # (p,)

    def logits(self, theta: Floats) -> Floats:
        """Return the (n, k) logits at theta."""
        return self.offset + self.design @ theta

    def objective(self, theta: Floats) -> float:
        """Return the penalised mean cross-entropy at theta."""
        logits = self.logits(theta)
        at_label = np.take_along_axis(logits, self.labels[:, None], axis=1)[:, 0]
        losses = logsumexp(logits, axis=1) - at_label
        ridge = np.sum(self.penalty * (theta - self.centre) ** 2)
        return float(np.average(losses, weights=self.weights) + ridge)

    def probabilities(self, theta: Floats) -> Floats:
        """Return the (n, k) probabilities at theta."""
        return softmax(self.logits(theta))

    def gradient(self, theta: Floats) -> Floats:
        """Return the gradient (p,) of the objective at theta."""
        share = self.weights / self.weights.sum()
        residual = self.probabilities(theta)
        residual[np.arange(len(residual)), self.labels] -= 1.0
        fit = np.einsum("nk,nkp->p", share[:, None] * residual, self.design)
        return fit + 2.0 * self.penalty * (theta - self.centre)

    def hessian(self, theta: Floats) -> Floats:
        """Return the Hessian (p, p) of the objective at theta."""
        share = self.weights / self.weights.sum()
        probabilities = self.probabilities(theta)
        size = self.design.shape[2]
        flat = self.design.reshape(-1, size)
        diagonal = (share[:, None] * probabilities).reshape(-1)
        mean = np.einsum("nk,nkp->np", probabilities, self.design)
        curvature = flat.T @ (diagonal[:, None] * flat) - mean.T @ (share[:, None] * mean)
        return curvature + np.diag(2.0 * self.penalty)

    def minimise(self) -> Floats:
        """Return the minimising theta.

        The start is theta = 0, where no probability is saturated. Steps are halved until the
        objective falls. Close to the minimum the objective no longer resolves a decrease, and
        full steps are taken until the gradient itself stops shrinking: this leaves rounding as
        the only error. A gradient above the tolerance raises `ArithmeticError`.
        """
        theta = np.zeros(self.design.shape[2])
        value = self.objective(theta)
        for _ in range(MAX_STEPS):
            gradient = self.gradient(theta)
            step = cho_solve(cho_factor(self.hessian(theta)), -gradient)
            slope = float(gradient @ step)
            if -slope <= 1e-14 * max(1.0, abs(value)):
                return self._polish(theta)
            scale = 1.0
            trial = self.objective(theta + step)
            while trial > value + 1e-4 * scale * slope:
                scale *= 0.5
                trial = self.objective(theta + scale * step)
                if scale < 1e-12:
                    return self._polish(theta)
            theta, value = theta + scale * step, trial
        return self._polish(theta)

    def _polish(self, theta: Floats) -> Floats:
        """Take full Newton steps while they shrink the gradient, then check what is left of it."""
        norm = float(np.abs(self.gradient(theta)).max())
        for _ in range(20):
            factor = cho_factor(self.hessian(theta))
            trial = theta - cho_solve(factor, self.gradient(theta))
            trial_norm = float(np.abs(self.gradient(trial)).max())
            if not trial_norm < norm:
                break
            theta, norm = trial, trial_norm
        if not norm <= GRADIENT_TOLERANCE:
            raise ArithmeticError(f"gradient of {norm:.2e} left at the minimum")
        return theta

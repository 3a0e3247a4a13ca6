"""Distances of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calipers._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Distance:
    """A convex distance from a prediction, to be measured as a metric.

    For a distance D_f(z) that is convex in z, and 0 and least at z = f, the calibration error is
    E D_f(C). The estimator needs the distance and a subgradient with respect to z.

    Parameters
    ----------
    value : callable
        ``value(f, z)`` returns the distances of n rows, an array of shape (n,), for two arrays of
        shape (n, k). Two classes are two columns.
    subgradient : callable
        ``subgradient(f, z)`` returns a subgradient at z for each row, an array of shape (n, k).
    name : str, default "distance"
        What the metric is called in the report.

    Examples
    --------
    Twice the total variation, in which the first class counts three times:

    >>> import calipers, numpy as np
    >>> weight = np.array([3.0, 1.0, 1.0])
    >>> first_matters = calipers.Distance(
    ...     lambda f, z: (weight * abs(z - f)).sum(axis=1),
    ...     lambda f, z: weight * np.sign(z - f),
    ...     name="first-matters",
    ... )
    >>> y_true, y_prob = calipers.simulate("multiclass-overconfident-3", 2000, seed=0)
    >>> report = calipers.evaluate(y_true, y_prob, metrics=["l1", first_matters])
    >>> report["first-matters"].value > report["l1"].value
    True
    """

    def __init__(
        self,
        value: Callable[[Floats, Floats], Any],
        subgradient: Callable[[Floats, Floats], Any],
        name: str = "distance",
    ) -> None:
        self.value = value
        self.subgradient = subgradient
        self.name = name

    def __repr__(self) -> str:
        """Name the parts."""
        return f"Distance({self.value!r}, {self.subgradient!r}, name={self.name!r})"

    def evaluate(self, f: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Call both, and check what they return."""
        values = _checked(self.value(f, z), f.shape[:1], f"{self.name}: value")
        slopes = _checked(self.subgradient(f, z), f.shape, f"{self.name}: subgradient")
        return values, slopes


def _checked(result: Any, shape: tuple[int, ...], what: str) -> Floats:
    array = np.ascontiguousarray(result, dtype=np.float64)
    if array.shape != shape:
        raise InputError(f"{what} returned an array of shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{what} returned a number that is not finite")
    return array

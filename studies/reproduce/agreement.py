"""How well our points agree with the published ones, and which bins were meant."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.reproduce.methods import CELLS, FEWER_CELLS, MASS, METHODS, WIDTH
from studies.reproduce.points import Count, Point

ALTERNATIVES = {2: (WIDTH, MASS), 3: (CELLS, FEWER_CELLS), 10: (CELLS, FEWER_CELLS)}
"""The paper leaves open, or says differently from its figure, how predictions were binned."""


def typical(points: Sequence[Point]) -> float:
    """Return the root mean square of the deviations: about 1.1 if chance alone is at work.

    The mean square of Student's distribution with nine degrees of freedom is 9/7.
    """
    squares = [point.deviations**2 for point in points if point.deviations is not None]
    return float(np.sqrt(np.mean(squares)))


def of_method(points: Sequence[Point], classes: int, method: str) -> list[Point]:
    """Return the points of a method in one figure."""
    return [point for point in points if (point.classes, point.method) == (classes, method)]


def meant(points: Sequence[Point], classes: int) -> str:
    """Return the way of binning that is nearer to the published means."""
    return min(ALTERNATIVES[classes], key=lambda how: typical(of_method(points, classes, how)))


def compared(points: Sequence[Point]) -> list[Point]:
    """Return the points with a published counterpart; of two ways of binning, the one meant."""
    chosen = {classes: meant(points, classes) for classes in {p.classes for p in points}}

    def counts(point: Point) -> bool:
        others = ALTERNATIVES[point.classes]
        return point.method not in others or point.method == chosen[point.classes]

    return [point for point in points if point.published is not None and counts(point)]


def departures(points: Sequence[Point]) -> list[Point]:
    """Return what is outside three standard errors, the furthest first."""
    outside = [point for point in compared(points) if point.outside]
    return sorted(outside, key=lambda point: -abs(point.deviations or 0.0))


@dataclass(frozen=True)
class Agreement:
    """A line of the page: one method in one figure."""

    method: str
    classes: int
    count: Count
    typical: float
    difference: float
    """The mean difference to the published means."""


def agreements(points: Sequence[Point]) -> list[Agreement]:
    """Return a line for each method and figure."""
    found = []
    for method in METHODS:
        for classes in ALTERNATIVES:
            own = [p for p in of_method(points, classes, method.name) if p.published is not None]
            if own:
                mean = float(np.mean([point.difference for point in own]))
                line = Agreement(method.name, classes, Count.of(own), typical(own), mean)
                found.append(line)
    return found

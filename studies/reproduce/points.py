"""The points of the synthetic figures: ours, the published ones, and how far they are apart.

Ours is the mean of r estimates with standard deviation s; the published one is the mean of ten with
a spread that is not known, and taken to be the same. The standard error of the difference is then
`s·√(1/r + 1/10)`, which is √2 standard errors of a mean of ten for r = 10. s being known from r
values only, the difference in units of it follows Student's distribution with r - 1 degrees of
freedom if nothing but chance is at work: beyond ±3 lie 1.5 % for r = 10, and 9.5 % for r = 3.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from studies.pages import Row, read
from studies.reproduce.methods import PUBLISHED, Method, of_classes
from studies.reproduce.plan import FIGURES, REPEATS, Plan, simulation
from studies.reproduce.simulated import Simulated
from studies.reproduce.truth import true_error

LIMIT = 3.0
"""Standard errors."""
CHANCE = 0.001
"""How rarely chance alone may fail a run."""


@dataclass(frozen=True)
class Point:
    """One mean."""

    classes: int
    setting: str
    n: int
    method: str
    repeats: int
    mean: float
    standard_error: float
    true: float
    published: float | None
    deviations: float | None
    """The difference to the published mean, in standard errors of that difference."""

    @classmethod
    def parse(cls, row: Row) -> "Point":
        """Read a line of the CSV file."""
        optional = [float(row[name]) if row[name] else None for name in ("published", "deviations")]
        numbers = [float(row[name]) for name in ("mean", "standard_error", "true")]
        classes, n, repeats = (int(row[name]) for name in ("classes", "n", "repeats"))
        return cls(classes, row["setting"], n, row["method"], repeats, *numbers, *optional)

    @property
    def difference(self) -> float:
        """Return ours minus the published one."""
        return self.mean - (self.published if self.published is not None else np.nan)

    @property
    def outside(self) -> bool:
        """Return whether the two means are further apart than three standard errors."""
        return self.deviations is not None and abs(self.deviations) > LIMIT

    @property
    def chance(self) -> float:
        """Return how probable that is if they differ by chance alone."""
        return float(2.0 * stats.t.sf(LIMIT, self.repeats - 1))


def read_published(classes: int) -> dict[tuple[str, int], Row]:
    """Return the published means of a figure, by setting and size."""
    lines = read(PUBLISHED / ("binary_l1.csv" if classes == 2 else "multiclass_l2.csv"))
    own = [row for row in lines if classes == 2 or int(row["k"]) == classes]
    return {(row["setting"], int(row["n"])): row for row in own}


def points(simulated: Simulated, plan: Plan, classes: int) -> list[Point]:
    """Return all points of a figure."""
    metric = "l1" if classes == 2 else "l2"
    found = read_published(classes)

    def point(setting: str, rows: int, method: Method) -> Point | None:
        name = simulation(setting, classes)
        repeats = plan.repeats_of(method.name, rows, classes)
        if repeats < 2:
            return None
        values = simulated.values(name, rows, method.name, metric, repeats)
        mean, spread = float(values.mean()), float(values.std(ddof=1))
        published = float(found[setting, rows][method.figure]) if method.figure else None
        deviations = None
        if published is not None:
            deviations = (mean - published) / (spread * np.sqrt(1.0 / repeats + 1.0 / REPEATS))
        error = spread / float(np.sqrt(repeats))
        about = (classes, setting, rows, method.name, repeats)
        return Point(*about, mean, error, true_error(name), published, deviations)

    wanted = (
        point(setting, rows, method)
        for setting in FIGURES[classes]
        for method in of_classes(classes)
        for rows in plan.sizes
    )
    return [one for one in wanted if one]


@dataclass(frozen=True)
class Count:
    """How many points are further from the published ones than three standard errors."""

    points: int
    outside: int
    expected: float
    """How many would be by chance."""
    allowed: int
    """How many are in no more than one of a thousand runs, were the points independent."""

    @classmethod
    def of(cls, points: Iterable[Point]) -> "Count":
        """Count those that have a published mean."""
        compared = [point for point in points if point.deviations is not None]
        chances = [point.chance for point in compared]
        mean = float(np.mean(chances)) if chances else 0.0
        allowed = int(stats.binom.isf(CHANCE, len(compared), mean)) if chances else 0
        return cls(len(compared), sum(p.outside for p in compared), float(sum(chances)), allowed)

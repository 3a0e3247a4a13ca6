"""Data whose predictions are right but for one segment, of which everything is known.

A population has six continuous features, correlated, and four categorical ones. The predictions f
are the true probabilities, made of some features and of something that no feature knows; in a
segment of some share of the rows, an "and" of one to three conditions on features that are drawn
anew for each data set, the true probability has other log-odds, by delta. delta is what lets the
sum of the segment's residuals be some standard deviations from 0 on average: what a test that knew
the segment would see. All shares and errors are those of a population of 200,000 rows.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.corpus import Floats, Ints, checksum
from studies.coverage.shapes import logit, sigmoid

POPULATION = 200_000
CONTINUOUS = 6
CORRELATION = 0.3
# The shares of the levels of each categorical feature.
LEVELS: tuple[Floats, ...] = (
    np.array([0.7, 0.3]),
    np.array([0.4, 0.3, 0.2, 0.1]),
    np.array([0.35, 0.22, 0.15, 0.1, 0.08, 0.05, 0.03, 0.02]),
    0.85 ** np.arange(20) / (0.85 ** np.arange(20)).sum(),
)
# For how many conditions, standard deviations of the segment's sum of residuals.
STRENGTH = {1: 4.0, 2: 4.5, 3: 5.0}
MOST = 4.0
"""Log-odds that delta may reach: segments of 20 rows cannot show as much as is asked for."""
NEAR = (0.7, 1.4)
"""A level's share, over that which is asked for."""

Table = Any
"""A pandas DataFrame."""


@dataclass(frozen=True)
class Cell:
    """A kind of data set."""

    rows: int
    size: float = 0.0
    """The segment's share of the rows; 0 for none."""
    kind: str = ""
    """A letter for each condition: x for a continuous feature, c for a categorical one."""
    noise: int = 0
    """Further features that say nothing."""

    @property
    def name(self) -> str:
        """Return what it is called in results."""
        planted = f"{self.kind} {self.size:g}" if self.size else "null"
        return f"{self.rows} {planted} {self.noise}"

    @property
    def null(self) -> "Cell":
        """Return the same without a segment."""
        return Cell(self.rows, noise=self.noise)


@dataclass(frozen=True)
class Base:
    """Features as numbers, levels counted from 0, and calibrated predictions."""

    x: Floats
    c: Ints
    p: Floats

    @staticmethod
    def draw(rows: int, rng: np.random.Generator) -> "Base":
        """Draw rows."""
        shared = rng.standard_normal((rows, 1))
        own = rng.standard_normal((rows, CONTINUOUS))
        x = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
        c = np.stack([rng.choice(len(shares), rows, p=shares) for shares in LEVELS], axis=1)
        unseen = rng.standard_normal(rows)
        z = -0.8 + 0.7 * x[:, 0] + 0.5 * x[:, 1] + 0.3 * (c[:, 1] == 1) + 0.6 * unseen
        return Base(x, c, sigmoid(z))


@dataclass(frozen=True)
class Segment:
    """An "and" of conditions: signed features from a threshold on, and a level."""

    above: tuple[tuple[int, float, float], ...]
    """Column, sign and threshold of sign times value."""
    level: tuple[int, int] | None
    """Column and level."""
    delta: float = 0.0

    def holds(self, base: Base) -> Any:  # noqa: ANN401
        """Return which rows are in it."""
        inside = np.ones(len(base.p), dtype=bool)
        for column, sign, least in self.above:
            inside &= sign * base.x[:, column] >= least
        if self.level is not None:
            inside &= base.c[:, self.level[0]] == self.level[1]
        return inside

    def truth(self, base: Base) -> Floats:
        """Return the true probabilities."""
        found: Floats = np.where(self.holds(base), sigmoid(logit(base.p) + self.delta), base.p)
        return found


@dataclass(frozen=True)
class Planted:
    """A data set."""

    y: Ints
    p: Floats
    truth: Floats
    features: Table
    inside: Any
    """Which rows are in the segment."""
    delta: float
    errors: dict[str, float]
    """The population's."""


@functools.cache
def population() -> Base:
    """Return the rows that shares and errors are taken of."""
    return Base.draw(POPULATION, np.random.default_rng(1))


@functools.cache
def ranks() -> Floats:
    """Return the ranks of the population's continuous features, as shares."""
    found: Floats = population().x.argsort(axis=0).argsort(axis=0) / (POPULATION - 1)
    return found


def chosen(cell: Cell, rng: np.random.Generator) -> Segment:
    """Draw conditions that hold for the cell's share of the rows."""
    world, each = population(), cell.size ** (1 / len(cell.kind))
    inside = np.ones(POPULATION, dtype=bool)
    level = None
    if "c" in cell.kind:
        near = [
            (column, number)
            for column, shares in enumerate(LEVELS)
            for number, share in enumerate(shares)
            if NEAR[0] * each <= share <= NEAR[1] * each
        ]
        column, number = near[rng.integers(len(near))]
        level, inside = (column, number), world.c[:, column] == number
    columns = rng.choice(CONTINUOUS, cell.kind.count("x"), replace=False)
    if not len(columns):
        return Segment((), level)
    signs = rng.choice([-1.0, 1.0], len(columns))
    signed = signs * world.x[:, columns]
    # A row's least rank decides whether it is in: one threshold of ranks gives the share.
    ranked = np.where(signs > 0, ranks()[:, columns], 1 - ranks()[:, columns]).min(axis=1)
    among = min(1.0, cell.size / float(inside.mean()))
    least = np.quantile(ranked[inside], 1 - among)
    found = np.quantile(signed, least, axis=0)
    return Segment(tuple(zip(columns.tolist(), signs, found, strict=True)), level)


def shifted(segment: Segment, rows: int, strength: float, sign: float) -> Segment:
    """Choose delta by halving."""
    world = population()
    p = world.p[segment.holds(world)]
    scale = np.sqrt(rows * len(p) / POPULATION)
    low, high = 0.0, MOST
    for _ in range(40):
        delta = (low + high) / 2
        apart = abs((sigmoid(logit(p) + sign * delta) - p).mean())
        seen = scale * apart / np.sqrt((p * (1 - p)).mean())
        low, high = (delta, high) if seen < strength else (low, delta)
    return Segment(segment.above, segment.level, sign * (low + high) / 2)


def errors(p: Floats, truth: Floats) -> dict[str, float]:
    """Return the mean distances, as calipers has them of two classes."""
    divergence = truth * np.log(truth / p) + (1 - truth) * np.log((1 - truth) / (1 - p))
    l1, brier = np.abs(p - truth).mean(), ((p - truth) ** 2).mean()
    return {"l1": float(l1), "brier": float(brier), "log": float(divergence.mean())}


def table(base: Base, noise: int, rng: np.random.Generator) -> Table:
    """Return the features in any order; one in five of those that say nothing is categorical."""
    import pandas as pd  # Here, because the list of studies needs no package.

    columns = {f"x{number}": column for number, column in enumerate(base.x.T)}
    codes = {f"c{number}": column for number, column in enumerate(base.c.T)}
    for number in range(noise):
        if number % 5:
            columns[f"noise_x{number}"] = rng.standard_normal(len(base.p))
        else:
            codes[f"noise_c{number}"] = rng.integers(0, 5, len(base.p))
    for name, column in codes.items():
        names = [f"level {code}" for code in range(int(column.max()) + 1)]
        columns[name] = pd.Categorical.from_codes(column, names)
    # No method may gain by the order of the columns.
    return pd.DataFrame({name: columns[name] for name in rng.permutation(list(columns)).tolist()})


def draw(cell: Cell, seed: int) -> Planted:
    """Draw a data set; without a segment, predictions are the truth."""
    rng = np.random.default_rng([seed, checksum(cell.name)])
    segment = Segment((), None)
    if cell.size:
        sign = float(rng.choice([-1.0, 1.0]))
        segment = shifted(chosen(cell, rng), cell.rows, STRENGTH[len(cell.kind)], sign)
    base = Base.draw(cell.rows, rng)
    truth, world = segment.truth(base), population()
    y = (rng.random(cell.rows) < truth).astype(np.int64)
    inside = segment.holds(base) & bool(cell.size)
    whole = errors(world.p, segment.truth(world)) if cell.size else errors(base.p, base.p)
    return Planted(y, base.p, truth, table(base, cell.noise, rng), inside, segment.delta, whole)

"""Means, spreads and shares of refusals over the data sets of a setting and a size."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from studies.neighbours.settings import SETTINGS
from studies.pages import Row

LEVEL = 0.05


@dataclass(frozen=True)
class Point:
    """What a measure says of many data sets of one kind."""

    setting: str
    n: int
    measure: str
    sets: int
    mean: float
    deviation: float
    refused: float | None
    """The share of p-values of at most 5 %."""

    @property
    def standard_error(self) -> float:
        """Return that of the mean."""
        return self.deviation / math.sqrt(self.sets)


Points = dict[tuple[str, int, str], Point]
"""Points by setting, size and measure."""


def summarise(rows: list[Row]) -> Points:
    """Bring the rows together."""
    groups: dict[tuple[str, int, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["setting"], int(row["n"]), row["measure"]].append(row)
    points = {}
    for key, own in sorted(groups.items()):
        values = np.array([float(row["value"]) for row in own])
        p_values = [float(row["p_value"]) for row in own if row["p_value"]]
        refused = float(np.mean([p <= LEVEL for p in p_values])) if p_values else None
        spread = float(values.std(ddof=1))
        points[key] = Point(*key, len(own), float(values.mean()), spread, refused)
    return points


def truths(power: int) -> dict[str, float]:
    """Return the true error of each setting."""
    return {setting.name: setting.mean_error(power) for setting in SETTINGS}


def records(points: Points) -> list[dict[str, object]]:
    """Return a row a point."""
    shares = {key: "" if one.refused is None else str(one.refused) for key, one in points.items()}
    return [{**asdict(one), "refused": shares[key]} for key, one in points.items()]


def curve(points: Points, setting: str, measure: str, sizes: Sequence[int]) -> list[Point]:
    """Return the points of a measure, by size."""
    return [points[setting, n, measure] for n in sizes if (setting, n, measure) in points]

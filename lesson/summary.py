"""Means, spreads and shares of refusals over the data sets of a setting and a size."""

import csv
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from lesson.measured import Row
from lesson.settings import SETTINGS

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


def write(path: Path, points: Points) -> None:
    """Write all points, with as many digits as they are worth."""
    names = [field.name for field in fields(Point)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for point in points.values():
            row = asdict(point)
            writer.writerow({**row, "mean": shown(point.mean), "deviation": shown(point.deviation)})


def shown(number: float) -> str:
    """Return six digits."""
    return f"{number:.6g}"


def curve(points: Points, setting: str, measure: str, sizes: Sequence[int]) -> list[Point]:
    """Return the points of a measure, by size."""
    return [points[setting, n, measure] for n in sizes if (setting, n, measure) in points]

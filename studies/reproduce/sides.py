"""The table of over- and under-confidence: which side of the truth the predictions err on."""

import itertools

import numpy as np

from studies.pages import Row, read
from studies.reproduce.methods import PUBLISHED
from studies.reproduce.plan import REPEATS, SIDES_ROWS
from studies.reproduce.simulated import SIDES_METHODS, SIDES_METRICS, Simulated
from studies.reproduce.truth import true_error

TOLERANCE = 0.005
"""How far a cell may be from the paper's: two means of ten scatter by about as much."""


def cells(simulated: Simulated) -> list[dict[str, object]]:
    """Return every cell: a mean over runs, then clipped at 0 as in the paper."""
    found = []
    for row in read(PUBLISHED / "over_under.csv"):
        setting = row["setting"]
        for metric, method in itertools.product(SIDES_METRICS, SIDES_METHODS):
            values = simulated.values(setting, SIDES_ROWS, method, metric, REPEATS)
            error = float(values.std(ddof=1) / np.sqrt(REPEATS))
            ours = {"mean": max(float(values.mean()), 0.0), "standard_error": error}
            found.append({"metric": metric, "method": method, **ours, **beside(row, metric, ours)})
        ours = {"mean": true_error(setting), "standard_error": 0.0}
        found.append({"metric": "true", "method": "", **ours, **beside(row, "true", ours)})
    return found


def beside(row: Row, metric: str, ours: dict[str, float]) -> dict[str, object]:
    """Return the paper's cell, and how far ours is from it."""
    difference = ours["mean"] - float(row[metric])
    within = str(abs(difference) <= TOLERANCE).lower()
    return {
        "setting": row["setting"],
        "published": row[metric],
        "difference": difference,
        "within": within,
    }

"""Rows whose errors cancel on the whole, and what is known of them besides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import calipers

QUICK = {"metrics": "l1", "recalibrator": "isotonic", "draws": 0}
REGIONS = ("north", "south", "east")


class Hidden(NamedTuple):
    """Labels and predictions that are right on the whole, and what is known besides."""

    y: np.ndarray
    p: np.ndarray
    age: np.ndarray
    region: np.ndarray

    @property
    def features(self) -> dict[str, np.ndarray]:
        return {"age": self.age, "region": self.region}

    def score(self, **options) -> str:
        """Everything that was found, to the last bit."""
        return calipers.evaluate(self.y, self.p, **{**QUICK, **options}).to_json()


def hidden(n: int, seed: int, by: float = 0.15) -> Hidden:
    """Let it happen more often than predicted in the south, and as much less often elsewhere."""
    rng = np.random.default_rng(seed)
    p, age = rng.uniform(0.2, 0.8, n), rng.uniform(20, 80, n).round(1)
    region = np.asarray(REGIONS)[rng.choice(3, n, p=[0.25, 0.5, 0.25])]
    truth = p + np.where(region == "south", by, -by)
    return Hidden((rng.uniform(size=n) < truth).astype(int), p, age, region)

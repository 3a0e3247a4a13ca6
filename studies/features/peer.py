"""MCGrad: its multicalibration error, and its correction.

All of it with its defaults, but that the error is also taken over all segments: MCGrad looks at the
first 1,000, which are an initial part of all of them. Its segments cannot be made of pandas'
categories of which it merges some, so it gets them as text.
"""

import logging
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from studies.corpus import Floats, Ints
from studies.features.planted import Table

FIRST = 1000
"""MCGrad's own number of segments."""


def name() -> str:
    """Return which MCGrad it is."""
    return f"mcgrad {version('mcgrad')}"


@dataclass(frozen=True)
class Error:
    """What MCGrad says of predictions."""

    sigma: float
    """Its error in standard deviations, over the first 1,000 segments."""
    p_value: float
    """Its own, for as many."""
    sigma_all: float | None
    """Over all segments, if asked for."""
    segments: int
    seconds: float

    @property
    def row(self) -> dict[str, str]:
        """Return the cells of a line."""
        every = "" if self.sigma_all is None else repr(self.sigma_all)
        return {
            "sigma": repr(self.sigma),
            "p_value": repr(self.p_value),
            "sigma_all": every,
            "segments": str(self.segments),
            "seconds": f"{self.seconds:.4f}",
        }


def split(features: Table) -> tuple[Table, list[str], list[str]]:
    """Return the features as MCGrad takes them, and which are categorical and numerical."""
    numbers = features.select_dtypes("number").columns
    rest = [name for name in features.columns if name not in set(numbers)]
    return features.astype(dict.fromkeys(rest, str)), rest, list(numbers)


def multicalibration(features: Table, y: Ints, p: Floats, most: int | None = FIRST) -> Any:  # noqa: ANN401
    """Return its measure, which computes what it is asked for."""
    from mcgrad.metrics import MulticalibrationError

    data, categorical, numerical = split(features)
    return MulticalibrationError(
        data.assign(label=y, score=p),
        "label",
        "score",
        categorical_segment_columns=categorical or None,
        numerical_segment_columns=numerical or None,
        max_n_segments=most,
    )


def error(features: Table, y: Ints, p: Floats, every: bool = False) -> Error:
    """Measure, over all segments too if asked for: that contains the first ones."""
    from mcgrad.metrics import ecce_pvalue_from_sigma

    start = time.perf_counter()
    found = multicalibration(features, y, p, None if every else FIRST)
    sigmas = np.asarray(found.segments_ecce_sigma, dtype=float)
    seconds = time.perf_counter() - start
    sigma = float(sigmas[:FIRST].max())
    whole = float(sigmas.max()) if every else None
    return Error(sigma, float(ecce_pvalue_from_sigma(sigma)), whole, len(sigmas), seconds)


class Correction:
    """MCGrad's map, fitted on one thread."""

    def __init__(self, features: Table, y: Ints, p: Floats) -> None:
        """Fit it."""
        from mcgrad.methods import MCGrad

        logging.getLogger("mcgrad").setLevel(logging.ERROR)
        data, self.categorical, self.numerical = split(features)
        self.fitted = MCGrad(lightgbm_params={"num_threads": 1})
        data = data.assign(label=y, score=p)
        self.fitted.fit(
            data,
            "score",
            "label",
            categorical_feature_column_names=self.categorical,
            numerical_feature_column_names=self.numerical,
        )

    @property
    def rounds(self) -> int:
        """Return how often it boosted; 0 leaves predictions as they are."""
        return len(self.fitted.mr)

    def predict(self, features: Table, p: Floats) -> Floats:
        """Return corrected predictions."""
        data = split(features)[0].assign(score=p)
        found = self.fitted.predict(data, "score", self.categorical, self.numerical)
        return np.asarray(found, dtype=float)

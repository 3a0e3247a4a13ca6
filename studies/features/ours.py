"""calipers: the error given features, its bounds and segments, and the correction.

The one file of this study that knows how calipers is asked.
"""

import functools
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studies.corpus import Floats, Ints
from studies.features.planted import Planted, Table

Row = dict[str, Any]
METRICS = ("l1", "brier", "log")


@functools.cache
def name() -> str:
    """Return which calipers it is: its version, and a sum of what was compiled."""
    import calipers  # Here, because MCGrad's side needs none.
    from calipers import _calipers

    compiled = zlib.crc32(Path(str(_calipers.__file__)).read_bytes())
    return f"calipers {calipers.__version__} {compiled:08x}"


def evaluate(features: Table, y: Ints, p: Floats, seed: int, threads: int | None = None) -> Any:  # noqa: ANN401
    """Return the report."""
    import calipers

    return calipers.evaluate(
        y, p, METRICS, features=features, seed=seed, threads=threads, best=False
    )


@dataclass(frozen=True)
class Found:
    """What calipers says of a data set whose truth is known."""

    p_value: float
    lower: dict[str, float]
    truth: dict[str, float]
    broken: bool
    """Whether any segment's bound is beyond what is true of its rows."""
    segments: int
    seconds: float

    @property
    def row(self) -> dict[str, str]:
        """Return the cells of a line."""
        return {
            "p_value": repr(self.p_value),
            **{f"lower_{metric}": repr(value) for metric, value in self.lower.items()},
            **{f"truth_{metric}": repr(value) for metric, value in self.truth.items()},
            "broken": str(int(self.broken)),
            "segments": str(self.segments),
            "seconds": f"{self.seconds:.4f}",
        }


def found(data: Planted, seed: int) -> Found:
    """Evaluate a data set."""
    start = time.perf_counter()
    report = evaluate(data.features, data.y, data.p, seed)
    seconds = time.perf_counter() - start
    given = report.given_features
    lower = {metric: bound(given[metric].lower) for metric in METRICS}
    shown = report.to_dict()["given_features"]["segments"]["shown"]
    broken = any(above(segment, data) for segment in shown)
    p_value, segments = float(given["l1"].p_value), len(shown)
    return Found(p_value, lower, data.errors, broken, segments, seconds)


def bound(value: float | None) -> float:
    """Return a lower bound; where there is none, nothing is claimed."""
    return -np.inf if value is None else float(value)


def above(segment: Row, data: Planted) -> bool:
    """Return whether a segment's bound claims more than is true of its rows."""
    inside = np.ones(len(data.y), dtype=bool)
    for condition in segment["conditions"]:
        inside &= holds(condition, data.features)
    truth = float(data.truth[inside].mean())
    beyond = float(segment["bound"]) - truth
    return beyond > 0 if segment["above"] else beyond < 0


def holds(condition: Row, features: Table) -> Any:  # noqa: ANN401
    """Return which rows fulfil a condition."""
    values = features[condition["feature"]]
    if condition.get("missing"):
        return values.isna().to_numpy()
    if "level" in condition:
        return (values.astype(str) == condition["level"]).to_numpy()
    low, high = condition["above"], condition["up_to"]
    low = -np.inf if low is None else low
    high = np.inf if high is None else high
    return ((values > low) & (values <= high)).to_numpy()


class Correction:
    """calipers' map."""

    def __init__(self, features: Table, y: Ints, p: Floats, threads: int | None = None) -> None:
        """Fit it."""
        import calipers

        chosen = calipers.Recalibrator("auto", threads=threads)
        self.fitted = chosen.fit(p, y, features=features)

    def predict(self, features: Table, p: Floats) -> Floats:
        """Return corrected predictions of class 1."""
        given = np.asarray(self.fitted.predict_proba(p, features=features), dtype=float)
        return given if given.ndim == 1 else given[:, 1]

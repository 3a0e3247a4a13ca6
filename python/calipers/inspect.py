"""Calibration inside Inspect: a metric over samples that say how sure the model was."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec

from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Metric, SampleScore, metric

from calipers._arrays import as_whole
from calipers._errors import InputError
from calipers._evaluate import check_options, evaluate
from calipers._names import PREFIX, name_of_metric

__all__ = ["calibration_error"]

P = ParamSpec("P")

# What is told of each error: its value, and three numbers beside it.
TOLD = ("", "_stderr", "_lower", "_p_value")

# Options with a value for each row.
OF_ROWS = {"sample_weight", "groups", "cluster", "time", "features"}

# What stands for right and wrong; 1, 0, True and False do so by themselves.
MEANINGS = {CORRECT: 1, INCORRECT: 0, NOANSWER: 0}


def _registered(make: Callable[P, Metric]) -> Callable[P, Metric]:
    """Make a metric known, and keep what is said of it, which Inspect's decorator drops."""
    return functools.wraps(make)(metric(scores="unreduced")(make))


@_registered
def calibration_error(
    metrics: str | Iterable[str] = "l1",
    confidence: str | Callable[[SampleScore], float | None] = "confidence",
    **options: Any,
) -> Metric:
    """Measure how far confidences are from how often answers are right.

    Every epoch of a sample is a row; epochs of one sample belong together, and bounds and p-values
    allow for that. Samples without a confidence are left out, and counted.

    Parameters
    ----------
    metrics : str or several, default "l1"
        The calibration errors to estimate, of two classes: the answer is right, or it is not.
    confidence : str or callable, default "confidence"
        Where the probability that the answer is right is: a key of the score's metadata, or else of
        the sample's; or a function of Inspect's ``SampleScore``, which may return None.
    **options
        Those of :func:`calipers.evaluate`, but none that has a value for each row; ``binary`` is
        "confidence" by default, so that over-confident is what is too high.

    Returns
    -------
    Metric
        In the log: ``calipers_l1`` with ``calipers_l1_stderr``, ``calipers_l1_lower`` and
        ``calipers_l1_p_value``, for each of the errors, and ``calipers_left_out``. Of fewer
        samples than folds, as with a low ``--limit``, all but the last are NaN.

    Raises
    ------
    InputError
        If there is no such metric or recalibrator, or an option makes no sense; and, as Inspect
        computes it, if a score is neither right nor wrong, or a confidence is no probability.

    Examples
    --------
    >>> from calipers.inspect import calibration_error
    >>> from inspect_ai.scorer import SampleScore, Score
    >>> right = [row % 10 < 6 for row in range(200)]
    >>> scores = [
    ...     SampleScore(score=Score(value="C" if one else "I", metadata={"confidence": 0.9}))
    ...     for one in right
    ... ]
    >>> found = calibration_error("over-l1", recalibrator="constant")(scores)
    >>> round(found["calipers_over_l1"], 2), found["calipers_left_out"]
    (0.3, 0)
    """
    asked = [metrics] if isinstance(metrics, str) else list(metrics)
    for taken in OF_ROWS & options.keys():
        raise InputError(f"{taken}: of so many rows; a metric is given others each time")
    options.setdefault("binary", "confidence")
    folds = as_whole(options.get("folds", 5), "folds")
    check_options({"metrics": asked, **options})

    def measure(scores: list[SampleScore]) -> dict[str, float | None]:
        sure = [(one, _confidence(one, confidence)) for one in scores]
        rows = [(one, value) for one, value in sure if value is not None]
        samples = [str(one.sample_id) for one, _ in rows if one.sample_id is not None]
        together = samples if len(set(samples)) < len(samples) == len(rows) else None
        found: dict[str, float | None] = {}
        if len(set(together or range(len(rows)))) < folds:
            found = {
                f"{name_of_metric(name)}{number}": math.nan for name in asked for number in TOLD
            }
        else:
            right = [_is_right(one) for one, _ in rows]
            values = [value for _, value in rows]
            for one in evaluate(right, values, asked, cluster=together, **options).values():
                told = (one.value, one.stderr, one.lower, one.p_value)
                name = name_of_metric(one.metric)
                found |= {name + number: value for number, value in zip(TOLD, told, strict=True)}
        return {**found, f"{PREFIX}left_out": len(scores) - len(rows)}

    return measure


def _confidence(one: SampleScore, where: str | Callable[[SampleScore], float | None]) -> Any:
    """Return how sure the model was, if it is known."""
    if isinstance(where, str):
        beside, before = one.score.metadata or {}, one.sample_metadata or {}
        value = beside.get(where, before.get(where))
    else:
        value = where(one)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"sample {one.sample_id!r}: confidence {value!r} is no number from 0 to 1")
    return float(value)


def _is_right(one: SampleScore) -> int:
    """Tell whether an answer is right."""
    value = one.score.value
    meant = MEANINGS.get(value, value) if isinstance(value, str) else value
    if isinstance(meant, (int, float)) and meant in (0, 1):
        return int(meant)
    raise InputError(
        f"sample {one.sample_id!r}: score {value!r} is neither right nor wrong; expected "
        f"{CORRECT!r} or {INCORRECT!r}, 1 or 0"
    )

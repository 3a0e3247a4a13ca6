"""How metrics are called in other packages, whose names have no hyphens."""

from __future__ import annotations

from collections.abc import Mapping

from calipers._errors import InputError
from calipers._lists import metrics
from calipers._report import Estimate

PREFIX = "calipers_"

# What is told of an estimate, beside the value.
NUMBERS = ("stderr", "lower", "upper", "best", "interval_low", "interval_high", "p_value")

# The p that are listed: any other will do as well.
LISTED = ("l1", "l2")


def name_of_metric(metric: str) -> str:
    """Return what a metric is called elsewhere: ``calipers_top_l1`` for ``top-l1``."""
    return PREFIX + metric.replace("-", "_")


def metric_of_name(name: str) -> str:
    """Return the metric that is called so elsewhere."""
    if not name.startswith(PREFIX):
        raise InputError(f"{name!r}: expected {PREFIX} and a metric, as in {name_of_metric('l1')}")
    return name.removeprefix(PREFIX).replace("_", "-")


def named_numbers(estimates: Mapping[str, Estimate]) -> dict[str, float]:
    """Return all numbers that there are by their names: ``calipers_l1_lower`` and the like."""
    found = {}
    for metric, one in estimates.items():
        found[name_of_metric(metric)] = one.value
        for number in NUMBERS:
            value = getattr(one, number)
            if value is not None:
                found[f"{name_of_metric(metric)}_{number}"] = float(value)
    return found


def listed_metrics() -> list[str]:
    """Return the metrics that can be listed, those of the whole vector first."""
    parts = list(metrics())
    losses = [*LISTED, *(part for part in parts if part[-1] not in "->")]
    # The table has the scopes before the sides, and a metric has at most one of each.
    before = [part for part in parts if part.endswith("-")]
    scopes, sides = before[:2], before[2:]
    return [
        scope + side + loss for scope in ("", *scopes) for side in ("", *sides) for loss in losses
    ]

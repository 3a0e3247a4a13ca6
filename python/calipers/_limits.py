"""Limits of errors, as those of ``calipers check``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers._errors import InputError


def as_limits(given: Any) -> dict[str, float]:
    """Return limits as numbers, by the names of metrics."""
    if not isinstance(given, Mapping):
        raise InputError(f"max: {given!r}; expected limits by metrics, as in {{'l1': 0.02}}")
    limits = {}
    for name, limit in given.items():
        number = isinstance(limit, (int, float, np.number)) and not isinstance(limit, bool)
        if not number or not 0 <= limit < float("inf"):
            raise InputError(f"max: {name}: {limit!r} is not a number of at least 0")
        limits[name] = float(limit)
    return limits

"""Tables of whichever library is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_frame(columns: dict[str, list[Any]], numbers: Sequence[str]) -> Any:
    """Return columns as pandas' table, or else as polars'; what is missing in numbers is None."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        given: dict[str, Any] = dict(columns)
        if "group" in given:  # Where one is None, pandas would make floats of whole numbers.
            given["group"] = pandas.Series(given["group"], dtype=object)
        return pandas.DataFrame(given).astype(dict.fromkeys(numbers, "float64"))
    try:
        import polars
    except ImportError:
        raise ImportError("to_frame needs pandas or polars: install one of them") from None
    return polars.DataFrame(columns, schema_overrides=dict.fromkeys(numbers, polars.Float64))

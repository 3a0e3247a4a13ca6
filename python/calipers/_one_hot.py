"""One-hot labels: a column a class, and a single 1 in every row."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers._arrays import as_floats
from calipers._calipers import class_names as names_of_columns
from calipers._errors import InputError


def from_one_hot(
    array: np.ndarray[Any, Any], own: list[str] | None, names: list[str] | None
) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Return the class of each row's 1 by its name, and the classes' names in their order.

    ``own`` are the names of the labels' columns, ``names`` those of the probabilities' classes.
    Where both have names, the names count, and not the places; where neither has, the names are the
    places.
    """
    positions = _positions(as_floats(array, "y_true"))
    places = [str(place) for place in range(array.shape[1])]
    own = None if own is None else names_of_columns(own)
    # A single column is that of one class, whatever it is called: labels go by their words.
    if names is not None and len(names) == 1:
        return np.asarray(own or places, dtype=object)[positions], names
    if own is not None and names is not None and set(own) != set(names):
        raise InputError(
            f"y_true: one-hot labels with the columns {own}; expected the classes {names}"
        )
    if own is None and names is None:
        return positions, places
    return np.asarray(own or names, dtype=object)[positions], names or own or places


def _positions(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the column of the 1 in each row; name the first row that has none, or several."""
    ones = values == 1
    others = np.argwhere(~ones & (values != 0))
    if len(others):
        row, column = others[0].tolist()
        found = values[row, column].item()
        raise InputError(
            f"row {row}, column {column}: one-hot labels are 0 or 1, found {found:g}",
            row=row,
            column=column,
            value=found,
        )
    counts = ones.sum(axis=1)
    wrong = np.flatnonzero(counts != 1)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(f"row {row}: one-hot labels have a single 1, found {counts[row]}", row=row)
    positions: np.ndarray[Any, Any] = ones.argmax(axis=1)
    return positions

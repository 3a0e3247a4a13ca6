"""Labels of any type, in one of the forms that the extension reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers._arrays import as_array, as_native
from calipers._calipers import read_labels
from calipers._errors import InputError
from calipers._one_hot import from_one_hot

# The rules by which labels are positions, and the first of these.
POSITIONS = {"positions": 0, "positions from 1": 1}


class Labels(NamedTuple):
    """Labels as classes."""

    codes: np.ndarray[Any, Any]  # The class of each row.
    classes: np.ndarray[Any, Any]  # The classes as the labels have them.
    names: list[str]  # The classes' names.


def as_labels(
    values: Any, columns: int, names: list[str] | None
) -> tuple[np.ndarray[Any, Any] | list[Any], list[str] | None]:
    """Return labels as an array of whole numbers, truths or numbers, or as a list of words.

    One-hot labels, for so many columns of classes with such names, become one label a row; the
    names that come back are those of the classes, which such labels always have.
    """
    array, names = _one_a_row(values, "y_true", columns, names)
    return _as_read(array), names


def _as_read(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | list[Any]:
    """Return labels in one of the types that the extension reads."""
    kind = array.dtype.kind
    if kind == "b":
        return array
    if kind in "iu":
        if array.dtype == np.uint64:
            if (array > np.iinfo(np.int64).max).any():
                return list(array.tolist())
            array = array.astype(np.int64)
        return as_native(array)
    if kind == "f":
        return as_native(array.astype(np.float64, copy=False))
    if kind in "OUT":
        return [_plain(label) for label in array.tolist()]
    if kind == "S":
        return [label.decode(errors="backslashreplace") for label in array.tolist()]
    raise InputError(f"y_true: labels of type {array.dtype}; expected integers, truths or words")


def as_names(
    class_names: Sequence[Any] | None, columns: list[str] | None, count: int | None = None
) -> list[str] | None:
    """Return the names of the classes: those that were given, or else those of the columns.

    If there are ``count`` columns, there is a name for each; a single one has a name, or two.
    """
    if class_names is None:
        return columns
    if isinstance(class_names, str):
        raise InputError(f"class_names: expected one name a class, not the word {class_names!r}")
    names = [_text(name) for name in np.asarray(class_names, dtype=object).ravel().tolist()]
    expected = None if count is None else max(count, 2)
    if expected not in (None, len(names)) and not (count == len(names) == 1):
        raise InputError(f"class names: expected {expected}, found {len(names)}")
    return names


def read(
    y: Any, columns: int, class_names: Sequence[Any] | None, names: list[str] | None
) -> Labels:
    """Turn labels into classes, and keep the classes as the labels have them."""
    names = as_names(class_names, names, columns)
    array, names = _one_a_row(y, "y", columns, names)
    try:
        codes, classes, rule, _, examples = read_labels(
            _as_read(array), columns, names, class_names is not None
        )
    except InputError as error:
        if array.dtype.kind == "f" and (array % 1 != 0).any() and error.value is not None:
            message = f"Unknown label type: continuous ({error})"
            raise InputError(message, error.row, error.column, error.value) from None
        raise
    if rule == "names" and class_names is not None:
        kept = np.asarray(class_names)
    elif all(example >= 0 for example in examples):
        kept = array[examples]
    elif array.dtype.kind == "b":
        kept = np.asarray([False, True])
    elif rule in POSITIONS:
        kept = np.arange(len(classes)) + POSITIONS[rule]
    else:
        kept = np.asarray(classes)
    if array.dtype.kind in "iuf" and kept.dtype.kind in "iufU":
        kept = kept.astype(array.dtype)
    return Labels(codes, kept, classes)


def _one_a_row(
    values: Any, what: str, columns: int, names: list[str] | None
) -> tuple[np.ndarray[Any, Any], list[str] | None]:
    """Return one label a row, in whatever type it has, and the classes' names if they have any."""
    array, own = as_array(values, what)
    classes = max(columns, 2)
    if array.ndim == 2 and array.shape[1] == classes:
        return from_one_hot(array, own, names)
    if array.ndim != 1:
        raise InputError(
            f"{what}: an array of shape {array.shape}; expected (n,), or one-hot labels of shape "
            f"(n, {classes})"
        )
    return array, names


def _plain(label: Any) -> Any:
    """Take a label out of NumPy's scalar; what pandas calls missing is None."""
    if isinstance(label, np.generic):
        return label.item()
    return None if type(label).__name__ in ("NAType", "NaTType") else label


def _text(name: Any) -> str:
    """Write a class's name as labels are written: truths in lower case, as files have them."""
    name = _plain(name)
    return str(name).lower() if isinstance(name, bool) else str(name)

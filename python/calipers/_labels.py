"""Labels of any type, in one of the forms that the extension reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers._arrays import as_native, as_vector
from calipers._calipers import read_labels
from calipers._errors import InputError


class Labels(NamedTuple):
    """Labels as classes."""

    codes: np.ndarray[Any, Any]  # The class of each row.
    classes: np.ndarray[Any, Any]  # The classes as the labels have them.
    names: list[str]  # The classes' names.


def as_labels(values: Any) -> np.ndarray[Any, Any] | list[Any]:
    """Return labels as an array of whole numbers, truths or numbers, or as a list of words."""
    array = as_vector(values, "y_true")
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


def as_names(class_names: Sequence[Any] | None, columns: list[str] | None) -> list[str] | None:
    """Return the names of the classes: those that were given, or else those of the columns."""
    if class_names is None:
        return columns
    if isinstance(class_names, str):
        raise InputError(f"class_names: expected one name a class, not the word {class_names!r}")
    return [_text(name) for name in np.asarray(class_names, dtype=object).ravel().tolist()]


def read(
    y: Any, columns: int, class_names: Sequence[Any] | None, names: list[str] | None
) -> Labels:
    """Turn labels into classes, and keep the classes as the labels have them."""
    array = as_vector(y, "y")
    names = as_names(class_names, names)
    try:
        codes, classes, rule, _, examples = read_labels(as_labels(array), columns, names)
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
    elif rule == "positions":
        kept = np.arange(len(classes))
    else:
        kept = np.asarray(classes)
    if array.dtype.kind in "iuf" and kept.dtype.kind in "iufU":
        kept = kept.astype(array.dtype)
    return Labels(codes, kept, classes)


def _plain(label: Any) -> Any:
    """Take a label out of NumPy's scalar; what pandas calls missing is None."""
    if isinstance(label, np.generic):
        return label.item()
    return None if type(label).__name__ in ("NAType", "NaTType") else label


def _text(name: Any) -> str:
    """Write a class's name as labels are written: truths in lower case, as files have them."""
    name = _plain(name)
    return str(name).lower() if isinstance(name, bool) else str(name)

"""Batches of Arrow, column by column, in the shape that the extension takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers._errors import InputError
from calipers._keys import as_who
from calipers._labels import as_labels


class Columns(NamedTuple):
    """Which column of a source is what."""

    label: str
    probs: str | list[str]  # One a class, or a single one: of lists, or of class 1.
    weight: str | None = None
    group: str | None = None
    key: str | None = None

    @property
    def needed(self) -> list[str]:
        """The names of all of them, each once."""
        several = [self.probs] if isinstance(self.probs, str) else self.probs
        others = [one for one in (self.weight, self.group, self.key) if one is not None]
        return list(dict.fromkeys([self.label, *several, *others]))


def refuse_absent(needed: Sequence[str], names: Sequence[str]) -> None:
    """Raise an error if a column that is needed is not among those of a source."""
    for name in needed:
        if name not in names:
            there = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise InputError(f"there is no column {name!r}: the source has {there}")


def as_columns(
    label: Any, probs: Any, weight: Any = None, group: Any = None, key: Any = None
) -> Columns:
    """Check the names of columns."""
    if label is None or probs is None:
        what = "label" if label is None else "probs"
        raise InputError(
            f"{what}: not given; of a source, label= names the column of labels, and probs= (or "
            "logits=) those of the classes, or one column of lists"
        )
    named = {"label": label, "weight": weight, "group": group, "key": key}
    for what, name in named.items():
        if name is not None and not isinstance(name, str):
            raise InputError(f"{what}: {name!r}; expected the name of a column")
    if not isinstance(probs, str):
        probs = list(probs)
        if not probs or not all(isinstance(name, str) for name in probs):
            raise InputError(f"probs: {probs!r}; expected names of columns, or one of lists")
    return Columns(label, probs, weight, group, key)


class Batch(NamedTuple):
    """Some rows: labels, predictions, and what the extension is told besides."""

    labels: Any
    scores: np.ndarray[Any, Any]
    columns: list[str] | None  # What the columns of predictions are called.
    beside: dict[str, Any]


def read(batch: Any, columns: Columns, rows: tuple[int, int]) -> Batch:
    """Take the columns out of one of Arrow's record batches, or of a table.

    ``rows`` says who the rows are if there is no key: their part, and the number of the first.
    """
    scores, called = scores_of(batch, columns.probs)
    who = as_who(_column(batch, columns.key), None) if columns.key is not None else rows
    beside = {
        "who": who,
        "weights": None if columns.weight is None else _weights(_column(batch, columns.weight)),
        "groups": None if columns.group is None else _groups(_column(batch, columns.group)),
        "folds": None,
        "from_logits": False,
    }
    return Batch(_labels(_column(batch, columns.label)), scores, called, beside)


def _column(batch: Any, name: str) -> Any:
    """Return a column as one array."""
    import pyarrow

    array = batch.column(name)
    return array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array


def _labels(array: Any) -> Any:
    """Return labels: words as those that occur, and which of them each row has."""
    import pyarrow

    refuse_nulls(array, "label")
    kind = array.type
    if pyarrow.types.is_dictionary(kind) or _is_text(kind):
        coded = array if pyarrow.types.is_dictionary(kind) else array.dictionary_encode()
        words = coded.dictionary.to_pylist()
        # Labels that are missing are found, and named, where rows are looked at one by one.
        if all(isinstance(word, str) and word for word in words):
            return coded.indices.to_numpy(zero_copy_only=False).astype(np.uint32), words
        array = coded.dictionary_decode()
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
        return as_labels(array.to_numpy(zero_copy_only=False), 2, None)[0]
    if pyarrow.types.is_boolean(kind):
        return array.to_numpy(zero_copy_only=False)
    objects = np.empty(len(array), dtype=object)
    objects[:] = array.to_pylist()
    return as_labels(objects, 2, None)[0]


def scores_of(batch: Any, probs: str | list[str]) -> tuple[np.ndarray[Any, Any], list[str] | None]:
    """Return predictions, and what their columns are called if each has a name."""
    if isinstance(probs, str):
        array = _column(batch, probs)
        if _is_list(array.type):
            return _of_lists(array, probs), None
        probs = [probs]
    arrays = [_floats(_column(batch, name), name, place) for place, name in enumerate(probs)]
    if len(arrays) == 1:
        return arrays[0], probs
    kind = np.float32 if all(one.dtype == np.float32 for one in arrays) else np.float64
    # A column after the other, as Arrow has them.
    scores = np.empty((len(batch), len(arrays)), dtype=kind, order="F")
    for place, one in enumerate(arrays):
        scores[:, place] = one
    return scores, probs


def _of_lists(array: Any, name: str) -> np.ndarray[Any, Any]:
    """Return lists of one length as a table."""
    import pyarrow.compute

    refuse_nulls(array, "list of probabilities")
    lengths = pyarrow.compute.list_value_length(array).to_numpy(zero_copy_only=False)
    length = int(lengths[0]) if len(lengths) else 2
    other = np.flatnonzero(lengths != length)
    if len(other):
        row = int(other[0])
        raise InputError(f"row {row}: {lengths[row]} values in {name}, row 0 has {length}", row=row)
    flat = array.flatten()
    if flat.null_count:
        at = flat.is_null().to_pylist().index(True)
        row, column = divmod(at, length)
        raise InputError(
            f"row {row}, column {column}: the value is missing", row=row, column=column
        )
    table = _as_floats(flat, name).reshape(-1, max(length, 1))
    return table[:, 0] if table.shape[1] == 1 else table


def _floats(array: Any, name: str, column: int) -> np.ndarray[Any, Any]:
    """Return a column of numbers, none of them missing."""
    if array.null_count:
        row = array.is_null().to_pylist().index(True)
        raise InputError(
            f"row {row}, column {column}: the value is missing", row=row, column=column
        )
    return _as_floats(array, name)


def _as_floats(array: Any, name: str) -> np.ndarray[Any, Any]:
    """Return numbers in single or double precision."""
    import pyarrow

    kind = array.type
    is_number = pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind)
    if not is_number and not pyarrow.types.is_decimal(kind):
        raise InputError(f"column {name}: values of type {kind}; expected numbers")
    if not pyarrow.types.is_float32(kind) and not pyarrow.types.is_float64(kind):
        half = pyarrow.types.is_float16(kind)
        array = array.cast(pyarrow.float32() if half else pyarrow.float64())
    numbers: np.ndarray[Any, Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def _weights(array: Any) -> np.ndarray[Any, Any]:
    """Return weights in double precision."""
    refuse_nulls(array, "weight")
    return _as_floats(array, "of weights").astype(np.float64, copy=False)


def _groups(array: Any) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Return the groups' names, each once, and which of them each row has."""
    import pyarrow

    refuse_nulls(array, "group")
    coded = array if pyarrow.types.is_dictionary(array.type) else array.dictionary_encode()
    names = [str(group) for group in coded.dictionary.to_pylist()]
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.uint32), names


def refuse_nulls(array: Any, what: str) -> None:
    """Name the first row without a value."""
    if array.null_count:
        row = array.is_null().to_pylist().index(True)
        raise InputError(f"row {row}: the {what} is missing", row=row)


def _is_text(kind: Any) -> bool:
    import pyarrow

    types = pyarrow.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_list(kind: Any) -> bool:
    import pyarrow

    types = pyarrow.types
    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(is_list)

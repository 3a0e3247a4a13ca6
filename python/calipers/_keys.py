"""Who rows are: keys of any library, or their places."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers import _calipers
from calipers._arrays import as_native, as_vector, as_whole, is_missing
from calipers._errors import InputError

# A row's place is one number of 64 bits: that of its part, and its own within it.
PARTS, PLACES = 2**24, 2**40

# What the extension takes for who rows are: identities, or parts and numbers in them.
Who = Any


def as_who(key: Any, rows: Any) -> Who:
    """Return who rows are, by their keys, or by their part and the number of the first in it."""
    if key is not None:
        if rows is not None:
            raise InputError("rows: the key says who rows are; give one of both")
        return as_identities(key)
    if rows is None:
        return 0, 0
    try:
        part, first = rows
    except (TypeError, ValueError):
        raise InputError(f"rows: {rows!r}; expected (part, first)") from None
    if np.ndim(part) == 0 and np.ndim(first) == 0:
        return _below(PARTS, part, "part"), _below(PLACES, first, "number of a row")
    numbers = _wholes(first, PLACES, "number of a row")
    parts = np.broadcast_to(_wholes(np.atleast_1d(part), PARTS, "part"), numbers.shape)
    return np.ascontiguousarray(parts, dtype=np.uint32), numbers.astype(np.uint64)


def as_identities(key: Any) -> np.ndarray[Any, Any]:
    """Return the identity of each row: the hash of its key's text."""
    texts = _texts_of_arrow(key)
    if texts is not None:
        return _calipers.identities(texts)
    array = as_vector(key, "key")
    kind = array.dtype.kind
    if kind in "iu":
        return _calipers.identities(as_native(array.astype(np.int64 if kind == "i" else np.uint64)))
    if kind in "OUT":
        return _calipers.identities([_text(one, row) for row, one in enumerate(array.tolist())])
    if kind == "f" and np.isnan(array).any():  # What pandas makes of numbers of which some miss.
        row = int(np.isnan(array).argmax())
        raise InputError(f"row {row}: the key is missing", row=row)
    raise InputError(f"key: an array of type {array.dtype}; expected whole numbers or texts")


def _texts_of_arrow(key: Any) -> tuple[Any, Any] | None:
    """Return the bytes of Arrow's texts and where each ends, or None if it holds something else."""
    if type(key).__module__.partition(".")[0] != "pyarrow":
        return None
    import pyarrow

    if isinstance(key, pyarrow.ChunkedArray):
        key = key.combine_chunks()
    if isinstance(key, pyarrow.Array) and key.null_count:
        row = key.is_null().to_pylist().index(True)
        raise InputError(f"row {row}: the key is missing", row=row)
    if not isinstance(key, pyarrow.Array):
        return None
    kind = key.type.value_type if pyarrow.types.is_dictionary(key.type) else key.type
    is_text = pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)
    if not is_text and not pyarrow.types.is_string_view(kind):
        return None
    key = key.cast(pyarrow.large_string())
    _, ends, data = key.buffers()
    empty = np.empty(0, dtype=np.uint8)
    ends = np.frombuffer(ends, dtype=np.int64, count=len(key) + 1, offset=8 * key.offset)
    return (empty if data is None else np.frombuffer(data, dtype=np.uint8)), ends


def _text(key: Any, row: int) -> str:
    """Return the text of a key; that of a whole number is the number."""
    if isinstance(key, str):
        return key
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        return str(int(key))
    if is_missing(key):
        raise InputError(f"row {row}: the key is missing", row=row)
    kind = type(key).__name__
    raise InputError(
        f"row {row}: a key of type {kind}; expected a whole number or a text", row=row, value=key
    )


def _below(most: int, value: Any, what: str) -> int:
    number = as_whole(value, "rows")
    if number >= most:
        raise InputError(f"rows: {number} is too large for the {what}")
    return number


def _wholes(values: Any, most: int, what: str) -> np.ndarray[Any, Any]:
    """Return whole numbers below a limit, one a row."""
    array = as_vector(values, "rows")
    if array.dtype.kind not in "iu":
        raise InputError(f"rows: an array of type {array.dtype}; expected whole numbers")
    wrong = np.flatnonzero((array < 0) | (array >= most))
    if len(wrong):
        row = int(wrong[0])
        found = array[row].item()
        raise InputError(f"row {row}: {found} is no {what}", row=row, value=found)
    return array

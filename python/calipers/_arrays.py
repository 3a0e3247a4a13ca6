"""Arrays of any library as NumPy's, without a copy where the library allows it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from calipers._calipers import class_names as names_of_columns
from calipers._errors import InputError

# What one entry of an argument is called.
ONE_OF = {
    "y_true": "label",
    "y": "label",
    "sample_weight": "weight",
    "folds": "fold",
    "groups": "group",
    "cluster": "cluster",
    "time": "time",
    "key": "key",
}


def as_scores(values: Any, what: str = "y_prob") -> tuple[np.ndarray[Any, Any], list[str] | None]:
    """Return probabilities (or logits) as an array, and the names of their columns.

    The array has one or two dimensions, single or double precision, and any layout. A table whose
    columns have names gives names; anything else does not.
    """
    array, columns = _unwrap(values)
    _refuse_masked(array, "value")
    array = as_floats(array, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2):
        raise InputError(
            f"{what}: an array of shape {array.shape}; expected (n,), (n, 1) or (n, k)"
        )
    return array, columns


def classes_of(columns: list[str] | None) -> list[str] | None:
    """Return the classes that columns are called after, if they have names."""
    return None if columns is None else names_of_columns(columns)


def number_of_columns(scores: np.ndarray[Any, Any]) -> int:
    """Count the columns of what :func:`as_scores` returns."""
    return 1 if scores.ndim == 1 else int(scores.shape[1])


def as_array(values: Any, what: str) -> tuple[np.ndarray[Any, Any], list[str] | None]:
    """Return values in whatever type and shape they have, and the names of their columns."""
    unwrapped, columns = _unwrap(values)
    _refuse_masked(unwrapped, ONE_OF.get(what, "value"))
    try:
        array = np.asarray(unwrapped)
    except ValueError:  # Sequences among the values: they are named when they are looked at.
        array = np.empty(len(unwrapped), dtype=object)
        array[:] = unwrapped
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return array, columns


def name_of(labels: Any) -> str:
    """Return what labels are called: a series has a name."""
    name = getattr(labels, "name", None)
    return name if isinstance(name, str) and name else "y_true"


def as_vector(values: Any, what: str) -> np.ndarray[Any, Any]:
    """Return one value a row, in whatever type it has."""
    array, _ = as_array(values, what)
    if array.ndim != 1:
        raise InputError(f"{what}: an array of shape {array.shape}; expected (n,)")
    return array


def as_weights(values: Any) -> np.ndarray[Any, Any] | None:
    """Return the rows' weights in double precision."""
    if values is None:
        return None
    array = as_floats(as_vector(values, "sample_weight"), "sample_weight")
    return array.astype(np.float64, copy=False)


def as_times(values: Any) -> np.ndarray[Any, Any] | None:
    """Return when each row was, by numbers in its order."""
    if values is None:
        return None
    array = as_vector(values, "time")
    if array.dtype.kind == "O" and all(hasattr(one, "isoformat") for one in array):
        array = array.astype("datetime64[ns]")
    if array.dtype.kind in "mM":
        refuse_missing((None if missing else 0 for missing in np.isnat(array)), "time")
        return np.unique(array, return_inverse=True)[1].astype(np.float64)
    return as_floats(array, "time").astype(np.float64, copy=False)


def as_whole(value: Any, what: str) -> int:
    """Return a whole number that is not negative."""
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise InputError(f"{what}: {value!r} is not a whole number") from None
    if not 0 <= number < 2**64:
        raise InputError(f"{what}: {number} is not between 0 and 2^64")
    return int(number)


def refuse_missing(values: Iterable[Any], what: str) -> None:
    """Name the first row without a value."""
    for row, value in enumerate(values):
        if is_missing(value):
            raise InputError(f"row {row}: the {ONE_OF[what]} is missing", row=row)


def is_missing(value: Any) -> bool:
    """Whether it is None, NaN, or what pandas calls missing."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _refuse_masked(values: Any, what: str) -> None:
    """Name the first masked entry of a masked array: NumPy would look behind the mask."""
    mask = getattr(values, "mask", None) if isinstance(values, np.ndarray) else None
    if mask is None or not np.any(mask):
        return
    place = [int(at) for at in np.argwhere(np.broadcast_to(mask, values.shape))[0]]
    where = f"row {place[0]}" + "".join(f", column {at}" for at in place[1:2])
    column = place[1] if len(place) > 1 else None
    raise InputError(f"{where}: the {what} is missing", row=place[0], column=column)


def _unwrap(values: Any) -> tuple[Any, list[str] | None]:
    """Take NumPy's view out of another library's container, with the columns' names."""
    if isinstance(values, np.ndarray):
        return values, None
    library = type(values).__module__.partition(".")[0]
    read = {"pandas": _from_pandas, "polars": _from_polars, "torch": from_torch}.get(library)
    if read is not None:
        return read(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _from_arrow(values)
    return from_anything(values), None


def from_anything(values: Any) -> Any:
    """Return what NumPy can make an array of."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InputError("a sparse matrix: pass its toarray()")
    if isinstance(values, (list, tuple)) or hasattr(values, "__array__"):
        return values
    if hasattr(values, "__dlpack__"):
        return np.from_dlpack(values)
    return list(values) if hasattr(values, "__iter__") else values


def _from_pandas(values: Any) -> tuple[Any, list[str] | None]:
    if values.ndim == 1:
        name = getattr(values, "name", None)
        # Of dates, NumPy would make bare numbers.
        if str(values.dtype) == "category" or getattr(values.dtype, "kind", "O") in "mM":
            return np.asarray(values.astype(object)), named([name])
        if _is_nullable_float(values.dtype):
            return values.to_numpy(dtype="float64", na_value=np.nan), named([name])
        return values.to_numpy(), named([name])
    names = named(list(values.columns))
    if any(_is_nullable_float(dtype) for dtype in values.dtypes):
        return values.to_numpy(dtype="float64", na_value=np.nan), names
    return values.to_numpy(), names


def _is_nullable_float(dtype: Any) -> bool:
    """Whether pandas would make objects of it, because its missing value is none of NumPy's."""
    return not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "O") == "f"


def _from_polars(values: Any) -> tuple[Any, list[str] | None]:
    if not hasattr(values, "to_numpy"):
        values = values.collect()  # A LazyFrame.
    columns = getattr(values, "columns", None)
    if columns is None:
        return values.to_numpy(), named([values.name])
    if len(columns) == 1:
        return values.to_series().to_numpy(), named(columns)
    return values.to_numpy(), named(columns)


def from_torch(values: Any) -> tuple[Any, None]:
    """Return NumPy's view of a tensor, which has no names."""
    if values.device.type != "cpu":
        raise InputError(f"a tensor on {values.device}: pass its cpu()")
    values = values.detach()
    try:
        return values.numpy(), None
    except TypeError:  # NumPy has no bfloat16.
        return values.float().numpy(), None


def _from_arrow(values: Any) -> tuple[Any, list[str] | None]:
    """Read anything that speaks Arrow's C data interface."""
    try:
        import pyarrow
    except ImportError:
        try:
            import polars
        except ImportError:
            raise InputError(
                f"a {type(values).__name__} is read through pyarrow or polars: install one of them"
            ) from None
        return _from_polars(polars.DataFrame(values))
    if isinstance(values, (pyarrow.Array, pyarrow.ChunkedArray)):
        return _from_arrow_array(values), None
    if not isinstance(values, (pyarrow.Table, pyarrow.RecordBatch)):
        if not hasattr(values, "__arrow_c_stream__"):
            return _from_arrow_array(pyarrow.array(values)), None
        values = pyarrow.table(values)
    columns = [_from_arrow_array(values.column(at)) for at in range(values.num_columns)]
    if len(columns) == 1:
        return columns[0], named(values.column_names)
    return np.column_stack(columns), named(values.column_names)


def _from_arrow_array(array: Any) -> Any:
    import pyarrow

    if isinstance(array, pyarrow.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if isinstance(array, pyarrow.ChunkedArray):  # No chunk at all, or too long for one.
        return array.to_numpy()
    if pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pyarrow.types.is_fixed_size_list(array.type):
        if array.null_count:
            row = array.is_null().to_pylist().index(True)
            raise InputError(f"row {row}: the probabilities are missing", row=row)
        return _from_arrow_array(array.flatten()).reshape(-1, array.type.list_size)
    return array.to_numpy(zero_copy_only=False)


def named(names: list[Any]) -> list[str] | None:
    """Return names that someone has given; positions from 0 are none."""
    if all(isinstance(name, (int, np.integer)) for name in names):
        return None if names == list(range(len(names))) else [str(name) for name in names]
    if any(name is None or name == "" for name in names):
        return None
    return [str(name) for name in names]


def as_floats(values: Any, what: str) -> np.ndarray[Any, Any]:
    """Return an array that Rust can read as it is, copied only if it cannot."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{what}: {_ragged(values) or error}") from None
    if array.dtype.kind in "OUS":
        return _from_objects(np.asarray(values, dtype=object), what)
    if array.dtype.kind == "c":
        raise InputError(f"{what}: Complex data not supported")
    if array.dtype.kind not in "fiub":
        raise InputError(f"{what}: an array of type {array.dtype}; expected numbers")
    if array.dtype not in (np.float32, np.float64):
        # Half precision fits into single; what else there is, whole numbers first of all, does not.
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    return as_native(array)


def as_native(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array whose bytes lie as the processor reads them."""
    if array.dtype.isnative and array.flags.aligned:
        return array
    return array.astype(array.dtype.newbyteorder("="), copy=True)


def _ragged(values: Any) -> str | None:
    """Say which row has another length than the first."""
    try:
        lengths = [len(row) for row in values]
    except TypeError:
        return None
    row = next((at for at, length in enumerate(lengths) if length != lengths[0]), None)
    if row is None:
        return None
    return f"row {row} has {lengths[row]} values, row 0 has {lengths[0]}"


def _from_objects(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """Turn objects into numbers, and name the first that is none."""
    for place, value in np.ndenumerate(array):
        if isinstance(value, (str, bytes)) or not _is_number(value):
            row = place[0] if place else None
            column = place[1] if len(place) > 1 else None
            where = what if row is None else f"row {row}"
            where += "" if column is None else f", column {column}"
            found = "the value is missing" if value is None else f"{value!r} is not a number"
            raise InputError(f"{where}: {found}", row=row, column=column, value=value)
    return array.astype(np.float64)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True

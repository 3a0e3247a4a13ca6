"""What else is known of each row: columns of numbers and of categories, of any library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calipers._arrays import as_native, as_whole, from_anything, from_torch, is_missing, named
from calipers._errors import InputError

# The code of a category that is missing, as the extension has it.
MISSING = np.uint32(0xFFFFFFFF)

# A column in the shape that the extension takes: its name with numbers, of which NaN is missing; or
# with places among levels, and the levels.
Numbers = tuple[str, np.ndarray[Any, Any]]
Categories = tuple[str, np.ndarray[Any, Any], list[str]]
Column = Numbers | Categories


class Features(list[Column]):
    """Columns that have been brought into this shape."""


def as_features(values: Any, _: str = "features") -> Features | None:
    """Return features column by column; categories have their levels in the order of the rows."""
    if values is None or isinstance(values, Features):
        return values
    return Features(_converted(name, column) for name, column in _columns(values))


def some_features(values: Any, wanted: Sequence[Any]) -> Features:
    """Return the features of some columns, by their names or positions."""
    columns = _columns(values)
    names = [name for name, _ in columns]
    found = Features()
    for one in wanted:
        place = names.index(one) if one in names else None
        if place is None and not isinstance(one, str):
            place = as_whole(one, "features")
        if place is None or place >= len(columns):
            there = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise InputError(f"features: there is no column {one!r}: there are {there}")
        found.append(_converted(*columns[place]))
    return found


def refuse_other_rows(features: Features | None, rows: int) -> None:
    """Name the first column that has not one value a row."""
    for name, values, *_ in features or ():
        if len(values) != rows:
            raise InputError(f"feature {name}: {len(values)} values, and there are {rows} rows")


def _columns(values: Any) -> list[tuple[str, Any]]:
    """Return the columns with their names; those without names are x0, x1 and so on."""
    if isinstance(values, Mapping):
        return [(str(name), column) for name, column in values.items()]
    library = type(values).__module__.partition(".")[0]
    if library == "pyspark":
        raise InputError("features: a DataFrame of Spark; expected columns that are in memory")
    if library == "pandas" and values.ndim == 2:
        return _called(list(values.columns), [values.iloc[:, at] for at in range(values.shape[1])])
    if library == "polars":
        return _of_polars(values)
    if library in ("pandas", "torch") or isinstance(values, np.ndarray):
        return _of_array(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _of_arrow(values)
    return _of_array(values)


def _called(names: list[Any], columns: list[Any]) -> list[tuple[str, Any]]:
    own = named(names) or [f"x{at}" for at in range(len(columns))]
    return list(zip(own, columns, strict=True))


def _of_polars(values: Any) -> list[tuple[str, Any]]:
    if hasattr(values, "collect"):  # A LazyFrame.
        values = values.collect()
    columns = values.get_columns() if hasattr(values, "get_columns") else [values]
    return _called([column.name for column in columns], columns)


def _of_arrow(values: Any) -> list[tuple[str, Any]]:
    """Return the columns of whatever speaks Arrow's C data interface."""
    try:
        import pyarrow
    except ImportError:
        try:
            import polars
        except ImportError:
            raise InputError(
                f"features: a {type(values).__name__} is read through pyarrow or polars: install "
                "one of them"
            ) from None
        return _of_polars(polars.DataFrame(values))
    if isinstance(values, (pyarrow.Array, pyarrow.ChunkedArray)):
        return [("x0", values)]
    if not isinstance(values, (pyarrow.Table, pyarrow.RecordBatch)):
        if not hasattr(values, "__arrow_c_stream__"):
            return [("x0", pyarrow.array(values))]
        values = pyarrow.table(values)
    return _called(values.column_names, [values.column(at) for at in range(values.num_columns)])


def _of_array(values: Any) -> list[tuple[str, Any]]:
    """Return the columns of an array, a series, or of lists."""
    if type(values).__module__.partition(".")[0] == "pandas":
        return _called([getattr(values, "name", None)], [values])
    array = _as_array(values)
    if array.dtype.names is not None:
        return [(name, array[name]) for name in array.dtype.names]
    if array.ndim == 1:
        return [("x0", array)]
    if array.ndim != 2:
        raise InputError(f"features: an array of shape {array.shape}; expected (n,) or (n, d)")
    return [(f"x{at}", array[:, at]) for at in range(array.shape[1])]


def _as_array(values: Any) -> np.ndarray[Any, Any]:
    """Return an array of any type; of lists, one that leaves words and numbers as they are."""
    if isinstance(values, np.ma.MaskedArray):
        kind, missing = (np.float64, np.nan) if values.dtype.kind in "fiub" else (object, None)
        array = np.asarray(values.data).astype(kind)
        array[np.ma.getmaskarray(values)] = missing
        return array
    if isinstance(values, np.ndarray):
        return values
    if type(values).__module__.partition(".")[0] == "torch":
        return np.asarray(from_torch(values)[0])
    values = from_anything(values)
    return np.asarray(values) if hasattr(values, "__array__") else np.asarray(values, dtype=object)


def _converted(name: str, column: Any) -> Column:
    """Return a column of any library as numbers, or as categories."""
    library = type(column).__module__.partition(".")[0]
    if library == "pandas":
        return _from_pandas(name, column)
    if library == "polars":
        return _from_polars(name, column)
    if library == "pyarrow":
        return _from_arrow(name, column)
    array = _as_array(column)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"feature {name}: an array of shape {array.shape}; expected (n,)")
    return _from_array(name, array)


def _from_array(name: str, array: np.ndarray[Any, Any]) -> Column:
    kind = array.dtype.kind
    if kind in "fiub":
        return name, as_native(array.astype(np.float64, copy=False))
    if kind in "OUT":
        return _from_objects(name, array.tolist())
    if kind == "S":
        return _from_objects(name, [one.decode(errors="backslashreplace") for one in array])
    raise _refused(name, array.dtype, is_time=kind in "mM")


def _from_pandas(name: str, column: Any) -> Column:
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    if str(dtype) == "category":
        coded = getattr(column, "cat", column)
        return _coded(name, np.asarray(coded.codes), list(coded.categories))
    if kind in "mM":
        raise _refused(name, dtype, is_time=True)
    if isinstance(dtype, np.dtype):
        return _from_array(name, column.to_numpy())
    if kind in "fiub":
        return name, column.to_numpy(dtype="float64", na_value=np.nan)
    return _from_objects(name, list(np.asarray(column, dtype=object)))


def _from_polars(name: str, column: Any) -> Column:
    import polars

    kind = column.dtype
    if kind.is_numeric() or kind in (polars.Boolean, polars.Null):
        return name, column.cast(polars.Float64).to_numpy()
    if kind in (polars.String, polars.Categorical, polars.Enum, polars.Object):
        return _from_objects(name, column.to_list())
    raise _refused(name, kind, is_time=kind.is_temporal())


def _from_arrow(name: str, column: Any) -> Column:
    import pyarrow

    types, kind = pyarrow.types, column.type
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    if is_text or types.is_dictionary(kind):
        coded = column.dictionary_encode() if is_text else column
        if isinstance(coded, pyarrow.ChunkedArray):
            coded = coded.unify_dictionaries().combine_chunks()
        if isinstance(coded, pyarrow.ChunkedArray):  # There is no chunk at all.
            return _coded(name, np.empty(0, dtype=np.int64), [])
        places = coded.indices.cast(pyarrow.int64()).fill_null(-1)
        return _coded(name, places.to_numpy(), coded.dictionary.to_pylist())
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    if is_number or types.is_boolean(kind) or types.is_null(kind):
        if isinstance(column, pyarrow.ChunkedArray):
            return name, column.cast(pyarrow.float64(), safe=False).to_numpy()
        return name, column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    raise _refused(name, kind, is_time=types.is_temporal(kind))


def _from_objects(name: str, values: list[Any]) -> Column:
    """Return words as categories, and anything else as numbers; a mixture is refused."""
    if any(isinstance(value, str) for value in values):
        return _from_words(name, values)
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = np.nan if is_missing(value) else float(value)
        except (TypeError, ValueError, OverflowError):
            kind = type(value).__name__
            raise _refused(name, kind, hasattr(value, "isoformat"), row, value) from None
    return name, numbers


def _from_words(name: str, values: list[Any]) -> Categories:
    """Return words as categories; an empty one is missing."""
    places: dict[str, int] = {}
    codes = np.empty(len(values), dtype=np.uint32)
    for row, value in enumerate(values):
        if isinstance(value, str):
            codes[row] = places.setdefault(value, len(places)) if value else MISSING
        elif is_missing(value):
            codes[row] = MISSING
        else:
            raise InputError(
                f"feature {name}, row {row}: {value!r} among words; make all of them words, or "
                "numbers",
                row=row,
                value=value,
            )
    return name, codes, _levels(name, list(places))


def _coded(name: str, codes: np.ndarray[Any, Any], given: list[Any]) -> Categories:
    """Return categories by their codes as others have them: in any order, some of no row."""
    texts = ["" if is_missing(level) else str(level) for level in given]
    known = codes >= 0
    known[known] = np.asarray([text != "" for text in texts], dtype=bool)[codes[known]]
    occurring, first = np.unique(codes[known], return_index=True)
    order = occurring[np.argsort(first)]
    place = np.full(len(texts), MISSING, dtype=np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    placed = np.full(len(codes), MISSING, dtype=np.uint32)
    placed[known] = place[codes[known]]
    return name, placed, _levels(name, [texts[code] for code in order])


def _levels(name: str, levels: list[str]) -> list[str]:
    """Return levels that the extension can read."""
    for level in levels:
        try:
            level.encode()
        except UnicodeEncodeError:
            raise InputError(f"feature {name}: {level!r} is no valid text", value=level) from None
    return levels


def _refused(
    name: str, kind: Any, is_time: bool, row: int | None = None, value: Any = None
) -> InputError:
    """Return what is said of a column that is neither numbers nor categories."""
    where = f"feature {name}" if row is None else f"feature {name}, row {row}"
    advice = "; of dates, give numbers such as the days since one of them" if is_time else ""
    return InputError(
        f"{where}: values of type {kind}; expected numbers, truths or words{advice}",
        row=row,
        value=value,
    )

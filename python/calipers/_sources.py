"""Sources: tables that are read in batches, and twice, because they may not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from calipers._batches import Columns, as_columns, read, refuse_absent
from calipers._errors import InputError
from calipers._options import refuse_of_arrays
from calipers._paths import evaluate_paths, is_path
from calipers._report import Report
from calipers._stream import Drawing, Plan, Tally, total

# Cells (rows times classes) of a batch: so many that calls cost nothing, in some tens of megabytes.
CELLS = 1 << 21

# Tallies that are kept before they are added up.
KEPT = 16

# A source: whoever calls it is handed all batches once more.
Batches = Callable[[], Iterator[Any]]


def evaluate_source(source: Any, given: Mapping[str, Any]) -> Report:
    """Evaluate a source with the options of `evaluate`, in two passes over its batches."""
    refuse_of_arrays(given)
    for name, instead in (("sample_weight", "weight"), ("groups", "group")):
        if given[name] is not None:
            raise InputError(f"{name}: of a source, {instead}= names the column")
    if given["probs"] is not None and given["logits"] is not None:
        raise InputError("logits: given beside probs; expected one of both")
    from_logits = given["from_logits"] or given["logits"] is not None
    given = {**given, "from_logits": from_logits, "probs": given["probs"] or given["logits"]}
    if type(source).__module__.partition(".")[0] == "pyspark":
        from calipers.spark import evaluate_given

        return evaluate_given(source, given)
    if is_path(source):
        return evaluate_paths(source, given)
    opened = reader_of(source)
    columns = as_columns(*(given[name] for name in ("label", "probs", "weight", "group", "key")))
    batches = opened(source, columns)
    drawing = Drawing(given, given["sample"], keyed=columns.key is not None)
    for first, table in _numbered(batches):
        with counted_from(first):
            batch = read(table, columns, (0, first))
            if first == 0:
                count = 1 if batch.scores.ndim == 1 else batch.scores.shape[1]
                drawing.columns_are(count, batch.columns, columns.label)
            drawing.add_read(batch.labels, batch.scores, batch.beside)
    if drawing.is_empty:
        raise InputError("there are no rows")
    plan = drawing.plan()
    if plan.is_everything:
        return plan.sample_report()
    return plan.finish(_tallied(plan, batches, columns, given["threads"]))


def _tallied(plan: Plan, batches: Batches, columns: Columns, threads: int | None) -> Tally:
    """Tally all batches."""
    kept: list[Tally] = []
    for first, table in _numbered(batches):
        with counted_from(first):
            batch = read(table, columns, (0, first))
            kept.append(plan.tallied(batch.labels, batch.scores, batch.beside, threads))
        if len(kept) == KEPT:
            kept = [total(kept)]
    if not kept:
        raise InputError("the source has no rows when it is read for the second time")
    return total(kept)


def _numbered(batches: Batches) -> Iterator[tuple[int, Any]]:
    """Yield the batches that have rows, each with the number of its first row."""
    first = 0
    for batch in batches():
        if batch.num_rows:
            yield first, batch
            first += batch.num_rows


@contextmanager
def counted_from(first: int) -> Iterator[None]:
    """Let errors about rows of a batch be about rows of the source."""
    try:
        yield
    except InputError as error:
        if error.row is None or first == 0:
            raise
        row = error.row + first
        message = str(error).replace(f"row {error.row}", f"row {row}", 1)
        raise InputError(message, row, error.column, error.value) from None


def reader_of(source: Any) -> Callable[[Any, Columns], Batches]:
    """Return what opens a source of this kind."""
    library = type(source).__module__.partition(".")[0].lstrip("_")
    known = READERS.get(library)
    if known is not None:
        return known
    if hasattr(source, "__arrow_c_stream__"):
        return _from_stream
    raise InputError(
        f"y_prob: not given, and a {type(source).__name__} is no source: expected arrays of labels "
        "and of probabilities, paths, or a table of Arrow, polars, pandas, DuckDB or Spark"
    )


def _from_pyarrow(source: Any, columns: Columns) -> Batches:
    """Read a dataset, or a table."""
    import pyarrow

    if isinstance(source, (pyarrow.Table, pyarrow.RecordBatch)):
        return _from_table(source, columns)
    if not hasattr(source, "scanner"):
        return _from_stream(source, columns)
    refuse_absent(columns.needed, source.schema.names)
    rows = _rows(columns)
    return lambda: source.scanner(columns=columns.needed, batch_size=rows).to_batches()


def _from_table(source: Any, columns: Columns) -> Batches:
    import pyarrow

    if isinstance(source, pyarrow.RecordBatch):
        source = pyarrow.Table.from_batches([source])
    refuse_absent(columns.needed, source.column_names)
    table = source.select(columns.needed)
    return lambda: iter(table.to_batches(max_chunksize=_rows(columns)))


def _from_polars(source: Any, columns: Columns) -> Batches:
    """Read a table, or the batches of a query."""
    import polars

    if not isinstance(source, (polars.LazyFrame, polars.DataFrame)):
        return _from_stream(source, columns)
    refuse_absent(columns.needed, source.lazy().collect_schema().names())
    query = source.lazy().select(columns.needed)
    rows = _rows(columns)

    def batches() -> Iterator[Any]:
        if isinstance(source, polars.DataFrame):
            frames = source.select(columns.needed).iter_slices(rows)
        elif hasattr(query, "collect_batches"):
            frames = query.collect_batches(chunk_size=rows, maintain_order=True)
        else:
            frames = query.collect(engine="streaming").iter_slices(rows)
        for frame in frames:
            # Texts as every reader of Arrow knows them.
            yield frame.to_arrow(compat_level=polars.CompatLevel.oldest())

    return batches


def _from_duckdb(source: Any, columns: Columns) -> Batches:
    """Read a relation, by running its query."""
    import duckdb

    refuse_absent(columns.needed, source.columns)
    chosen = source.select(*(duckdb.ColumnExpression(name) for name in columns.needed))
    rows = _rows(columns)
    read_batches = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
    return lambda: iter(read_batches(rows))


def _from_stream(source: Any, columns: Columns) -> Batches:
    """Read whatever hands out Arrow's batches, and can do so twice."""
    import pyarrow

    if hasattr(source, "read_next_batch") or hasattr(source, "__next__"):
        raise InputError(
            f"a {type(source).__name__} can be read once, and rows are read twice: first to draw "
            "the sample, then to score them all; pass what it is made from"
        )
    if not hasattr(source, "__arrow_c_stream__"):
        raise InputError(f"a {type(source).__name__} is no source of rows")
    refuse_absent(columns.needed, pyarrow.RecordBatchReader.from_stream(source).schema.names)

    def batches() -> Iterator[Any]:
        for batch in pyarrow.RecordBatchReader.from_stream(source):
            yield from _from_table(batch, columns)()

    return batches


def _rows(columns: Columns) -> int:
    """Return how many rows a batch has."""
    count = 2 if isinstance(columns.probs, str) else len(columns.probs)
    return max(CELLS // max(count, 2), 1 << 12)


# What opens the sources of each library; anything else hands out Arrow's batches, or is none.
READERS: dict[str, Callable[[Any, Columns], Batches]] = {
    "pyarrow": _from_pyarrow,
    "polars": _from_polars,
    "duckdb": _from_duckdb,
}

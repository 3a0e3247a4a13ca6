"""What executors of Spark do with their partitions: batches of Arrow in, batches of Arrow out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers._batches import Columns, read, refuse_nulls, scores_of
from calipers._errors import InputError
from calipers._sources import CELLS, counted_from
from calipers._stream import Plan, Tally, total
from calipers._stream import candidates as pick

# Different labels of a partition at the most: more are those of another column.
MOST_LABELS = 10_000

# What tasks answer with, as Spark calls it: all of them have one shape.
ANSWER = "part int, rows long, labels binary, picked binary, tally binary, fault string, row long"

# Where a row is, for rows without keys: columns beside those of the user.
PART, ROW = "__calipers_part", "__calipers_row"


class Seen:
    """What a task has seen of its partition so far: how many rows, and which labels."""

    def __init__(self) -> None:
        self.rows = 0
        self.labels: Any = None

    def add(self, labels: Any) -> None:
        """Look at the labels of the next rows."""
        import pyarrow

        self.rows += len(labels)
        found = labels.unique()
        if self.labels is not None:
            found = pyarrow.concat_arrays([self.labels, found]).unique()
        self.labels = found.slice(0, MOST_LABELS)


def candidates(batches: Iterator[Any], columns: Columns, drawn: dict[str, int]) -> Iterator[Any]:
    """Pick the rows of a partition that may be in the sample; count all, and list their labels.

    Picked rows are sent as bytes: Spark would take a table apart row by row, twice.
    """
    import pyarrow

    part, seen = _part(), Seen()
    fault, wrong, labels = None, None, None
    try:
        picked = (_picked(table, columns, drawn, part, seen) for table in _gathered(batches))
        for table in _gathered(picked):
            yield _answer(part, picked=_written(table.combine_chunks()))
    except InputError as error:
        fault, wrong = str(error), error.row
    if seen.labels is not None:
        labels = _written(pyarrow.table([seen.labels], names=["label"]))
    if labels is not None or fault is not None:
        yield _answer(part, rows=seen.rows, labels=labels, fault=fault, row=wrong)


def _picked(table: Any, columns: Columns, drawn: dict[str, int], part: int, seen: Seen) -> Any:
    """Return the rows that may be in the sample, with their places if they have no keys."""
    import pyarrow

    first, labels = seen.rows, table.column(columns.label)
    with counted_from(first):
        refuse_nulls(labels, "label")
        if columns.key is not None:
            mask = pick(table.column(columns.key), **drawn)
        else:
            mask = pick(rows=(part, first, len(table)), **drawn)
    seen.add(labels)
    picked = table.filter(pyarrow.array(mask))
    if columns.key is not None:
        return picked
    rows = first + np.flatnonzero(mask)
    parts = np.full(len(rows), part, dtype=np.int32)
    return picked.append_column(PART, pyarrow.array(parts)).append_column(ROW, pyarrow.array(rows))


def tally(batches: Iterator[Any], columns: Columns, data: bytes) -> Iterator[Any]:
    """Tally a partition."""
    plan, part, first = Plan.from_bytes(data), _part(), 0
    tallies: list[Tally] = []
    fault, wrong = None, None
    try:
        for table in _gathered(batches):
            with counted_from(first):
                batch = read(table, columns, (part, first))
                tallies.append(plan.tallied(batch.labels, batch.scores, batch.beside, 1))
            tallies = [total(tallies)]
            first += table.num_rows
    except InputError as error:
        fault, wrong = str(error), error.row
    if tallies or fault is not None:
        tally = total(tallies).to_bytes() if tallies else None
        yield _answer(part, tally=tally, fault=fault, row=wrong)


def recalibrate(
    batches: Iterator[Any],
    model: Any,
    probs: str | list[str],
    kept: list[str],
    names: list[str],
    lists: bool,
) -> Iterator[Any]:
    """Add what a model makes of the rows of a partition."""
    import pyarrow

    model.set_params(threads=1)  # Spark has a task for every core.
    for batch in batches:
        if batch.num_rows == 0:
            continue
        with warnings.catch_warnings():
            # The columns may have had other names when it was fitted.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            found = model.predict_proba(scores_of(batch, probs)[0])
        if lists:
            ends = np.arange(len(found) + 1, dtype=np.int32) * found.shape[1]
            added = [pyarrow.ListArray.from_arrays(ends, np.ascontiguousarray(found).ravel())]
        else:
            added = [pyarrow.array(found[:, at]) for at in range(found.shape[1])]
        columns = [*(batch.column(name) for name in kept), *added]
        yield pyarrow.RecordBatch.from_arrays(columns, [*kept, *names])


def _gathered(tables: Iterator[Any]) -> Iterator[Any]:
    """Put batches or tables together, because Spark's are small: a call costs the same for many."""
    import pyarrow

    kept: list[Any] = []
    size = 0
    for table in tables:
        if len(table) == 0:
            continue
        kept.extend([table] if isinstance(table, pyarrow.RecordBatch) else table.to_batches())
        size += table.nbytes
        if size >= 8 * CELLS:
            yield pyarrow.Table.from_batches(kept)
            kept, size = [], 0
    if kept:
        yield pyarrow.Table.from_batches(kept)


def _answer(part: int, **said: Any) -> Any:
    """Return what a task says; what it does not say is null."""
    import pyarrow

    kinds = {"int": pyarrow.int32(), "long": pyarrow.int64()}
    kinds |= {"binary": pyarrow.binary(), "string": pyarrow.string()}
    fields = (field.split() for field in ANSWER.split(", "))
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in fields])
    return pyarrow.RecordBatch.from_pylist([{"part": part, **said}], schema)


def _written(table: Any) -> bytes:
    """Return a table as bytes, in Arrow's format for streams."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def read_table(data: bytes) -> Any:
    """Return the table that a task has written."""
    import pyarrow

    return pyarrow.ipc.open_stream(data).read_all()


def _part() -> int:
    """Return the number of the partition that this task works on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())

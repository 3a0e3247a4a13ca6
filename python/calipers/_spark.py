"""What executors of Spark do with their partitions: batches of Arrow in, batches of Arrow out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers._batches import Columns, read, refuse_nulls, scores_of
from calipers._errors import InputError
from calipers._keys import as_who
from calipers._sources import CELLS, counted_from
from calipers._stream import Plan, Tally, total
from calipers._stream import candidates as pick

# Different labels of a partition at the most: more are those of another column.
MOST_LABELS = 10_000

# Where a row is, for rows without keys: columns beside those of the user.
PART, ROW = "__calipers_part", "__calipers_row"


def survey(batches: Iterator[Any], columns: Columns) -> Iterator[Any]:
    """Count the rows of a partition and list its labels; keys are looked at, too."""
    import pyarrow
    import pyarrow.compute

    rows, labels, fault, wrong = 0, None, None, None
    try:
        for batch in batches:
            with counted_from(rows):
                refuse_nulls(batch.column(columns.label), "label")
                if columns.key is not None:
                    as_who(batch.column(columns.key), None)
            found = pyarrow.compute.unique(batch.column(columns.label))
            known = found if labels is None else pyarrow.concat_arrays([labels, found]).unique()
            labels = known.slice(0, MOST_LABELS)
            rows += batch.num_rows
    except InputError as error:
        fault, wrong = str(error), error.row
    listed = [] if labels is None else labels
    kind = pyarrow.list_(pyarrow.null() if labels is None else labels.type)
    arrays = [
        pyarrow.array([_part()], pyarrow.int32()),
        pyarrow.array([rows], pyarrow.int64()),
        pyarrow.array([fault], pyarrow.string()),
        pyarrow.array([wrong], pyarrow.int64()),
        pyarrow.array([[one.as_py() for one in listed]], kind),
    ]
    if labels is not None or fault is not None:
        yield pyarrow.RecordBatch.from_arrays(arrays, ["part", "rows", "fault", "row", "labels"])


def candidates(batches: Iterator[Any], columns: Columns, drawn: dict[str, int]) -> Iterator[Any]:
    """Pick the rows of a partition that may be in the sample."""
    import pyarrow

    first, part = 0, _part()
    for batch in batches:
        count = batch.num_rows
        if columns.key is not None:
            mask = pick(batch.column(columns.key), **drawn)
        else:
            mask = pick(rows=(part, first, count), **drawn)
        picked = batch.filter(pyarrow.array(mask))
        if columns.key is None:
            rows = first + np.flatnonzero(mask)
            picked = pyarrow.RecordBatch.from_arrays(
                [*picked.columns, pyarrow.array([part] * len(rows), pyarrow.int32()), rows],
                names=[*picked.schema.names, PART, ROW],
            )
        first += count
        yield picked


def tally(batches: Iterator[Any], columns: Columns, data: bytes) -> Iterator[Any]:
    """Tally a partition."""
    import pyarrow

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
        arrays = [
            pyarrow.array([part], pyarrow.int32()),
            pyarrow.array([tally], pyarrow.binary()),
            pyarrow.array([fault], pyarrow.string()),
            pyarrow.array([wrong], pyarrow.int64()),
        ]
        yield pyarrow.RecordBatch.from_arrays(arrays, ["part", "tally", "fault", "row"])


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


def _gathered(batches: Iterator[Any]) -> Iterator[Any]:
    """Put batches together, because Spark's are small: a tally costs the same for many rows."""
    import pyarrow

    kept: list[Any] = []
    size = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        kept.append(batch)
        size += batch.nbytes
        if size >= 8 * CELLS:
            yield pyarrow.Table.from_batches(kept)
            kept, size = [], 0
    if kept:
        yield pyarrow.Table.from_batches(kept)


def _part() -> int:
    """Return the number of the partition that this task works on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())

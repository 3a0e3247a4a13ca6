"""Calibration errors of a DataFrame of Spark, where it is.

Spark counts the rows. Two passes over the partitions follow, each a ``mapInArrow`` without a
shuffle: the rows that may be in the sample come to the driver, which makes a plan of them, together
with the labels that occur; and every partition sends one tally. It works with classic sessions and
with Spark Connect, from PySpark 3.5 on. calipers and pyarrow have to be installed where the
executors run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from calipers import _calipers, _spark
from calipers._arrays import as_whole
from calipers._batches import Columns, as_columns, read, refuse_absent
from calipers._errors import InputError
from calipers._evaluate import completed
from calipers._report import Report
from calipers._sources import evaluate_source
from calipers._spark import ANSWER, PART, ROW, read_table
from calipers._stream import Drawing, Plan, Tally, total

__all__ = ["evaluate", "recalibrate"]

# Spark's limits of a batch that it sends to Python: bytes, of which the largest number is none, and
# rows.
BYTES, UNLIMITED = "spark.sql.execution.arrow.maxBytesPerBatch", str((1 << 31) - 1)
RECORDS = "spark.sql.execution.arrow.maxRecordsPerBatch"

# Bytes of a batch that need no limit: Spark's own is this one.
MOST_BYTES = 1 << 26


def evaluate(
    df: Any,
    *,
    label: str,
    probs: str | Sequence[str] | None = None,
    logits: str | Sequence[str] | None = None,
    weight: str | None = None,
    groups: str | None = None,
    key: str | None = None,
    sample: int | None = None,
    **options: Any,
) -> Report:
    """Estimate calibration errors of a DataFrame.

    The DataFrame is computed three times, the first time by Spark alone and only to count its rows:
    cache it if that is expensive. A task that is retried, or run twice, does not count twice.

    While a pass runs, and unless you have set it, ``spark.sql.execution.arrow.maxBytesPerBatch`` is
    lifted for the session where batches stay small without it: it makes a pass take three times as
    long.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row a prediction; classic or Spark Connect.
    label : str
        The column of labels.
    probs : str or sequence of str
        The columns of the probabilities, one a class or one for class 1; or one column of arrays,
        or of the vectors of ``pyspark.ml``.
    logits : str or sequence of str
        The same, of logits.
    weight, groups : str, optional
        The columns of weights and groups. Groups are reported by their names as words.
    key : str, optional
        A column of whole numbers or texts that are the row's own. With it the report is the same to
        the last bit for any partitions, and in any other engine. Without it a row goes by its
        partition and its place in it, which have to be the same whenever the DataFrame is computed;
        if they are not, that is noticed, and an error.
    sample : int, optional
        How many rows are estimated by cross-fitting at the most, on the driver. What is learnt from
        them scores all others. By default 1,000,000, and fewer of more than 20 classes, as
        :func:`calipers.evaluate` has.
    **options
        Those of :func:`calipers.evaluate`.

    Returns
    -------
    Report
        The estimates by the metrics' names.

    Raises
    ------
    InputError
        If something in the input is wrong; the message names the partition and the row in it, or
        the row's key.

    Examples
    --------
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> spark = SparkSession.builder.getOrCreate()  # doctest: +SKIP
    >>> df = spark.read.parquet("predictions")  # doctest: +SKIP
    >>> calipers.spark.evaluate(df, label="y", probs="p", key="id")  # doctest: +SKIP
    <calipers.Report of 1000000000 rows: l1=0.137, brier=0.021, log=0.102>
    """
    columns = {"label": label, "probs": probs, "logits": logits, "weight": weight}
    given = {**completed(options), **columns, "group": groups, "key": key, "sample": sample}
    return evaluate_source(df, given)


def evaluate_given(df: Any, given: Mapping[str, Any]) -> Report:
    """Evaluate a DataFrame with all options of :func:`calipers.evaluate`."""
    columns = as_columns(*(given[name] for name in ("label", "probs", "weight", "group", "key")))
    refuse_absent(columns.needed, df.columns)
    drawing = Drawing(given, given["sample"], keyed=columns.key is not None)
    chosen = _selected(df, columns)
    count, width = _measured(chosen)
    found = _candidates(chosen, columns, count, width, given)
    if found.rows != count:
        # To count, Spark reads no columns, and so misses what is malformed and would be dropped.
        count = found.rows
        found = _candidates(chosen, columns, count, width, given)
    _refuse_change(count, found.rows)
    if count == 0:
        raise InputError("there are no rows")
    plan = _plan(drawing, found, columns)
    if plan.is_everything:
        return plan.sample_report()
    data = plan.to_bytes()

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return _spark.tally(batches, columns, data)

    tallies = [Tally.from_bytes(bytes(row["tally"])) for row in _answers(chosen, task, width)]
    _refuse_change(count, sum(tally.rows for tally in tallies))
    return plan.finish(total(tallies))


def recalibrate(
    df: Any, model: Any, probs: str | Sequence[str], output: str | Sequence[str] = "calibrated"
) -> Any:
    """Add the recalibrated probabilities of every row to a DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row a prediction; classic or Spark Connect.
    model : Recalibrator
        What was fitted, or loaded; without features.
    probs : str or sequence of str
        The columns that the model takes, in the order in which it was fitted; or one column of
        arrays, or of the vectors of ``pyspark.ml``.
    output : str or sequence of str, default "calibrated"
        The name of a column of arrays, or of one column for each class.

    Returns
    -------
    pyspark.sql.DataFrame
        The same rows with the columns added; nothing is computed before it is asked for.

    Examples
    --------
    >>> model = calipers.Recalibrator.load("model.json")  # doctest: +SKIP
    >>> better = calipers.spark.recalibrate(df, model, probs=["p0", "p1"])  # doctest: +SKIP
    """
    if getattr(model, "extra_features_", None):
        raise InputError("model: it was fitted with features, and is given none by Spark")
    from pyspark.sql.types import ArrayType, DoubleType, StructField, StructType

    wanted = _listed(probs)
    names = [output] if isinstance(output, str) else list(output)
    refuse_absent(wanted, df.columns)
    for name in names:
        if name in df.columns:
            raise InputError(f"output: there is a column {name!r} already")
    if not isinstance(output, str) and len(names) != len(model.classes_):
        raise InputError(f"output: {len(names)} names for {len(model.classes_)} classes")
    fitted_to = list(getattr(model, "feature_names_in_", ()))
    if fitted_to != wanted and sorted(fitted_to) == sorted(wanted):
        raise InputError(f"probs: {wanted}; the model was fitted to {fitted_to}, in this order")
    kind = ArrayType(DoubleType()) if isinstance(output, str) else DoubleType()
    added = [StructField(name, kind) for name in names]
    # Vectors are looked at as arrays, beside the columns that stay as they are.
    vectors = [name for name in wanted if _is_vector(df, name)]
    wide = df
    for name in vectors:
        wide = wide.withColumn(PART + name, _array_of(name))
    read_from = [PART + name if name in vectors else name for name in wanted]
    source = read_from[0] if isinstance(probs, str) else read_from
    kept, lists_out = list(df.columns), isinstance(output, str)

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return _spark.recalibrate(batches, model, source, kept, names, lists_out)

    return wide.mapInArrow(task, StructType([*df.schema.fields, *added]))


class Found(NamedTuple):
    """What a pass has found: how many rows, which labels, and those that may be in the sample."""

    rows: int
    labels: list[Any]
    table: Any


def _measured(chosen: Any) -> tuple[int, int]:
    """Return how many rows there are, and how many values a row has."""
    from pyspark.sql import functions
    from pyspark.sql.types import ArrayType

    lists = [field.name for field in chosen.schema if isinstance(field.dataType, ArrayType)]
    if not lists:
        return chosen.count(), len(chosen.columns)
    longest = [functions.max(functions.size(_col(name))) for name in lists]
    rows, *lengths = chosen.agg(functions.count(functions.lit(1)), *longest).first()
    return rows, len(chosen.columns) + sum(length or 0 for length in lengths)


def _candidates(
    chosen: Any, columns: Columns, count: int, width: int, given: Mapping[str, Any]
) -> Found:
    """Bring the rows together that may be in the sample of so many, and all labels that occur."""
    import pyarrow

    sample = given["sample"]
    if sample is None:
        # A list has as many values as a row has beyond its columns.
        several = isinstance(columns.probs, list)
        classes = len(columns.probs) if several else width - len(columns.needed)
        sample = _calipers.usual_sample(max(classes, 2))
    drawn = {"sample": as_whole(sample, "sample"), "seed": as_whole(given["seed"], "seed")}
    drawn["total"] = count

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return _spark.candidates(batches, columns, drawn)

    answers = _answers(chosen, task, width)
    picked = [read_table(row["picked"]) for row in answers if row["picked"] is not None]
    ends = [row for row in answers if row["labels"] is not None]
    listed = (read_table(row["labels"]).column("label").to_pylist() for row in ends)
    labels = dict.fromkeys(label for some in listed for label in some)
    rows = sum(row["rows"] for row in ends)
    return Found(rows, list(labels), pyarrow.concat_tables(picked) if picked else None)


def _plan(drawing: Drawing, found: Found, columns: Columns) -> Plan:
    """Make the plan; what is wrong with a candidate is told by its key, or by its place."""
    table, places = found.table, (0, 0)
    if columns.key is None:
        parts, rows = (table.column(name).to_numpy() for name in (PART, ROW))
        places = (parts.astype(np.uint32), rows.astype(np.uint64))
    try:
        batch = read(table, columns, places)
        count = 1 if batch.scores.ndim == 1 else batch.scores.shape[1]
        drawing.columns_are(count, batch.columns, columns.label)
        drawing.expect(found.labels)
        drawing.add_read(batch.labels, batch.scores, batch.beside)
    except InputError as error:
        if error.row is None or error.row >= table.num_rows:
            raise
        if columns.key is None:
            part, row = (int(table.column(name)[error.row].as_py()) for name in (PART, ROW))
            raise _at(part, row, error.row, str(error)) from None
        who = table.column(columns.key)[error.row].as_py()
        message = str(error).replace(f"row {error.row}", f"the row with key {who!r}", 1)
        raise InputError(message, None, error.column, error.value) from None
    return drawing.plan()


def _answers(chosen: Any, task: Any, width: int) -> list[Any]:
    """Run a task on every partition, and return what they answer unless something is wrong."""
    passed = chosen.mapInArrow(task, ANSWER)
    with _unmeasured(chosen.sparkSession, width):
        # Arrow's way keeps no copy of all answers in the driver's JVM.
        rows = passed.toArrow().to_pylist() if hasattr(passed, "toArrow") else passed.collect()
    _refuse_faults(rows)
    return list(rows)


@contextmanager
def _unmeasured(session: Any, width: int) -> Iterator[None]:
    """Keep Spark from measuring its batches anew after each row, where they are small anyway.

    Spark 4 does so to end a batch at some bytes, which takes two thirds of the time of a pass over
    rows of few columns. What the user has set stays.
    """
    from pyspark.errors import PySparkException

    conf, is_set = session.conf, False
    try:
        if conf.isModifiable(BYTES) and conf.get(BYTES, None) is None:
            rows = int(conf.get(RECORDS))
            if 0 < rows * width * 8 <= MOST_BYTES:
                conf.set(BYTES, UNLIMITED)
                is_set = True
    except PySparkException:
        pass  # Some platforms have settings that nobody may look at: then it takes longer.
    try:
        yield
    finally:
        if is_set:
            conf.unset(BYTES)


def _selected(df: Any, columns: Columns) -> Any:
    """Return the columns that are needed; vectors as arrays."""
    chosen = [
        _array_of(name).alias(name) if _is_vector(df, name) else _col(name)
        for name in columns.needed
    ]
    return df.select(*chosen)


def _is_vector(df: Any, name: str) -> bool:
    return type(df.schema[name].dataType).__name__ == "VectorUDT"


def _array_of(name: str) -> Any:
    """Return a column of vectors as one of arrays."""
    from pyspark.ml.functions import vector_to_array

    return vector_to_array(_col(name))


def _col(name: str) -> Any:
    """Return a column by its name, whatever letters are in it."""
    from pyspark.sql.functions import col

    return col("`" + name.replace("`", "``") + "`")


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _refuse_faults(rows: list[Any]) -> None:
    """Raise what tasks found to be wrong: that of the first partition."""
    faults = [row for row in rows if row["fault"] is not None]
    if faults:
        first = min(faults, key=lambda row: row["part"])
        raise _at(first["part"], first["row"], first["row"], first["fault"])


def _refuse_change(before: int, now: int) -> None:
    """Raise an error if there are other rows than before."""
    if before != now:
        raise InputError(
            f"the DataFrame had {before} rows, and has {now} when it is computed again: its rows "
            "have to be the same each time"
        )


def _at(part: int, row: int | None, told: int | None, message: str) -> InputError:
    """Return an error about a row of a partition."""
    if row is not None:
        message = message.replace(f"row {told}", f"row {row}", 1)
    return InputError(f"partition {part}, {message}", row)

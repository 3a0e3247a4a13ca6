"""Calibration errors of a DataFrame of Spark, where it is.

Three passes over the partitions, each a ``mapInArrow``, and no shuffle: rows and labels are
counted; the rows that may be in the sample come to the driver, which makes a plan of them; every
partition sends one tally. It works with classic sessions and with Spark Connect, from PySpark 3.5
on. calipers and pyarrow have to be installed where the executors run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers import _spark
from calipers._batches import Columns, as_columns, read, refuse_absent
from calipers._errors import InputError
from calipers._evaluate import SAMPLE, completed
from calipers._report import Report
from calipers._sources import evaluate_source
from calipers._spark import PART, ROW
from calipers._stream import Drawing, Plan, Tally, total

__all__ = ["evaluate", "recalibrate"]


def evaluate(
    df: Any,
    *,
    label: str,
    probs: str | Sequence[str] | None = None,
    logits: str | Sequence[str] | None = None,
    weight: str | None = None,
    groups: str | None = None,
    key: str | None = None,
    sample: int = SAMPLE,
    **options: Any,
) -> Report:
    """Estimate calibration errors of a DataFrame.

    The DataFrame is computed three times: cache it if that is expensive. A task that is retried, or
    run twice, does not count twice.

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
    sample : int, default 1,000,000
        How many rows are estimated by cross-fitting at the most, on the driver. What is learnt from
        them scores all others.
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
    chosen = _selected(df, columns)
    surveyed = _survey(chosen, columns)
    table = _candidates(chosen, columns, surveyed, given)
    plan = _plan(table, columns, surveyed, given)
    if plan.is_everything:
        return plan.sample_report()
    data = plan.to_bytes()

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return _spark.tally(batches, columns, data)

    rows = chosen.mapInArrow(task, "part int, tally binary, fault string, row long").collect()
    _refuse_faults(rows)
    return plan.finish(total(Tally.from_bytes(bytes(row["tally"])) for row in rows))


def recalibrate(
    df: Any, model: Any, probs: str | Sequence[str], output: str | Sequence[str] = "calibrated"
) -> Any:
    """Add the recalibrated probabilities of every row to a DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row a prediction; classic or Spark Connect.
    model : Recalibrator
        What was fitted, or loaded.
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


class Survey(NamedTuple):
    """What there is: how many rows, and which labels."""

    rows: int
    labels: list[Any]


def _survey(chosen: Any, columns: Columns) -> Survey:
    """Count rows, and find the labels that occur: the sample may lack some."""
    from pyspark.sql.types import (
        ArrayType,
        IntegerType,
        LongType,
        StringType,
        StructField,
        StructType,
    )

    fields = {"part": IntegerType(), "rows": LongType(), "fault": StringType(), "row": LongType()}
    fields["labels"] = ArrayType(chosen.schema[columns.label].dataType)
    schema = StructType([StructField(name, kind) for name, kind in fields.items()])
    needed = [columns.label] if columns.key is None else [columns.label, columns.key]
    # Without a key, a row's place is to be that of the other passes: of the same columns.
    some = chosen if columns.key is None else chosen.select(*map(_col, dict.fromkeys(needed)))

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return _spark.survey(batches, columns)

    rows = some.mapInArrow(task, schema).collect()
    _refuse_faults(rows)
    labels = dict.fromkeys(label for row in rows for label in row["labels"])
    count = sum(row["rows"] for row in rows)
    if count == 0:
        raise InputError("there are no rows")
    return Survey(count, list(labels))


def _candidates(chosen: Any, columns: Columns, surveyed: Survey, given: Mapping[str, Any]) -> Any:
    """Bring the rows together that may be in the sample, as a table of Arrow."""
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    schema = chosen.schema
    if columns.key is None:
        places = [StructField(PART, IntegerType()), StructField(ROW, LongType())]
        schema = StructType([*schema.fields, *places])
    drawn = {"total": surveyed.rows, "sample": given["sample"], "seed": given["seed"]}

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        return _spark.candidates(batches, columns, drawn)

    found = chosen.mapInArrow(task, schema)
    if hasattr(found, "toArrow"):
        return found.toArrow()
    import pyarrow

    return pyarrow.Table.from_pandas(found.toPandas(), preserve_index=False)


def _plan(table: Any, columns: Columns, surveyed: Survey, given: Mapping[str, Any]) -> Plan:
    """Make the plan; what is wrong with a candidate is told by its key, or by its place."""
    drawing = Drawing(given, given["sample"], keyed=columns.key is not None)
    places = (0, 0)
    if columns.key is None:
        parts, rows = (table.column(name).to_numpy() for name in (PART, ROW))
        places = (parts.astype(np.uint32), rows.astype(np.uint64))
    try:
        batch = read(table, columns, places)
        count = 1 if batch.scores.ndim == 1 else batch.scores.shape[1]
        drawing.columns_are(count, batch.columns, columns.label)
        drawing.expect(surveyed.labels)
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


def _at(part: int, row: int | None, told: int | None, message: str) -> InputError:
    """Return an error about a row of a partition."""
    if row is not None:
        message = message.replace(f"row {told}", f"row {row}", 1)
    return InputError(f"partition {part}, {message}", row)

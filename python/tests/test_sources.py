"""Sources: how tables are read in batches, and what is said of those that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from common import command
from streams import QUICK, stream

import calipers
from calipers import _sources

ROWS = stream(900)
TABLE = ROWS.table()
NAMED = {"label": "label", "probs": ROWS.columns, "key": "key", "sample": 200, **QUICK}


def refused(message: str, source: object, **more: object) -> calipers.InputError:
    with pytest.raises(calipers.InputError, match=message) as caught:
        calipers.evaluate(source, **{**NAMED, **more})
    return caught.value


def with_column(name: str, values: object) -> pa.Table:
    return TABLE.set_column(TABLE.column_names.index(name), name, values)


def test_what_is_no_source() -> None:
    refused("can be read once", TABLE.to_reader())
    refused("cannot read nowhere.parquet: no such file", "nowhere.parquet")
    refused("no file matches", [Path("no*.parquet"), "where.csv"])
    refused("is no source", np.zeros(3))
    refused("is no source of rows", pa.array([1, 2]))
    refused("there are no rows", TABLE.slice(0, 0))


def test_columns_that_are_not_there() -> None:
    refused("label: not given", TABLE, label=None)
    refused("probs: not given", TABLE, probs=None)
    refused("beside probs", TABLE, logits=["p_cat"])
    refused("no column 'nobody': the source has label, p_cat", TABLE, weight="nobody")
    refused("no column 'nobody'", ds.dataset(TABLE), group="nobody")
    refused("label: 3; expected the name", TABLE, label=3)
    refused("expected names of columns", TABLE, probs=[1, 2])
    refused("weight= names the column", TABLE, sample_weight=np.ones(900))
    refused("group= names the column", TABLE, groups=np.ones(900))
    refused("folds: of a source, expected their number", TABLE, folds=np.arange(900) % 3)
    refused("sample: 0 rows", TABLE, sample=0)


def test_options_of_sources_are_not_those_of_arrays() -> None:
    labels, probs = ROWS[:2]
    for name in ("label", "probs", "logits", "weight", "group", "key"):
        with pytest.raises(calipers.InputError, match=f"{name}: names a column"):
            calipers.evaluate(labels, probs, **{name: "x"})
    with pytest.raises(calipers.InputError, match="sample: of evaluate alone"):
        calipers.compare(labels, {"a": probs, "b": probs}, sample=10)
    with pytest.raises(calipers.InputError, match="key: names a column"):
        calipers.compare(labels, {"a": probs, "b": probs}, key="x")


def test_arrays_of_more_rows_than_the_sample_are_evaluated_as_a_source() -> None:
    labels, probs = ROWS[:2]
    arrays = calipers.evaluate(labels, probs, sample=200, **QUICK)
    source = calipers.evaluate(TABLE, label="label", probs=ROWS.columns, sample=200, **QUICK)
    assert (arrays.n, arrays.sample, source.sample) == (900, 200, 200)
    assert arrays.to_dict()["metrics"] == source.to_dict()["metrics"]
    assert all(one.scores is None for one in arrays.values())
    whole = calipers.evaluate(labels, probs, sample=900, **QUICK)
    assert whole.sample is None
    assert whole.to_json() == calipers.evaluate(labels, probs, **QUICK).to_json()
    with pytest.raises(calipers.InputError, match="sample: 0 rows"):
        calipers.evaluate(labels, probs, sample=0, **QUICK)


def test_rows_are_named_by_their_place_in_the_source(monkeypatch) -> None:
    monkeypatch.setattr(_sources, "_rows", lambda columns: 100)
    wrong = ROWS.probs[:, 1].copy()
    wrong[777] = np.nan
    error = refused("row 777, column 1: probability NaN", with_column("p_dog", [wrong]))
    assert (error.row, error.column) == (777, 1)
    missing = [None if row == 555 else value for row, value in enumerate(ROWS.probs[:, 1])]
    error = refused("row 555, column 1: the value is missing", with_column("p_dog", [missing]))
    assert (error.row, error.column) == (555, 1)
    for name, what in (
        ("label", "label"),
        ("weight", "weight"),
        ("group", "group"),
        ("key", "key"),
    ):
        values = TABLE.column(name).to_pylist()
        values[432] = None
        beside = {"weight": "weight", "group": "group"}
        error = refused(f"row 432: the {what} is missing", with_column(name, [values]), **beside)
        assert error.row == 432
    labels = ROWS.labels.astype(object)
    labels[321] = "cow"
    error = refused('row 321: label "cow" is none', with_column("label", [labels]))
    assert (error.row, error.value) == (321, "cow")


def test_lists_of_other_lengths_are_named() -> None:
    lists = [list(row) for row in ROWS.probs]
    lists[7].append(0.0)
    refused("row 7: 3 values in lists, row 0 has 2", with_column("lists", [lists]), probs="lists")
    lists[7] = [0.5, None]
    error = refused("row 7, column 1: the value", with_column("lists", [lists]), probs="lists")
    assert (error.row, error.column) == (7, 1)
    lists[7] = None
    refused("row 7: the list of", with_column("lists", [lists]), probs="lists")
    refused("column text: values of type string", TABLE, probs=["text", "p_cat"])


def test_every_type_of_label_and_number_is_read() -> None:
    codes = np.searchsorted(["cat", "dog"], ROWS.labels)
    probs = ROWS.probs.astype(np.float32)
    table = pa.table(
        {
            "whole": codes,
            "small": pa.array(codes, pa.uint8()),
            "number": codes.astype(float),
            "truth": codes.astype(bool),
            "p": probs[:, 1],
            "q": pa.array(probs[:, 1].astype(float)),
            "key": ROWS.keys,
        }
    )
    for label in ("whole", "small", "number", "truth"):
        for column, y_prob in (("p", probs[:, 1]), ("q", probs[:, 1].astype(float))):
            plan = calipers.Plan.fit(
                table.column(label).to_numpy(), y_prob, key=ROWS.keys, sample=200, **QUICK
            )
            whole = plan.tally(table.column(label).to_numpy(), y_prob, key=ROWS.keys)
            asked = {"label": label, "probs": column, "key": "key", "sample": 200, **QUICK}
            found = calipers.evaluate(table, **asked)
            answer = plan.finish(whole).to_dict()
            # An array has no name, and a column has.
            assert {**found.to_dict(), "columns": None} == {**answer, "columns": None}
    coded = with_column("label", TABLE.column("label").dictionary_encode())
    plain = calipers.evaluate(TABLE, **NAMED)
    assert calipers.evaluate(coded, **NAMED).to_json() == plain.to_json()


def test_batches_make_no_difference(monkeypatch) -> None:
    options = {**NAMED, "key": None, "weight": "weight", "group": "group"}
    whole = calipers.evaluate(TABLE, **options).to_json()
    monkeypatch.setattr(_sources, "_rows", lambda columns: 37)
    assert calipers.evaluate(TABLE, **options).to_json() == whole
    assert calipers.evaluate(ds.dataset(TABLE), **options).to_json() == whole


def test_a_source_that_changes_is_noticed() -> None:
    class Growing:
        """Hands out other rows whenever it is read."""

        reads = 0

        def __arrow_c_stream__(self, requested: object = None) -> object:
            self.reads += 1
            return TABLE.slice(0, 900 - 100 * self.reads).__arrow_c_stream__(requested)

    refused("rows are missing", Growing())


@pytest.mark.parametrize("classes", [2, 3])
def test_files_are_read_as_the_command_line_does(tmp_path: Path, classes: int) -> None:
    rows = stream(1200, classes)
    for number, part in enumerate(rows.parts(5, seed=1)):
        table = part.table().drop_columns(["lists"])
        pq.write_table(table, tmp_path / f"part-{number}.parquet", row_group_size=100)
    named = {"label": "label", "probs": rows.columns, "weight": "weight", "group": "group"}
    options = {**named, "key": "key", "sample": 300, **QUICK}
    expected = calipers.evaluate(rows.table(), **options).to_dict()
    for paths in (tmp_path, str(tmp_path / "*.parquet"), sorted(tmp_path.iterdir(), reverse=True)):
        found = calipers.evaluate(paths, **options).to_dict()
        assert found["sample"] == 300
        assert (found["metrics"], found["groups"]) == (expected["metrics"], expected["groups"])
    flags = {name: ",".join(rows.columns) if name == "probs" else name for name in named}
    flags |= {"key": "key", "sample": "300", "recalibrator": "affine", "draws": "19"}
    words = [word for name, value in flags.items() for word in (f"--{name}", value)]
    printed = command("estimate", str(tmp_path), "--format", "json", *words)
    assert json.loads(printed) == found


def test_a_bad_cell_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n0,0.25\n")
    (tmp_path / "b.csv").write_text("y,p\n1,0.5\n0,1.5\n")
    with pytest.raises(calipers.InputError, match=r"b.csv, line 3, column p"):
        calipers.evaluate(tmp_path, label="y", probs="p")

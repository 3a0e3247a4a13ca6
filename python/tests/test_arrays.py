"""Arrays of every library and layout: the same numbers, and no copy where none is needed."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from common import Simulated

import calipers
from calipers._arrays import as_scores


def same(y, left, right, **options) -> None:
    """Assert that two forms of the same probabilities give the same bits."""
    one = calipers.evaluate(y, left, recalibrator="isotonic", **options)
    other = calipers.evaluate(y, right, recalibrator="isotonic", **options)
    # A table's columns have names, an array's have not.
    found = [{**json.loads(each.to_json()), "columns": None} for each in (one, other)]
    assert found[0] == found[1]
    for metric in one:
        np.testing.assert_array_equal(one[metric].scores, other[metric].scores)


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "reversed": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "columns of a wider array": lambda a: np.hstack([a, a])[:, : a.shape[1]],
    "read-only": lambda a: np.broadcast_to(a, (1, *a.shape))[0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_layout_gives_the_same_bits_without_a_copy(
    layout: str, dtype: type, binary: Simulated, multiclass: Simulated
) -> None:
    for y, p in (binary, multiclass):
        given = LAYOUTS[layout](p.astype(dtype))
        scores, names = as_scores(given)
        assert names is None
        assert np.shares_memory(scores, given)
        # Single precision is widened on reading: the same as if it were widened first.
        same(y, given, p.astype(dtype).astype(np.float64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_column_is_class_1_in_any_shape(dtype: type, binary: Simulated) -> None:
    y, p = binary
    both = p.astype(dtype)
    column = both[:, 1]
    scores, _ = as_scores(column)
    assert np.shares_memory(scores, both)
    same(y, column, np.ascontiguousarray(column))
    same(y, column, column[:, np.newaxis])
    same(y, column, column.astype(np.float64))
    # Both columns hold f0 as it was drawn; the single one only f1, and f0 is one minus it.
    one = float(calipers.calibration_error(y, column, recalibrator="isotonic"))
    two = float(calipers.calibration_error(y, both, recalibrator="isotonic"))
    assert one == pytest.approx(two, abs=1e-6 if dtype is np.float32 else 1e-14)


def test_a_million_rows_are_not_copied_on_the_way_to_rust() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(1_000_000, dtype=np.float32)
    y = (rng.random(len(p), dtype=np.float32) < p).astype(np.int8)
    tracemalloc.start()
    calipers.calibration_error(y, p, recalibrator="identity")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # NumPy reports what it allocates: the rows alone are 4 MB, the labels 1 MB.
    assert peak < 500_000


def test_numbers_of_other_types_are_converted(binary: Simulated) -> None:
    y, p = binary
    half = p.astype(np.float16)
    column = half[:, 1]
    same(y, column, column.astype(np.float32))
    hard = (p[:, 1] > 0.5).astype(np.int8)
    same(y, hard, hard.astype(float), metrics="l1")
    same(y, hard.astype(bool), hard.astype(float), metrics="l1")
    swapped = p.astype(p.dtype.newbyteorder())
    same(y, swapped, p)
    packed = np.zeros(len(y), dtype=[("flag", "i1"), ("p", "f8")])
    packed["p"] = p[:, 1]
    assert not packed["p"].flags.aligned
    same(y, packed["p"], p[:, 1])
    same(y, p.astype(np.longdouble), p)
    same(y, p.astype(object), p)


def test_lists_and_iterables(multiclass: Simulated) -> None:
    y, p = multiclass
    same(y.tolist(), p.tolist(), p)
    same(tuple(y), [tuple(row) for row in p], p)
    lazy = calipers.evaluate(iter(y), (row for row in p))
    assert lazy.to_json() == calipers.evaluate(y, p).to_json()


def test_pandas(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    frame = pd.DataFrame(p)
    scores, names = as_scores(frame)
    assert names is None
    assert np.shares_memory(scores, frame.to_numpy())
    same(pd.Series(y), frame, p)
    named = pd.DataFrame(p, columns=["p_cat", "p_dog", "p_fox"])
    report = calipers.evaluate(pd.Series(y).map({0: "cat", 1: "dog", 2: "fox"}), named)
    assert report.classes == ["cat", "dog", "fox"]
    assert report["l1"].value == calipers.evaluate(y, p)["l1"].value
    same(y, frame.astype("Float64"), p)
    same(y, frame.astype("float64[pyarrow]"), p)
    y2, p2 = binary
    same(y2, pd.Series(p2[:, 1], name="score"), p2[:, 1])
    missing = pd.DataFrame(p).astype("Float64")
    missing.iloc[7, 2] = pd.NA
    with pytest.raises(calipers.InputError, match="row 7, column 2: probability NaN"):
        calipers.evaluate(y, missing)


def test_polars(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    frame = pl.DataFrame(p, schema=["prob_a", "prob_b", "prob_c"])
    labels = pl.Series(y).replace_strict({0: "a", 1: "b", 2: "c"}, return_dtype=pl.String)
    report = calipers.evaluate(labels, frame)
    assert report.classes == ["a", "b", "c"]
    assert report["l1"].value == calipers.evaluate(y, p)["l1"].value
    assert calipers.evaluate(labels.cast(pl.Categorical), frame.lazy())["l1"].value == (
        report["l1"].value
    )
    y2, p2 = binary
    column = pl.Series("score", p2[:, 1].astype(np.float32))
    scores, _ = as_scores(column)
    assert np.shares_memory(scores, column.to_numpy(allow_copy=False))
    same(pl.Series(y2), column, p2[:, 1].astype(np.float32))
    holes = pl.DataFrame({"a": [0.5, None], "b": [0.5, 0.5]})
    with pytest.raises(calipers.InputError, match="row 1, column 0: probability NaN"):
        calipers.evaluate([0, 1], holes, folds=2)


class Exported:
    """A table of some other library, which speaks Arrow's C data interface."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_arrow(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    table = pa.table({f"p_{name}": p[:, at] for at, name in enumerate("xyz")})
    words = pa.array(np.array(list("xyz"))[y])
    expected = calipers.evaluate(y, p)["l1"].value
    for labels in (words, words.dictionary_encode(), pa.chunked_array([words[:9], words[9:]])):
        report = calipers.evaluate(labels, table)
        assert report.classes == ["x", "y", "z"]
        assert report["l1"].value == expected
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=100))
    for form in (batches, table.to_batches()[0], Exported(table), Exported(batches)):
        assert calipers.evaluate(words, form)["l1"].value == expected
    lists = pa.FixedSizeListArray.from_arrays(pa.array(p.ravel()), 3)
    assert calipers.evaluate(pa.array(y), lists)["l1"].value == expected
    y2, p2 = binary
    column = pa.array(np.ascontiguousarray(p2[:, 1], dtype=np.float32))
    scores, _ = as_scores(column)
    assert np.shares_memory(scores, column.to_numpy())
    same(y2, column, p2[:, 1].astype(np.float32))
    with pytest.raises(calipers.InputError, match="row 1, column 1: probability NaN"):
        calipers.evaluate([0, 1], pa.array([0.5, None]), folds=2)


class Foreign:
    """An array of some other library, which speaks DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_dlpack(multiclass: Simulated) -> None:
    y, p = multiclass
    scores, _ = as_scores(Foreign(p))
    assert np.shares_memory(scores, p)
    same(y, Foreign(p), p)


@pytest.mark.parametrize(
    ("y_prob", "message", "place"),
    [
        ([0.2, float("nan")], "row 1, column 1: probability NaN is not finite", (1, 1)),
        ([0.2, float("inf")], "row 1, column 1: probability inf is not finite", (1, 1)),
        ([-0.5, 0.2], "row 0, column 1: probability -0.5 is negative", (0, 1)),
        ([[0.5, 0.5], [0.9, 0.3]], "row 1: the probabilities sum to 1.2", (1, None)),
        ([0.2, None], "row 1: the value is missing", (1, None)),
        ([[0.5, 0.5], [0.5, "x"]], "row 1, column 1: 'x' is not a number", (1, 1)),
        ([[0.5, 0.5], [0.5]], "y_prob: row 1 has 1 values, row 0 has 2", (None, None)),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\); expected", (None, None)),
        (0.5, r"shape \(\); expected", (None, None)),
        (np.zeros((0, 2)), "labels: expected 0, found 2|there are no rows", (None, None)),
        (np.array([1j, 0]), "Complex data not supported", (None, None)),
        (np.array(["2020-01-01"] * 2, dtype="datetime64[D]"), "expected numbers", (None, None)),
        ([0.1, 0.2, 0.3], "labels: expected 3, found 2", (None, None)),
    ],
)
def test_what_is_wrong_is_named(y_prob, message: str, place: tuple) -> None:
    with pytest.raises(calipers.InputError, match=message) as caught:
        calipers.evaluate([0, 1], y_prob, folds=2)
    assert (caught.value.row, caught.value.column) == place


def test_masked_entries_are_missing(binary: Simulated) -> None:
    y, p = binary
    masked = np.ma.masked_array
    # A mask that hides nothing changes nothing.
    same(masked(y, False), masked(p, np.zeros(p.shape, bool)), p)
    hidden = np.zeros(len(y), dtype=bool)
    hidden[[4, 9]] = True
    cells = np.zeros(p.shape, dtype=bool)
    cells[7, 1] = True
    options = {"folds": np.arange(len(y)) % 5, "groups": y, "sample_weight": np.ones(len(y))}
    for given, message in [
        ({"y_true": masked(y, hidden)}, "row 4: the label is missing"),
        ({"y_prob": masked(p, cells)}, "row 7, column 1: the value is missing"),
        ({"y_prob": masked(p[:, 1], hidden)}, "row 4: the value is missing"),
        ({"sample_weight": masked(options["sample_weight"], hidden)}, "row 4: the weight is miss"),
        ({"folds": masked(options["folds"], hidden)}, "row 4: the fold is missing"),
        ({"groups": masked(options["groups"], hidden)}, "row 4: the group is missing"),
    ]:
        with pytest.raises(calipers.InputError, match=message) as caught:
            calipers.evaluate(**{"y_true": y, "y_prob": p, **options, **given})
        assert caught.value.row == int(message[4])
    with pytest.raises(calipers.InputError, match="row 4: the label is missing"):
        calipers.Recalibrator().fit(p, masked(y, hidden))
    with pytest.raises(calipers.InputError, match="row 4: the label is missing"):
        calipers.Monitor().observe(masked(y, hidden), p)


def test_sparse_matrices_are_refused(binary: Simulated) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    y, p = binary
    with pytest.raises(calipers.InputError, match="sparse"):
        calipers.evaluate(y, sparse.csr_matrix(p))

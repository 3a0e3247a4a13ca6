"""Errors given features: what cancels on the whole is found, whatever holds the features."""

from __future__ import annotations

import datetime
import decimal
import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from common import command
from hidden import QUICK, REGIONS, Hidden, hidden
from sklearn.linear_model import LogisticRegression

import calipers
import calipers.spark
from calipers.sklearn import scorer


@pytest.fixture(scope="module")
def rows() -> Hidden:
    return hidden(3000, seed=0)


@pytest.fixture(scope="module")
def report(rows: Hidden) -> calipers.Report:
    return calipers.evaluate(rows.y, rows.p, features=rows.features)


@pytest.fixture(scope="module")
def few() -> Hidden:
    return hidden(400, seed=1)


# What is found.


def test_an_error_that_cancels_on_the_whole_is_found(report: calipers.Report) -> None:
    given = report.given_features
    assert list(given) == list(report) == ["l1", "brier", "log"]
    assert given.features == ["age", "region"]
    assert report["l1"].lower == 0
    # Everyone is off by 0.15; estimates err downwards, by about as much as their error.
    assert given["l1"].value == pytest.approx(0.15, abs=3 * given["l1"].stderr)
    for metric, one in given.items():
        assert 0 < one.lower < one.value
        assert one.gain.value == pytest.approx(one.value - report[metric].value, abs=1e-12)
        assert 0 < one.gain.lower < one.gain.value
        assert one.p_value == 1 / (one.draws + 1)
        assert one.n == report.n == len(one.scores)
        assert report[metric].gain is None
    assert given.shares[0].features == ["region"]
    assert given.shares[0].lost["l1"].lower > 0.1
    assert given.shares[1].features == ["age"]
    assert given.shares[1].lost["l1"].lower == 0


def test_noise_knows_nothing() -> None:
    rng = np.random.default_rng(3)
    y, p = calipers.simulate("binary-overconfident", 2000, seed=3)
    report = calipers.evaluate(y, p, features=rng.normal(size=(2000, 4)))
    assert report.given_features.features == ["x0", "x1", "x2", "x3"]
    for one in report.given_features.values():
        assert one.gain.lower == 0
    assert report["l1"].lower > 0.05


def test_noise_beside_a_calibrated_model_is_no_segment() -> None:
    rng = np.random.default_rng(4)
    p = rng.uniform(size=2000)
    report = calipers.evaluate(rng.uniform(size=2000) < p, p, features=rng.normal(size=(2000, 4)))
    assert report.segments == []
    assert report.segments.searched + report.segments.measured == 2000
    assert report.given_features["l1"].lower == 0
    assert report.given_features["l1"].p_value > 0.05


def test_segments_say_who_it_is(rows: Hidden, report: calipers.Report) -> None:
    (above,) = (segment for segment in report.segments if segment.above)
    assert str(above) == above.words == "region = south"
    assert above.conditions == [calipers.Condition("region", level="south")]
    assert above.class_name == "1"
    south = rows.region == "south"
    assert above.rows == south.sum() > above.measured
    assert above.predicted + 0.05 < above.bound < above.observed
    assert above.predicted == pytest.approx(rows.p[south].mean(), abs=0.02)
    assert (above.holds(rows.features) == south).all()
    below = next(segment for segment in report.segments if not segment.above)
    assert below.observed < below.bound < below.predicted
    assert report.segments.tried >= len(report.segments)


def test_segments_of_numbers_and_of_what_is_missing() -> None:
    rng = np.random.default_rng(5)
    p, age = rng.uniform(0.2, 0.8, 4000), rng.uniform(20, 80, 4000)
    income = np.where(rng.uniform(size=4000) < 0.3, np.nan, rng.normal(size=4000))
    old, unknown = age > 60, np.isnan(income)
    y = rng.uniform(size=4000) < p + np.where(old, 0.2, 0.0) - np.where(unknown & ~old, 0.2, 0.0)
    features = {"age": age, "income": income}
    segments = calipers.evaluate(y, p, **QUICK, features=features).segments
    (above,) = (segment for segment in segments if segment.above and len(segment.conditions) == 1)
    (condition,) = above.conditions
    # A border between two of 31 parts of the ages.
    assert condition.above == pytest.approx(60, abs=2)
    assert condition[2:] == (None, None, False)
    assert str(above).startswith("age > ")
    assert (above.holds(features) == (age > condition.above)).all()
    assert above.rows == (age > condition.above).sum()
    missing = next(one for one in segments if "income is missing" in str(one))
    assert not missing.above
    assert calipers.Condition("income", missing=True) in missing.conditions
    assert not missing.holds(features)[~unknown].any()
    assert missing.holds(features).sum() == missing.rows


def test_more_classes() -> None:
    rng = np.random.default_rng(2)
    first, share, site = (
        rng.uniform(0.35, 0.65, 2000),
        rng.uniform(size=2000),
        rng.integers(2, size=2000),
    )
    often = first + np.where(site == 1, 0.2, -0.2)
    p, truth = (
        np.column_stack([one, (1 - one) * share, (1 - one) * (1 - share)]) for one in (first, often)
    )
    y = (rng.uniform(size=(2000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    asked = ["l1", "top-l1", "classwise-l1"]
    report = calipers.evaluate(y, p, asked, features={"site": site}, draws=0)
    assert list(report.given_features) == asked
    assert all(one.gain.lower > 0 for one in report.given_features.values())


def test_one_number(rows: Hidden, report: calipers.Report) -> None:
    error = calipers.calibration_error(rows.y, rows.p, features=rows.features)
    assert error == report.given_features["l1"].value
    assert error.gain == report.given_features["l1"].gain


def test_a_classifier_may_learn_the_rest(few: Hidden) -> None:
    report = calipers.evaluate(
        few.y, few.p, "l1", LogisticRegression(), features=few.features, draws=0
    )
    assert report.given_features["l1"].gain.lower > 0


def test_the_number_of_threads_does_not_matter(few: Hidden) -> None:
    one, two = (few.score(features=few.features, threads=threads) for threads in (1, 2))
    assert one == two


def test_with_everything_else(few: Hidden) -> None:
    own = {"features": few.features, "groups": few.region, "sample_weight": 1 + (few.age > 50)}
    report = calipers.evaluate(few.y, few.p, **QUICK, **own, folds=np.arange(400) % 4, seed=1)
    assert report.given_features["l1"].lower > 0
    assert set(report.groups) == set(REGIONS)
    together = calipers.evaluate(
        few.y, few.p, **QUICK, features=few.features, cluster=np.arange(400) // 2
    )
    assert together.given_features["l1"].lower > 0
    found = calipers.compare(
        few.y, {"own": few.p, "half": few.p * 0 + 0.5}, **QUICK, features=few.features
    )
    assert found["own"].given_features.features == ["age", "region"]


# What holds them.


class Stream:
    """Nothing but Arrow's C data interface."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_the_same_data_give_the_same_bits(few: Hidden) -> None:
    expected = few.score(features=few.features)
    frame = pd.DataFrame(few.features)
    table = pa.table(few.features)
    levels = ["west", "south", "north", "east"]  # One more, in another order.
    record = np.empty(400, dtype=[("age", float), ("region", object)])
    record["age"], record["region"] = few.age, few.region
    halves = pa.concat_tables([table.slice(200).slice(0, 0), table.slice(0, 150), table.slice(150)])
    coded = pa.DictionaryArray.from_arrays([levels.index(one) for one in few.region], levels)
    chunked = [coded.slice(0, 9), coded.slice(9)]
    for other in [
        {"age": few.age.tolist(), "region": few.region.tolist()},
        {"age": few.age[:, None], "region": few.region.astype(object)},
        {"age": [decimal.Decimal(str(one)) for one in few.age], "region": few.region.astype("S")},
        {"age": pd.Series(few.age), "region": pl.Series(few.region)},
        {"age": pa.array(few.age), "region": pd.Categorical(few.region, levels)},
        record,
        frame,
        frame.astype({"region": object}),
        frame.astype({"region": "string"}),
        frame.astype({"region": pd.CategoricalDtype(levels)}),
        frame.astype({"age": "Float64", "region": pd.ArrowDtype(pa.string())}),
        pl.DataFrame(few.features),
        pl.DataFrame(few.features).lazy(),
        pl.DataFrame(few.features).cast({"region": pl.Categorical}),
        pl.DataFrame(few.features).cast({"region": pl.Enum(levels)}),
        table,
        table.to_batches()[0],
        halves,
        table.set_column(1, "region", coded),
        table.set_column(1, "region", pa.chunked_array(chunked)),
        table.set_column(1, "region", table["region"].cast(pa.large_string())),
        Stream(table),
    ]:
        assert few.score(features=other) == expected


def test_arrays_of_numbers_give_the_same_bits(few: Hidden) -> None:
    south = few.region == "south"
    columns = np.column_stack([few.age, south])
    expected = few.score(features=columns)
    assert calipers.evaluate(few.y, few.p, **QUICK, features=columns).given_features.features == [
        "x0",
        "x1",
    ]
    for other in [
        np.asfortranarray(columns),
        columns.astype(">f8"),
        columns[:, ::-1][:, ::-1],
        columns.tolist(),
        columns.astype(object),
        np.ma.masked_array(columns, mask=False),
        pd.DataFrame(columns),
        pd.DataFrame({"x0": few.age, "x1": south}),
        {"x0": few.age, "x1": pd.Series(south, dtype="boolean")},
        {"x0": few.age, "x1": south.astype(object)},
        pl.DataFrame({"x0": few.age, "x1": south}),
        pa.table({"x0": few.age, "x1": south}),
        pa.table({"x0": few.age, "x1": south.astype(np.uint8)}),
    ]:
        assert few.score(features=other) == expected
    alone = few.score(features=south)
    for other in [
        south[:, None],
        south.tolist(),
        {"x0": south},
        pd.Series(south),
        pl.Series(south),
        pa.array(south),
        pa.chunked_array([south[:9], south[9:]]),
    ]:
        assert few.score(features=other) == alone
    named = few.score(features={"south": south})
    assert few.score(features=pd.Series(south, name="south")) == named
    assert few.score(features=pl.Series("south", south)) == named


def test_tensors_are_read(few: Hidden) -> None:
    torch = pytest.importorskip("torch")
    columns = np.column_stack([few.age, few.p])
    assert few.score(features=torch.tensor(columns)) == few.score(features=columns)


def test_values_may_be_missing(few: Hidden) -> None:
    gone = np.random.default_rng(0).uniform(size=(2, 400)) < 0.2
    age, region = np.where(gone[0], np.nan, few.age), few.region.astype(object)
    region[gone[1]] = None
    plain = {"age": age, "region": region}
    expected = few.score(features=plain)
    frame = pd.DataFrame(plain)
    numbers, words = ([None if hole else one for one, hole in zip(*pair, strict=True)]
                      for pair in ((few.age, gone[0]), (few.region, gone[1])))  # fmt: skip
    for other in [
        {"age": numbers, "region": np.where(gone[1], "", few.region)},
        {"age": np.ma.masked_array(few.age, gone[0]), "region": np.where(gone[1], np.nan, region)},
        {"age": few.age, "region": few.region} | {"age": age.astype(object), "region": words},
        {"age": age, "region": np.ma.masked_array(few.region, gone[1])},
        frame,
        frame.astype({"age": "Float64", "region": "string"}),
        frame.astype({"age": "float64[pyarrow]", "region": "category"}),
        pl.DataFrame({"age": numbers, "region": words}),
        pl.DataFrame({"age": numbers, "region": words}).cast({"region": pl.Categorical}),
        pa.table({"age": numbers, "region": words}),
        pa.table({"age": numbers, "region": pa.array(words).dictionary_encode()}),
        pa.table(
            {"age": numbers, "region": pa.array(words).dictionary_encode(null_encoding="encode")}
        ),
    ]:
        assert few.score(features=other) == expected
    whole = few.age.round()
    expected = few.score(features={"x": np.where(gone[0], np.nan, whole)})
    nullable = pd.array(np.where(gone[0], None, whole.astype(int).astype(object)), dtype="Int64")
    assert few.score(features={"x": pd.Series(nullable)}) == expected
    assert few.score(features={"x": np.ma.masked_array(whole.astype(int), gone[0])}) == expected


def test_the_command_finds_the_same(few: Hidden, tmp_path: Path) -> None:
    gone = np.random.default_rng(1).uniform(size=(2, 400)) < 0.1
    frame = pd.DataFrame(few.features).mask(gone.T)
    path, model, out = (tmp_path / name for name in ("rows.csv", "model.json", "corrected.csv"))
    pd.DataFrame({"label": few.y, "p": few.p}).join(frame).to_csv(path, index=False)
    asked = ["--probs", "p", "--features", "age,region", "--metric", "l1", "--format", "json"]
    printed = json.loads(command("estimate", str(path), *asked))
    report = calipers.evaluate(few.y, few.p, "l1", features=frame)
    assert printed["given_features"] == report.to_dict()["given_features"]
    g = calipers.Recalibrator().fit(pd.DataFrame({"p": few.p}), few.y, features=frame)
    g.save(model)
    command("recalibrate", "apply", str(model), str(path), "-o", str(out))
    corrected = pd.read_csv(out, dtype=str)["p"].astype(float)
    expected = g.predict_proba(pd.DataFrame({"p": few.p}), features=frame)[:, 1]
    assert (corrected == expected).all()


def test_a_column_without_values_is_no_error(few: Hidden) -> None:
    for nothing in (
        np.full(400, np.nan),
        [None] * 400,
        pl.Series([None] * 400),
        pa.nulls(400),
        pd.Categorical([None] * 400),
    ):
        report = calipers.evaluate(
            few.y, few.p, **QUICK, features={**few.features, "nothing": nothing}
        )
        assert report.given_features["l1"].gain.lower > 0


def test_categories_of_anything(few: Hidden) -> None:
    cut = pd.cut(few.age, [0, 40, 60, 100])
    given = calipers.evaluate(few.y, few.p, **QUICK, features={"age": cut})
    assert given.given_features.features == ["age"]
    truths = pd.Categorical(few.region == "south")
    segments = calipers.evaluate(few.y, few.p, **QUICK, features={"south": truths}).segments
    assert "south = True" in map(str, segments)


def wrong_ones() -> dict[str, tuple[object, str]]:
    dates = pd.date_range("2024-01-01", periods=400)
    twice = pd.DataFrame(np.zeros((400, 2)), columns=["age", "age"])
    unhashable = np.empty(400, dtype=object)
    unhashable[:] = [[1]] * 400
    mixed = np.asarray([1, "a"] * 200, dtype=object)
    time = "feature when.*: values of type .*; of dates, give numbers"
    return {
        "length": (np.zeros((399, 2)), "feature x0: 399 values, and there are 400 rows"),
        "lengths": (
            {"a": np.zeros(400), "b": np.zeros(2)},
            "feature b: 2 values, and there are 400 rows",
        ),
        "twice": (twice, "feature age: there is a feature of that name already"),
        "none": ({}, "features: there are none"),
        "no columns": (np.zeros((400, 0)), "features: there are none"),
        "shape": (np.zeros((400, 1, 1)), r"features: an array of shape \(400, 1, 1\)"),
        "wide": ({"a": np.zeros((400, 2))}, r"feature a: an array of shape \(400, 2\)"),
        "complex": ({"a": np.zeros(400, complex)}, "feature a: values of type complex128"),
        "lists": ({"a": unhashable}, "feature a, row 0: values of type list"),
        "mixed": ({"a": mixed}, "feature a, row 0: 1 among words"),
        "stamps": (pd.DataFrame({"when": dates}), time),
        "numpy's": ({"when": dates.to_numpy()}, time),
        "lengths of time": ({"when": dates - dates[0]}, time),
        "polars'": (pl.DataFrame({"when": dates.to_list()}), time),
        "arrow's": (pa.table({"when": dates}), time),
        "dates": ({"when": [datetime.date(2024, 1, 1)] * 400}, time),
        "periods": ({"a": dates.to_period("D")}, "feature a, row 0: values of type Period"),
        "nested": (pl.DataFrame({"a": [[1]] * 400}), "feature a: values of type List"),
        "nested too": (pa.table({"a": [[1]] * 400}), "feature a: values of type list"),
        "text": ({"a": ["\ud800"] * 400}, "feature a: .* is no valid text"),
        "same names": (
            {"a": pd.Categorical(np.asarray([1, "1"] * 200, dtype=object))},
            'feature a: two of its levels are "1"',
        ),
        "the label": ({"a": "LABEL"}, "feature a: it tells all labels"),
    }


@pytest.mark.parametrize("case", wrong_ones())
def test_what_is_wrong_is_named(case: str, few: Hidden) -> None:
    given, message = wrong_ones()[case]
    if case == "the label":
        given = {"a": few.y}
    with pytest.raises(calipers.InputError, match=message):
        calipers.evaluate(few.y, few.p, **QUICK, features=given)
    if case not in ("none", "no columns"):
        with pytest.raises(calipers.InputError, match=message):
            calipers.Recalibrator().fit(few.p, few.y, features=given)


def test_sparse_matrices_are_refused(few: Hidden) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(calipers.InputError, match="pass its toarray"):
        calipers.evaluate(few.y, few.p, features=sparse.csr_matrix(np.zeros((400, 2))))


def test_streams_have_none(few: Hidden, tmp_path: Path) -> None:
    table = pa.table({"y": few.y, "p": few.p, "age": few.age})
    path = tmp_path / "rows.csv"
    table.to_pandas().to_csv(path, index=False)
    for source in (table, table.to_pandas(), path):
        with pytest.raises(calipers.InputError, match="features: of a source or a stream"):
            calipers.evaluate(source, label="y", probs="p", features=few.age)
    with pytest.raises(calipers.InputError, match="features: of a source or a stream"):
        calipers.Plan.fit(few.y, few.p, features=few.age)
    with pytest.raises(calipers.InputError, match="all rows are learnt from"):
        calipers.evaluate(few.y, few.p, features=few.age, sample=100)
    enough = few.score(features=few.age, sample=400)
    assert enough == few.score(features=few.age)
    with pytest.raises(calipers.InputError, match=r"features: .* a scorer"):
        scorer("l1", features=few.age)
    frame = type("DataFrame", (), {"__module__": "pyspark.sql"})()
    with pytest.raises(calipers.InputError, match="features: a DataFrame of Spark"):
        calipers.evaluate(few.y, few.p, features=frame)
    with pytest.raises(calipers.InputError, match="features: of a source or a stream"):
        calipers.spark.evaluate(frame, label="y", probs="p", features=few.age)
    model = calipers.Recalibrator("isotonic").fit(few.p, few.y, features=few.age)
    with pytest.raises(calipers.InputError, match="model: it was fitted with features"):
        calipers.spark.recalibrate(frame, model, "p")


# What comes out.


def test_no_features_no_answer(few: Hidden) -> None:
    report = calipers.evaluate(few.y, few.p, **QUICK)
    assert report.given_features is None
    assert report.segments is None
    assert "given_features" not in report.to_dict()


def test_reports_are_kept(rows: Hidden, report: calipers.Report) -> None:
    given = report.given_features
    saved = report.to_dict()["given_features"]
    assert saved["metrics"]["l1"]["gain"]["value"] == given["l1"].gain.value
    assert saved["segments"]["shown"][0]["segment"] == str(report.segments[0])
    for again in (
        calipers.Report.from_json(report.to_json()),
        pickle.loads(pickle.dumps(report)),
    ):
        assert again == report
        assert again.to_json() == report.to_json()
        other = again.given_features
        assert other == given
        assert other.features == given.features
        assert other.shares == given.shares
        assert other.segments == given.segments
        assert vars(other.segments) == vars(given.segments)
        assert [one.gain for one in other.values()] == [one.gain for one in given.values()]
        assert [one.p_value for one in other.values()] == [one.p_value for one in given.values()]
        for text in (str(again), again._repr_html_()):
            assert "region = south" in text
    assert repr(given).startswith("<calipers.GivenFeatures age, region: l1=0.1")
    assert "gain=" in repr(given["l1"])


def test_reports_are_tables(rows: Hidden, report: calipers.Report) -> None:
    given, frame = report.given_features, report.given_features.to_frame()
    assert frame["metric"].tolist() == ["l1", "brier", "log"]
    assert frame["gain_lower"].tolist() == [one.gain.lower for one in given.values()]
    assert frame["lower"].tolist() == [one.lower for one in given.values()]
    shown = report.segments.to_frame()
    assert shown["segment"].tolist() == [str(segment) for segment in report.segments]
    assert shown["bound"].tolist() == [segment.bound for segment in report.segments]
    assert len(report.to_frame()) == 3
    empty = calipers.Segments([], 0, 0, 0).to_frame()
    assert list(empty.columns) == list(shown.columns)


def test_figures_and_pages(few: Hidden, tmp_path: Path) -> None:
    plain, report = (
        calipers.evaluate(few.y, few.p, **QUICK, **own) for own in ({}, {"features": few.features})
    )
    assert plain._source.figure("reliability", None) == report._source.figure("reliability", None)
    report.save_html(tmp_path / "report.html")
    assert "region" in (tmp_path / "report.html").read_text()

"""Plans and tallies: the same bits in any parts, in any order, in any engine."""

from __future__ import annotations

import pickle

import dask
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import QUICK, Stream, stream

import calipers

# Every kind of stream: two classes, which are counted in cells, and more, which are summed.
KINDS = [(classes, beside) for classes in (2, 3) for beside in (False, True)]


def plan_of(rows: Stream, beside: bool, **options) -> calipers.Plan:
    own = {"sample_weight": rows.weights, "groups": rows.groups} if beside else {}
    frame = pd.DataFrame(rows.probs, columns=rows.columns)
    labels = pd.Series(rows.labels, name="label")
    settings = {"sample": 500, **QUICK, **own, **options}
    return calipers.Plan.fit(labels, frame, key=rows.keys, **settings)


def tally_of(plan: calipers.Plan, rows: Stream, beside: bool, **options) -> calipers.Tally:
    own = {"sample_weight": rows.weights, "groups": rows.groups} if beside else {}
    return plan.tally(rows.labels, rows.probs, key=rows.keys, **own, **options)


def expected(rows: Stream, beside: bool, **options) -> str:
    plan = plan_of(rows, beside, **options)
    return plan.finish(tally_of(plan, rows, beside)).to_json()


def source_options(rows: Stream, beside: bool) -> dict[str, object]:
    own = {"weight": "weight", "group": "group"} if beside else {}
    return {"label": "label", "probs": rows.columns, "key": "key", "sample": 500, **QUICK, **own}


@pytest.mark.parametrize(("classes", "beside"), KINDS)
@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("parts", [1, 7, 1000])
def test_any_parts_in_any_order_give_the_same_bits(classes, beside, threads, parts) -> None:
    rows = stream(3000, classes)
    cut = rows.parts(parts, seed=parts)
    masks = [calipers.candidates(part.keys, total=3000, sample=500) for part in cut]
    picked = [part.some(np.flatnonzero(mask)) for part, mask in zip(cut, masks, strict=True)]
    together = Stream(*(np.concatenate(values) for values in zip(*picked, strict=True)))
    assert 500 < len(together.keys) < 1000
    plan = plan_of(together, beside, threads=threads, labels=rows.labels)
    plan = pickle.loads(pickle.dumps(plan))
    tallies = [tally_of(plan, part, beside, threads=threads) for part in cut]
    whole = sum(pickle.loads(pickle.dumps(tally)) for tally in tallies)
    assert whole.rows == 3000
    assert plan.finish(whole).to_json() == expected(rows, beside)
    assert whole.finish(plan).sample == 500


@given(
    order=st.permutations(range(40)),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    threads=st.integers(1, 8),
)
@settings(max_examples=25, deadline=None)
def test_any_cut_of_any_order_gives_the_same_bits(order, cuts, threads) -> None:
    rows = stream(400)
    # Blocks of ten rows are shuffled, so that an order is quickly drawn.
    order = np.concatenate([np.arange(10) + 10 * block for block in order])
    plan = plan_of(rows, True, sample=100)
    parts = np.split(order, sorted(10 * cut for cut in cuts))
    tallies = [tally_of(plan, rows.some(part), True, threads=threads) for part in parts]
    assert plan.finish(sum(tallies)).to_json() == expected(rows, True, sample=100)


@pytest.mark.parametrize(("classes", "beside"), KINDS)
def test_every_engine_gives_the_same_bits(classes, beside, tmp_path) -> None:
    rows = stream(3000, classes)
    table = rows.table()
    for number, part in enumerate(rows.parts(7, seed=1)):
        pa.parquet.write_table(part.table(), tmp_path / f"{number}.parquet")
    frame = pl.from_arrow(table)
    shuffled = pa.Table.from_batches(
        [part.table().combine_chunks().to_batches()[0] for part in rows.parts(30, seed=2)]
    )
    sources = {
        "dataset": ds.dataset(tmp_path),
        "table": table,
        "table in parts": shuffled,
        "record batch": table.combine_chunks().to_batches()[0],
        "polars": frame,
        "polars, lazily": pl.scan_parquet(tmp_path / "*.parquet"),
        "polars, shuffled": frame.sample(fraction=1.0, shuffle=True, seed=3).lazy(),
        "pandas": table.drop(["lists"]).to_pandas(),
        "duckdb": duckdb.from_arrow(table),
        "duckdb, files": duckdb.read_parquet(str(tmp_path / "*.parquet")),
    }
    options = source_options(rows, beside)
    answer = expected(rows, beside)
    for name, source in sources.items():
        assert calipers.evaluate(source, **options).to_json() == answer, name
    texts = calipers.evaluate(table, **{**options, "key": "text"})
    assert texts.to_json() == answer


def test_dask_gives_the_same_bits() -> None:
    rows = stream(3000)
    plan = plan_of(rows, False)
    parts = [dask.delayed(plan.tally)(p.labels, p.probs, key=p.keys) for p in rows.parts(7, 5)]
    with dask.config.set(scheduler="threads"):
        whole = dask.delayed(sum)(parts).compute()
    assert plan.finish(whole).to_json() == expected(rows, False)


@pytest.mark.parametrize(("classes", "beside"), KINDS)
def test_a_sample_of_everything_is_the_estimate(classes, beside) -> None:
    rows = stream(600, classes)
    own = {"sample_weight": rows.weights, "groups": rows.groups} if beside else {}
    frame = pd.DataFrame(rows.probs, columns=rows.columns)
    labels = pd.Series(rows.labels, name="label")
    whole = calipers.evaluate(labels, frame, **QUICK, **own)
    # Rows that are numbered keep their order, wherever they are tallied.
    plan = calipers.Plan.fit(labels, frame, **QUICK, **own)
    assert plan.is_everything
    tallies = []
    for start in range(0, 600, 200):
        part = rows.some(slice(start, start + 200))
        own = {"sample_weight": part.weights, "groups": part.groups} if beside else {}
        tallies.append(plan.tally(part.labels, part.probs, rows=(0, start), **own))
    report = plan.finish(sum(reversed(tallies)))
    assert report.to_json() == whole.to_json()
    assert report.sample is None
    assert np.array_equal(report["l1"].scores, whole["l1"].scores)
    options = source_options(rows, beside)
    options.pop("key")
    assert calipers.evaluate(rows.table(), **options | {"sample": 600}).to_json() == whole.to_json()
    # Rows with keys are in the order of identities.
    ranked = rows.some(np.argsort(calipers._keys.as_identities(rows.keys)))
    own = {"sample_weight": ranked.weights, "groups": ranked.groups} if beside else {}
    frame = pd.DataFrame(ranked.probs, columns=rows.columns)
    whole = calipers.evaluate(pd.Series(ranked.labels, name="label"), frame, **QUICK, **own)
    assert expected(rows, beside, sample=600) == whole.to_json()


def test_a_batch_may_lack_labels() -> None:
    """Numbers without 0 or the last, truths, a single label: all are read as the whole was."""
    codes, probs = calipers.simulate("multiclass-overconfident-3", 900, seed=0)
    for labels in (codes, codes + 1, codes.astype(float), codes.astype(str)):
        plan = calipers.Plan.fit(labels, probs, sample=300, **QUICK)
        tallies = []
        for code in range(3):
            picked = np.flatnonzero(codes == code)
            tallies.append(plan.tally(labels[picked], probs[picked], rows=(0, picked)))
        whole = plan.finish(plan.tally(labels, probs))
        assert plan.finish(sum(tallies)).to_json() == whole.to_json()
        # What is said of labels is the same; that the p-value is of the sample is said beside it.
        notes = [note for note in whole.notes if "of the sample" not in note]
        assert notes == calipers.evaluate(labels, probs, **QUICK).notes


def test_labels_that_the_candidates_lack_may_be_named() -> None:
    rows = stream(3000, 3)
    some = rows.some(np.flatnonzero(rows.labels != "fox"))
    with pytest.raises(calipers.InputError, match='label "dog" is none of'):
        calipers.Plan.fit(some.labels, some.probs, **QUICK)
    plan = calipers.Plan.fit(some.labels, some.probs, labels=["dog", "fox", "cat"], **QUICK)
    assert plan.classes == ["cat", "dog", "fox"]


def test_one_hot_labels_and_a_single_column(binary) -> None:
    labels, probs = binary
    one_hot = np.eye(2, dtype=int)[labels]
    for y_true, y_prob in ((one_hot, probs), (one_hot, probs[:, 1]), (labels, probs[:, 1])):
        plan = calipers.Plan.fit(y_true, y_prob, sample=200, **QUICK)
        parts = [
            plan.tally(y_true[at : at + 1], y_prob[at : at + 1], rows=(0, at)) for at in range(600)
        ]
        whole = plan.finish(plan.tally(y_true, y_prob))
        assert plan.finish(sum(parts)).to_json() == whole.to_json()


def test_logits_are_read_as_the_plan_says() -> None:
    rows = stream(900, 3)
    logits = np.log(rows.probs) + 3.0
    plan = calipers.Plan.fit(
        rows.labels, logits, key=rows.keys, sample=300, from_logits=True, **QUICK
    )
    report = plan.finish(plan.tally(rows.labels, logits, key=rows.keys))
    table = pa.table({"y": rows.labels, "z": list(logits), "k": rows.keys})
    again = calipers.evaluate(table, label="y", logits="z", key="k", sample=300, **QUICK)
    assert report.to_json() == again.to_json()


def test_lists_are_columns_without_names() -> None:
    rows = stream(900, 3)
    plan = calipers.Plan.fit(rows.labels, rows.probs, key=rows.keys, sample=300, **QUICK)
    answer = plan.finish(plan.tally(rows.labels, rows.probs, key=rows.keys)).to_json()
    table = rows.table()
    fixed = table.column("lists").cast(pa.list_(pa.float64(), 3))
    for one in (table, table.set_column(table.column_names.index("lists"), "lists", fixed)):
        options = {"label": "label", "probs": "lists", "key": "key", "sample": 300}
        assert calipers.evaluate(one, **options, **QUICK).to_json() == answer


def test_folds_may_be_those_of_rows() -> None:
    rows = stream(600)
    folds = np.arange(600) % 3
    whole = calipers.evaluate(rows.labels, rows.probs, folds=folds, **QUICK)
    plan = calipers.Plan.fit(rows.labels, rows.probs, folds=folds, **QUICK)
    assert plan.finish(plan.tally(rows.labels, rows.probs)).to_json() == whole.to_json()


def test_a_report_of_a_stream_is_saved_with_its_sample() -> None:
    rows = stream(900)
    plan = plan_of(rows, True, sample=200)
    report = plan.finish(tally_of(plan, rows, True))
    again = calipers.Report.from_json(report.to_json())
    assert (report.sample, again.sample) == (200, 200)
    assert again == report
    assert report.to_dict()["sample"] == 200
    assert report["l1"].scores is None
    assert set(report.groups) == {"north", "south", "west"}
    with pytest.raises(ValueError, match="of a stream"):
        report.plot()


def test_keys_are_what_they_are_written_as() -> None:
    numbers = np.arange(100, 600)
    texts = [str(number) for number in numbers]
    forms = [
        *(numbers.astype(kind) for kind in ("int16", "int32", "uint16", "uint64")),
        *(texts, np.asarray(texts), pd.Series(texts), pl.Series(texts), list(numbers)),
        *(
            pa.array(texts),
            pa.array(texts).cast(pa.large_string()),
            pa.array(texts, pa.string_view()),
        ),
        *(pa.array(texts).dictionary_encode(), pa.chunked_array([texts[:7], texts[7:]])),
        *(pa.array(["0", *texts])[1:], pl.Series(numbers), pd.Series(numbers, dtype="Int64")),
    ]
    masks = [calipers.candidates(one, total=10_000, sample=900, seed=3) for one in forms]
    assert 20 < masks[0].sum() < 120
    assert all(np.array_equal(mask, masks[0]) for mask in masks)
    large = np.asarray([2**64 - 1, 2**63], dtype=np.uint64)
    known = calipers._keys.as_identities([str(2**64 - 1), str(2**63)])
    assert np.array_equal(calipers._keys.as_identities(large), known)


def test_rows_without_keys_are_candidates_by_their_places() -> None:
    whole = calipers.candidates(rows=(3, 0, 1000), total=9000, sample=500)
    halves = [calipers.candidates(rows=(3, at, 500), total=9000, sample=500) for at in (0, 500)]
    assert np.array_equal(np.concatenate(halves), whole)
    assert 20 < whole.sum() < 200


def test_candidates_without_keys_make_the_same_plan() -> None:
    rows = stream(3000)
    cut = rows.parts(3)
    picked = [
        np.flatnonzero(calipers.candidates(rows=(part, 0, 1000), total=3000, sample=500))
        for part in range(3)
    ]
    chosen = [part.some(rows_of) for part, rows_of in zip(cut, picked, strict=True)]
    together = Stream(*(np.concatenate(values) for values in zip(*chosen, strict=True)))
    places = (np.repeat(range(3), [len(one) for one in picked]), np.concatenate(picked))
    plan = calipers.Plan.fit(together.labels, together.probs, rows=places, sample=500, **QUICK)
    tallies = [plan.tally(one.labels, one.probs, rows=(at, 0)) for at, one in enumerate(cut)]
    report = plan.finish(sum(tallies))
    every = (np.repeat(range(3), 1000), np.tile(np.arange(1000), 3))
    plan = calipers.Plan.fit(rows.labels, rows.probs, rows=every, sample=500, **QUICK)
    whole = plan.finish(plan.tally(rows.labels, rows.probs, rows=every))
    assert report.to_json() == whole.to_json()


class TestErrors:
    rows = stream(900)

    def refused(self, message: str, work) -> calipers.InputError:
        with pytest.raises(calipers.InputError, match=message) as caught:
            work()
        return caught.value

    def test_tallies_that_are_not_all_rows_once(self) -> None:
        plan = plan_of(self.rows, False)
        parts = [tally_of(plan, part, False) for part in self.rows.parts(9)]
        self.refused("rows are missing: of the 500", lambda: plan.finish(sum(parts[1:])))
        twice = sum([*parts, parts[0]])
        self.refused("rows were counted twice", lambda: plan.finish(twice))
        other = plan_of(self.rows, False, seed=1)
        self.refused("of another plan", lambda: other.finish(sum(parts)))
        self.refused("of two plans", lambda: parts[0] + tally_of(other, self.rows, False))
        with pytest.raises(TypeError):
            parts[0] + 1

    def test_a_label_or_a_number_that_is_none(self) -> None:
        plan = plan_of(self.rows, False)
        labels = self.rows.labels.astype(object)
        labels[7] = "cow"
        keys = self.rows.keys
        error = self.refused(
            'row 7: label "cow" is none of', lambda: plan.tally(labels, self.rows.probs, key=keys)
        )
        assert (error.row, error.value) == (7, "cow")
        probs = self.rows.probs.copy()
        probs[800, 1] = np.nan
        error = self.refused(
            "row 800, column 1: probability NaN",
            lambda: plan.tally(self.rows.labels, probs, key=keys),
        )
        assert (error.row, error.column) == (800, 1)
        labels = self.rows.labels.astype(object)
        labels[5] = None
        error = self.refused(
            "row 5: the label is missing", lambda: plan.tally(labels, self.rows.probs, key=keys)
        )

    def test_keys_that_say_nothing(self) -> None:
        keys = self.rows.keys.copy()
        keys[3] = keys[4]
        rows = self.rows._replace(keys=keys)
        self.refused("two rows have the same key", lambda: plan_of(rows, False, sample=900))
        for wrong, message in (
            (self.rows.keys * 1.5, "an array of type float64"),
            ([None, "a"], "row 0: the key is missing"),
            (np.asarray([b"a", "a"], dtype=object), "row 0: a key of type bytes"),
            (pa.array(["a", None]), "row 1: the key is missing"),
            (pd.Series([1, None], dtype="Int64"), "row 1: the key is missing"),
        ):
            self.refused(message, lambda wrong=wrong: calipers.candidates(wrong, total=9))

    def test_rows_that_do_not_fit_the_plan(self) -> None:
        plan = plan_of(self.rows, True)
        labels, probs, keys = self.rows[:3]
        self.refused("the plan has weights", lambda: plan.tally(labels, probs, key=keys))
        self.refused("made with a key", lambda: plan.tally(labels, probs))
        self.refused("labels: expected 900", lambda: plan.tally(labels[1:], probs, key=keys))
        self.refused("keys: expected 900", lambda: plan.tally(labels, probs, key=keys[1:]))
        frame = pd.DataFrame(probs, columns=["p_dog", "p_cat"])
        self.refused("those of the plan are", lambda: plan.tally(labels, frame, key=keys))
        weights = self.rows.weights.copy()
        weights[6] = -1
        bad = self.rows._replace(weights=weights)
        error = self.refused("row 6: weight -1 is negative", lambda: tally_of(plan, bad, True))
        assert error.row == 6
        three = stream(900, 3)
        self.refused(
            "classes: expected 2", lambda: plan_of(self.rows, False).tally(
                labels, three.probs, key=keys
            )
        )  # fmt: skip

    def test_what_cannot_be_sent(self) -> None:
        from sklearn.linear_model import LogisticRegression

        labels, probs = self.rows[:2]
        self.refused(
            "a classifier cannot be sent",
            lambda: calipers.Plan.fit(labels, probs, recalibrator=LogisticRegression()),
        )
        self.refused(
            "names a column of a source", lambda: calipers.Plan.fit(labels, probs, group="g")
        )
        self.refused("no plan", lambda: calipers.Plan.from_bytes(b"a tally"))
        self.refused("no tally", lambda: calipers.Tally.from_bytes(b"a plan"))

    def test_places_that_are_none(self) -> None:
        labels, probs = self.rows[:2]
        for places, message in (
            ((0,), "expected \\(part, first\\)"),
            ((2**24, 0), "too large for the part"),
            ((0, -1), "is not between"),
            (([0], np.arange(900) - 1), "row 0: -1 is no number of a row"),
        ):
            self.refused(message, lambda p=places: calipers.Plan.fit(labels, probs, rows=p))
        self.refused("\\(part, first, count\\)", lambda: calipers.candidates(total=9))
        self.refused(
            "give one of both", lambda: calipers.Plan.fit(labels, probs, key=labels, rows=(0, 0))
        )

"""Corrections that see features: recalibrators, and classifiers corrected by their samples."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hidden import Hidden, hidden
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import calipers
import calipers.spark
from calipers.sklearn import RecalibratedClassifier


@pytest.fixture(scope="module")
def rows() -> Hidden:
    return hidden(3000, seed=0)


@pytest.fixture(scope="module")
def few() -> Hidden:
    return hidden(400, seed=1)


@pytest.fixture(scope="module")
def learnt(rows: Hidden) -> calipers.Recalibrator:
    return calipers.Recalibrator().fit(rows.p, rows.y, features=rows.features)


@pytest.fixture(scope="module")
def fresh() -> Hidden:
    return hidden(2000, seed=7)


def test_recalibrators_learn_from_features(learnt: calipers.Recalibrator, fresh: Hidden) -> None:
    assert learnt.extra_features_ == ["age", "region"]
    corrected = learnt.predict_proba(fresh.p, features=fresh.features)
    truth = fresh.p + np.where(fresh.region == "south", 0.15, -0.15)
    # Off by 0.15 before; 3,000 rows tell it to about a fifth of that.
    assert np.abs(corrected[:, 1] - truth).mean() < 0.04
    after = calipers.evaluate(fresh.y, corrected, "l1", features=fresh.features, draws=0)
    assert after.given_features["l1"].lower == 0
    best = learnt.predict(fresh.p, features=fresh.features)
    assert (best == (corrected[:, 1] > 0.5)).all()
    accuracy = learnt.score(fresh.p, fresh.y, features=fresh.features)
    assert accuracy == (best == fresh.y).mean() > ((fresh.p > 0.5) == fresh.y).mean()


def test_recalibrators_are_kept(
    learnt: calipers.Recalibrator, fresh: Hidden, tmp_path: Path
) -> None:
    corrected = learnt.predict_proba(fresh.p, features=fresh.features)
    learnt.save(tmp_path / "model.json")
    for again in (
        calipers.Recalibrator.load(tmp_path / "model.json"),
        pickle.loads(pickle.dumps(learnt)),
    ):
        assert again.extra_features_ == ["age", "region"]
        assert (again.predict_proba(fresh.p, features=fresh.features) == corrected).all()
        with pytest.raises(calipers.InputError, match="it was fitted with age, region; none were"):
            again.predict_proba(fresh.p)
    assert clone(learnt).get_params() == learnt.get_params() == calipers.Recalibrator().get_params()
    assert not hasattr(clone(learnt), "extra_features_")


def test_columns_go_by_their_names(learnt: calipers.Recalibrator, fresh: Hidden) -> None:
    expected = learnt.predict_proba(fresh.p, features=fresh.features)
    frame = pd.DataFrame({"more": 1, "region": fresh.region, "age": fresh.age})
    for other in (
        frame,
        pl.DataFrame(frame),
        pa.table(frame),
        frame.astype({"region": "category"}),
    ):
        assert (learnt.predict_proba(fresh.p, features=other) == expected).all()
    few = learnt.predict_proba(fresh.p[:3], features=frame[:3])
    assert (few == expected[:3]).all()


def test_what_was_not_seen_is_like_nothing_in_particular(learnt: calipers.Recalibrator) -> None:
    regions = np.asarray(["south", "north", "west", None, ""], dtype=object)
    p = np.full(5, 0.5)
    found = learnt.predict_proba(p, features={"age": np.full(5, 50.0), "region": regions})[:, 1]
    assert np.isfinite(found).all()
    assert (found[0] > 0.6, found[1] < 0.4) == (True, True)
    assert found[2] == found[3] == found[4]
    # Columns in which nothing is known are of whichever kind they were.
    for age, region in [
        ([50.0], [None]),
        ([50.0], [np.nan]),
        ([50.0], pa.nulls(1)),
        ([50], pd.Categorical([None])),
    ]:
        alone = learnt.predict_proba(p[:1], features={"age": age, "region": region})
        assert alone[0, 1] == found[3]
    nothing = [None, np.nan, ""]
    for age in nothing:
        both = learnt.predict_proba(p[:1], features={"age": [age], "region": nothing[:1]})
        assert np.isfinite(both).all()


def test_what_a_recalibrator_refuses(learnt: calipers.Recalibrator, few: Hidden) -> None:
    plain = calipers.Recalibrator("isotonic").fit(few.p, few.y)
    assert plain.extra_features_ == []
    with pytest.raises(calipers.InputError, match="features: it was fitted without any"):
        plain.predict_proba(few.p, features=few.features)
    with pytest.raises(calipers.InputError, match="features: it was fitted with age, region"):
        learnt.predict(few.p)
    age, region = few.features.values()
    for other, message in [
        ({"age": age}, "feature region: it was learnt from, and is not there"),
        ({"age": region, "region": region}, "feature age: it was a number, and is a category"),
        ({"age": age, "region": age}, "feature region: it was a category, and is a number"),
        ({"age": age[:3], "region": region}, "feature age: 3 values, and there are 400 rows"),
    ]:
        with pytest.raises(calipers.InputError, match=message):
            learnt.predict_proba(few.p, features=other)
    with pytest.raises(calipers.InputError, match=r"preserve: .* no order can be kept"):
        calipers.Recalibrator(preserve="ranking").fit(few.p, few.y, features=few.features)
    with pytest.raises(calipers.InputError, match="features: only recalibrators of calipers"):
        calipers.Recalibrator(LogisticRegression()).fit(few.p, few.y, features=few.features)


def test_refitting_forgets_features(few: Hidden) -> None:
    g = calipers.Recalibrator("isotonic").fit(few.p, few.y, features=few.features)
    weights = np.where(few.age > 50, 2.0, 0.0)
    assert g.fit(few.p, few.y, weights, features=few.age).extra_features_ == ["x0"]
    assert g.fit(few.p, few.y).extra_features_ == []
    plain = calipers.Recalibrator("isotonic").fit(few.p, few.y)
    assert (g.predict_proba(few.p) == plain.predict_proba(few.p)).all()


def test_features_are_routed(few: Hidden) -> None:
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        asked = calipers.Recalibrator("isotonic").set_fit_request(features=True)
        asked = asked.set_score_request(features=True).set_predict_proba_request(features=True)
        for estimator in (asked, make_pipeline(FunctionTransformer(), asked)):
            found = cross_validate(
                clone(estimator),
                few.p[:, None],
                few.y,
                params={"features": pd.DataFrame(few.features)},
                return_estimator=True,
                cv=3,
            )
            for fitted in found["estimator"]:
                g = fitted.predict_proba(few.p[:, None], features=few.features)
                assert g[few.region == "south", 1].mean() > g[few.region != "south", 1].mean()
        from sklearn.exceptions import UnsetMetadataPassedError

        with pytest.raises(UnsetMetadataPassedError):
            cross_validate(
                calipers.Recalibrator(), few.p[:, None], few.y, params={"features": few.age}
            )


# A classifier that is corrected by its own samples.


def samples(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table in which two columns count together alone, which naive Bayes cannot see."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    logit = frame["c"] + 2 * np.sign(frame["a"] * frame["b"])
    return frame, rng.uniform(size=n) < 1 / (1 + np.exp(-logit))


def test_a_classifier_is_corrected_by_its_samples() -> None:
    frame, y = samples(2000, 0)
    fresh, truth = samples(2000, 1)

    def loss(model: RecalibratedClassifier) -> float:
        p = model.predict_proba(fresh)
        return -np.log(p[np.arange(2000), truth.astype(int)]).mean()

    plain = RecalibratedClassifier(GaussianNB()).fit(frame, y)
    every = RecalibratedClassifier(GaussianNB(), features="all").fit(frame, y)
    assert every.recalibrator_.extra_features_ == ["a", "b", "c"]
    assert loss(every) < loss(plain) - 0.1
    assert (every.predict(fresh) == (every.predict_proba(fresh)[:, 1] > 0.5)).all()
    some = RecalibratedClassifier(GaussianNB(), features=["a", "b"], cv=KFold(3)).fit(frame, y)
    assert some.recalibrator_.extra_features_ == ["a", "b"]
    assert loss(some) < loss(plain) - 0.1
    again = pickle.loads(pickle.dumps(some))
    assert (again.predict_proba(fresh) == some.predict_proba(fresh)).all()


def test_positions_and_names_are_the_same_columns() -> None:
    frame, y = samples(500, 2)
    given = [(frame, ["a", "b"]), (frame, [0, 1]), (frame.to_numpy(), [0, np.int64(1)])]
    given += [(frame.to_numpy().tolist(), (0, 1)), (frame.to_numpy(), ["x0", "x1"])]
    found = [
        RecalibratedClassifier(GaussianNB(), "isotonic", features=features)
        .fit(X, y)
        .predict_proba(X)
        for X, features in given
    ]
    assert all((one == found[0]).all() for one in found)
    fitted = GaussianNB().fit(frame, y)
    prefit = RecalibratedClassifier(fitted, "isotonic", cv="prefit", features="all")
    assert prefit.fit(frame, y, sample_weight=np.ones(500)).predict_proba(frame).shape == (500, 2)
    assert clone(prefit).get_params()["features"] == "all"


def test_columns_that_there_are_not() -> None:
    frame, y = samples(200, 3)
    for features, message in [
        ("a", "features: 'a'; expected 'all', or a list"),
        (["d"], "features: there is no column 'd': there are a, b, c"),
        ([3], "features: there is no column 3: there are a, b, c"),
        ([-1], "features: -1 is not between"),
        ([None], "features: None is not a whole number"),
    ]:
        with pytest.raises(calipers.InputError, match=message):
            RecalibratedClassifier(GaussianNB(), features=features).fit(frame, y)


def test_categories_among_the_samples() -> None:
    frame, y = samples(1500, 4)
    frame["side"] = np.where(frame["a"] * frame["b"] > 0, "same", "other")
    numbers = FunctionTransformer(lambda X: X[["a", "b", "c"]])
    model = RecalibratedClassifier(make_pipeline(numbers, GaussianNB()), features=["side"])
    p = model.fit(frame, y).predict_proba(frame)[:, 1]
    assert p[frame["side"] == "same"].mean() > p[frame["side"] == "other"].mean() + 0.3

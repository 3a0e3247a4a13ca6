"""Any scikit-learn classifier as recalibrator."""

import threading

import numpy as np
import pytest
from common import Simulated
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import calipers
from calipers._classifier import ClassifierRecalibrator, features


def catboost(**options):
    library = pytest.importorskip("catboost")
    return library.CatBoostClassifier(
        iterations=50, depth=3, verbose=False, thread_count=1, allow_writing_files=False, **options
    )


def lightgbm(**options):
    library = pytest.importorskip("lightgbm")
    return library.LGBMClassifier(
        n_estimators=30, num_leaves=8, verbose=-1, n_jobs=1, deterministic=True, **options
    )


def xgboost(**options):
    library = pytest.importorskip("xgboost")
    return library.XGBClassifier(n_estimators=30, max_depth=3, n_jobs=1, **options)


@pytest.mark.parametrize("make", [catboost, lightgbm, xgboost])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_boosting_libraries_find_the_error(make) -> None:
    y, p = calipers.simulate("binary-overconfident", 1500, seed=0)
    report = calipers.evaluate(y, p, metrics=["l1", "brier", "log"], recalibrator=make())
    assert report.recalibrator == type(make()).__name__
    # The truth is 0.137; what a small forest recovers of it from 1,200 rows is most of it.
    assert 0.09 < report["l1"].value < 0.137 + 3 * report["l1"].stderr
    again = calipers.evaluate(y, p, metrics=["l1", "brier", "log"], recalibrator=make())
    assert again.to_json() == report.to_json()
    with_logs = calipers.evaluate(y, p, metrics="l1", recalibrator=make(), log_features=True)
    assert 0.09 < with_logs["l1"].value < 0.137 + 3 * with_logs["l1"].stderr
    weights = np.linspace(0, 1, len(y))
    weighted = calipers.evaluate(y, p, metrics="l1", recalibrator=make(), sample_weight=weights)
    assert weighted["l1"].value != report["l1"].value
    g = calipers.Recalibrator(make()).fit(p, y)
    assert g.predict_proba(p).shape == p.shape


@pytest.mark.parametrize("make", [catboost, lightgbm, xgboost, GaussianNB])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_class_that_is_missing_in_a_fold(make) -> None:
    y, p = calipers.simulate("multiclass-overconfident-3", 300, seed=0)
    # Class 1 occurs in the last fold only: when that is held out, nobody has seen it.
    folds = np.arange(300) // 60
    keep = (y != 1) | (folds == 4)
    y, p, folds = y[keep], p[keep], folds[keep]
    report = calipers.evaluate(y, p, recalibrator=make(), folds=folds)
    assert np.isfinite(report["log"].value)
    for metric in ("l1", "l2", "brier"):
        assert np.isfinite(report[metric].value)


class Spy:
    """A classifier that keeps what it was given, and predicts the frequencies."""

    calls: list[tuple]

    def __init__(self) -> None:
        self.calls = []

    def __deepcopy__(self, memo) -> "Spy":
        other = Spy()
        other.calls = self.calls
        return other

    def fit(self, X, y, sample_weight=None):
        self.calls.append((X, y, sample_weight, threading.get_ident()))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares = counts / len(y)

    def predict_proba(self, X):
        self.calls.append((X, threading.get_ident()))
        return np.tile(self.shares, (len(X), 1))


def test_a_classifier_sees_f_on_the_calling_thread(multiclass: Simulated) -> None:
    y, p = multiclass
    spy = Spy()
    folds = np.arange(len(y)) % 3
    calipers.evaluate(y, p, recalibrator=spy, folds=folds)
    fits = [call for call in spy.calls if len(call) == 4]
    assert len(fits) == 3
    assert {call[-1] for call in spy.calls} == {threading.get_ident()}
    for fold, (f, labels, weights, _) in enumerate(fits):
        np.testing.assert_array_equal(f, p[folds != fold])
        np.testing.assert_array_equal(labels, y[folds != fold])
        assert weights is None
    spy = Spy()
    calipers.evaluate(y, p, recalibrator=spy, folds=folds, log_features=True)
    f = spy.calls[0][0]
    np.testing.assert_array_equal(f, np.hstack([p, np.log(np.maximum(p, 1e-6))])[folds != 0])


def test_zeros_are_floored_before_their_logarithm() -> None:
    f = np.array([[0.0, 1.0]])
    np.testing.assert_array_equal(features(f, True), [[0, 1, np.log(1e-6), 0]])


def test_one_class_in_training_is_not_shown_to_the_classifier() -> None:
    y = np.array([0, 0, 0, 1])
    p = np.array([0.1, 0.2, 0.3, 0.8])
    report = calipers.evaluate(y, p, recalibrator=GaussianNB(), folds=[0, 0, 1, 2])
    # Fold 2 holds out class 1, of which three rows have seen none: 1/(3 + 1) of the uniform.
    assert report["log"].scores[3] == pytest.approx(np.log(1 / 8) - np.log(0.8))


def test_missing_classes_get_the_uniform_share() -> None:
    rng = np.random.default_rng(0)
    f = rng.dirichlet([1, 1, 1], size=40)
    labels = np.array([0, 2], dtype=np.uint32)[rng.integers(0, 2, 40)]
    fitted = ClassifierRecalibrator(GaussianNB(), False).fit(f, labels, np.ones(40), 0)
    inner = GaussianNB().fit(f, labels).predict_proba(f)
    expected = np.zeros((40, 3))
    expected[:, [0, 2]] = inner
    np.testing.assert_allclose(fitted.predict(f), expected * 40 / 41 + 1 / 41 / 3, atol=1e-12)


def test_seeds_reach_classifiers_that_left_theirs_open(multiclass: Simulated) -> None:
    def value(seed: int, **options) -> float:
        forest = RandomForestClassifier(10, max_depth=3, **options)
        folds = np.arange(len(multiclass[0])) % 3
        return calipers.calibration_error(
            *multiclass, "brier", recalibrator=forest, seed=seed, folds=folds
        ).value

    assert value(0) == value(0)
    assert value(0) != value(1)
    assert value(0, random_state=7) == value(1, random_state=7)


def test_pipelines_take_weights_at_their_end(binary: Simulated) -> None:
    y, p = binary
    weights = np.where(y == 1, 3.0, 1.0)
    plain = LogisticRegression()
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    values = [
        calipers.calibration_error(y, p, recalibrator=g, sample_weight=weights).value
        for g in (plain, scaled)
    ]
    assert values[0] == pytest.approx(values[1], abs=0.02)
    with pytest.raises(calipers.InputError, match="KNeighborsClassifier takes no weights"):
        calipers.evaluate(y, p, recalibrator=KNeighborsClassifier(), sample_weight=weights)


def test_a_recalibrator_is_one_too(binary: Simulated) -> None:
    named = calipers.evaluate(*binary, recalibrator="isotonic")
    assert calipers.evaluate(*binary, recalibrator=calipers.Recalibrator("isotonic")).to_json() == (
        named.to_json()
    )
    tree = calipers.Recalibrator(GaussianNB(), log_features=True)
    assert calipers.evaluate(*binary, recalibrator=tree).recalibrator == "GaussianNB"


@pytest.mark.parametrize(
    ("recalibrator", "message"),
    [
        (object(), r"a object has no fit\(\)"),
        (GaussianNB, "the class GaussianNB; expected an instance"),
        (3, r"a int has no fit\(\)"),
        (None, r"a NoneType has no fit\(\)"),
    ],
)
def test_what_is_no_recalibrator(recalibrator, message: str, binary: Simulated) -> None:
    with pytest.raises(calipers.InputError, match=message):
        calipers.evaluate(*binary, recalibrator=recalibrator)


@pytest.mark.parametrize(
    "wrong", [lambda g: g[1:], lambda g: g * np.nan, lambda g: -g, lambda g: 0 * g]
)
def test_predictions_that_are_none(wrong, binary: Simulated) -> None:
    class Wrong(GaussianNB):
        def predict_proba(self, X):
            return wrong(super().predict_proba(X))

    with pytest.raises(calipers.InputError, match=r"Wrong predicted (a|n)"):
        calipers.evaluate(*binary, recalibrator=Wrong())


def test_log_features_are_for_classifiers(binary: Simulated) -> None:
    with pytest.raises(calipers.InputError, match="log_features"):
        calipers.evaluate(*binary, log_features=True)

"""Recalibrators that are kept, and the habits of scikit-learn's estimators."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from common import Simulated, command
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import calipers
from calipers.sklearn import RecalibratedClassifier, scorer


@pytest.mark.parametrize("name", calipers.recalibrators())
def test_every_recalibrator_predicts_the_simplex_and_survives_pickling(
    name: str, binary: Simulated, multiclass: Simulated
) -> None:
    for y, p in (binary, multiclass):
        g = calipers.Recalibrator(name).fit(p, y)
        predicted = g.predict_proba(p)
        assert predicted.shape == p.shape
        assert (predicted >= 0).all()
        np.testing.assert_allclose(predicted.sum(axis=1), 1, rtol=0, atol=1e-12)
        for again in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
            np.testing.assert_array_equal(again.predict_proba(p), predicted)
        np.testing.assert_array_equal(g.classes_, np.unique(y))


def test_recalibration_removes_the_error() -> None:
    y, p = calipers.simulate("multiclass-overconfident-3", 8000, seed=0)
    g = calipers.Recalibrator("temperature").fit(p[:4000], y[:4000])
    before = calipers.calibration_error(y[4000:], p[4000:])
    after = calipers.calibration_error(y[4000:], g.predict_proba(p[4000:]))
    # The setting is a temperature, so what is left is the error of one number from 4,000 rows.
    assert before.value > 0.3
    assert after.value < 3 * after.stderr


def test_threads_do_not_matter_and_seeds_do(multiclass: Simulated) -> None:
    y, p = multiclass
    one, two, other = (
        calipers.Recalibrator("boost", threads=threads, seed=seed).fit(p, y).predict_proba(p)
        for threads, seed in ((1, 0), (2, 0), (2, 1))
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_labels_come_back_as_they_were(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    words = np.array(["ant", "bee", "cow"])
    g = calipers.Recalibrator("affine").fit(p, words[y])
    np.testing.assert_array_equal(g.classes_, words)
    assert set(g.predict(p)) <= set(words)
    mirrored = calipers.Recalibrator("affine", class_names=words[::-1]).fit(p[:, ::-1], words[y])
    np.testing.assert_array_equal(mirrored.classes_, words[::-1])
    np.testing.assert_array_equal(mirrored.predict(p[:, ::-1]), g.predict(p))
    small = calipers.Recalibrator("affine").fit(p, y.astype(np.int8))
    assert small.classes_.dtype == np.int8
    shifted = calipers.Recalibrator("affine", class_names=[1, 2, 3]).fit(p, y + 1)
    np.testing.assert_array_equal(shifted.predict(p), small.predict(p) + 1)
    y2, p2 = binary
    truth = calipers.Recalibrator("isotonic").fit(p2[:, 1], y2.astype(bool))
    np.testing.assert_array_equal(truth.classes_, [False, True])
    assert truth.predict(p2[:, 1]).dtype == bool
    assert truth.score(p2[:, 1], y2.astype(bool)) > 0.6
    # A class that was not observed still has a column.
    seen = y != 2
    partial = calipers.Recalibrator("constant").fit(p[seen], y[seen])
    np.testing.assert_array_equal(partial.classes_, [0, 1, 2])
    assert partial.predict_proba(p).shape == p.shape


def test_logits_and_tables(multiclass: Simulated) -> None:
    y, p = multiclass
    expected = calipers.Recalibrator("temperature").fit(p, y).predict_proba(p)
    logits = calipers.Recalibrator("temperature", from_logits=True).fit(np.log(p) + 3, y)
    np.testing.assert_allclose(logits.predict_proba(np.log(p) + 7), expected, rtol=0, atol=1e-9)
    table = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"])
    named = calipers.Recalibrator("temperature").fit(table, np.array(list("abc"))[y])
    np.testing.assert_array_equal(named.predict_proba(table), expected)
    assert list(named.feature_names_in_) == ["p_a", "p_b", "p_c"]
    with pytest.raises(ValueError, match="must be in the same order"):
        named.predict_proba(table[["p_c", "p_b", "p_a"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict_proba(p)
    with pytest.raises(ValueError, match="X has 2 features, but Recalibrator is expecting 3"):
        named.predict_proba(p[:, :2])


def test_weights(binary: Simulated) -> None:
    y, p = binary
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    used = weights > 0
    for name in ("temperature", "isotonic", LogisticRegression()):
        weighted = calipers.Recalibrator(name).fit(p, y, sample_weight=weights)
        scaled = calipers.Recalibrator(name).fit(p[used], y[used], sample_weight=7 * weights[used])
        plain = calipers.Recalibrator(name).fit(p, y)
        # Dividing by another mean rounds the last bits differently.
        np.testing.assert_allclose(
            weighted.predict_proba(p), scaled.predict_proba(p), rtol=0, atol=1e-7
        )
        assert abs(weighted.predict_proba(p) - plain.predict_proba(p)).max() > 1e-3
    kept = weights.copy()
    calipers.Recalibrator().fit(p, y, sample_weight=weights)
    np.testing.assert_array_equal(weights, kept)
    with pytest.raises(calipers.InputError, match=r"sample_weight: an array of shape \(2, 3\)"):
        calipers.Recalibrator().fit(p[:3], y[:3], sample_weight=np.ones((2, 3)))
    with pytest.raises(calipers.InputError, match="row 1: weight -1 is negative"):
        calipers.Recalibrator().fit(p[:3], y[:3], sample_weight=[1, -1, 1])
    with pytest.raises(calipers.InputError, match="weights: expected 3, found 2"):
        calipers.Recalibrator(GaussianNB()).fit(p[:3], y[:3], sample_weight=[1, 1])


@pytest.mark.parametrize("order", ["ranking", "accuracy"])
def test_an_order_is_kept(
    order: str, binary: Simulated, multiclass: Simulated, tmp_path: Path
) -> None:
    y, p = multiclass
    g = calipers.Recalibrator(preserve=order).fit(p[:300], y[:300])
    found = g.predict_proba(p[300:])
    if order == "ranking":
        np.testing.assert_array_equal(found.argsort(axis=1), p[300:].argsort(axis=1))
    np.testing.assert_array_equal(found.argmax(axis=1), p[300:].argmax(axis=1))
    assert set(g.order_cost_) == {"log", "brier"}
    g.save(tmp_path / "model.json")
    for again in (
        pickle.loads(pickle.dumps(g)),
        calipers.Recalibrator.load(tmp_path / "model.json"),
    ):
        assert again.preserve == order
        assert again.order_cost_ == g.order_cost_
        np.testing.assert_array_equal(again.predict_proba(p[300:]), found)
    y, p = binary
    found = calipers.Recalibrator(preserve=order).fit(p[:300], y[:300]).predict_proba(p[300:])
    if order == "ranking":
        assert (np.diff(found[p[300:, 1].argsort(), 1]) >= 0).all()
    else:
        np.testing.assert_array_equal(found.argmax(axis=1), p[300:].argmax(axis=1))


def test_orders_that_cannot_be_kept(binary: Simulated) -> None:
    y, p = binary
    with pytest.raises(
        calipers.InputError, match="preserve: expected 'ranking', 'accuracy' or None"
    ):
        calipers.Recalibrator(preserve="order").fit(p, y)
    with pytest.raises(calipers.InputError, match=r"preserve: only recalibrators of calipers"):
        calipers.Recalibrator(GaussianNB(), preserve="ranking").fit(p, y)
    with pytest.raises(AttributeError, match="it was not fitted with preserve"):
        _ = calipers.Recalibrator().fit(p, y).order_cost_


def test_params_and_clones() -> None:
    tree = DecisionTreeClassifier(max_depth=2)
    g = calipers.Recalibrator(tree, log_features=True, seed=4)
    assert g.get_params()["recalibrator__max_depth"] == 2
    assert set(g.get_params(deep=False)) == {
        "recalibrator",
        "log_features",
        "class_names",
        "from_logits",
        "preserve",
        "seed",
        "threads",
    }
    other = clone(g).set_params(recalibrator__max_depth=5, seed=1)
    assert other.recalibrator.max_depth == 5
    assert (tree.max_depth, g.seed) == (2, 4)
    assert repr(calipers.Recalibrator("isotonic", seed=1)) == (
        "Recalibrator(recalibrator='isotonic', seed=1)"
    )
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        g.set_params(depth=1)
    assert is_classifier(g)
    with pytest.raises(NotFittedError):
        g.predict(np.full((2, 2), 0.5))
    # Nothing is checked before it is used, as scikit-learn wants it.
    wrong = calipers.Recalibrator("no such thing")
    with pytest.raises(calipers.InputError, match="unknown recalibrator"):
        wrong.fit([0.1, 0.9], [0, 1])


def test_pipelines_and_cross_validation(multiclass: Simulated) -> None:
    y, p = multiclass
    logits = np.log(p) * 0.5
    softmax = FunctionTransformer(lambda z: np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))
    pipeline = make_pipeline(softmax, calipers.Recalibrator("temperature"))
    held_out = cross_val_predict(pipeline, logits, y, method="predict_proba", cv=4)
    plain = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert held_out.shape == p.shape
    assert log_loss(y, held_out) < log_loss(y, p)
    assert len(cross_val_score(pipeline, logits, y, cv=3)) == 3
    search = GridSearchCV(
        calipers.Recalibrator(),
        {"recalibrator": ["identity", "temperature"]},
        scoring="neg_log_loss",
    ).fit(plain, y)
    assert search.best_params_ == {"recalibrator": "temperature"}


@pytest.fixture
def routing():
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_are_routed(routing, binary: Simulated) -> None:
    y, p = binary
    weights = np.where(y == 1, 5.0, 1.0)
    asked = calipers.Recalibrator("constant").set_fit_request(sample_weight=True)
    asked = asked.set_score_request(sample_weight=False)
    for estimator in (asked, make_pipeline(FunctionTransformer(), asked)):
        kept = clone(estimator)
        found = cross_validate(
            kept,
            p,
            y,
            params={"sample_weight": weights},
            scoring=get_scorer("accuracy").set_score_request(sample_weight=False),
            return_estimator=True,
            cv=3,
        )
        for fitted in found["estimator"]:
            share = fitted.predict_proba(p)[0, 1]
            # Five times the weight on class 1: n1·5 / (n0 + n1·5), up to which rows are held out.
            assert share == pytest.approx(5 * y.sum() / (5 * y.sum() + (1 - y).sum()), abs=0.03)
    refused = clone(asked).set_fit_request(sample_weight=False)
    found = cross_validate(refused, p, y, params={}, return_estimator=True, cv=3)
    assert found["estimator"][0].predict_proba(p)[0, 1] == pytest.approx(y.mean(), abs=0.03)
    from sklearn.exceptions import UnsetMetadataPassedError

    with pytest.raises(UnsetMetadataPassedError):
        cross_validate(calipers.Recalibrator(), p, y, params={"sample_weight": weights}, cv=3)
    weighted = scorer("l1", recalibrator="isotonic").set_score_request(sample_weight=True)
    both = [
        cross_validate(asked, p, y, params=params, scoring=weighted, cv=3)["test_score"]
        for params in ({"sample_weight": weights}, {"sample_weight": np.ones(len(y))})
    ]
    assert (both[0] != both[1]).all()


X, Y = make_classification(
    1500, n_classes=3, n_informative=6, n_redundant=10, class_sep=0.7, random_state=0
)
NAMES = np.array(["ant", "bee", "cow"])


def test_an_estimate_will_do_as_a_score() -> None:
    error = calipers.calibration_error
    negative = make_scorer(error, greater_is_better=False, response_method="predict_proba")
    model = GaussianNB().fit(X[:700], Y[:700])
    assert negative(model, X[700:], Y[700:]) == -error(Y[700:], model.predict_proba(X[700:])).value
    # As it is, without a sign.
    plain = cross_val_score(
        model, X, Y, cv=3, scoring=lambda model, X, y: error(y, model.predict_proba(X))
    )
    assert np.isfinite(plain).all()


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("ece", {}, 'unknown metric "ece"'),
        ("l1", {"recalibrator": "nothing"}, 'unknown recalibrator "nothing"'),
        ("l1", {"binary": "both"}, "binary: 'both'"),
        ("l1", {"class_names": ["a", "b"]}, "class_names: a scorer has it"),
        ("l1", {"sample_weight": [1]}, "sample_weight: a scorer has it"),
    ],
)
def test_a_scorer_that_cannot_work_is_not_made(metric: str, options: dict, message: str) -> None:
    with pytest.raises(calipers.InputError, match=message):
        scorer(metric, **options)


def test_scorer() -> None:
    model = GaussianNB().fit(X[:700], NAMES[Y[:700]])
    l1 = scorer("l1", recalibrator="isotonic", seed=2)
    expected = calipers.calibration_error(
        NAMES[Y[700:]], model.predict_proba(X[700:]), recalibrator="isotonic", seed=2
    )
    assert l1(model, X[700:], NAMES[Y[700:]]) == -expected.value
    # A part in which a class is missing still knows its columns.
    some = Y != 1
    assert l1(model, X[some], NAMES[Y[some]]) < 0
    assert repr(l1) == "scorer('l1', recalibrator='isotonic', seed=2)"
    search = GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 0.3, 3.0]},
        scoring={"loss": "neg_log_loss", "l1": pickle.loads(pickle.dumps(l1))},
        refit="l1",
        n_jobs=2,
    ).fit(X, NAMES[Y])
    errors = -search.cv_results_["mean_test_l1"]
    assert errors.argmin() == search.best_index_
    assert errors[0] > 0.15


@pytest.mark.parametrize("recalibrator", ["auto", "isotonic", LogisticRegression()], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_recalibrated_classifier(recalibrator, classes: int) -> None:
    keep = classes > Y
    x, y = X[keep], NAMES[Y[keep]]
    half = len(x) // 2
    wrapped = RecalibratedClassifier(GaussianNB(), recalibrator).fit(x[:half], y[:half])
    plain = GaussianNB().fit(x[:half], y[:half])
    np.testing.assert_array_equal(wrapped.classes_, NAMES[:classes])
    before, after = (
        calipers.calibration_error(y[half:], model.predict_proba(x[half:]), "brier").value
        for model in (plain, wrapped)
    )
    assert before > 0.02
    assert after < before / 3
    assert log_loss(y[half:], wrapped.predict_proba(x[half:])) < log_loss(
        y[half:], plain.predict_proba(x[half:])
    )
    assert wrapped.score(x[half:], y[half:]) > plain.score(x[half:], y[half:]) - 0.03
    assert pickle.loads(pickle.dumps(wrapped)).predict(x[half:]).shape == (len(x) - half,)


def test_recalibrated_classifier_learns_from_what_was_held_out() -> None:
    # A full tree predicts 0 and 1 for what it has seen: only held-out predictions tell how often
    # it is wrong.
    wrapped = RecalibratedClassifier(DecisionTreeClassifier(random_state=0), "temperature")
    corrected = wrapped.fit(X[:700], Y[:700]).predict_proba(X[700:])
    # The top probability is the accuracy of such trees on new samples, and not 1.
    right = wrapped.predict(X[700:]) == Y[700:]
    assert corrected.max(axis=1).mean() == pytest.approx(right.mean(), abs=0.1)
    prefit = RecalibratedClassifier(wrapped.estimator_, "temperature", cv="prefit")
    prefit.fit(X[700:1100], Y[700:1100])
    assert prefit.estimator_ is wrapped.estimator_
    np.testing.assert_allclose(
        prefit.predict_proba(X[1100:]), wrapped.predict_proba(X[1100:]), atol=0.1
    )


def test_recalibrated_classifier_takes_decision_functions_and_weights() -> None:
    keep = Y < 2
    x, y = X[keep], Y[keep]
    wrapped = RecalibratedClassifier(LinearSVC(), "affine").fit(x, y)
    assert wrapped.predict_proba(x).shape == (len(x), 2)
    plain = LinearSVC().fit(x, y).score(x, y)
    assert wrapped.score(x, y) == pytest.approx(plain, abs=0.03)
    three = RecalibratedClassifier(LinearSVC(), "affine").fit(X, NAMES[Y])
    assert three.predict_proba(X).shape == (len(X), 3)
    weights = np.where(y == 1, 5.0, 1.0)
    heavy = RecalibratedClassifier(GaussianNB(), "affine").fit(x, y, sample_weight=weights)
    plain = RecalibratedClassifier(GaussianNB(), "affine").fit(x, y)
    assert heavy.predict_proba(x)[:, 1].mean() > plain.predict_proba(x)[:, 1].mean() + 0.1
    with pytest.raises(calipers.InputError, match="held out once"):
        RecalibratedClassifier(GaussianNB(), cv=[([0, 1, 2], [3, 4])]).fit(x, y)


def test_scikit_learn_is_not_needed(tmp_path) -> None:
    # A folder in front of the path whose sklearn cannot be imported.
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").write_text("raise ImportError('not here')")
    code = """
import calipers, numpy as np, pickle
y, p = calipers.simulate("binary-over", 300, seed=0)
g = pickle.loads(pickle.dumps(calipers.Recalibrator("isotonic").fit(p, y)))
assert g.predict_proba(p).shape == (300, 2)
try:
    calipers.Recalibrator().predict(p)
except ValueError as error:
    assert "not fitted" in str(error)

class Frequencies:
    def fit(self, X, y):
        self.shares = np.bincount(y) / len(y)
    def predict_proba(self, X):
        return np.tile(self.shares, (len(X), 1))

own = calipers.evaluate(y, p, recalibrator=Frequencies())
assert own.recalibrator == "Frequencies"
built_in = calipers.evaluate(y, p, recalibrator="constant")
assert abs(own["brier"].value - built_in["brier"].value) < 1e-3
"""
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        timeout=60,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(calipers.__file__).parents[1]}"},
    )


@pytest.mark.parametrize(
    "labels",
    [[0, 1, 2], ["0", "1", "2"], ["cat", "dog", "fox"]],
    ids=["numbers", "numbers as words", "words"],
)
def test_a_model_is_saved_and_loaded(tmp_path: Path, labels: list[object]) -> None:
    codes, y_prob = calipers.simulate("multiclass-overconfident-3", 300, seed=0)
    y_true = np.asarray(labels)[codes]
    fitted = calipers.Recalibrator("kernel:bandwidth=0.2").fit(y_prob, y_true)
    path = tmp_path / "model.json"
    fitted.save(path)
    loaded = calipers.Recalibrator.load(path)
    assert loaded.predict_proba(y_prob).tobytes() == fitted.predict_proba(y_prob).tobytes()
    assert loaded.classes_.tolist() == fitted.classes_.tolist()
    assert loaded.get_params() == fitted.get_params()
    assert loaded.n_features_in_ == 3
    assert (loaded.predict(y_prob) == fitted.predict(y_prob)).all()


def test_a_model_of_truths_and_of_a_single_column_of_logits_is_saved(tmp_path: Path) -> None:
    codes, y_prob = calipers.simulate("binary-overconfident", 300, seed=0)
    logits = np.log(y_prob[:, 1] / y_prob[:, 0])
    fitted = calipers.Recalibrator("logistic", from_logits=True).fit(logits, codes == 1)
    fitted.save(tmp_path / "model.json")
    loaded = calipers.Recalibrator.load(tmp_path / "model.json")
    assert (loaded.from_logits, loaded.n_features_in_) == (True, 1)
    assert loaded.classes_.dtype == bool
    assert loaded.predict_proba(logits).tobytes() == fitted.predict_proba(logits).tobytes()


def test_the_command_line_and_python_share_their_models(tmp_path: Path) -> None:
    y_true, y_prob = calipers.simulate("multiclass-overconfident-3", 300, seed=0)
    table = pd.DataFrame(y_prob, columns=["p_0", "p_1", "p_2"])
    table.assign(label=y_true).to_csv(tmp_path / "table.csv", index=False, float_format="%.17g")
    fit = ("fit", "table.csv", "-o", "theirs.json", "--recalibrator", "sms")
    command("recalibrate", *fit, folder=tmp_path)
    ours = calipers.Recalibrator("sms").fit(table, y_true)
    theirs = calipers.Recalibrator.load(tmp_path / "theirs.json")
    assert theirs.classes_.tolist() == [0, 1, 2]
    assert theirs.recalibrator == "sms"
    g = ours.predict_proba(table)
    assert theirs.predict_proba(table).tobytes() == g.tobytes()
    ours.save(tmp_path / "ours.json")
    apply = ("apply", "ours.json", "table.csv", "-o", "corrected.csv")
    command("recalibrate", *apply, folder=tmp_path)
    corrected = pd.read_csv(tmp_path / "corrected.csv")
    assert corrected[["p_0", "p_1", "p_2"]].to_numpy().tobytes() == g.tobytes()


def test_what_cannot_be_saved_or_loaded_says_why(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="not fitted"):
        calipers.Recalibrator().save(tmp_path / "model.json")
    y_true, y_prob = calipers.simulate("binary-overconfident", 100, seed=0)
    classifier = calipers.Recalibrator(LogisticRegression()).fit(y_prob, y_true)
    with pytest.raises(calipers.InputError, match="pickle"):
        classifier.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(calipers.InputError, match="saved model"):
        calipers.Recalibrator.load(tmp_path / "model.json")
    with pytest.raises(FileNotFoundError):
        calipers.Recalibrator.load(tmp_path / "nowhere.json")

"""The metric and the check in reports of skore."""

import pickle

import numpy as np
import pytest
import skore
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import calipers
from calipers.skore import CalibrationCheck, metric
from checks.integrations.pages import examples_that_run

X, Y = make_classification(3000, n_informative=5, n_redundant=10, random_state=0)
WORDS = np.array(["no", "yes"])[Y]


def reported(model: BaseEstimator) -> skore.EstimatorReport:
    return skore.evaluate(model, X, WORDS, splitter=0.5, pos_label="yes")


def section(report: object, check: CalibrationCheck) -> tuple[str, str]:
    """Return where skore puts the check, and what it says."""
    report.checks.add([check])
    frame = report.checks.summarize().frame()
    (row,) = frame[frame["code"] == check.code].to_dict("records")
    return row["section"], row["explanation"]


def test_a_metric_of_a_report() -> None:
    report = reported(GaussianNB())
    for name in ("l1", "over-l1"):
        report.metrics.add(metric(name), greater_is_better=False)
    model = report.estimator_
    expected = calipers.evaluate(
        report.y_test, model.predict_proba(report.X_test), ["l1", "over-l1"]
    )
    assert report.metrics.calipers_l1() == expected["l1"].value
    assert report.metrics.get("calipers_over_l1") == expected["over-l1"].value
    frame = report.metrics.summarize().frame()
    assert expected["l1"].value in frame.to_numpy()
    # skore keeps what can be pickled.
    again = pickle.loads(pickle.dumps(metric("l1", seed=3)))
    assert again.__name__ == "calipers_l1"
    assert again.options == {"seed": 3}


def test_a_metric_of_a_cross_validation() -> None:
    report = skore.evaluate(GaussianNB(), X, WORDS, splitter=KFold(3), pos_label="yes")
    report.metrics.add(metric("l1"), greater_is_better=False)
    frame = report.metrics.summarize(metric="calipers_l1").frame(aggregate=None)
    expected = [
        calipers.calibration_error(part.y_test, part.estimator_.predict_proba(part.X_test)).value
        for part in report.reports_
    ]
    assert frame.to_numpy().ravel().tolist() == pytest.approx(expected, abs=1e-12)


def test_a_check_finds_what_is_shown() -> None:
    report = reported(GaussianNB())
    prediction = report.estimator_.predict_proba(report.X_test)
    l1 = calipers.calibration_error(report.y_test, prediction)
    assert l1.lower > 0.02
    where, words = section(report, CalibrationCheck({"l1": 0.02}))
    assert where == "issue"
    assert words == f"l1 is at least {l1.lower:.4f} with 95% confidence, above the limit of 0.02."
    # An estimate above the limit is no issue as long as the bound is below.
    between = (l1.lower + l1.value) / 2
    assert section(reported(GaussianNB()), CalibrationCheck({"l1": between}))[0] == "passed"


def test_a_check_of_a_cross_validation_has_bounds_that_hold_together() -> None:
    report = skore.evaluate(GaussianNB(), X, WORDS, splitter=KFold(3), pos_label="yes")
    lowers = [
        calipers.calibration_error(
            part.y_test,
            part.estimator_.predict_proba(part.X_test),
            confidence=1 - 0.05 / 3,
        ).lower
        for part in report.reports_
    ]
    limit = sorted(lowers)[1]
    where, words = section(report, CalibrationCheck({"l1": limit}))
    assert where == "issue"
    # Only one is above: the second is the limit.
    worst = int(np.argmax(lowers))
    assert words.startswith(
        f"split {worst}: l1 is at least {lowers[worst]:.4f} with 95% confidence"
    )
    assert words.count("split") == 1


def test_a_comparison_is_of_each_model() -> None:
    models = {"naive": GaussianNB(), "logistic": LogisticRegression()}
    report = skore.evaluate(models, X, Y, splitter=0.5, pos_label=1)
    where, words = section(report, CalibrationCheck({"l1": 0.05}))
    assert where == "issue"
    assert "naive" in str(words)
    assert "logistic" not in str(words)


def test_a_check_that_cannot_be_made_says_why() -> None:
    where, words = section(reported(LinearSVC()), CalibrationCheck({"l1": 0.02}))
    assert where == "not_applicable"
    assert words == "LinearSVC has no predict_proba."
    targets = make_regression(300, random_state=0)
    report = skore.evaluate(LinearRegression(), *targets, splitter=0.5)
    where, words = section(report, CalibrationCheck({"l1": 0.02}))
    assert where == "not_applicable"
    assert "regression" in words


@pytest.mark.parametrize(
    ("limits", "options", "message"),
    [
        ({}, {}, "max: there are no limits"),
        ({"ece": 0.1}, {}, 'unknown metric "ece"'),
        ({"l1": "low"}, {}, "max: l1: 'low' is not a number"),
        ({"l1": 0.1}, {"sample_weight": [1]}, "sample_weight: a check is given rows"),
        ({"l1": 0.1}, {"recalibrator": "nothing"}, 'unknown recalibrator "nothing"'),
    ],
)
def test_what_is_wrong_is_said_at_once(limits: dict, options: dict, message: str) -> None:
    with pytest.raises(calipers.InputError, match=message):
        CalibrationCheck(limits, **options)


def test_the_page() -> None:
    assert examples_that_run("skore") > 5

"""scikit-learn's own checks of its estimators' habits, on recalibrators."""

import inspect

import numpy as np
import pytest
import sklearn.utils.estimator_checks as checks
from sklearn.linear_model import LogisticRegression

import calipers
from calipers.sklearn import RecalibratedClassifier

pytestmark = pytest.mark.filterwarnings("ignore")


def on_the_simplex(estimator, X, *others, X_test=None, **_):
    """Take the first feature as the logit of class 1: where most checks adapt their samples."""

    def squash(values):
        values = np.asarray(values)
        if values.dtype.kind not in "fiu" or values.ndim != 2 or values.shape[1] == 0:
            return values
        first = np.float64(values[:, 0])
        one = np.where(np.isfinite(first), 1 / (1 + np.exp(-np.clip(first, -30, 30))), first)
        return np.column_stack([1 - one, one])

    return squash(X) if X_test is None else (squash(X), squash(X_test))


def of_two_classes(estimator, y):
    """Keep the first class, and call all others by one name: there are two columns."""
    y = np.asarray(y)
    classes = np.unique(y)
    return np.where(y == classes[0], classes[0], classes[-1]) if len(classes) > 2 else y


RAW = "its features are no probabilities, and it does not let them be adapted"
# What cannot hold for a map on the simplex, with the reason.
NOT_APPLICABLE = {
    "check_classifiers_classes": "its three classes need three columns",
    "check_classifiers_one_label_sample_weights": RAW,
    "check_classifiers_train": "asks for an accuracy that one feature, as a probability, has not",
    "check_dtype_object": "wants a TypeError; an InputError, a ValueError, names row and column",
    "check_estimators_dtypes": "makes whole numbers of the probabilities",
    "check_estimators_nan_inf": f"{RAW}; test_arrays.py checks the same on probabilities",
    "check_positive_only_tag_during_fit": RAW,
    "check_sample_weight_equivalence_on_dense_data": f"{RAW}; test_evaluate.py checks the same",
    "check_sample_weights_not_overwritten": f"{RAW}; test_recalibrator.py checks the same",
    "check_sample_weights_shape": f"{RAW}; test_recalibrator.py checks the same",
}


@pytest.mark.parametrize("name", ["auto", "isotonic", "temperature", LogisticRegression()], ids=str)
def test_recalibrator(name, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = inspect.signature(checks._enforce_estimator_tags_X).parameters
    assert list(parameters)[:2] == ["estimator", "X"]
    monkeypatch.setattr(checks, "_enforce_estimator_tags_X", on_the_simplex)
    monkeypatch.setattr(checks, "_enforce_estimator_tags_y", of_two_classes)
    results = checks.check_estimator(
        calipers.Recalibrator(name),
        expected_failed_checks=NOT_APPLICABLE,
        on_fail=None,
        on_skip=None,
    )
    failed = [
        f"{one['check_name']}: {one['exception']}" for one in results if one["status"] == "failed"
    ]
    assert failed == []
    # The list is no longer than it has to be.
    assert {one["check_name"] for one in results if one["status"] == "xfail"} == set(NOT_APPLICABLE)
    assert sum(one["status"] == "passed" for one in results) >= 49


def test_recalibrated_classifier() -> None:
    results = checks.check_estimator(
        RecalibratedClassifier(LogisticRegression(), "temperature"), on_fail=None, on_skip=None
    )
    failed = [
        f"{one['check_name']}: {one['exception']}" for one in results if one["status"] == "failed"
    ]
    assert failed == []

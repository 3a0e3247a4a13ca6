"""Side by side with probmetrics 1.3.0, whose values are in studies/oracles."""

import json

import numpy as np
import pytest
from common import ROOT
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import calipers

PEER = json.loads((ROOT / "studies" / "oracles" / "peer_values.json").read_text())
# As in studies/oracles/peer.py.
MODELS = {
    "LogisticRegression": LogisticRegression(tol=1e-10, max_iter=100_000),
    "GaussianNB": GaussianNB(var_smoothing=0.1),
}


@pytest.mark.parametrize("file", PEER["many"])
@pytest.mark.parametrize("name", MODELS)
def test_many_classes_agree(file: str, name: str) -> None:
    with np.load(ROOT / "studies" / "oracles" / "data" / f"{file}.npz") as arrays:
        probs, labels, folds = arrays["probs"], arrays["labels"], arrays["folds"]
    expected = PEER["many"][file][name]
    report = calipers.evaluate(
        labels, probs, metrics=list(expected), recalibrator=MODELS[name], folds=folds
    )
    for metric, value in expected.items():
        # Both sum some thousand doubles; the solver's tolerance is 1e-10.
        assert report[metric].value == pytest.approx(value, abs=1e-6), metric


def test_two_classes_by_the_closed_form() -> None:
    # f = 0.7 for all and C = 0.6, which g finds exactly: |f1 - C1| = 0.1 is the Lp error of one
    # column for every p, and 2^(1/p) times that is the norm of both.
    labels = np.tile([1, 1, 1, 0, 0], 200)
    probs = np.full(len(labels), 0.7)
    folds = np.repeat(np.arange(5), len(labels) // 5)
    truth = {"l1": 0.1, "l2": 0.1, "linf": 0.1, "brier": 0.01}
    truth["log"] = 0.6 * np.log(0.6 / 0.7) + 0.4 * np.log(0.4 / 0.3)
    options = {"recalibrator": DummyClassifier(strategy="prior"), "folds": folds}
    report = calipers.evaluate(labels, probs, metrics=list(truth), **options)
    both = calipers.evaluate(labels, probs, metrics=list(truth), binary="vector", **options)
    for metric, value in truth.items():
        assert report[metric].value == pytest.approx(value, abs=1e-12)
        # With two columns probmetrics is right, too.
        assert both[metric].value == pytest.approx(PEER["two"]["two columns"][metric], abs=1e-9)
    # With one, it takes g1 - f0 for a component of the error: l1 happens to come out right here.
    one = PEER["two"]["one column"]
    assert one["l1"] == pytest.approx(truth["l1"], abs=1e-9)
    wrong = {"l2": np.hypot(0.3, 0.1) - 0.3, "linf": 0.0}
    for metric, value in wrong.items():
        assert one[metric] == pytest.approx(value, abs=1e-9)
        assert abs(one[metric] - truth[metric]) > 0.08

"""Write peer_values.json: calibration errors as probmetrics estimates them.

The folds and the recalibrator are given, so that the figures can be compared digit by digit: the
recalibrator is a classifier of scikit-learn, whose features are the probabilities.
"""

import argparse
import importlib.metadata
import json
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from studies.pages import Pages

HERE = Path(__file__).parent
FILES = ("mnist5k_lgbm", "abalone_rings_lr_weighted")
PACKAGES = ("probmetrics", "scikit-learn", "torch", "numpy")


def many_classes() -> dict[str, dict]:
    """Estimate on real predictions of ten classes and more."""
    from studies.oracles.by_probmetrics import estimate

    values: dict[str, dict] = {}
    # Iterated until nothing moves, so that another processor finds the same.
    models = {
        "LogisticRegression": LogisticRegression(tol=1e-10, max_iter=100_000),
        "GaussianNB": GaussianNB(var_smoothing=0.1),
    }
    for file in FILES:
        with np.load(HERE / "data" / f"{file}.npz") as arrays:
            probs, labels, folds = arrays["probs"], arrays["labels"], arrays["folds"]
        probs = probs.astype(np.float64)
        probs /= probs.sum(axis=1, keepdims=True)
        values[file] = {
            name: estimate(labels.astype(np.int64), probs, folds, model, vector=True)
            for name, model in models.items()
        }
    return values


def two_classes() -> dict[str, dict]:
    """Estimate where the truth is known: f = 0.7 for all, and 60 % of them are of class 1."""
    from studies.oracles.by_probmetrics import estimate

    labels = np.tile([1, 1, 1, 0, 0], 200)
    probs = np.tile([0.3, 0.7], (len(labels), 1))
    # Every fold has 60 % of class 1, so that g is 0.6.
    folds = np.repeat(np.arange(5), len(labels) // 5)
    model = DummyClassifier(strategy="prior")
    return {
        "one column": estimate(labels, probs, folds, model, vector=False),
        "two columns": estimate(labels, probs, folds, model, vector=True),
    }


def options(_: argparse.ArgumentParser) -> None:
    """Say that there are none."""


def run(asked: argparse.Namespace) -> int:
    """Estimate, and write."""
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    document = {"versions": versions, "many": many_classes(), "two": two_classes()}
    pages = Pages(asked.check)
    pages.write(HERE / "peer_values.json", json.dumps(document, indent=1) + "\n")
    return pages.finish()

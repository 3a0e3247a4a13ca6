"""Write peer_values.json: calibration errors as probmetrics estimates them.

The folds and the recalibrator are given, so that the figures can be compared digit by digit: the
recalibrator is a classifier of scikit-learn, whose features are the probabilities.

Usage: python oracles/peer.py
"""

import importlib.metadata
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from probmetrics.metrics import (
    BrierLoss,
    CombinedMetrics,
    LogLoss,
    MetricsWithCalibration,
    ProperLpLoss,
)
from probmetrics.splitters import Splitter
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

HERE = Path(__file__).parent
FILES = ("mnist5k_lgbm", "abalone_rings_lr_weighted")
NAMES = ("l1", "l2", "linf", "brier", "log")
PACKAGES = ("probmetrics", "scikit-learn", "torch", "numpy")

Array = np.ndarray


class GivenFolds(Splitter):
    """Folds that are known beforehand."""

    def __init__(self, folds: Array) -> None:
        """Take the fold of each row."""
        self.folds = folds

    def get_splits(self, **_: object) -> Iterable[tuple[Array, Array]]:
        """Return the rows to learn from and the rows to hold out, for each fold."""
        for fold in np.unique(self.folds):
            yield np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)

    def get_name(self) -> str:
        """Return a name."""
        return "given"


def estimate(labels: Array, probs: Array, folds: Array, model: object, vector: bool) -> dict:
    """Estimate every metric; `vector` says whether two classes are taken as two columns."""
    norms = [ProperLpLoss(p=p, binary_as_multiclass=vector) for p in (1.0, 2.0, np.inf)]
    metrics = MetricsWithCalibration(
        CombinedMetrics([*norms, BrierLoss(binary_as_multiclass=vector), LogLoss()]),
        calibrator=model,
        val_splitter=GivenFolds(folds),
        cal_name="g",
    )
    found = metrics.compute_all_from_labels_probs(torch.tensor(labels), torch.tensor(probs))
    errors = [value.item() for name, value in found.items() if name.startswith("calib-err")]
    return dict(zip(NAMES, errors, strict=True))


def many_classes() -> dict[str, dict]:
    """Estimate on real predictions of ten classes and more."""
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
    labels = np.tile([1, 1, 1, 0, 0], 200)
    probs = np.tile([0.3, 0.7], (len(labels), 1))
    # Every fold has 60 % of class 1, so that g is 0.6.
    folds = np.repeat(np.arange(5), len(labels) // 5)
    model = DummyClassifier(strategy="prior")
    return {
        "one column": estimate(labels, probs, folds, model, vector=False),
        "two columns": estimate(labels, probs, folds, model, vector=True),
    }


def main() -> None:
    """Estimate, and write."""
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    document = {"versions": versions, "many": many_classes(), "two": two_classes()}
    text = json.dumps(document, indent=1)
    (HERE / "peer_values.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Run probmetrics once on a file of predictions, and print what it took and found as JSON.

`against_probmetrics.py` starts this in an environment of its own. Only the computation is timed,
after a small one that loads what is loaded on first use.

Two classes: the losses are those of both columns, brought to the scale of class 1 alone afterwards.
probmetrics' own losses of one column (`binary-as-1d`) cut g and the labels to that column but not
f, the probabilities before recalibration, and come out different where f0 lies between g1 and f1.

Usage: python probmetrics_run.py FILE.npz {one-thread,all-cores} {ws-catboost,isotonic}
"""

import importlib.metadata
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable

import numpy as np
import torch
from probmetrics.calibrators import get_calibrator
from probmetrics.classifiers import WS_CatboostClassifier
from probmetrics.metrics import (
    BrierLoss,
    CombinedMetrics,
    LogLoss,
    MetricsWithCalibration,
    ProperLpLoss,
)
from probmetrics.splitters import CVSplitter

FOLDS = 5
WARM_UP_ROWS = 300
RECALIBRATORS = {
    "ws-catboost": WS_CatboostClassifier,
    "isotonic": lambda: get_calibrator("isotonic"),
}
PACKAGES = ("probmetrics", "catboost", "torch", "scikit-learn", "numpy")
# Names here and there, and how much larger the loss of both columns is than that of class 1 alone.
LOSSES = {
    "l1": ("proper-L1", 2.0),
    "l2": ("proper-L2", 2.0**0.5),
    "brier": ("brier", 2.0),
    "log": ("logloss", 1.0),
}


class SerialPool:
    """What `WS_CatboostClassifier` uses of `multiprocessing.Pool`, in this process alone."""

    def __init__(self, processes: int) -> None:
        """Ignore how many processes are asked for."""

    def __enter__(self) -> "SerialPool":
        """Start nothing."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop nothing."""

    def map(self, function: Callable[[object], object], values: Iterable[object]) -> list[object]:
        """Apply the function to one value after the other."""
        return [function(value) for value in values]


def keep_to_one_thread() -> None:
    """Fit the models one after the other; the environment keeps the libraries to one thread."""
    multiprocessing.Pool = SerialPool
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)


def estimate(
    probs: torch.Tensor, labels: torch.Tensor, recalibrator: str, folds: int
) -> dict[str, float]:
    """Estimate the calibration errors, all from one cross-validation."""
    losses = [
        ProperLpLoss(p=1, binary_as_multiclass=True),
        ProperLpLoss(p=2, binary_as_multiclass=True),
        BrierLoss(),
        LogLoss(),
    ]
    metrics = MetricsWithCalibration(
        CombinedMetrics(losses),
        calibrator=RECALIBRATORS[recalibrator](),
        cal_name=recalibrator,
        val_splitter=CVSplitter(n_cv=folds),
        random_state=0,
    )
    found = metrics.compute_all_from_labels_probs(labels, probs)
    return {
        ours: found[f"calib-err_{theirs}_{recalibrator}_cv-{folds}"].item()
        / (scale if probs.shape[1] == 2 else 1.0)
        for ours, (theirs, scale) in LOSSES.items()
    }


def main() -> None:
    """Read, warm up, estimate, print."""
    file, mode, recalibrator = sys.argv[1:]
    if mode == "one-thread":
        keep_to_one_thread()
    with np.load(file) as arrays:
        probs, labels = torch.tensor(arrays["probs"]), torch.tensor(arrays["labels"])
    estimate(probs[:WARM_UP_ROWS], labels[:WARM_UP_ROWS], recalibrator, folds=2)
    start = time.perf_counter()
    estimates = estimate(probs, labels, recalibrator, FOLDS)
    seconds = time.perf_counter() - start
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    print(json.dumps({"seconds": seconds, "estimates": estimates, "versions": versions}))


if __name__ == "__main__":
    main()

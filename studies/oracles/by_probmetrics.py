"""What probmetrics estimates, with folds and a recalibrator that are given."""

from collections.abc import Iterable

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

NAMES = ("l1", "l2", "linf", "brier", "log")

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

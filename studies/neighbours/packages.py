"""The packages that the neighbours come from, each as it is called to be timed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import calibration
import numpy as np
import statsmodels.api
import torch
from mapie.metrics.calibration import (
    kolmogorov_smirnov_p_value,
    kuiper_p_value,
    spiegelhalter_p_value,
)
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from netcal.metrics import ECE
from pycaleva import CalibrationEvaluator
from relplot.metrics import smECE
from torchmetrics.functional.classification import (
    binary_calibration_error,
    multiclass_calibration_error,
)

from studies.corpus import Floats, Ints
from studies.neighbours import by_numpy

MOST_ROWS_OF_PAIRS = 10_000

Run = Callable[[], object]


@dataclass(frozen=True)
class Peer:
    """A measure, and who else computes it."""

    measure: str
    package: str
    run: Run
    pairs: bool = False


def cox(f: Floats, y: Ints) -> None:
    """Fit the two regressions of Cox's recalibration."""
    logits = np.log(f) - np.log1p(-f)
    columns = np.column_stack([np.ones(len(f)), logits])
    statsmodels.api.Logit(y, columns).fit(disp=0)
    family = statsmodels.api.families.Binomial()
    statsmodels.api.GLM(y, columns[:, :1], family=family, offset=logits).fit()


def of_one_probability(f: Floats, y: Ints, scope: str) -> Iterator[Peer]:
    """Yield the measures of one probability a row."""
    equal_mass = calibration.utils.get_equal_bins

    def peer(measure: str, package: str, run: Run, pairs: bool = False) -> Peer:
        return Peer(scope + measure, package, run, pairs)

    yield peer("ece", "netcal", lambda: ECE(15).measure(f, y))
    yield peer("ece", "uncertainty-calibration", lambda: calibration.get_ece(f, y))
    yield peer("ece:by=mass", "uncertainty-calibration", lambda: calibration.get_ece_em(f, y))
    yield peer(
        "debiased",
        "uncertainty-calibration",
        lambda: calibration.lower_bound_scaling_ce(f, y, binning_scheme=equal_mass),
    )
    yield peer("sweep", "NumPy", lambda: by_numpy.sweep(f, y))
    yield peer("smooth", "relplot", lambda: smECE(f, y))
    column = f[:, None]
    yield peer("kernel", "NumPy", lambda: by_numpy.kernel(column, y), pairs=True)
    yield peer("skce", "NumPy", lambda: by_numpy.skce(column, y), pairs=True)
    yield peer(
        "corp", "model-diagnostics", lambda: decompose(y, f, scoring_function=SquaredError())
    )
    yield peer(
        "corp:score=log", "model-diagnostics", lambda: decompose(y, f, scoring_function=LogLoss())
    )
    yield peer("kuiper", "MAPIE", lambda: kuiper_p_value(y, f))
    yield peer("kolmogorov-smirnov", "MAPIE", lambda: kolmogorov_smirnov_p_value(y, f))
    if len(f) <= MOST_ROWS_OF_PAIRS:
        # Its constructor also smooths locally at 200 points, which nobody asked for.
        yield peer(
            "hosmer-lemeshow",
            "pycaleva",
            lambda: CalibrationEvaluator(y, f, outsample=True).hosmerlemeshow(False),
        )
    yield peer("hosmer-lemeshow", "NumPy", lambda: by_numpy.hosmer_lemeshow(f, y))
    yield peer("spiegelhalter", "MAPIE", lambda: spiegelhalter_p_value(y, f))
    yield peer("cox", "statsmodels", lambda: cox(f, y))


def two_classes(probs: Floats, labels: Ints) -> Iterator[Peer]:
    """Yield the measures of two classes."""
    f = np.ascontiguousarray(probs[:, 1])
    tensors = torch.tensor(f), torch.tensor(labels)
    yield Peer("ece", "torchmetrics", lambda: binary_calibration_error(*tensors))
    yield from of_one_probability(f, labels, "")


def ten_classes(probs: Floats, labels: Ints) -> Iterator[Peer]:
    """Yield the measures of ten classes: of the top one, of each, and of whole vectors."""
    tensors = torch.tensor(probs), torch.tensor(labels)
    yield Peer(
        "top-ece", "torchmetrics", lambda: multiclass_calibration_error(*tensors, probs.shape[1])
    )
    hits = (labels == probs.argmax(axis=1)).astype(np.int64)
    yield from of_one_probability(probs.max(axis=1), hits, "top-")
    yield Peer(
        "classwise-ece",
        "uncertainty-calibration",
        lambda: calibration.get_ece(probs, labels, mode="marginal"),
    )
    yield Peer(
        "marginal-debiased",
        "uncertainty-calibration",
        lambda: calibration.lower_bound_scaling_ce(probs, labels),
    )
    yield Peer("kernel", "NumPy", lambda: by_numpy.kernel(probs, labels), pairs=True)
    yield Peer("skce", "NumPy", lambda: by_numpy.skce(probs, labels), pairs=True)

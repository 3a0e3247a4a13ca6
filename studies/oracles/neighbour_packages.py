"""The neighbours' measures as their packages compute them.

A function takes a case and a measure and returns what the package says, or `None` where it has no
such measure. Whatever the package raises is passed on.
"""

import math
from collections.abc import Callable
from typing import Literal

import calibration
import numpy as np
import statsmodels.api
import torch
from mapie.metrics import calibration as mapie_metrics
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from netcal.metrics import ECE, MCE
from pycaleva import CalibrationEvaluator
from relplot.metrics import binnedECE, smECE
from scipy import stats
from torchmetrics.functional.classification import (
    binary_calibration_error,
    multiclass_calibration_error,
)

from studies.oracles.common import Floats, Ints
from studies.oracles.neighbour_cases import Case
from studies.oracles.neighbour_measures import Measure
from studies.oracles.neighbour_twins import Result

Package = Callable[[Case, Measure], Result | None]

BINS = 15
NORMS: dict[float, Literal["l1", "l2", "max"]] = {1.0: "l1", 2.0: "l2", math.inf: "max"}


def torchmetrics(case: Case, measure: Measure) -> Result | None:
    """Return the binned error of one probability, or of the top class of many."""
    norm = NORMS.get(measure.power())
    if measure.name != "ece" or measure.params.get("by") == "mass" or norm is None:
        return None
    bins = measure.params.get("bins", BINS)
    if case.classes > 2:
        if measure.scope != "top":
            return None
        probs, labels = torch.tensor(case.probs), torch.tensor(case.labels)
        return {
            "value": float(multiclass_calibration_error(probs, labels, case.classes, bins, norm))
        }
    f, y = case.scope(measure.scope)[0]
    return {"value": float(binary_calibration_error(torch.tensor(f), torch.tensor(y), bins, norm))}


def netcal(case: Case, measure: Measure) -> Result | None:
    """Return the binned error, the mean or the largest; classes apart are not offered."""
    kind = {1.0: ECE, math.inf: MCE}.get(measure.power())
    if measure.name != "ece" or measure.scope not in ("", "top") or kind is None:
        return None
    equal = measure.params.get("by") != "mass"
    metric = kind(measure.params.get("bins", BINS), equal_intervals=equal)
    if case.classes > 2:
        return {"value": float(metric.measure(case.probs.copy(), case.labels.copy()))}
    f, y = case.scope(measure.scope)[0]
    return {"value": float(metric.measure(f.copy(), y))}


def uncertainty_calibration(case: Case, measure: Measure) -> Result | None:
    """Return the binned error, and the debiased one."""
    power = measure.power()
    if measure.name not in ("ece", "debiased") or math.isinf(power):
        return None
    mass = measure.name == "debiased" or measure.params.get("by") == "mass"
    options = {
        "p": int(power),
        "debias": measure.name == "debiased",
        "num_bins": measure.params.get("bins", BINS),
        "binning_scheme": (
            calibration.utils.get_equal_bins if mass else calibration.utils.get_equal_prob_bins
        ),
    }
    if measure.scope in ("classwise", "marginal"):
        if measure.scope == "classwise" and power != 1.0:
            return None
        value = calibration.lower_bound_scaling_ce(
            case.probs, case.labels, mode="marginal", **options
        )
    else:
        value = calibration.lower_bound_scaling_ce(*case.scope(measure.scope)[0], **options)
    return {"value": float(value)}


def relplot(case: Case, measure: Measure) -> Result | None:
    """Return the smooth error, and the binned one."""
    if measure.scope not in ("", "top"):
        return None
    f, y = case.scope(measure.scope)[0]
    if measure.name == "smooth":
        value, bandwidth = smECE(f, y, return_width=True)
        return {"value": float(value), "bandwidth": float(bandwidth)}
    if measure.name == "ece" and measure.power() == 1.0 and "by" not in measure.params:
        return {"value": float(binnedECE(f, y, measure.params.get("bins", BINS)))}
    return None


def mapie(case: Case, measure: Measure) -> Result | None:
    """Return the tests of cumulative differences, Spiegelhalter's, and the binned error."""
    if measure.name == "ece" and measure.power() == 1.0 and "by" not in measure.params:
        bins = measure.params.get("bins", BINS)
        if measure.scope == "classwise":
            value = mapie_metrics.expected_calibration_error(
                case.labels, case.probs, bins, classwise=True, class_labels=case.labels
            )
        else:
            f, y = case.scope(measure.scope)[0]
            value = mapie_metrics.expected_calibration_error(y, f, bins)
        return {"value": float(value)}
    names = {
        "kuiper": ("scaled", "kuiper"),
        "kolmogorov-smirnov": ("scaled", "kolmogorov_smirnov"),
        "spiegelhalter": ("value", "spiegelhalter"),
    }
    if measure.name not in names:
        return None
    f, y = case.scope(measure.scope)[0]
    field, name = names[measure.name]
    return {
        field: float(getattr(mapie_metrics, f"{name}_statistic")(y, f)),
        "p_value": float(getattr(mapie_metrics, f"{name}_p_value")(y, f)),
    }


def model_diagnostics(case: Case, measure: Measure) -> Result | None:
    """Return the parts of the score."""
    if measure.name != "corp":
        return None
    score = LogLoss() if measure.params.get("score") == "log" else SquaredError()
    each = [decompose(y, f, scoring_function=score) for f, y in case.scope(measure.scope)]
    fields = {"value": "miscalibration"} | {
        name: name for name in ("discrimination", "uncertainty", "score")
    }
    return {key: float(np.mean([one[name][0] for one in each])) for key, name in fields.items()}


def pycaleva(case: Case, measure: Measure) -> Result | None:
    """Return Hosmer and Lemeshow's test of held-out predictions, and Spiegelhalter's."""
    f, y = case.scope(measure.scope)[0]
    if measure.name == "hosmer-lemeshow":
        bins = measure.params.get("bins", 10)
        found = CalibrationEvaluator(y, f, outsample=True, n_groups=bins).hosmerlemeshow(False)
        return {
            "value": float(found.statistic),
            "degrees": int(found.dof),
            "p_value": float(found.pvalue),
        }
    if measure.name == "spiegelhalter":
        # The number of groups plays no part.
        found = CalibrationEvaluator(y, f, outsample=True, n_groups=2).z_test()
        return {"value": float(found.statistic), "p_value": float(found.pvalue)}
    return None


def statsmodels_(case: Case, measure: Measure) -> Result | None:
    """Return Cox's recalibration, by the regressions that it is made of."""
    if measure.name != "cox":
        return None
    f, y = case.scope(measure.scope)[0]
    return cox(f, y)


def cox(f: Floats, y: Ints) -> Result:
    """Fit the two regressions."""
    logits = np.log(f) - np.log1p(-f)
    columns = np.column_stack([np.ones(len(f)), logits])
    model = statsmodels.api.Logit(y, columns)
    both = model.fit(disp=0, tol=1e-12, maxiter=100)
    family = statsmodels.api.families.Binomial()
    constant = statsmodels.api.GLM(y, columns[:, :1], family=family, offset=logits).fit(tol=1e-12)
    ratio = 2.0 * (both.llf - model.loglike(np.array([0.0, 1.0])))
    return {
        "value": float(both.params[1]),
        "intercept": float(both.params[0]),
        "in_the_large": float(constant.params[0]),
        "p_value": float(stats.chi2.sf(ratio, 2)),
    }


PACKAGES: dict[str, Package] = {
    "torchmetrics": torchmetrics,
    "netcal": netcal,
    "uncertainty-calibration": uncertainty_calibration,
    "relplot": relplot,
    "MAPIE": mapie,
    "model-diagnostics": model_diagnostics,
    "pycaleva": pycaleva,
    "statsmodels": statsmodels_,
}

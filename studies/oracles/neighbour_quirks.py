"""Where packages depart from the definitions: what they compute instead, written out.

A difference between a package and the twin counts as explained only if the function here gives the
package's own figure. docs/departures.md has an example by hand for each.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from scipy import stats

from studies.oracles import neighbour_twins as twins
from studies.oracles.common import Floats, Ints
from studies.oracles.neighbour_cases import Case
from studies.oracles.neighbour_measures import Measure
from studies.oracles.neighbour_twins import Result

BINS = 15


def numbered(f: Floats, y: Ints, numbers: Ints, p: float) -> Result:
    """Return the error of the bins with the given numbers."""
    bins = [np.flatnonzero(numbers == number) for number in np.unique(numbers)]
    return {"value": twins.error_of_bins(f, y, bins, p)}


def torchmetrics(case: Case, measure: Measure) -> Result:
    """Let 1 have a bin of its own; for many classes, in single precision."""
    f, y = case.scope(measure.scope)[0]
    kind = torch.float64 if case.classes == 2 else torch.float32
    bins = measure.params.get("bins", BINS)
    borders = torch.linspace(0, 1, bins + 1, dtype=kind).numpy()
    f = f.astype(borders.dtype)
    numbers = np.searchsorted(borders, f, side="right")
    return numbered(f.astype(np.float64), y, numbers, measure.power())


def netcal(case: Case, measure: Measure) -> Result:
    """Let borders be multiples of 1/bins, rounded twice; or quantiles, and ties lie above them."""
    f, y = case.scope(measure.scope)[0]
    borders = np.linspace(0.0, 1.0, measure.params.get("bins", BINS) + 1)
    if measure.params.get("by") == "mass":
        borders = np.quantile(f, borders)
    numbers = np.searchsorted(borders[1:-1], f, side="right")
    return numbered(f, y, numbers, measure.power())


def uncertainty_calibration(case: Case, measure: Measure) -> Result:
    """Let bins include their upper border; and no class be below 0 before classes are averaged."""
    p = measure.power()
    bins = measure.params.get("bins", BINS)
    values = []
    for f, y in case.scope(measure.scope):
        if measure.name == "debiased":
            values.append(twins.debiased(f, y, bins)["value"])
        else:
            borders = np.arange(1, bins) / bins
            values.append(numbered(f, y, np.searchsorted(borders, f), p)["value"])
    return {"value": float(np.mean(np.power(values, p)) ** (1.0 / p))}


def relplot(case: Case, measure: Measure) -> Result:
    """Truncate f over the width; or smooth on a grid as `relplot_smooth` does."""
    f, y = case.scope(measure.scope)[0]
    if measure.name == "ece":
        width = 1.0 / measure.params.get("bins", BINS)
        return numbered(f, y, (f / width).astype(np.int64), 1.0)
    low, high = 0.0, 1.0
    for _ in range(10):
        middle = (low + high) / 2.0
        if middle < 0.001 or middle < relplot_smooth(f, y, middle):
            low = middle
        else:
            high = middle
    return {"value": relplot_smooth(f, y, high), "bandwidth": high}


def relplot_smooth(f: Floats, y: Ints, bandwidth: float) -> float:
    """Return the smooth error of masses on a grid, by a Gaussian cut off at 1/2 on either side.

    The masses are reflected once at 0 and at 1, but what lies at 0 or 1 itself is not.
    """
    cells = max(2000, round(20 / bandwidth)) // 2
    nodes = np.arange(cells + 1) / cells
    place = np.minimum((f * cells).astype(np.int64), cells - 1)
    part = f * cells - place

    def masses(weights: Floats) -> Floats:
        below = np.bincount(place, (1.0 - part) * weights, cells + 1)
        return np.asarray(below + np.bincount(place + 1, part * weights, cells + 1))

    both = np.column_stack([masses(f - y), masses(np.ones(len(f)))])
    smoothed = np.zeros((cells + 1, 2))
    for images, kept in ((nodes, slice(None)), (-nodes, slice(1, None)), (2 - nodes, slice(-1))):
        distance = nodes[:, None] - images[kept]
        weights = np.exp(-((distance / bandwidth) ** 2) / 2) * (np.abs(distance) < 0.5 + 1e-9)
        smoothed += weights @ both[kept]
    smoothed /= bandwidth * math.sqrt(2.0 * math.pi)
    mesh = np.linspace(0.0, 1.0, max(round(10 / bandwidth), 200))
    top, bottom = (np.interp(mesh, nodes, column) for column in smoothed.T)
    return float(np.sum(np.abs(top)) / np.sum(bottom + 1e-4))


def mapie(case: Case, measure: Measure) -> Result:
    """Use a bin too few; cut ties at random, begin after the first row; test one side."""
    if measure.name == "ece":
        borders = np.linspace(0.0, 1.0, measure.params.get("bins", BINS))
        values = [
            numbered(f, y, np.searchsorted(borders, f), 1.0)["value"]
            for f, y in case.scope(measure.scope)
        ]
        return {"value": float(np.mean(values))}
    f, y = case.scope(measure.scope)[0]
    if measure.name == "spiegelhalter":
        z = twins.spiegelhalter(f, y)["value"]
        degenerate = np.all((f == 0.0) | (f == 0.5) | (f == 1.0))
        z = math.nan if degenerate and z == 0.0 else z
        return {"value": z, "p_value": float(stats.norm.sf(z))}
    jittered = f * (1.0 + 1e-8 * np.random.RandomState(1).normal(size=len(f)))
    order = np.argsort(jittered)
    path = np.cumsum(y[order] - jittered[order]) / len(f)
    _, scale = twins.cumulative(f, y)
    value = np.ptp(path) if measure.name == "kuiper" else np.abs(path).max()
    x = twins.scaled(float(value), scale)
    tail = twins.kuiper_tail if measure.name == "kuiper" else twins.kolmogorov_smirnov_tail
    return {"scaled": x, "p_value": tail(x)}


def model_diagnostics(case: Case, measure: Measure) -> Result:
    """Recalibrate as scikit-learn does: less than 1e-15 above the first of a run is tied to it.

    The scores are those of the predictions as they are.
    """
    each = []
    for f, y in case.scope(measure.scope):
        joined = f.copy()
        first = -math.inf
        for row in np.argsort(f, kind="stable"):
            first = first if f[row] - first < 1e-15 else f[row]
            joined[row] = first
        score = measure.params.get("score", "brier")
        parts = twins.corp(f, y, score)
        again = twins.corp(joined, y, score)
        best = again["uncertainty"] - again["discrimination"]
        parts["value"] = parts["score"] - best
        parts["discrimination"] = parts["uncertainty"] - best
        each.append(parts)
    return {key: float(np.mean([one[key] for one in each])) for key in each[0]}


def pycaleva(case: Case, measure: Measure) -> Result:
    """Cut tied predictions apart in the order that sorting left them, and count every group."""
    f, y = case.scope(measure.scope)[0]
    if measure.name == "spiegelhalter":
        return {"value": math.nan, "p_value": math.nan}
    bins = measure.params.get("bins", 10)
    order = np.argsort(f, kind="quicksort")
    cuts = [(len(f) - 1) * j // bins + 1 for j in range(1, bins)]
    if len(np.unique(np.quantile(f, np.arange(bins + 1) / bins))) == bins + 1:
        groups = twins.cut(f, cuts)
    else:
        groups = np.split(order, cuts)
    value = 0.0
    for rows in groups:
        mean = f[rows].mean()
        gap = float(y[rows].sum() - f[rows].sum())
        variance = float(rows.size * mean * (1.0 - mean))
        if gap != 0.0:
            value += gap**2 / variance if variance > 0.0 else math.inf
    return {"value": value, "degrees": bins, "p_value": float(stats.chi2.sf(value, bins))}


Quirk = tuple[str, Callable[[Case, Measure], Result] | None]
"""The reason, and what the package computes; `None` where that has no meaning to compare with."""

QUIRKS: dict[tuple[str, str], Quirk] = {
    ("torchmetrics", "ece"): (
        "a prediction of exactly 1 has a bin of its own, and many classes are cast to float32",
        torchmetrics,
    ),
    ("netcal", "ece"): (
        "borders are rounded twice, or are interpolated quantiles with ties above them",
        netcal,
    ),
    ("uncertainty-calibration", "ece"): (
        "bins include their upper border",
        uncertainty_calibration,
    ),
    ("uncertainty-calibration", "debiased"): (
        "negative squares of single classes are set to 0 before the mean",
        uncertainty_calibration,
    ),
    ("relplot", "ece"): (
        "a prediction of exactly 1 has a bin of its own, and borders are rounded twice",
        relplot,
    ),
    ("relplot", "smooth"): (
        "predictions of 0 and 1 count half, the kernel is cut off at 1/2, and the bandwidth is a "
        "multiple of 1/1024",
        relplot,
    ),
    ("MAPIE", "ece"): ("the number of bins is taken for the number of borders", mapie),
    ("MAPIE", "kuiper"): ("the path begins after the first row, and ties are cut at random", mapie),
    ("MAPIE", "kolmogorov-smirnov"): ("ties are cut at random", mapie),
    ("MAPIE", "spiegelhalter"): ("one side is tested, and 0/0 is not a number", mapie),
    ("model-diagnostics", "corp"): (
        "scikit-learn takes predictions less than 1e-15 apart for tied",
        model_diagnostics,
    ),
    ("pycaleva", "hosmer-lemeshow"): (
        "bins are cut at pandas' quantiles, ties apart, and every group is counted",
        pycaleva,
    ),
    ("pycaleva", "spiegelhalter"): ("0/0 is not a number", pycaleva),
    ("statsmodels", "cox"): ("there is no likeliest slope, and it says where it stopped", None),
}

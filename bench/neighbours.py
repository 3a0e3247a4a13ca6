"""Time the neighbours of `calipers.neighbours` beside the packages that they come from.

Everything is measured in one run, in turns: calipers, the peer, calipers, the peer. Where there is
no package on the index, the peer is `neighbours_numpy.py`. Both sides may use all cores.
Predictions are handed over as each side wants them (float64 arrays or tensors), which is not timed;
of many classes, a peer that knows one probability only is given that of the top class ready-made.
What is printed is the median time of either side and the peer's over calipers'. P-values that need
drawings are left out (`draws=0`): no peer has them. Sums over all pairs of rows stop at 10,000
rows, and what takes very long is run once.

Usage: python bench/neighbours.py [--rows 1000 10000 100000] [--seconds 2]
"""

import argparse
import contextlib
import functools
import io
import math
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import calibration
import calipers
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

import neighbours_numpy
from neighbours_numpy import Floats, Ints

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "oracles"))
import neighbour_twins

LEAST_RUNS = 3
# Beyond this many seconds for one run of either side, one more has to do.
LONG = 20.0
MOST_RUNS = 200
MOST_ROWS_OF_PAIRS = 10_000
CLASSES = 10

Run = Callable[[], object]


@dataclass(frozen=True)
class Peer:
    """A measure, and who else computes it."""

    measure: str
    package: str
    run: Run
    pairs: bool = False


def simulate(n: int, k: int, seed: int = 0) -> tuple[Floats, Ints]:
    """Return over-confident predictions without ties, and labels."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.standard_normal((n, k))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs = powers / powers.sum(axis=1, keepdims=True)
    cooler = powers**0.7
    cumulative = np.cumsum(cooler / cooler.sum(axis=1, keepdims=True), axis=1)
    labels = np.sum(rng.random((n, 1)) > cumulative[:, :-1], axis=1)
    return probs, labels.astype(np.int64)


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
    yield peer("sweep", "NumPy", lambda: neighbours_numpy.sweep(f, y))
    yield peer("smooth", "relplot", lambda: smECE(f, y))
    column = f[:, None]
    yield peer("kernel", "NumPy", lambda: neighbours_numpy.kernel(column, y), pairs=True)
    yield peer("skce", "NumPy", lambda: neighbours_numpy.skce(column, y), pairs=True)
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
    yield peer("hosmer-lemeshow", "NumPy", lambda: neighbours_numpy.hosmer_lemeshow(f, y))
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
    yield Peer("kernel", "NumPy", lambda: neighbours_numpy.kernel(probs, labels), pairs=True)
    yield Peer("skce", "NumPy", lambda: neighbours_numpy.skce(probs, labels), pairs=True)


def seconds(run: Run) -> float:
    """Return what one run takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def in_turns(ours: Run, theirs: Run, budget: float) -> tuple[list[float], list[float]]:
    """Return the times of both, in turns, until the budget is spent, after a run to warm up."""
    both: tuple[list[float], list[float]] = ([], [])
    warm = seconds(ours) + seconds(theirs)
    least = LEAST_RUNS if warm < LONG else 1
    for _ in range(min(max(int(budget / warm), least), MOST_RUNS)):
        both[0].append(seconds(ours))
        both[1].append(seconds(theirs))
    return both


def shown(value: float) -> str:
    """Return a time in a unit that suits it."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def check() -> None:
    """Insist that what stands in for a package computes the same as the slow twins."""
    probs, labels = simulate(300, 3)
    hits = (labels == 1).astype(np.int64)
    f = probs[:, 1]
    pairs = (
        (neighbours_numpy.sweep(f, hits), neighbour_twins.sweep(f, hits)),
        (neighbours_numpy.kernel(f[:, None], hits), neighbour_twins.kernel(f, hits)),
        (neighbours_numpy.kernel(probs, labels), neighbour_twins.kernel_vector(probs, labels)),
        (neighbours_numpy.skce(f[:, None], hits), neighbour_twins.skce(f, hits)),
        (neighbours_numpy.skce(probs, labels), neighbour_twins.skce_vector(probs, labels)),
        (neighbours_numpy.hosmer_lemeshow(f, hits), neighbour_twins.hosmer_lemeshow(f, hits)),
    )
    for quick, slow in pairs:
        if not math.isclose(quick, slow["value"], rel_tol=1e-9, abs_tol=1e-12):
            raise ArithmeticError(f"{quick} is not {slow['value']}")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=2.0, help="of runs for each line")
    options = parser.parse_args()
    check()
    print(f"{os.cpu_count()} cores; medians of runs in turns\n")
    print("| classes | rows | measure | calipers | peer | its time | ratio | runs |")
    print("| ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |")
    for classes, peers in ((2, two_classes), (CLASSES, ten_classes)):
        for n in options.rows:
            probs, labels = simulate(n, classes)
            given = np.ascontiguousarray(probs[:, 1]) if classes == 2 else probs
            for peer in peers(probs, labels):
                if peer.pairs and n > MOST_ROWS_OF_PAIRS:
                    continue

                ours = functools.partial(
                    calipers.neighbours, labels, given, measures=[peer.measure], draws=0
                )
                with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mine, theirs = in_turns(ours, peer.run, options.seconds)
                median, other = statistics.median(mine), statistics.median(theirs)
                print(
                    f"| {classes} | {n:,} | `{peer.measure}` | {shown(median)} | {peer.package} | "
                    f"{shown(other)} | {other / median:.3g} | {len(mine)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

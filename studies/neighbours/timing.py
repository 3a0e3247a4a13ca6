"""Time the neighbours of `calipers.neighbours` beside the packages that they come from.

Everything is measured in one run, in turns: calipers, the peer, calipers, the peer. Where there is
no package on the index, the peer is `by_numpy.py`. Both sides may use all cores.
Predictions are handed over as each side wants them (float64 arrays or tensors), which is not timed;
of many classes, a peer that knows one probability only is given that of the top class ready-made.
What is printed is the median time of either side and the peer's over calipers'. P-values that need
drawings are left out (`draws=0`): no peer has them. Sums over all pairs of rows stop at 10,000
rows, and what takes very long is run once.
"""

import argparse
import contextlib
import functools
import io
import math
import os
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

from studies.corpus import Floats, Ints
from studies.neighbours import by_numpy
from studies.oracles import neighbour_twins

LEAST_RUNS = 3
# Beyond this many seconds for one run of either side, one more has to do.
LONG = 20.0
MOST_RUNS = 200
CLASSES = 10

Run = Callable[[], object]


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
        (by_numpy.sweep(f, hits), neighbour_twins.sweep(f, hits)),
        (by_numpy.kernel(f[:, None], hits), neighbour_twins.kernel(f, hits)),
        (by_numpy.kernel(probs, labels), neighbour_twins.kernel_vector(probs, labels)),
        (by_numpy.skce(f[:, None], hits), neighbour_twins.skce(f, hits)),
        (by_numpy.skce(probs, labels), neighbour_twins.skce_vector(probs, labels)),
        (by_numpy.hosmer_lemeshow(f, hits), neighbour_twins.hosmer_lemeshow(f, hits)),
    )
    for quick, slow in pairs:
        if not math.isclose(quick, slow["value"], rel_tol=1e-9, abs_tol=1e-12):
            raise ArithmeticError(f"{quick} is not {slow['value']}")


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=2.0, help="of runs for each line")


def run(asked: argparse.Namespace) -> None:
    """Print a table."""
    import calipers
    from studies.neighbours import packages

    check()
    print(f"{os.cpu_count()} cores; medians of runs in turns\n")
    print("| classes | rows | measure | calipers | peer | its time | ratio | runs |")
    print("| ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |")
    for classes, peers in ((2, packages.two_classes), (CLASSES, packages.ten_classes)):
        for n in asked.rows:
            probs, labels = simulate(n, classes)
            given = np.ascontiguousarray(probs[:, 1]) if classes == 2 else probs
            for peer in peers(probs, labels):
                if peer.pairs and n > packages.MOST_ROWS_OF_PAIRS:
                    continue

                ours = functools.partial(
                    calipers.neighbours, labels, given, measures=[peer.measure], draws=0
                )
                with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mine, theirs = in_turns(ours, peer.run, asked.seconds)
                median, other = statistics.median(mine), statistics.median(theirs)
                print(
                    f"| {classes} | {n:,} | `{peer.measure}` | {shown(median)} | {peer.package} | "
                    f"{shown(other)} | {other / median:.3g} | {len(mine)} |",
                    flush=True,
                )

"""How far the best guess is from a known truth, and how often its interval holds it.

Two kinds of data with a truth that is known: simulated predictions with maps of every kind, and,
where a folder of real predictions is given, those predictions with labels drawn from a smooth
estimate of E[Y | f], by extremely randomised trees fitted to the whole file. Beside the guess
stand the cross-fitted estimate of `auto`, and the estimate with the true C as g: what sampling
alone leaves. For each task, metric and number of rows it prints the root-mean-square errors, of
the guess and of `auto` as multiples of that of the true C (of `auto`'s on calibrated data), the
mean guess over the mean truth, how often the interval holds the truth, and how long it is; and
of two classes the mean upper bound, less the truth.
"""

import argparse
import collections
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies.corpus import Floats, Ints, checksum, paths

METRICS = ("l1", "l2", "brier", "log")
ROWS = (300, 1000, 5000)
LEAST = 1e-7


@dataclass(frozen=True)
class World:
    """Predictions, and the truth that labels are drawn from."""

    name: str
    f: Floats
    truth: Floats

    @property
    def task(self) -> str:
        """Return the table that it counts in."""
        return "two classes" if self.f.shape[1] == 2 else "more classes"

    def errors(self) -> dict[str, float]:
        """Return the mean distances over the rows."""
        apart = self.f - self.truth
        divergence = (self.truth * np.log(self.truth / self.f)).sum(axis=1)
        if self.f.shape[1] == 2:
            apart = apart[:, 1:]
        return {
            "l1": float(np.abs(apart).sum(axis=1).mean()),
            "l2": float(np.linalg.norm(apart, axis=1).mean()),
            "brier": float((apart**2).sum(axis=1).mean()),
            "log": float(divergence.mean()),
        }

    def known(self, labels: Ints) -> dict[str, float]:
        """Return the estimates with the true C as g."""
        observed = np.eye(self.f.shape[1])[labels]
        rows = np.arange(len(labels))
        f, truth = self.f, self.truth
        log = float(np.log(truth[rows, labels] / f[rows, labels]).mean())
        if f.shape[1] == 2:
            f, truth, observed = f[:, 1:], truth[:, 1:], observed[:, 1:]
        apart = truth - f
        length = np.linalg.norm(apart, axis=1, keepdims=True)
        unit = apart / np.where(length > 0, length, 1)
        gain = ((f - observed) ** 2).sum(axis=1) - ((truth - observed) ** 2).sum(axis=1)
        return {
            "l1": float((np.sign(apart) * (observed - f)).sum(axis=1).mean()),
            "l2": float((unit * (observed - f)).sum(axis=1).mean()),
            "brier": float(gain.mean()),
            "log": log,
        }


def normalised(probs: Floats) -> Floats:
    """Return rows of the simplex without zeros."""
    positive: Floats = np.maximum(probs, LEAST)
    found: Floats = positive / positive.sum(axis=1, keepdims=True)
    return found


def simulated(rows: int, seed: int) -> Iterator[World]:
    """Yield simulated predictions of 2, 3 and 10 classes with maps of every kind."""
    rng = np.random.default_rng([seed, rows])
    for classes in (2, 3, 10):
        f = normalised(rng.dirichlet(np.full(classes, 0.8), rows))
        logs = np.log(f)
        steps = np.floor(5 * f) / 5 + 0.1
        tilt = logs + np.linspace(-0.5, 0.5, classes)
        for name, truth in (
            ("calibrated", f),
            ("over-confident", np.exp(0.6 * logs)),
            ("under-confident", np.exp(1.4 * logs)),
            ("tilted", np.exp(tilt)),
            ("steps", steps),
        ):
            yield World(f"{name}, {classes}", f, normalised(truth))


def real(folder: Path, rows: int, seed: int) -> Iterator[World]:
    """Yield the predictions of files that are large enough, with a smooth truth."""
    from sklearn.ensemble import ExtraTreesClassifier

    for path in paths(folder):
        with np.load(path) as arrays:
            probs, labels = normalised(arrays["probs"].astype(float)), arrays["labels"].astype(int)
        if len(labels) < max(4000, rows):
            continue
        leaf = max(30, len(labels) // 150)
        trees = ExtraTreesClassifier(100, min_samples_leaf=leaf, random_state=0)
        features = np.c_[probs, np.log(np.maximum(probs, 1e-6))]
        trees.fit(features, labels)
        truth = np.full_like(probs, 1e-4)
        truth[:, trees.classes_] += trees.predict_proba(features)
        rng = np.random.default_rng([seed, checksum(path.stem)])
        some = rng.choice(len(labels), rows, replace=False)
        yield World(path.stem, probs[some], normalised(truth[some]))


def drawn(truth: Floats, rng: np.random.Generator) -> Ints:
    """Draw labels."""
    labels = (rng.random((len(truth), 1)) > truth.cumsum(axis=1)).sum(axis=1)
    found: Ints = np.minimum(labels, truth.shape[1] - 1)
    return found


Cell = tuple[str, str, str, int]
Found = dict[Cell, list[tuple[float, ...]]]


def look(found: Found, kind: str, world: World, seed: int) -> None:
    """Add what is found in one world."""
    import calipers  # Here, because the list of studies needs no package.

    rows = len(world.f)
    labels = drawn(world.truth, np.random.default_rng([seed, checksum(world.name)]))
    two = world.f.shape[1] == 2
    report = calipers.evaluate(
        labels,
        world.f,
        METRICS,
        draws=0,
        seed=seed,
        class_names=[str(number) for number in range(world.f.shape[1])],
        assume="monotone" if two else None,
    )
    truth, known = world.errors(), world.known(labels)
    for metric in METRICS:
        one = report[metric]
        if one.best is None or one.interval is None:
            raise SystemExit(f"{world.name}: {metric} has no guess")
        held = one.interval[0] - 1e-12 <= truth[metric] <= one.interval[1]
        length = one.interval[1] - one.interval[0]
        upper = np.nan if one.upper is None else one.upper
        # Rounding aside.
        calibrated = "calibrated" if truth[metric] < 1e-12 else kind
        found[calibrated, world.task, metric, rows].append(
            (truth[metric], one.best, one.value, known[metric], held, length, upper)
        )


def show(found: Found) -> None:
    """Print a line for each cell."""
    print(
        f"{'':12}{'':14}{'':7}{'n':>6}{'sets':>6}{'known':>9}{'guess':>7}{'auto':>7}"
        f"{'mean':>7}{'held':>6}{'length':>8}{'upper':>8}{'below':>7}"
    )
    for (kind, task, metric, rows), values in sorted(found.items()):
        truth, best, auto, known, held, length, upper = np.array(values, dtype=float).T
        errors = [float(np.sqrt(((one - truth) ** 2).mean())) for one in (known, best, auto)]
        unit = errors[2] if kind == "calibrated" else errors[0]
        mean = np.nan if kind == "calibrated" else best.sum() / truth.sum()
        bounded = ~np.isnan(upper)
        above = np.mean(upper[bounded] - truth[bounded]) if bounded.any() else np.nan
        below = np.mean(upper[bounded] < truth[bounded]) if bounded.any() else np.nan
        print(
            f"{kind:12}{task:14}{metric:7}{rows:6}{len(values):6}{errors[0]:9.4f}"
            f"{errors[1] / unit:7.2f}{errors[2] / unit:7.2f}{mean:7.3f}{held.mean():6.2f}"
            f"{length.mean() / unit:8.2f}{above:8.3f}{below:7.2f}",
            flush=True,
        )


def options(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument("--folder", type=Path, help="real predictions, as of the study recovery")
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--sets", type=int, default=20, help="simulated data sets a map")
    parser.add_argument("--repeats", type=int, default=1, help="drawings of labels a file")


def run(asked: argparse.Namespace) -> int:
    """Simulate, and print the table."""
    found: Found = collections.defaultdict(list)
    sets = 2 if asked.quick else asked.sets
    for rows in asked.rows[:1] if asked.quick else asked.rows:
        for seed in range(sets):
            for world in simulated(rows, seed):
                look(found, "simulated", world, seed)
            print(f"{rows} rows: {seed + 1} of {sets}", file=sys.stderr)
        for seed in range(asked.repeats if asked.folder else 0):
            for world in real(asked.folder, rows, seed):
                look(found, "real", world, seed)
    show(found)
    return 0

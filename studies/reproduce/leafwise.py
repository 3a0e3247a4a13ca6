"""WS LGBM on the shifted setting: ours, LightGBM's own, and that without the logistic map on top.

In this setting `boost-leafwise` finds more than was published for WS LGBM. Here LightGBM grows the
trees, as the paper sets it: ten of them with early stopping, started at f, on eight inner folds. It
takes some minutes, and is not part of the reproduction. Writes `docs/reproduction/leafwise.csv`.
"""

import argparse
import importlib
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold

from studies.corpus import FOLDS, Floats, Ints, checksum
from studies.pages import ROOT, Pages
from studies.program import Program
from studies.reproduce.plan import REPEATS, SIZES
from studies.reproduce.points import read_published

SETTING = "shifted"
CHOSEN = SIZES[7::3]
INNER, ROUNDS = 8, 10
FLOOR = 1e-6
PARAMETERS = {
    "objective": "binary",
    "metric": "binary_logloss",
    "learning_rate": 0.04,
    "num_leaves": 50,
    "min_data_in_leaf": 40,
    "min_sum_hessian_in_leaf": 1e-7,
    "bagging_fraction": 0.75,
    "bagging_freq": 1,
    "num_threads": 1,
    "verbose": -1,
}


def logit(f: Floats) -> Floats:
    """Return log-odds, of probabilities that are at least the floor."""
    floored = np.clip(f, FLOOR, 1.0 - FLOOR)
    return np.log(floored) - np.log1p(-floored)


def sigmoid(z: Floats) -> Floats:
    """Return probabilities."""
    return 0.5 * (1.0 + np.tanh(0.5 * z))


def forest(lightgbm: Any, f: Floats, y: Ints, left: Ints, seed: int) -> Any:  # noqa: ANN401
    """Grow trees that start at f, up to the best round on the rows that are left out."""
    rows = np.setdiff1d(np.arange(len(y)), left)
    train = lightgbm.Dataset(f[rows, None], y[rows], init_score=logit(f[rows]))
    valid = train.create_valid(f[left, None], y[left], init_score=logit(f[left]))
    best = lightgbm.early_stopping(ROUNDS, verbose=False)
    parameters = {**PARAMETERS, "seed": seed}
    return lightgbm.train(parameters, train, ROUNDS, valid_sets=[valid], callbacks=[best])


def recalibrate(f: Floats, y: Ints, test: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return g on the test rows, without and with the logistic map."""
    lightgbm = importlib.import_module("lightgbm")
    own, mean = np.empty(len(y)), np.zeros(len(test))
    inner = StratifiedKFold(INNER, shuffle=True, random_state=seed)
    for _, left in inner.split(f[:, None], y):
        trees = forest(lightgbm, f, y, left, seed)
        own[left] = sigmoid(logit(f[left]) + trees.predict(f[left, None], raw_score=True))
        mean += sigmoid(logit(test) + trees.predict(test[:, None], raw_score=True)) / INNER
    features = [np.stack([logit(g), logit(g) ** 2], axis=1) for g in (own, mean)]
    # Large enough to be no penalty.
    fitted = LogisticRegression(C=1e6, max_iter=1000).fit(features[0], y)
    return mean, np.asarray(fitted.predict_proba(features[1])[:, 1])


def l1(f: Floats, y: Ints, seed: int) -> tuple[float, float]:
    """Return the cross-fitted estimates, without and with the map."""
    scores = np.empty((2, len(y)))
    for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(f):
        for which, g in enumerate(recalibrate(f[train], y[train], f[test], seed)):
            scores[which, test] = np.sign(g - f[test]) * (y[test] - f[test])
    without, with_map = scores.mean(axis=1)
    return float(without), float(with_map)


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("--program", type=Path, help="a calipers to run instead of building one")


def run(asked: argparse.Namespace) -> int:
    """Write the means and standard errors."""
    program = Program.find(asked.program)
    published = read_published(2)
    lines: list[dict[str, object]] = []
    for rows in CHOSEN:
        found: dict[str, list[float]] = {}
        for repeat in range(REPEATS):
            seed = checksum(f"binary-{SETTING} {rows} {repeat}")
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "data.npz"
                program.simulate(f"binary-{SETTING}", rows, seed, file)
                ours = program.estimate(file, ("l1",), "boost-leafwise", seed).values["l1"]
                with np.load(file) as arrays:
                    f, y = arrays["probs"][:, 1], arrays["labels"].astype(np.int64)
            without, with_map = l1(f, y, repeat)
            found.setdefault("boost-leafwise", []).append(ours)
            found.setdefault("LightGBM", []).append(with_map)
            found.setdefault("LightGBM without the logistic map", []).append(without)
        for name, values in found.items():
            error = float(np.std(values, ddof=1) / np.sqrt(REPEATS))
            line = {"n": rows, "method": name, "mean": float(np.mean(values))}
            theirs = published[SETTING, rows]["ws_lgbm"]
            lines.append({**line, "standard_error": error, "published": theirs})
            print(lines[-1], flush=True)
    pages = Pages(asked.check)
    pages.records(ROOT / "docs" / "reproduction" / "leafwise.csv", lines)
    return pages.finish()

"""Write boost_values/<file>.json: boosted trees of CatBoost and LightGBM on small problems.

Nothing is random: no rows and no features are drawn, and no noise is added to the scores of
splits. `README.md` says what the keys hold.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import catboost
import lightgbm
import numpy as np
from numpy.typing import ArrayLike, NDArray

from studies.pages import Pages

HERE = Path(__file__).parent

FILES = (
    "abalone_rings_lr_weighted",
    "abalone_rings_rf_unseen",
    "cells_rf",
    "credit_data_lgbm",
    "mlc_churn_rf_weighted",
    "mnist5k_gnb",
    "mnist5k_lgbm",
)
MOST_ROWS, LEAST_ROWS = 260, 90
MOST_NUMBERS = 1050
"""Between those limits, the most rows times classes: this keeps the files small."""

FLOOR = 1e-6
ROUNDS = (1, 10)
"""Raw scores are written after each of these numbers of rounds; the last is the whole model."""

CATBOOST = {
    "warm": {"depth": 6, "border_count": 254, "start": True},
    "cold": {"depth": 6, "border_count": 254, "start": False},
    "shallow": {"depth": 3, "border_count": 16, "start": True},
}
CATBOOST_SHARED = {
    "loss_function": "MultiClass",
    "iterations": ROUNDS[-1],
    "learning_rate": 0.5,
    "l2_leaf_reg": 3.0,
    "score_function": "Cosine",
    "leaf_estimation_method": "Newton",
    "leaf_estimation_iterations": 1,
    "boosting_type": "Plain",
    "grow_policy": "SymmetricTree",
    "feature_border_type": "GreedyLogSum",
    "bootstrap_type": "No",
    "random_strength": 0.0,
    "rsm": 1.0,
}

WIDE = {
    "learning_rate": 0.04,
    "num_leaves": 50,
    "min_data_in_leaf": 40,
    "min_sum_hessian_in_leaf": 1e-7,
}
NARROW = {
    "learning_rate": 0.3,
    "num_leaves": 8,
    "min_data_in_leaf": 5,
    # With less, leaves of saturated rows get values of 1e6, and later trees hang on rounding.
    "min_sum_hessian_in_leaf": 1e-3,
}
LIGHTGBM = {
    "wide_warm": WIDE | {"start": True},
    "wide_cold": WIDE | {"start": False},
    "narrow_warm": NARROW | {"start": True},
    "narrow_cold": NARROW | {"start": False},
}
LIGHTGBM_SHARED = {
    "objective": "multiclass",
    "lambda_l2": 0.0,
    "boost_from_average": True,
    "bagging_freq": 0,
    "feature_fraction": 1.0,
}
BINNING = {
    "max_bin": 255,
    "min_data_in_bin": 1,
    "feature_pre_filter": False,
    "enable_bundle": False,
    "force_row_wise": True,
    "deterministic": True,
    "num_threads": 1,
    "verbosity": -1,
}

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]


class Problem:
    """Some rows of positive weight of a data file, in numbers that float32 holds exactly.

    They are spread evenly over the file, since some files are sorted by class.
    """

    def __init__(self, path: Path) -> None:
        """Read the npz file."""
        with np.load(path) as file:
            probs, labels, weights = file["probs"], file["labels"], file.get("weights")
        k = probs.shape[1]
        keep = np.arange(len(labels)) if weights is None else np.flatnonzero(weights > 0.0)
        count = min(MOST_ROWS, max(LEAST_ROWS, MOST_NUMBERS // k))
        keep = keep[np.arange(count) * len(keep) // count]
        self.name = path.stem
        self.k = k
        self.x: Singles = probs[keep].astype(np.float32)
        self.labels: Ints = labels[keep].astype(np.int64)
        self.weights: Singles | None = None
        if weights is not None:
            self.weights = (weights[keep] / weights[keep].mean()).astype(np.float32)
        floored = np.maximum(self.x.astype(np.float64), FLOOR)
        self.start: Singles = np.log(floored).astype(np.float32)

    def borders(self, border_count: int) -> list[Singles]:
        """Return the borders that CatBoost chooses for each feature, in rising order."""
        pool = catboost.Pool(self.x)
        pool.quantize(border_count=border_count, feature_border_type="GreedyLogSum")
        borders: list[list[np.float32]] = [[] for _ in range(self.k)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "borders.tsv"
            pool.save_quantization_borders(str(path))
            for line in path.read_text(encoding="utf-8").splitlines():
                feature, border = line.split("\t")[:2]
                borders[int(feature)].append(np.float32(border))
        return [np.sort(np.array(each, dtype=np.float32)) for each in borders]

    def bins(self, borders: Sequence[Singles]) -> Ints:
        """Return the number of borders below each value."""
        return np.column_stack(
            [np.searchsorted(borders[j], self.x[:, j], side="left") for j in range(self.k)]
        )


def exact(values: ArrayLike) -> list:
    """Return float32 numbers as the shortest decimals that float32 reads back as the same."""
    array = np.asarray(values, dtype=np.float32)
    if array.ndim > 1:
        return [exact(row) for row in array]
    shortest = [float(str(value)) for value in array]
    assert np.array_equal(np.array(shortest).astype(np.float32), array)
    return shortest


def rounded(values: ArrayLike) -> list:
    """Return numbers to 10 significant digits."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim > 1:
        return [rounded(row) for row in array]
    return [float(f"{value:.10g}") for value in array]


def catboost_case(problem: Problem, case: dict, borders: Sequence[Singles]) -> dict:
    """Return the trees and raw scores of CatBoost."""
    with tempfile.TemporaryDirectory() as folder:
        model = catboost.CatBoostClassifier(
            **CATBOOST_SHARED,
            depth=case["depth"],
            border_count=case["border_count"],
            classes_count=problem.k,
            thread_count=1,
            train_dir=folder,
            allow_writing_files=False,
            logging_level="Silent",
        )
        start = problem.start if case["start"] else None
        pool = catboost.Pool(problem.x, problem.labels, weight=problem.weights, baseline=start)
        model.fit(pool)
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        text = json.loads(path.read_text(encoding="utf-8"))
    assert text["scale_and_bias"][0] == 1.0
    assert not any(text["scale_and_bias"][1])
    raw = {
        str(count): rounded(
            model.predict(problem.x, prediction_type="RawFormulaVal", ntree_end=count)
        )
        for count in ROUNDS
    }
    return {
        "params": case | CATBOOST_SHARED,
        "trees": [oblivious(tree, problem.k, borders) for tree in text["oblivious_trees"]],
        "raw": raw,
    }


def oblivious(tree: dict, k: int, borders: Sequence[Singles]) -> dict:
    """Return the splits of a symmetric tree and its leaf values, one row for each leaf."""
    splits = []
    for split in tree["splits"] or []:
        feature = split["float_feature_index"]
        border = np.float32(split["border"])
        (index,) = np.flatnonzero(borders[feature] == border)
        splits.append({"feature": feature, "index": int(index), "border": exact([border])[0]})
    values = np.array(tree["leaf_values"]).reshape(-1, k)
    return {"splits": splits, "leaf_values": rounded(values)}


def lightgbm_case(problem: Problem, case: dict, bins: Ints) -> dict:
    """Return the trees and raw scores of LightGBM, fitted on the bins."""
    start = problem.start.ravel(order="F").astype(np.float64) if case["start"] else None
    data = lightgbm.Dataset(
        bins.astype(np.float64),
        label=problem.labels,
        weight=problem.weights,
        init_score=start,
        params=BINNING,
    )
    params = {name: value for name, value in case.items() if name != "start"}
    model = lightgbm.train(
        LIGHTGBM_SHARED | BINNING | params | {"num_class": problem.k},
        data,
        num_boost_round=ROUNDS[-1],
    )
    for feature in range(problem.k):
        # LightGBM's own bins are the indices that occur.
        assert data.feature_num_bin(feature) == len(np.unique(bins[:, feature]))
    raw = {
        str(count): rounded(
            model.predict(bins.astype(np.float64), raw_score=True, num_iteration=count)
        )
        for count in ROUNDS
    }
    trees = [leafwise(text) for text in model.model_to_string().split("\nTree=")[1:]]
    rounds = [trees[i : i + problem.k] for i in range(0, len(trees), problem.k)]
    return {"params": case | LIGHTGBM_SHARED, "trees": rounds, "raw": raw}


def leafwise(text: str) -> dict:
    """Return the nodes and leaves of one tree of a LightGBM model in its text form."""
    fields = dict(re.findall(r"^(\w+)=(.*)$", text, flags=re.MULTILINE))

    def numbers(name: str) -> list[float]:
        return [float(word) for word in fields.get(name, "").split()]

    return {
        "feature": [int(value) for value in numbers("split_feature")],
        "bin": [int(np.floor(value)) for value in numbers("threshold")],
        "left": [int(value) for value in numbers("left_child")],
        "right": [int(value) for value in numbers("right_child")],
        "leaf_values": rounded(numbers("leaf_value")),
        "leaf_counts": [int(value) for value in numbers("leaf_count")],
    }


def document(problem: Problem) -> dict:
    """Return what is written for one problem."""
    borders = {count: problem.borders(count) for count in (254, 16)}
    bins = problem.bins(borders[254])
    # CatBoost leaves out a class that has no row, and then refuses scores of k classes.
    unseen = len(np.unique(problem.labels)) < problem.k
    symmetric = {
        name: catboost_case(problem, case, borders[case["border_count"]])
        for name, case in CATBOOST.items()
        if not unseen
    }
    return {
        "file": problem.name,
        "k": problem.k,
        "n": len(problem.labels),
        "x": exact(problem.x),
        "labels": problem.labels.tolist(),
        "weights": None if problem.weights is None else exact(problem.weights),
        "start": exact(problem.start),
        "borders_254": [exact(each) for each in borders[254]],
        "borders_16": [exact(each) for each in borders[16]],
        "catboost": symmetric,
        "lightgbm": {name: lightgbm_case(problem, case, bins) for name, case in LIGHTGBM.items()},
    }


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("files", nargs="*", help="names of single data files; all without any")


def run(asked: argparse.Namespace) -> int:
    """Write the values."""
    pages = Pages(asked.check)
    for name in asked.files or FILES:
        text = json.dumps(document(Problem(HERE / "data" / f"{name}.npz")), separators=(",", ":"))
        # A line for each row of numbers, so that a change is seen where it is.
        lines = text.replace("],[", "],\n[").replace('},"', '},\n"')
        pages.write(HERE / "boost_values" / f"{name}.json", lines + "\n")
        print(f"{name}: {len(lines) // 1024} KB", flush=True)
    return pages.finish()

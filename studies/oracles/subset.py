"""Cut the small files of data/ out of a folder of predictions.

The folder holds binary/<table>__<model>.npz and multiclass/<table>__<model>.npz, each with
`probs` (n, k) and `labels` (n,).

The seeds were picked so that no estimate hangs on rounding: no score that counts changes its sign
when a recalibrated probability moves by a millionth of itself. The one exception is temperature
scaling of predictions at 1/2, where the sign follows from the definition.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies.oracles.common import Floats, Ints

HERE = Path(__file__).parent
FOLDS = 5


@dataclass(frozen=True)
class Subset:
    """How one small file is made."""

    source: str
    rows: int
    seed: int
    weighted: bool = False
    merged: Sequence[Sequence[int]] | None = None
    """The columns of the source that are summed into each column."""
    unseen: int | None = None
    """The class, after merging, whose rows are dropped and whose column is kept."""


RING_BANDS = ((11, 12, 13, 14), (15, 16), (0,), (1, 2), (3, 4, 5), (6, 7, 8, 9, 10))
"""4 to 7, 8 to 9, 10, 11 to 12, 13 to 15 and 16 to 20 rings; the columns stand in the
alphabetical order of the number of rings, from "10" to "20" and then from "4" to "9"."""

SUBSETS: dict[str, Subset] = {
    "cells_rf": Subset("binary/cells__rf", 800, 1),
    "cells_gnb": Subset("binary/cells__gnb", 800, 104),
    "credit_data_lgbm": Subset("binary/credit_data__lgbm", 800, 3),
    "mlc_churn_rf_weighted": Subset("binary/mlc_churn__rf", 800, 108, weighted=True),
    "wa_churn_mlp": Subset("binary/wa_churn__mlp", 800, 5),
    "law_bar_xgb": Subset("binary/law_bar__xgb", 700, 6),
    "abalone_rings_rf_unseen": Subset("multiclass/abalone_rings__rf", 600, 109, unseen=5),
    "abalone_rings_lr_weighted": Subset(
        "multiclass/abalone_rings__lr", 600, 101, weighted=True, merged=RING_BANDS
    ),
    "mnist5k_lgbm": Subset("multiclass/mnist5k__lgbm", 500, 103),
    "mnist5k_gnb": Subset("multiclass/mnist5k__gnb", 500, 101),
}


def merge(probs: Floats, labels: Ints, groups: Sequence[Sequence[int]]) -> tuple[Floats, Ints]:
    """Sum the columns of each group, and give its labels the group's number."""
    sums = np.column_stack([probs[:, list(group)].sum(axis=1) for group in groups])
    numbers = np.empty(probs.shape[1], dtype=np.int64)
    for number, group in enumerate(groups):
        numbers[list(group)] = number
    return sums, numbers[labels]


def draw_weights(rng: np.random.Generator, n: int) -> Floats:
    """Draw skewed weights in steps of 1/16, about one in ten of them zero."""
    weights = np.round(16.0 * rng.gamma(2.0, 0.5, n)) / 16.0
    weights[rng.random(n) < 0.1] = 0.0
    return weights


def make(folder: Path, subset: Subset) -> dict[str, np.ndarray]:
    """Return the arrays of one small file."""
    rng = np.random.default_rng(subset.seed)
    with np.load(folder / f"{subset.source}.npz") as file:
        probs, labels = file["probs"].astype(np.float64), file["labels"].astype(np.int64)
    if subset.merged is not None:
        probs, labels = merge(probs, labels, subset.merged)
    if subset.unseen is not None:
        keep = labels != subset.unseen
        probs, labels = probs[keep], labels[keep]
    chosen = np.sort(rng.permutation(len(labels))[: subset.rows])
    arrays: dict[str, np.ndarray] = {
        "probs": probs[chosen].astype(np.float32),
        "labels": labels[chosen].astype(np.int32),
        "folds": rng.integers(0, FOLDS, len(chosen)).astype(np.int32),
    }
    if subset.weighted:
        arrays["weights"] = draw_weights(rng, len(chosen))
    return arrays


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("folder", type=Path, help="of predictions")


def run(asked: argparse.Namespace) -> None:
    """Write every small file."""
    for name, subset in SUBSETS.items():
        np.savez_compressed(HERE / "data" / f"{name}.npz", **make(asked.folder, subset))

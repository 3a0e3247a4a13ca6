"""How much of the paper is computed again: all of it, or what takes three minutes."""

import itertools
from dataclasses import dataclass

from studies.reproduce.methods import COLD

SMALLEST, LARGEST, STEPS = 200, 10_000, 15
SIZES = tuple(
    round(SMALLEST * (LARGEST / SMALLEST) ** (step / (STEPS - 1))) for step in range(STEPS)
)
REPEATS = 10
"""How many data sets a published mean averages."""

FIGURES = {
    2: ("calibrated", "overconfident", "shifted", "underconfident"),
    3: ("calibrated", "overconfident", "underconfident"),
    10: ("calibrated", "overconfident", "underconfident"),
}
"""The settings of the synthetic figures, by the number of classes."""

WORKERS = 2
"""How many programs run at a time, one thread each."""

SIDES = ("binary-over", "binary-under", "binary-both")
SIDES_ROWS = 5000


def simulation(setting: str, classes: int) -> str:
    """Return calipers' name of a synthetic setting."""
    return f"binary-{setting}" if classes == 2 else f"multiclass-{setting}-{classes}"


@dataclass(frozen=True)
class Plan:
    """What is computed."""

    sizes: tuple[int, ...]
    repeats: int
    cold_repeats: int
    """How often trees from scratch are grown on much data: they take nearly all of the time."""
    much: int
    """From how many numbers (rows times classes) on data are much."""
    cold_limit: int
    """Beyond how many numbers trees are not grown from scratch at all."""
    seeds: tuple[int, ...]
    """The drawings of folds for Table 1."""
    cold_seeds: tuple[int, ...]
    files: int | None
    """How many files of a task Table 1 is made of; all, if none is given."""

    def repeats_of(self, method: str, rows: int, classes: int) -> int:
        """Return how many data sets a point of a figure averages."""
        if method not in COLD or rows * classes <= self.much:
            return self.repeats
        return self.cold_repeats if rows * classes <= self.cold_limit else 0


FULL = Plan(
    sizes=SIZES,
    repeats=REPEATS,
    cold_repeats=3,
    much=3000,
    cold_limit=10 * LARGEST,
    seeds=(0, 1, 2),
    cold_seeds=(0,),
    files=None,
)
QUICK = Plan(
    sizes=SIZES[0:10:4],
    repeats=REPEATS,
    cold_repeats=0,
    much=1000,
    cold_limit=0,
    seeds=(0,),
    cold_seeds=(0,),
    files=6,
)


def figures() -> list[tuple[int, str]]:
    """Return every panel: the number of classes, and a setting."""
    return [pair for k, names in FIGURES.items() for pair in itertools.product([k], names)]

"""Who takes part: f itself, every recalibrator of calipers, and those of other packages.

Each is an object with `fit` and `predict_proba`, the rule of CalArena.
"""

import importlib.metadata
from collections.abc import Callable
from typing import Protocol

from studies.corpus import DECIDES, Floats, Ints
from studies.neighbours.measured import program as build

UNCALIBRATED = "uncalibrated"
# Trees from scratch, minutes of the whole; they are measured if they are asked for.
SLOW = ("boost-cold", "boost-leafwise-cold")
TASKS = tuple(DECIDES)
TWO, MANY = ((task,) for task in TASKS)

# What other packages enter, and for how many classes.
PEERS: dict[str, tuple[str, ...]] = {
    "probmetrics-temp-scaling": TASKS,
    "probmetrics-ts-mix": TASKS,
    "probmetrics-ets": TASKS,
    "probmetrics-logistic": TASKS,
    "probmetrics-quadratic": TWO,
    "probmetrics-svs": MANY,
    "probmetrics-cir": TASKS,
    "probmetrics-spline": TASKS,
    "probmetrics-kernel": TASKS,
    "probmetrics-ws-catboost": TASKS,
    "netcal-temperature": TASKS,
    "netcal-logistic": TASKS,
    "netcal-beta": TWO,
    "netcal-histogram": TASKS,
    "netcal-bbq": TASKS,
    "netcal-enir": TASKS,
    "venn-abers": TASKS,
    "sklearn-sigmoid": TASKS,
    "sklearn-isotonic": TASKS,
    "sklearn-temperature": TASKS,
    "betacal": TWO,
}
PACKAGES = {
    "probmetrics": "probmetrics",
    "netcal": "netcal",
    "venn-abers": "venn-abers",
    "sklearn": "scikit-learn",
    "betacal": "betacal",
}
"""What a peer's name begins with, and the package."""


class Calibrator(Protocol):
    """What takes part."""

    def fit(self, probs: Floats, labels: Ints, /) -> object:
        """Learn from probabilities and labels."""

    def predict_proba(self, probs: Floats, /) -> Floats:
        """Correct probabilities."""


class Uncalibrated:
    """F itself."""

    def fit(self, _: Floats, __: Ints) -> None:
        """Learn nothing."""

    def predict_proba(self, probs: Floats) -> Floats:
        """Return what was given."""
        return probs


def ours() -> list[str]:
    """Return all recalibrators of calipers but `identity`, which is f itself."""
    import calipers

    return [name for name in calipers.recalibrators() if name != "identity"]


def called(words: list[str]) -> list[str]:
    """Return the entrants of groups and names."""
    groups: dict[str, Callable[[], list[str]]] = {
        "ours": lambda: [name for name in ours() if name not in SLOW],
        "slow": lambda: list(SLOW),
        "peers": lambda: list(PEERS),
    }
    found = [name for word in words for name in groups.get(word, lambda word=word: [word])()]
    for name in found:
        if name not in PEERS and name not in ours():
            raise SystemExit(f"error: there is no entrant {name!r}; groups are {', '.join(groups)}")
    return found


def tasks(name: str) -> tuple[str, ...]:
    """Return the tasks that an entrant takes part in."""
    return PEERS.get(name, TASKS)


def package(name: str) -> str:
    """Return the package that a peer comes from."""
    return next(found for start, found in PACKAGES.items() if name.startswith(start))


def program(name: str) -> str:
    """Return what tells this version of an entrant from others."""
    if name == UNCALIBRATED:
        return name
    if name in PEERS:
        return f"{package(name)} {importlib.metadata.version(package(name))}"
    return build()


def make(name: str, classes: int) -> Calibrator:
    """Make an entrant that has seen nothing."""
    if name == UNCALIBRATED:
        return Uncalibrated()
    if name in PEERS:
        from studies.contest import packages

        return packages.MAKE[name](classes)
    import calipers

    return calipers.Recalibrator(name, class_names=range(classes), threads=1)

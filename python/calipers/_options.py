"""Options in the shape that the extension takes: each has one converter, whoever takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from calipers._arrays import as_times, as_weights, as_whole, classes_of, number_of_columns
from calipers._classifier import as_learner
from calipers._distance import Distance
from calipers._errors import InputError
from calipers._features import as_features, refuse_other_rows
from calipers._folds import as_folds
from calipers._groups import as_groups
from calipers._labels import as_names

# Which rows belong together: what takes rows for independent refuses it.
BELONGING = ("cluster", "time")

# What is made of an option's value; the name is for what is said of a wrong one.
Converter = Callable[[Any, str], Any]


def as_settings(
    given: Mapping[str, Any], scores: np.ndarray[Any, Any], columns: list[str] | None
) -> dict[str, Any]:
    """Convert all options among what was given; ``columns`` are the names of the columns.

    The extension applies them one by one, by the same names.
    """
    names = as_names(given["class_names"], classes_of(columns), number_of_columns(scores))
    given = {**given, "given": given["class_names"] is not None, "class_names": names}
    if "recalibrator" in given:
        given["recalibrator"] = as_learner(given["recalibrator"], given["log_features"])
    settings = {
        name: convert(given[name], name) for name, convert in CONVERTERS.items() if name in given
    }
    if "folds" in settings:
        settings["folds"] = as_folds(settings["folds"], len(scores), settings["groups"])
    refuse_other_rows(settings.get("features"), len(scores))
    return settings


def refuse_of_arrays(given: Mapping[str, Any]) -> None:
    """Refuse what only arrays have, whose rows are all at hand."""
    for name in BELONGING:
        if given.get(name) is not None:
            raise InputError(f"{name}: the rows of a source or a stream are taken for independent")
    if given.get("features") is not None:
        raise InputError(
            "features: of a source or a stream there are none, since all rows are needed in "
            "memory; pass arrays of labels and of probabilities beside them"
        )


def as_metrics(
    metrics: str | Distance | Iterable[str | Distance] | None, _: str
) -> list[str | Distance]:
    """Return the metrics as a list, each once; none for those of so many classes."""
    if metrics is None:
        return []
    asked = [metrics] if isinstance(metrics, (str, Distance)) else list(metrics)
    if not asked:
        raise InputError("metrics: none were asked for")
    wanted: dict[str, str | Distance] = {}
    for metric in asked:
        if not isinstance(metric, (str, Distance)):
            raise InputError(f"metrics: {metric!r}; expected names or distances")
        name = metric if isinstance(metric, str) else metric.name
        if wanted.setdefault(name, metric) is not metric and isinstance(metric, Distance):
            raise InputError(f"metrics: two distances are named {name!r}")
    return list(wanted.values())


def as_measures(measures: str | Iterable[str], _: str) -> list[str]:
    """Return the measures as a list, each once."""
    asked = [measures] if isinstance(measures, str) else list(measures)
    if any(not isinstance(name, str) for name in asked):
        raise InputError(f"measures: {asked!r}; expected names")
    if not asked:
        raise InputError("measures: none were asked for")
    return list(dict.fromkeys(asked))


def _plainly(convert: Callable[[Any], Any]) -> Converter:
    """Convert without a word about the name."""
    return lambda value, _: convert(value)


def _optional(convert: Converter) -> Converter:
    """Let None, which the extension reads as not given, through."""
    return lambda value, name: None if value is None else convert(value, name)


def _one_of(*words: str) -> Converter:
    """Take one of some words."""

    def convert(value: Any, name: str) -> Any:
        if value not in words:
            raise InputError(f"{name}: {value!r}; expected {' or '.join(map(repr, words))}")
        return value

    return convert


CONVERTERS: dict[str, Converter] = {
    "metrics": as_metrics,
    "measures": _optional(as_measures),
    "recalibrator": lambda value, _: value,
    "folds": lambda value, _: value,
    "repeats": as_whole,
    "seed": as_whole,
    "sample_weight": _plainly(as_weights),
    "groups": _plainly(as_groups),
    "cluster": as_groups,
    "time": _plainly(as_times),
    "features": as_features,
    "class_names": lambda value, _: value,
    "given": lambda value, _: value,
    "from_logits": _plainly(bool),
    "binary": _one_of("scalar", "vector", "confidence"),
    "log_floor": _optional(_plainly(float)),
    "confidence": _plainly(float),
    "draws": _optional(as_whole),
    "test": _one_of("score", "refit"),
    "bracket": _plainly(bool),
    "best": _plainly(bool),
    "assume": _optional(_one_of("monotone")),
    "sample": _optional(as_whole),
    "threads": _optional(as_whole),
}

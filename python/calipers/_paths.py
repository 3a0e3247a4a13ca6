"""Files, read as the command line reads them."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from calipers import _calipers
from calipers._arrays import as_whole
from calipers._errors import InputError
from calipers._options import as_settings
from calipers._report import Report

# What rows of the sample may take of the memory.
MEMORY = 2_000_000_000


def is_path(source: Any) -> bool:
    """Return whether a source is a path, or several."""
    if isinstance(source, (list, tuple)) and source:
        return all(is_path(one) for one in source)
    return isinstance(source, (str, PathLike))


def evaluate_paths(source: Any, given: Mapping[str, Any]) -> Report:
    """Evaluate files, directories and patterns with the options of `evaluate`."""
    if not isinstance(given["folds"], (int, np.integer)):
        raise InputError("folds: of a source, expected their number")
    options = {**given, "class_names": None, "sample_weight": None, "groups": None}
    settings = as_settings(options, np.empty((0, 2)), None)
    if not isinstance(settings["recalibrator"], str):
        raise InputError("recalibrator: of files, expected a name")
    names, probs = given["class_names"], given["probs"]
    columns = {
        "label": given["label"],
        "probs": [probs] if isinstance(probs, str) else probs and list(probs),
        "logits": given["from_logits"],
        "weight": given["weight"],
        "group": given["group"],
        "key": given["key"],
        "classes": names if names is None else [str(name) for name in names],
        "sample": None if given["sample"] is None else as_whole(given["sample"], "sample"),
        "memory": MEMORY,
    }
    paths = [source] if isinstance(source, (str, PathLike)) else list(source)
    return Report(_calipers.evaluate_files(paths, columns, settings))

"""Folds in any form: a number, the fold of each row, a splitter, or its splits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from calipers._arrays import as_vector, refuse_missing
from calipers._errors import InputError


def as_folds(folds: Any, rows: int, groups: list[str] | None) -> int | np.ndarray[Any, Any]:
    """Return the number of folds, or the fold of each row as a whole number.

    ``groups`` are for splitters that keep groups together.
    """
    if isinstance(folds, (int, np.integer)) and not isinstance(folds, bool):
        if folds < 0:
            raise InputError(f"folds: {folds}: at least 2 folds are needed")
        return int(folds)
    # Arrays of some libraries have a method of this name, too; splitters have no length.
    if callable(getattr(folds, "split", None)) and not hasattr(folds, "__len__"):
        return _from_splits(_split(folds, rows, groups), rows)
    if hasattr(folds, "__next__"):
        folds = list(folds)
    if _are_splits(folds):
        return _from_splits(folds, rows)
    return _from_ids(as_vector(folds, "folds"))


def _from_ids(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if ids.dtype.kind in "iub":
        return ids.astype(np.int64, copy=False)
    if ids.dtype.kind == "f" and np.isfinite(ids).all() and (ids == np.floor(ids)).all():
        return ids.astype(np.int64)
    refuse_missing(ids.tolist(), "folds")
    # Anything else is numbered in sorted order.
    _, numbers = np.unique(ids.astype(str), return_inverse=True)
    return numbers.astype(np.int64)


def _split(splitter: Any, rows: int, groups: list[str] | None) -> list[Any]:
    """Ask a splitter of scikit-learn's kind, which is not shown the labels."""
    name = type(splitter).__name__
    if any("Stratified" in base.__name__ for base in type(splitter).__mro__):
        raise InputError(
            f"folds: {name} deals rows by their labels, which ties what is held out to what is "
            "learnt from, and the estimate is no lower bound any more (docs/method.md, Folds); use "
            "KFold(shuffle=True), or GroupKFold with groups=",
            value=splitter,
        )
    held = None if groups is None else np.asarray(groups)
    try:
        return list(splitter.split(np.zeros((rows, 1)), None, held))
    except (TypeError, ValueError) as error:
        hint = "; it is given what groups= holds" if "group" in str(error) else ""
        raise InputError(f"folds: {name}: {error}{hint}", value=splitter) from None


def _are_splits(folds: Any) -> bool:
    """Whether these are pairs of rows to learn from and rows to hold out."""
    return (
        isinstance(folds, (list, tuple))
        and len(folds) > 0
        and all(
            isinstance(pair, (list, tuple))
            and len(pair) == 2
            and all(hasattr(part, "__len__") and not isinstance(part, str) for part in pair)
            for pair in folds
        )
    )


def _from_splits(splits: Iterable[tuple[Any, Any]], rows: int) -> np.ndarray[Any, Any]:
    """Return the fold of each row, if every row is held out once and learnt from otherwise."""
    ids = np.full(rows, -1, dtype=np.int64)
    times = np.zeros(rows, dtype=np.int64)
    for fold, (train, test) in enumerate(splits):
        held_out = _chosen(test, rows)
        if (_chosen(train, rows) == held_out).any():
            raise InputError(
                f"folds: split {fold} does not train on all rows that it does not hold out, which "
                "is what is done here"
            )
        ids[held_out] = fold
        times += held_out
    wrong = np.flatnonzero(times != 1)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"folds: row {row} is held out {times[row]} times; every row has to be held out once "
            "(repeats= draws the folds several times)",
            row=row,
        )
    return ids


def _chosen(part: Any, rows: int) -> np.ndarray[Any, Any]:
    """Return which rows are meant: by their numbers, or by a truth for each row."""
    part = as_vector(part, "folds")
    chosen = np.zeros(rows, dtype=bool)
    if part.dtype.kind not in "iub" and len(part):
        raise InputError(f"folds: a split of type {part.dtype}; expected numbers of rows")
    try:
        chosen[part if len(part) else []] = True
    except IndexError as error:
        raise InputError(f"folds: {error}: there are {rows} rows") from None
    return chosen

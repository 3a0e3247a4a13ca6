"""Groups: names for the extension, and what they were called by whoever gave them."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers._arrays import ONE_OF, as_vector, refuse_missing
from calipers._errors import InputError


class Groups(list[str]):
    """The name of each row's group.

    Attributes
    ----------
    given : dict of str to object
        What each name stands for: numbers, intervals, whatever was given.
    """

    __slots__ = ("given",)

    def __init__(self, names: list[str], given: dict[str, Any]) -> None:
        super().__init__(names)
        self.given = given


def as_groups(values: Any, what: str = "groups") -> Groups | None:
    """Return the groups' names row by row; groups that differ have names that differ."""
    if values is None:
        return None
    array = as_vector(values, what)
    if array.dtype.kind in "mM":  # Of dates, tolist makes bare numbers.
        groups = [None if np.isnat(group) else group for group in array]
    else:
        groups = array.tolist()
    refuse_missing(groups, what)
    names: dict[Any, str] = {}
    given: dict[str, Any] = {}
    for row, group in enumerate(groups):
        try:
            known = group in names
        except TypeError:
            kind = type(group).__name__
            message = f"row {row}: a {ONE_OF[what]} cannot be of type {kind}"
            raise InputError(message, row=row, value=group) from None
        if not known:
            name = names[group] = str(group)
            other = given.setdefault(name, group)
            if other is not group:
                raise InputError(
                    f"row {row}: the {ONE_OF[what]}s {other!r} and {group!r} have the same name",
                    row=row,
                    value=group,
                )
    return Groups([names[group] for group in groups], given)


def as_coded(values: Any) -> tuple[np.ndarray[Any, Any], list[str]] | None:
    """Return the groups' names, each once, and which of them each row has."""
    if values is None:
        return None
    array = as_vector(values, "groups")
    if array.dtype.kind in "iub":
        kept, codes = np.unique(array, return_inverse=True)
        return codes.astype(np.uint32), [str(group) for group in kept.tolist()]
    groups = as_groups(values) or Groups([], {})
    places = {name: place for place, name in enumerate(groups.given)}
    codes = np.fromiter((places[name] for name in groups), dtype=np.uint32, count=len(groups))
    return codes, list(places)

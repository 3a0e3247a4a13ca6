"""Calibration as others measure it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers import _calipers
from calipers._arrays import as_scores, number_of_columns
from calipers._labels import as_labels
from calipers._options import as_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Measurement:
    """What one measure says.

    ``float(measurement)`` is its value, NaN where there is none.

    Attributes
    ----------
    name : str
        The measure's name.
    value : float or None
        The error or the statistic; None where such rows have none.
    p_value : float or None
        The p-value of "this model is calibrated", of those that are tests.
    details : dict of str to float
        What else there is to know: bins, bandwidths, an intercept.
    reason : str or None
        Why there is no value.
    """

    __slots__ = ("details", "name", "p_value", "reason", "value")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.name: str = fields["name"]
        self.value: float | None = fields["value"]
        self.p_value: float | None = fields["p_value"]
        self.details: dict[str, float] = fields["details"]
        self.reason: str | None = fields["reason"]

    def __float__(self) -> float:
        """Return the value."""
        return float("nan") if self.value is None else self.value

    def __repr__(self) -> str:
        """Name the measurement by its numbers."""
        if self.value is None:
            return f"<calipers.Measurement {self.name}: none, {self.reason}>"
        p_value = "" if self.p_value is None else f", p_value={self.p_value:.4g}"
        return f"<calipers.Measurement {self.name}={self.value:.4g}{p_value}>"


class Measurements:
    """What several measures say of the same predictions.

    Attributes
    ----------
    n : int
        The number of rows.
    classes : list of str
        The classes' names.
    measures : dict of str to Measurement
        What each says, by its name.
    left_out : list of str
        The measures that were not taken, since their cost grows with the square of the rows, of
        which there are more than 20,000; asked for by name they are.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.n: int = fields["n"]
        self.classes: list[str] = fields["classes"]
        self.measures = {one["name"]: Measurement(one) for one in fields["measures"]}
        self.left_out: list[str] = fields["left_out"]
        self._json: str = fields["json"]
        self._text: str = fields["text"]

    def __getitem__(self, name: str) -> Measurement:
        """Return what a measure says."""
        return self.measures[name]

    def __iter__(self) -> Iterator[Measurement]:
        """Go through the measurements."""
        return iter(self.measures.values())

    def __len__(self) -> int:
        """Return the number of measurements."""
        return len(self.measures)

    def to_json(self) -> str:
        """Return all as the command line prints it with ``--format json``."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`to_json` says as a dictionary."""
        import json  # Here, because the import of calipers is to be quick.

        parsed: dict[str, Any] = json.loads(self._json)
        return parsed

    def to_frame(self) -> Any:
        """Return a pandas table, a row a measure, with every detail in a column of its own."""
        import pandas as pd  # Here, because it need not be there.

        rows = [
            {"measure": one.name, "value": float(one), "p_value": one.p_value, **one.details}
            for one in self
        ]
        return pd.DataFrame(rows).set_index("measure")

    def __str__(self) -> str:
        """Return the table that the command line prints."""
        return self._text

    def __repr__(self) -> str:
        """Name the measurements by the measures."""
        return f"<calipers.Measurements of {self.n} rows: {', '.join(self.measures)}>"


def neighbours(
    y_true: Any,
    y_prob: Any,
    measures: str | Iterable[str] | None = None,
    *,
    seed: int = 0,
    draws: int | None = None,
    class_names: Any = None,
    from_logits: bool = False,
    threads: int | None = None,
) -> Measurements:
    """Measure calibration as others do: binned errors, kernel errors, classical tests.

    Parameters
    ----------
    y_true : array of shape (n,)
        The observed classes.
    y_prob : array of shape (n,), (n, 1) or (n, k)
        The probabilities, one column a class; a single column is that of class 1.
    measures : str or iterable of str, optional
        What to measure, such as ``"ece"``, ``"top-ece:bins=20,by=mass"`` or ``"skce"``; all that
        measure such predictions unless given. :func:`calipers.measures` lists them.
    seed : int, default 0
        The seed of the labels that tests draw.
    draws : int, optional
        How often they are drawn; 0 for no such test. 999 unless given, and fewer for much data.
    class_names : sequence of str, optional
        The classes' names, in the order of the columns.
    from_logits : bool, default False
        Whether ``y_prob`` holds logits.
    threads : int, optional
        How many threads to use; as many as there are cores unless given.

    Returns
    -------
    Measurements
        What each says.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-calibrated", 2000, seed=0)
    >>> found = calipers.neighbours(y_true, y_prob, ["ece", "ece:bins=100", "cox"])
    >>> found["ece:bins=100"].value > found["ece"].value > 0.01
    True
    >>> 0.9 < found["cox"].value < 1.1
    True
    """
    given = locals()
    scores, columns = as_scores(y_prob)
    settings = as_settings(given, scores, columns)
    names = settings["class_names"]
    labels, settings["class_names"] = as_labels(y_true, number_of_columns(scores), names)
    return Measurements(_calipers.neighbours(labels, scores, settings))

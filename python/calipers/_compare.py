"""Several models on the same labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from calipers import _calipers
from calipers._arrays import as_scores
from calipers._errors import InputError
from calipers._evaluate import as_settings, evaluate
from calipers._labels import as_labels
from calipers._report import Report
from calipers._table import decimal


class Difference(NamedTuple):
    """How far the estimates of two models are apart.

    Attributes
    ----------
    metric : str
        The metric's name.
    first, second : str
        The models' names.
    value : float
        The first estimate less the second.
    stderr : float
        The standard error of the mean of the rows' differences, what folds share included.
    interval : tuple of float
        A confidence interval.
    p_value : float
        The two-sided p-value of "there is no difference", adjusted by Holm's method over the pairs
        of models.
    """

    metric: str
    first: str
    second: str
    value: float
    stderr: float
    interval: tuple[float, float]
    p_value: float


class Comparison:
    """Several models, estimated with the same folds, and how they differ.

    Attributes
    ----------
    reports : dict of str to Report
        The models' reports by their names.
    differences : list of Difference
        The differences of every two models, metric by metric.
    confidence : float
        The confidence of the intervals.
    """

    def __init__(self, names: list[str], fields: Mapping[str, Any], confidence: float) -> None:
        self.reports: dict[str, Report] = {
            name: Report(one) for name, one in zip(names, fields["reports"], strict=True)
        }
        self.differences = [Difference(**one) for one in fields["differences"]]
        self.confidence = confidence
        self._json: str = fields["json"]

    def __getitem__(self, model: str) -> Report:
        """Return the report of a model."""
        return self.reports[model]

    def to_json(self) -> str:
        """Return the comparison as the command line prints it with ``--format json``."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`to_json` says as a dictionary."""
        import json  # Here, because the import of calipers is to be quick.

        parsed: dict[str, Any] = json.loads(self._json)
        return parsed

    def __str__(self) -> str:
        """Say of every two models whether they differ."""
        return "\n".join(f"{one.metric}: {self._sentence(one)}" for one in self.differences)

    def __repr__(self) -> str:
        """Name the comparison by its models."""
        return f"<calipers.Comparison of {', '.join(self.reports)}>"

    def _sentence(self, one: Difference) -> str:
        numbers = (
            f"{one.first} - {one.second} = {decimal(one.value)} ({decimal(one.interval[0])} to "
            f"{decimal(one.interval[1])}), p = {decimal(one.p_value)}"
        )
        if not one.p_value < 1 - self.confidence:
            return f"{one.first} and {one.second} are not shown to differ: {numbers}"
        worse, better = (one.first, one.second) if one.value > 0 else (one.second, one.first)
        return f"{worse} is worse than {better}: {numbers}"


def compare(y_true: Any, models: Mapping[str, Any], **options: Any) -> Comparison:
    """Compare the calibration of several models on the same labels.

    Rows are paired: what differs is the score of one row under two models, so that what makes a row
    hard for both cancels.

    Parameters
    ----------
    y_true : array of shape (n,)
        The observed classes.
    models : mapping of str to array
        The models' probabilities by the models' names, as ``y_prob`` of :func:`calipers.evaluate`.
    **options
        Those of :func:`calipers.evaluate`, but for ``progress``.

    Returns
    -------
    Comparison
        The reports, and the differences of every two models with intervals and adjusted p-values.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> corrected = calipers.Recalibrator("temperature").fit(y_prob, y_true).predict_proba(y_prob)
    >>> models = {"raw": y_prob, "corrected": corrected}
    >>> comparison = calipers.compare(y_true, models, metrics="l1")
    >>> str(comparison).startswith("l1: raw is worse than corrected")
    True
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        raise InputError("models: expected a mapping of at least two names to probabilities")
    scores = []
    columns: list[str] | None = None
    for number, (name, y_prob) in enumerate(models.items()):
        own, own_columns = as_scores(y_prob)
        scores.append((str(name), own))
        if number == 0:
            columns = own_columns
        elif own_columns is not None and columns is not None and own_columns != columns:
            raise InputError(f"models: the columns of {name!r} are not those of the first model")
    if "progress" in options:
        raise InputError("progress: not known to compare")
    settings = as_settings(columns, completed(options))
    found = _calipers.compare(as_labels(y_true), scores, {**settings, "progress": None})
    return Comparison([name for name, _ in scores], found, settings["confidence"])


def completed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with those of :func:`evaluate` that were not given."""
    from inspect import signature  # Here, because the import of calipers is to be quick.

    bound = signature(evaluate).bind(None, None, **options)
    bound.apply_defaults()
    return bound.arguments

"""Several models on the same labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from calipers import _calipers
from calipers._arrays import as_scores
from calipers._errors import InputError
from calipers._evaluate import as_source, completed
from calipers._frames import as_frame
from calipers._groups import Groups
from calipers._report import NUMBERS, Report


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
        A confidence interval of the difference of what is found, where an estimate below 0 is
        nothing found. Those of all pairs hold together with the confidence. 0 is outside exactly
        where the p-value is below 1 - confidence.
    p_value : float
        The two-sided p-value of "no more error is found in one than in the other", multiplied by
        the number of pairs. It is small only where the larger error is itself shown to be above 0.
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

    def __init__(
        self, names: list[str], fields: Mapping[str, Any], groups: Groups | None = None
    ) -> None:
        self.reports: dict[str, Report] = {
            name: Report(one, groups=groups)
            for name, one in zip(names, fields["reports"], strict=True)
        }
        self.differences = [Difference(**one) for one in fields["differences"]]
        self.confidence = self.reports[names[0]].confidence
        self._json: str = fields["json"]
        self._text: str = fields["text"]

    def __getitem__(self, model: str) -> Report:
        """Return the report of a model."""
        return self.reports[model]

    def __iter__(self) -> Iterator[str]:
        """Go through the models' names, as a dictionary of reports does."""
        return iter(self.reports)

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self.reports)

    def to_json(self) -> str:
        """Return the comparison as the command line prints it with ``--format json``."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`to_json` says as a dictionary."""
        import json  # Here, because the import of calipers is to be quick.

        parsed: dict[str, Any] = json.loads(self._json)
        return parsed

    def to_frame(self) -> Any:
        """Return the differences as a table, one row for two models and a metric.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            pandas' if it is installed, or else polars'. The interval is in ``lower`` and ``upper``.
        """
        columns: dict[str, list[Any]] = {}
        for name in Difference._fields:
            values = [getattr(one, name) for one in self.differences]
            if name == "interval":
                columns["lower"] = [low for low, _ in values]
                columns["upper"] = [high for _, high in values]
            else:
                columns[name] = values
        return as_frame(columns, ("value", "stderr", "lower", "upper", "p_value"))

    def errors_to_frame(self) -> Any:
        """Return the models' own errors as a table, one row for a model and a metric.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns of :meth:`Report.to_frame` after the column ``model``.
        """
        columns: dict[str, list[Any]] = {"model": []}
        for model, report in self.reports.items():
            own = report.to_columns()
            columns["model"] += [model] * len(own["metric"])
            for name, values in own.items():
                columns.setdefault(name, []).extend(values)
        return as_frame(columns, NUMBERS)

    def __str__(self) -> str:
        """Return what the command line prints: the estimates, and of every two models a verdict."""
        return self._text

    def __repr__(self) -> str:
        """Name the comparison by its models."""
        return f"<calipers.Comparison of {', '.join(self.reports)}>"

    def _repr_html_(self) -> str:
        """Return the same as :meth:`__str__` for notebooks."""
        from html import escape  # Here, because the import of calipers is to be quick.

        return f"<pre>{escape(self._text)}</pre>"


def compare(y_true: Any, models: Mapping[str, Any], **options: Any) -> Comparison:
    """Compare the calibration of several models on the same labels.

    Rows are paired: what differs is the score of one row under two models, so that what makes a row
    hard for both cancels. The difference is of what is *found* of each error, which bounds it from
    below: "more error is found in A" is claimed where the error of A is itself shown, and is above
    that of B with what learning from so many rows may have missed of B's.

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
    >>> comparison = calipers.compare(y_true, models, metrics="l1", recalibrator="isotonic")
    >>> print(comparison)
    A  raw
    B  corrected
    <BLANKLINE>
    l1  estimate  std. error  lower 95%  p_value
    A   0.1259    0.0139      0.1030     0.0010
    B   0.0505    0.0139      0.0277     0.0010
    more error is found in A than in B: A - B = 0.0754 (0.0326 to 0.1123), p = 0.00020
    >>> comparison.to_frame()[["metric", "first", "second"]].values.tolist()
    [['l1', 'raw', 'corrected']]
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        raise InputError("models: expected a mapping of at least two names to probabilities")
    if "progress" in options:
        raise InputError("progress: not known to compare")
    given = completed(options)
    sources = [as_source(y_true, *as_scores(y_prob), given) for y_prob in models.values()]
    names = [str(name) for name in models]
    # Each model's columns have names of their own, or none; all else is the same.
    each = [(one.labels, one.scores, one.settings) for one in sources]
    found = _calipers.compare(list(zip(names, each, strict=True)))
    return Comparison(names, found, sources[0].settings["groups"])

"""What comes out: estimates, and the report that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers import _table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray


class Estimate:
    """One calibration error, estimated.

    ``float(estimate)`` is its value.

    Attributes
    ----------
    metric : str
        The metric's name.
    value : float
        The estimate: in expectation a lower bound on the calibration error. It can fall below 0,
        which means that no error was found.
    stderr : float
        The standard error of the mean of the held-out scores, as if they were independent.
    lower : float or None
        A lower confidence bound on the calibration error, where one has been computed.
    confidence : float
        The confidence of the lower bound.
    p_value : float or None
        The p-value of "this model is calibrated", where one has been computed.
    n : int
        The number of rows.
    infinite_rows : int
        How many rows have an infinite score, because they gave the observed class no probability.
    scores : numpy.ndarray
        The held-out score of each row, whose mean is the value.
    """

    __slots__ = (
        "confidence",
        "infinite_rows",
        "lower",
        "metric",
        "n",
        "p_value",
        "scores",
        "stderr",
        "value",
    )

    metric: str
    value: float
    stderr: float
    lower: float | None
    confidence: float
    p_value: float | None
    n: int
    infinite_rows: int
    scores: NDArray[np.float64]

    def __init__(self, fields: Mapping[str, Any], confidence: float) -> None:
        self.metric = fields["metric"]
        self.value = fields["value"]
        self.stderr = fields["stderr"]
        self.lower = fields["lower"]
        self.p_value = fields["p_value"]
        self.infinite_rows = fields["infinite_rows"]
        self.scores = fields["scores"]
        self.confidence = confidence
        self.n = len(self.scores)

    def __float__(self) -> float:
        """Return the value."""
        return self.value

    def __repr__(self) -> str:
        """Show the numbers that are there."""
        shown = [f"{name}={getattr(self, name)!r}" for name in ("metric", "value", "stderr")]
        for name in ("lower", "p_value"):
            if getattr(self, name) is not None:
                shown.append(f"{name}={getattr(self, name)!r}")
        return f"Estimate({', '.join(shown)}, n={self.n})"


class Report:
    """Everything that one evaluation found.

    ``report["l1"]`` is the estimate of a metric; iterating gives the names.

    Attributes
    ----------
    n : int
        The number of rows.
    classes : list of str
        The classes' names, in the order of the columns.
    recalibrator : str
        What the truth was learnt with.
    folds, repeats : int
        The number of folds, and how often they were drawn.
    seed : int
        The seed of everything random.
    confidence : float
        The confidence of the lower bounds.
    estimates : dict of str to Estimate
        The estimates, in the order in which the metrics were asked for.
    notes : list of str
        What a reader of the numbers should know about them.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> report = calipers.evaluate(y_true, y_prob, ["l1", "over-l1"], recalibrator="isotonic")
    >>> print(report)
    2,000 rows, 2 classes, recalibrator isotonic, 5 folds
    <BLANKLINE>
    metric   estimate  std. error
    l1       0.1259    0.0098
    over-l1  0.1234    0.0095
    >>> round(report["l1"].value, 4)
    0.1259
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.n: int = fields["n"]
        self.classes: list[str] = fields["classes"]
        self.recalibrator: str = fields["recalibrator"]
        self.folds: int = fields["folds"]
        self.repeats: int = fields["repeats"]
        self.seed: int = fields["seed"]
        self.confidence: float = fields["confidence"]
        self.renormalised_rows: int = fields["renormalised_rows"]
        self.fits: int = fields["fits"]
        self.unconverged_fits: int = fields["unconverged_fits"]
        self.estimates: dict[str, Estimate] = {
            one["metric"]: Estimate(one, self.confidence) for one in fields["estimates"]
        }
        self._json: str = fields["json"]
        self._remark: str | None = fields["remark"]

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric."""
        return self.estimates[metric]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics."""
        return iter(self.estimates)

    def __len__(self) -> int:
        """Count the metrics."""
        return len(self.estimates)

    @property
    def notes(self) -> list[str]:
        """What a reader of the numbers should know about them."""
        return _table.notes(self, self._remark)

    def to_json(self) -> str:
        """Return the report as the command line prints it with ``--format json``."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`to_json` says as a dictionary.

        An infinite value is the string ``"inf"``, as in JSON; the attributes hold the number.
        """
        import json  # Here, because the import of calipers is to be quick.

        parsed: dict[str, Any] = json.loads(self._json)
        return parsed

    def to_frame(self) -> Any:
        """Return the estimates as a table, one row a metric.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            pandas' if it is installed, or else polars'.
        """
        columns: dict[str, list[Any]] = {"metric": list(self.estimates)}
        for name in ("value", "stderr", "lower", "p_value", "infinite_rows"):
            columns[name] = [getattr(one, name) for one in self.estimates.values()]
        try:
            import pandas
        except ImportError:
            pass
        else:
            frame = pandas.DataFrame(columns)
            numbers = ["value", "stderr", "lower", "p_value"]
            return frame.astype(dict.fromkeys(numbers, "float64"))
        try:
            import polars
        except ImportError:
            raise ImportError("to_frame needs pandas or polars: install one of them") from None
        bounds = {"lower": polars.Float64, "p_value": polars.Float64}
        return polars.DataFrame(columns, schema_overrides=bounds)

    def __str__(self) -> str:
        """Return the table that the command line prints."""
        return _table.text(self)

    def __repr__(self) -> str:
        """Name the report by its numbers."""
        numbers = ", ".join(f"{name}={one.value:.4g}" for name, one in self.estimates.items())
        return f"<calipers.Report of {self.n} rows: {numbers}>"

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return _table.html(self)

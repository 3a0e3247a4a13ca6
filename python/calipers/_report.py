"""What comes out: estimates, and the report that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from calipers import _calipers
from calipers._frames import as_frame
from calipers._given import FeatureGain, GivenFeatures, Segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calipers._calipers import Texts
    from calipers._groups import Groups
    from calipers._plot import Kind, Source

# The columns of a table of estimates that hold numbers, of which some may be missing.
NUMBERS = (
    "value",
    "stderr",
    "lower",
    "upper",
    "best",
    "interval_low",
    "interval_high",
    "p_value",
    "in_sample",
)


class Decomposition(NamedTuple):
    """The parts of a mean loss: ``loss = miscalibration - discrimination + uncertainty``.

    Miscalibration is the estimate, uncertainty the loss of predicting the classes' frequencies for
    every row, and discrimination what recalibrated predictions save on that.
    """

    loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float


class GroupAware(NamedTuple):
    """The error of predictions that are recalibrated with the group known (multicalibration)."""

    metric: str
    value: float
    stderr: float
    lower: float


class Group:
    """One group of rows.

    Attributes
    ----------
    name : object
        The group's name, as it was given: a word, a number, an interval.
    n : int
        The number of its rows.
    estimates : dict of str to Estimate, or None
        Its errors; None if the group is too small to say anything. The lower bounds of all groups
        hold together with the report's confidence, and the p-values are adjusted by Holm's method.
    """

    __slots__ = ("estimates", "n", "name")

    def __init__(self, name: Any, n: int, estimates: dict[str, Estimate] | None) -> None:
        self.name = name
        self.n = n
        self.estimates = estimates

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric."""
        if self.estimates is None:
            raise KeyError(f"group {self.name!r} is too small to say anything: {self.n} rows")
        return self.estimates[metric]

    def __repr__(self) -> str:
        """Name the group by its numbers."""
        if self.estimates is None:
            return f"<calipers.Group {self.name!r} of {self.n} rows: too few to say anything>"
        numbers = ", ".join(f"{name}={one.value:.4g}" for name, one in self.estimates.items())
        return f"<calipers.Group {self.name!r} of {self.n} rows: {numbers}>"


class Estimate(float):
    """One calibration error, estimated: a float that knows how sure it is.

    It compares, sorts, rounds, formats and counts as its value does; what is computed from it is a
    plain float.

    Attributes
    ----------
    metric : str
        The metric's name.
    value : float
        The estimate: in expectation a lower bound on the calibration error. It can fall below 0,
        which means that no error was found.
    stderr : float
        The standard error of the estimate; it allows for what folds share.
    lower : float
        A lower confidence bound on the calibration error.
    upper : float or None
        With ``assume="monotone"``: an upper confidence bound, if the truth never falls as the
        prediction rises; None where that says nothing, or where the data contradict it.
    best : float or None
        The best guess of the error, which errs to either side; None where none was made.
    interval : tuple of float, or None
        The ends of an interval around the best guess that holds the error in about 90 of 100 data
        sets; ``interval_low`` and ``interval_high`` are its ends.
    confidence : float
        The confidence of the bounds.
    p_value : float or None
        The p-value of "this model is calibrated", by drawing labels from the predictions; None if
        no drawings were asked for.
    draws : int or None
        How often labels were drawn for it: it is at least 1/(draws + 1).
    in_sample : float or None
        With ``bracket=True``: the estimate on the rows that the recalibrator was fitted to. It errs
        upwards, as the value errs downwards.
    decomposition : Decomposition or None
        The parts of the mean loss, for "brier" and "log".
    gain : FeatureGain or None
        Of an error given features: what was found beyond the error given the prediction alone.
    n : int
        The number of rows.
    infinite_rows : int
        How many rows have an infinite score, because they gave the observed class no probability.
    scores : numpy.ndarray or None
        The held-out score of each row, whose mean is the value; None if it was read from JSON, or
        if rows were streamed.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> error = calipers.calibration_error(y_true, y_prob, recalibrator="isotonic")
    >>> error > 0.02, f"{error:.3f}", round(error, 2)
    (True, '0.126', 0.13)
    """

    __slots__ = (
        "best",
        "confidence",
        "decomposition",
        "draws",
        "gain",
        "in_sample",
        "infinite_rows",
        "interval",
        "lower",
        "metric",
        "n",
        "p_value",
        "scores",
        "stderr",
        "upper",
    )

    metric: str
    stderr: float
    lower: float
    upper: float | None
    best: float | None
    interval: tuple[float, float] | None
    confidence: float
    p_value: float | None
    draws: int | None
    in_sample: float | None
    decomposition: Decomposition | None
    gain: FeatureGain | None
    n: int
    infinite_rows: int
    scores: NDArray[np.float64] | None

    def __new__(cls, fields: Mapping[str, Any], confidence: float, n: int) -> Estimate:
        """Make a float of the value."""
        self = super().__new__(cls, fields["value"])
        self.metric = fields["metric"]
        self.stderr = fields["stderr"]
        self.lower = fields["lower"]
        self.upper = fields["upper"]
        self.best = fields["best"]
        self.interval = fields["interval"]
        self.p_value = fields["p_value"]
        self.draws = fields["draws"]
        self.in_sample = fields["in_sample"]
        parts = fields["decomposition"]
        self.decomposition = None if parts is None else Decomposition(*parts)
        gain = fields.get("gain")
        self.gain = None if gain is None else FeatureGain(*gain)
        self.infinite_rows = fields["infinite_rows"]
        self.scores = fields["scores"]
        self.confidence = confidence
        self.n = n
        return self

    @property
    def value(self) -> float:
        """The estimate as a plain float."""
        return float(self)

    @property
    def interval_low(self) -> float | None:
        """Where the interval around the best guess begins."""
        return None if self.interval is None else self.interval[0]

    @property
    def interval_high(self) -> float | None:
        """Where it ends."""
        return None if self.interval is None else self.interval[1]

    def __reduce__(self) -> tuple[type[Estimate], tuple[Mapping[str, Any], float, int]]:
        """Pickle and copy it with everything it knows."""
        fields = {name: getattr(self, name) for name in ("value", *self.__slots__)}
        return type(self), (fields, self.confidence, self.n)

    def __repr__(self) -> str:
        """Show the numbers that are there."""
        names = ("metric", "value", "stderr", "lower")
        shown = [f"{name}={getattr(self, name)!r}" for name in names]
        for name in ("upper", "best", "interval", "p_value", "in_sample"):
            if getattr(self, name) is not None:
                shown.append(f"{name}={getattr(self, name)!r}")
        if self.gain is not None:
            shown.append(f"gain={self.gain.value!r}")
        return f"Estimate({', '.join(shown)}, n={self.n})"


class Report(Mapping[str, Estimate]):
    """Everything that one evaluation found: a mapping of metrics' names to estimates.

    ``report["l1"]`` is the estimate of a metric; ``dict(report)`` holds all of them.

    Attributes
    ----------
    n : int
        The number of rows.
    sample : int or None
        Of a stream, the number of rows that were estimated by cross-fitting; what was learnt from
        them scored all others. None if all rows were.
    clusters : int or None
        The number of clusters, if rows belong together.
    classes : list of str
        The classes' names, in the order of the columns.
    recalibrator : str
        What the truth was learnt with.
    folds, repeats : int
        The number of folds, and how often they were drawn.
    seed : int
        The seed of everything random.
    confidence : float
        The confidence of the bounds.
    assume : str or None
        What the upper bounds take to be true.
    contradicted : bool
        Whether the data contradict it.
    constant : bool
        Whether every row has the same prediction.
    estimates : dict of str to Estimate
        The estimates, in the order in which the metrics were asked for.
    approximations : list of str
        What kept the cost of the fits bounded.
    groups : dict of Group, or None
        The errors within groups, where groups were given, by the groups as they were given.
    group_aware : dict of str to GroupAware, or None
        The errors of predictions that are recalibrated with the group known.
    given_features : GivenFeatures or None
        The errors given the prediction and features, where features were given.
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
    metric   estimate  std. error  lower 95%
    l1       0.1259    0.0139      0.1030
    over-l1  0.1234    0.0134      0.1013
    <BLANKLINE>
    p_value <= 0.0010 (999 drawings): how often a calibrated model looks so odd
    >>> round(report["l1"].value, 4)
    0.1259
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        source: Source | None = None,
        groups: Groups | None = None,
    ) -> None:
        if source is not None:
            groups = source.settings["groups"]
        self._source = source
        self.n: int = fields["n"]
        self.sample: int | None = fields["sample"]
        self.clusters: int | None = fields["clusters"]
        self.classes: list[str] = fields["classes"]
        self.recalibrator: str = fields["recalibrator"]
        self.folds: int = fields["folds"]
        self.repeats: int = fields["repeats"]
        self.seed: int = fields["seed"]
        self.confidence: float = fields["confidence"]
        self.assume: str | None = fields["assume"]
        self.contradicted: bool = fields["contradicted"]
        self.constant: bool = fields["constant"]
        self.renormalised_rows: int = fields["renormalised_rows"]
        self.fits: int | None = fields["fits"]
        self.unconverged_fits: int = fields["unconverged_fits"]
        self.approximations: list[str] = fields["approximations"]
        self.estimates: dict[str, Estimate] = _estimates(
            fields["estimates"], self.confidence, self.n
        )
        found = fields["groups"]
        self.groups: dict[Any, Group] | None = None
        self.group_aware: dict[str, GroupAware] | None = None
        if found is not None:
            self.groups = {}
            for name, n, own in found["groups"]:
                given = name if groups is None else groups.given[name]
                estimates = None if own is None else _estimates(own, found["confidence"], n)
                self.groups[given] = Group(given, n, estimates)
            self.group_aware = {one[0]: GroupAware(*one) for one in found["aware"]}
        given_features = fields["given_features"]
        self.given_features: GivenFeatures | None = None
        if given_features is not None:
            own_estimates = _estimates(given_features["estimates"], self.confidence, self.n)
            self.given_features = GivenFeatures(given_features, own_estimates)
        self.notes: list[str] = fields["notes"]
        self._texts: Texts | None = fields["texts"]
        self._written: dict[str, str] = {}

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
    def segments(self) -> Segments | None:
        """Who the model is off about, the clearest first; None where no features were given."""
        return None if self.given_features is None else self.given_features.segments

    def to_json(self) -> str:
        """Return the report as the command line prints it with ``--format json``."""
        return self._text_of("json")

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`to_json` says as a dictionary.

        An infinite value is the string ``"inf"``, as in JSON; the attributes hold the number.
        """
        import json  # Here, because the import of calipers is to be quick.

        parsed: dict[str, Any] = json.loads(self.to_json())
        return parsed

    @staticmethod
    def from_json(text: str) -> Report:
        """Return the report that :meth:`to_json` or ``calipers estimate --format json`` wrote.

        It holds what JSON does: no scores of rows, no notes, and groups by their names as words.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        Report
            To be read, printed and made a table of; figures need the predictions.

        Raises
        ------
        InputError
            If the text is no report.

        Examples
        --------
        >>> import calipers
        >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
        >>> report = calipers.evaluate(y_true, y_prob, ["l1", "over-l1"], recalibrator="isotonic")
        >>> calipers.Report.from_json(report.to_json()) == report
        True
        """
        from calipers._saved import read_report

        return read_report(text)

    def to_frame(self) -> Any:
        """Return the estimates as a table, one row a metric.

        Where there are groups, a column ``group`` comes first: after the rows of the whole, where
        it is None, come those of each group, without numbers if it is too small to say anything.
        What was found given features has tables of its own: ``report.given_features.to_frame()``
        and ``report.segments.to_frame()``.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            pandas' if it is installed, or else polars'.
        """
        return as_frame(self.to_columns(), NUMBERS)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of :meth:`to_frame`, for those who make tables in another way."""
        rows: list[tuple[Any, str, Estimate | None]] = [
            (None, name, one) for name, one in self.estimates.items()
        ]
        for group, found in (self.groups or {}).items():
            own = found.estimates or {}
            rows += [(group, name, own.get(name)) for name in self.estimates]
        columns: dict[str, list[Any]] = {}
        if self.groups is not None:
            columns["group"] = [group for group, _, _ in rows]
        columns["metric"] = [name for _, name, _ in rows]
        for name in NUMBERS:
            columns[name] = [getattr(one, name, None) for _, _, one in rows]
        columns["infinite_rows"] = [getattr(one, "infinite_rows", 0) for _, _, one in rows]
        return columns

    def plot(
        self,
        ax: Any = None,
        kind: Kind = "reliability",
        class_name: str | None = None,
        *,
        bins: bool = False,
    ) -> Any:
        """Draw a figure with matplotlib.

        The report refers to the arrays that were evaluated, and the figure is made of them: they
        should not have been written to since.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new Axes by default.
        kind : {"reliability", "contribution"}, default "reliability"
            The recalibrator's g over f with a 95 % band; or where the l1 error comes from along f.
        class_name : str, optional
            The class to look at; class 1 of two by default, else the most probable one.
        bins : bool, default False
            Whether to add the frequencies in 15 bins.

        Returns
        -------
        matplotlib Axes
            Where it was drawn.
        """
        from calipers._plot import draw

        return draw(self._kept().figure(kind, class_name), ax, bins, None)

    def save_html(self, path: Any, name: str = "predictions") -> None:
        """Write a page that shows everything: one file that asks for nothing else.

        It evaluates again, with the same settings and seed, because it shows more than was asked
        for: over- and under-confidence, figures, and each class of many.

        Parameters
        ----------
        path : str or path
            The file to write; it is replaced whole, or not at all.
        name : str, default "predictions"
            What the page calls the predictions.
        """
        _calipers.write_file(path, self._kept().page(name))

    def _kept(self) -> Source:
        if self._source is None:
            raise ValueError(
                "this report does not know its predictions: it was pickled, was read from JSON, is "
                "of a stream, or is one of several of a comparison; evaluate them again"
            )
        return self._source

    def _text_of(self, kind: Literal["json", "text", "html"]) -> str:
        """Return the report as text, which is made when it is first asked for."""
        if kind not in self._written:
            self._written[kind] = "" if self._texts is None else getattr(self._texts, kind)()
        return self._written[kind]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the predictions, which may be much larger than the report."""
        written = {kind: self._text_of(kind) for kind in ("json", "text", "html")}
        return {**self.__dict__, "_source": None, "_texts": None, "_written": written}

    def __str__(self) -> str:
        """Return the table that the command line prints."""
        return self._text_of("text")

    def __repr__(self) -> str:
        """Name the report by its numbers."""
        numbers = ", ".join(f"{name}={one.value:.4g}" for name, one in self.estimates.items())
        return f"<calipers.Report of {self.n} rows: {numbers}>"

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return self._text_of("html")


def _estimates(found: list[Mapping[str, Any]], confidence: float, n: int) -> dict[str, Estimate]:
    return {one["metric"]: Estimate(one, confidence, n) for one in found}

"""What was found given features: errors, what each feature is worth, and who the model is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers._features import MISSING, Column, some_features
from calipers._frames import as_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calipers._report import Estimate


class FeatureGain(NamedTuple):
    """How much more of an error is found with features than without.

    Attributes
    ----------
    value : float
        The difference of the two estimates, in held-out rows.
    stderr : float
        Its standard error.
    lower : float
        Its lower confidence bound, which is at least 0.
    """

    value: float
    stderr: float
    lower: float


class FeatureShare(NamedTuple):
    """What some features are worth; those that say much the same are looked at together.

    Attributes
    ----------
    features : list of str
        Their names.
    lost : dict of str to FeatureGain
        By the metrics' names, how much less of the error is found where the values of these
        features are those of other rows.
    """

    features: list[str]
    lost: dict[str, FeatureGain]


class Condition(NamedTuple):
    """What the rows of a segment have in common.

    Attributes
    ----------
    feature : str
        The feature's name.
    above, up_to : float or None
        The number that it is above, and the one that it is not above.
    level : str or None
        The category that it is.
    missing : bool
        Whether it is missing.
    """

    feature: str
    above: float | None = None
    up_to: float | None = None
    level: str | None = None
    missing: bool = False


class Segment(NamedTuple):
    """Rows of which more, or less, happens than the model says; ``str`` says which rows.

    Attributes
    ----------
    words : str
        The conditions in words, such as ``"age > 62 and region = south"``.
    conditions : list of Condition
        The same as data.
    class_name : str
        The class that the model is off about.
    rows : int
        The number of rows.
    measured : int
        In how many of them it was measured; all that follows is of these.
    predicted : float
        The mean of what the model says of the class.
    observed : float
        How often it was observed.
    bound : float
        What its probability is at least, if ``above``, or at most. The bounds of all segments that
        were tried hold together with the report's confidence.
    above : bool
        Whether more happens than the model says.
    """

    words: str
    conditions: list[Condition]
    class_name: str
    rows: int
    measured: int
    predicted: float
    observed: float
    bound: float
    above: bool

    def holds(self, features: Any) -> NDArray[np.bool_]:
        """Say of each row of features whether it is in the segment.

        Parameters
        ----------
        features : table or array of shape (n, d)
            As in :func:`calipers.evaluate`, of these rows or of others.

        Returns
        -------
        numpy.ndarray of bool
            True for rows that are.
        """
        columns = some_features(features, [condition.feature for condition in self.conditions])
        each = zip(self.conditions, columns, strict=True)
        inside: NDArray[np.bool_] = np.logical_and.reduce([_holds(*one) for one in each])
        return inside

    def __str__(self) -> str:
        """Say which rows they are."""
        return self.words


class Segments(list[Segment]):
    """The segments that are shown to be off, the clearest first.

    They were looked for in some rows and measured in others, so that having looked for them is no
    excuse.

    Attributes
    ----------
    tried : int
        How many were found and measured, whether or not they are shown to be off.
    searched, measured : int
        How many rows they were looked for in, and measured in.
    """

    def __init__(self, shown: list[Segment], tried: int, searched: int, measured: int) -> None:
        super().__init__(shown)
        self.tried = tried
        self.searched = searched
        self.measured = measured

    def to_frame(self) -> Any:
        """Return them as a table, one row a segment.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            pandas' if it is installed, or else polars'. The column ``segment`` has the words.
        """
        return as_frame(self.to_columns(), ("predicted", "observed", "bound"))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of :meth:`to_frame`, for those who make tables in another way."""
        columns: dict[str, list[Any]] = {"segment": [str(one) for one in self]}
        for name in Segment._fields[2:]:
            columns[name] = [getattr(one, name) for one in self]
        return columns


# The columns of a table of errors given features that hold numbers.
NUMBERS = ("value", "stderr", "lower", "p_value", "gain", "gain_stderr", "gain_lower")


class GivenFeatures(Mapping[str, "Estimate"]):
    """Errors given the prediction and features: a mapping of metrics' names to estimates.

    ``given["l1"]`` estimates how far predictions are from the truth for rows of the same prediction
    *and* the same features, where the errors of different people cannot cancel; its ``gain`` is
    what was found beyond the error given the prediction alone.

    Attributes
    ----------
    features : list of str
        The features' names.
    estimates : dict of str to Estimate
        The estimates, in the order of the report's own.
    shares : list of FeatureShare
        What features are worth, those that are worth most first.
    segments : Segments
        Who the model is off about.

    Examples
    --------
    >>> import calipers, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, south = rng.uniform(0.2, 0.8, 4000), rng.integers(2, size=4000)
    >>> y = rng.uniform(size=4000) < p + np.where(south == 1, 0.15, -0.15)
    >>> given = calipers.evaluate(y, p, "l1", features={"south": south}).given_features
    >>> given["l1"].value > 0.1, given["l1"].gain.lower > 0.05
    (True, True)
    >>> given.shares[0].features
    ['south']
    """

    def __init__(self, fields: Mapping[str, Any], estimates: dict[str, Estimate]) -> None:
        self.features: list[str] = list(fields["features"])
        self.estimates = estimates
        self.shares = [
            FeatureShare(list(names), {metric: FeatureGain(*one) for metric, one in lost.items()})
            for names, lost in fields["shares"]
        ]
        found = fields["segments"]
        shown = [_segment(one) for one in found["shown"]]
        self.segments = Segments(shown, found["tried"], found["searched"], found["measured"])

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric."""
        return self.estimates[metric]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics."""
        return iter(self.estimates)

    def __len__(self) -> int:
        """Count the metrics."""
        return len(self.estimates)

    def to_frame(self) -> Any:
        """Return the estimates as a table, one row a metric.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            pandas' if it is installed, or else polars'. What was found beyond the error given the
            prediction alone is in ``gain``, ``gain_stderr`` and ``gain_lower``.
        """
        return as_frame(self.to_columns(), NUMBERS)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of :meth:`to_frame`, for those who make tables in another way."""
        columns: dict[str, list[Any]] = {"metric": list(self.estimates)}
        for name in ("value", "stderr", "lower", "p_value"):
            columns[name] = [getattr(one, name) for one in self.estimates.values()]
        for name, part in (("gain", "value"), ("gain_stderr", "stderr"), ("gain_lower", "lower")):
            columns[name] = [getattr(one.gain, part) for one in self.estimates.values()]
        return columns

    def __repr__(self) -> str:
        """Name them by their numbers."""
        numbers = ", ".join(f"{name}={one.value:.4g}" for name, one in self.estimates.items())
        return f"<calipers.GivenFeatures {', '.join(self.features)}: {numbers}>"


def _holds(condition: Condition, column: Column) -> NDArray[np.bool_]:
    """Say of each row whether its value is wanted."""
    values = column[1]
    if len(column) == 3:
        levels = column[2]
        wanted = levels.index(condition.level) if condition.level in levels else None
        return np.asarray(values == (MISSING if condition.missing else wanted), dtype=bool)
    if condition.missing or condition.level is not None:
        return np.isnan(values) & condition.missing
    # What is missing is neither above nor up to anything.
    low = -np.inf if condition.above is None else condition.above
    high = np.inf if condition.up_to is None else condition.up_to
    return (values > low) & (values <= high)


def _segment(fields: Mapping[str, Any]) -> Segment:
    """Return a segment of what the extension, or JSON, says of it."""
    conditions = [Condition(**one) for one in fields["conditions"]]
    return Segment(
        words=fields["segment"],
        conditions=conditions,
        class_name=fields["class"],
        rows=fields["rows"],
        measured=fields["measured"],
        predicted=float(fields["predicted"]),
        observed=float(fields["observed"]),
        bound=float(fields["bound"]),
        above=fields["above"],
    )

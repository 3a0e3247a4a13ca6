"""More rows than fit in memory: a plan that is made of a sample, and tallies of all rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from calipers import _calipers
from calipers._arrays import as_scores, as_weights, as_whole, number_of_columns
from calipers._errors import InputError
from calipers._evaluate import SAMPLE, completed
from calipers._folds import as_folds
from calipers._groups import as_coded, as_groups
from calipers._keys import as_who
from calipers._labels import as_labels
from calipers._options import as_settings, refuse_of_arrays
from calipers._progress import watched
from calipers._report import Report


def candidates(
    key: Any = None, *, total: int, sample: int = SAMPLE, seed: int = 0, rows: Any = None
) -> np.ndarray[Any, Any]:
    """Say which rows may be in a sample, where they are.

    A row's rank follows from the seed and from who the row is, and the sample is the rows of the
    lowest ranks. Of the rows that this function picks anywhere, :meth:`Plan.fit` keeps those that
    are in it.

    Parameters
    ----------
    key : array of shape (n,), optional
        A whole number or a text that is the row's own. A number and its text are the same key.
    total : int
        How many rows there are, here and elsewhere.
    sample : int, default 1,000,000
        How many rows are to be in the sample. Of many classes a plan keeps fewer by itself.
    seed : int, default 0
        The seed, which has to be that of :meth:`Plan.fit`.
    rows : (part, first, count), optional
        Who the rows are where there is no key: the part, such as a file, counted from 0, the number
        of the first row in it, and how many there are.

    Returns
    -------
    numpy.ndarray of bool
        True for rows that may be in the sample: a few more than will be.

    Examples
    --------
    >>> import calipers, numpy as np
    >>> mask = calipers.candidates(np.arange(100_000), total=100_000, sample=1000)
    >>> 1000 < int(mask.sum()) < 1400
    True
    """
    count = 0
    if key is None:
        try:
            part, first, count = rows
        except (TypeError, ValueError):
            raise InputError("rows: without a key, (part, first, count) is needed") from None
        rows = (part, first)
    return _calipers.candidates(
        as_who(key, rows),
        as_whole(count, "rows"),
        as_whole(sample, "sample"),
        as_whole(total, "total"),
        as_whole(seed, "seed"),
    )


class Tally:
    """What was seen of some rows: sums that add up to the same bits in any order.

    ``tally + tally`` and ``sum(tallies)`` are the tally of all of their rows. It can be pickled, or
    sent as bytes.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 3000, seed=0)
    >>> plan = calipers.Plan.fit(y_true, y_prob, sample=1000)
    >>> first = plan.tally(y_true[:2000], y_prob[:2000])
    >>> second = plan.tally(y_true[2000:], y_prob[2000:], rows=(0, 2000))
    >>> (second + calipers.Tally.from_bytes(first.to_bytes())).rows
    3000
    """

    __slots__ = ("_core",)

    def __init__(self, core: _calipers.Tally) -> None:
        self._core = core

    @property
    def rows(self) -> int:
        """The number of rows that it has seen."""
        return self._core.rows

    def finish(self, plan: Plan) -> Report:
        """Return the report, as :meth:`Plan.finish` does."""
        return plan.finish(self)

    def to_bytes(self) -> bytes:
        """Return the tally as bytes: up to some hundred kilobytes, whatever the number of rows."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """Return the tally that :meth:`to_bytes` wrote.

        Raises
        ------
        InputError
            If the bytes are no tally.
        """
        return cls(_calipers.Tally.from_bytes(data))

    def __add__(self, other: Any) -> Tally:
        """Return the tally of both."""
        return total([self, other]) if isinstance(other, Tally) else NotImplemented

    def __radd__(self, other: Any) -> Tally:
        """Let ``sum`` begin with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __reduce__(self) -> tuple[Callable[[bytes], Tally], tuple[bytes]]:
        """Pickle and copy it as bytes."""
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        """Show how much it has seen."""
        return f"<calipers.Tally of {self.rows:,} rows>"


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the tally of all of them."""
    first, *others = (tally._core for tally in tallies)
    return Tally(first.plus(others))


class Plan:
    """Which rows are the sample, what was found in it, and what scores all other rows.

    A plan is made once (:meth:`fit`), of rows that were brought together: all of them, or those
    that :func:`calipers.candidates` picked where they are. It can be sent to wherever rows are, as
    bytes or pickled, and makes a :class:`Tally` of every batch (:meth:`tally`). The sum of all
    tallies becomes the report (:meth:`finish`): the same bits however rows were cut into batches,
    and whichever came first.

    If all rows are in the sample, the report is that of :func:`calipers.evaluate` for the rows in
    the order of their identities, bit for bit; rows without keys keep their order.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 20_000, seed=0)
    >>> plan = calipers.Plan.fit(y_true, y_prob, sample=2000)
    >>> batches = range(0, 20_000, 5000)
    >>> tallies = [
    ...     plan.tally(y_true[at : at + 5000], y_prob[at : at + 5000], rows=(0, at))
    ...     for at in batches
    ... ]
    >>> report = plan.finish(sum(tallies))
    >>> report.n, report.sample
    (20000, 2000)
    >>> 0.12 < report["l1"].value < 0.15
    True
    """

    __slots__ = ("_about", "_core")

    def __init__(self, core: _calipers.Plan) -> None:
        self._core = core
        try:
            about = json.loads(core.about)
        except ValueError:  # A plan that another face has made.
            about = {}
        self._about: dict[str, Any] = about

    @classmethod
    def fit(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        key: Any = None,
        rows: Any = None,
        sample: int | None = None,
        labels: Any = None,
        **options: Any,
    ) -> Plan:
        """Make a plan of the candidates for its sample, or of all rows.

        Parameters
        ----------
        y_true : array of shape (n,), or one-hot of shape (n, k)
            The observed classes, as in :func:`calipers.evaluate`.
        y_prob : array of shape (n,), (n, 1) or (n, k)
            The probabilities, one column a class; a single column is that of class 1.
        key : array of shape (n,), optional
            A whole number or a text that is the row's own. A number and its text are the same key.
        rows : (part, first), optional
            Who the rows are where there is no key: the part, such as a file, counted from 0, and
            the number of the first row in it. Either may be an array with an entry for each row. By
            default the rows are those of part 0, from 0.
        sample : int, optional
            How many rows are in the sample at the most: those of the lowest ranks are kept. By
            default 1,000,000, and fewer of more than 20 classes, as :func:`calipers.evaluate` has.
        labels : array, optional
            All labels that occur, where these rows may lack some; without it, the labels of these
            rows and the classes' names say how labels are read.
        **options
            Those of :func:`calipers.evaluate`. The recalibrator and the metrics are named: Python's
            own classifiers and distances cannot be sent.

        Returns
        -------
        Plan
            To be sent to wherever rows are.

        Raises
        ------
        InputError
            If something in the input is wrong, or two rows have the same key.

        Examples
        --------
        Of the candidates alone, as they are brought together from many machines:

        >>> import calipers, numpy as np
        >>> y_true, y_prob = calipers.simulate("binary-overconfident", 20_000, seed=0)
        >>> key = np.arange(20_000)
        >>> mask = calipers.candidates(key, total=20_000, sample=2000)
        >>> some = calipers.Plan.fit(y_true[mask], y_prob[mask], key=key[mask], sample=2000)
        >>> every = calipers.Plan.fit(y_true, y_prob, key=key, sample=2000)
        >>> reports = [plan.finish(plan.tally(y_true, y_prob, key=key)) for plan in (some, every)]
        >>> reports[0].to_json() == reports[1].to_json()
        True
        """
        given = completed(options)
        scores, columns = as_scores(y_prob)
        groups, folds = given["groups"], given["folds"]
        if not isinstance(folds, int):
            folds = as_folds(folds, len(scores), as_groups(groups))
        beside = as_beside(as_who(key, rows), given["sample_weight"], groups)
        if isinstance(folds, np.ndarray):
            beside["folds"] = np.unique(folds, return_inverse=True)[1].astype(np.uint32)
            folds = 2  # Those of the rows count.
        drawing = Drawing({**given, "folds": folds}, sample, keyed=key is not None)
        drawing.columns_are(number_of_columns(scores), columns, getattr(y_true, "name", None))
        if labels is not None:
            drawing.expect(labels)
        drawing.add(y_true, scores, beside)
        return drawing.plan()

    def tally(
        self,
        y_true: Any,
        y_prob: Any,
        *,
        key: Any = None,
        rows: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        threads: int | None = None,
    ) -> Tally:
        """Tally a batch of rows, anywhere.

        Labels are read as those were that the plan was made of, also where a batch has only some of
        them, and so are probabilities or logits.

        Parameters
        ----------
        y_true, y_prob : arrays
            Labels and predictions, as :meth:`fit` takes them.
        key, rows : optional
            Who the rows are, as :meth:`fit` takes it.
        sample_weight, groups : array of shape (n,), optional
            The rows' weights and groups, if the plan was given some.
        threads : int, optional
            How many threads to use; as many as there are cores by default. The bits are the same.

        Returns
        -------
        Tally
            To be added to those of all other batches.

        Raises
        ------
        InputError
            If something in the input is wrong, or does not fit the plan: a label that is none of
            its classes, other columns, weights or groups here and not there.
        """
        scores, columns = as_scores(y_prob)
        if self._about.get("keyed", key is not None) != (key is not None):
            has, lack = ("a key", "none") if key is None else ("no key", "one")
            raise InputError(f"key: the plan was made with {has}, and these rows have {lack}")
        known = self._about.get("columns")
        if columns is not None and known is not None and columns != known:
            raise InputError(f"columns {columns}: those of the plan are {known}, in this order")
        labels, _ = as_labels(y_true, number_of_columns(scores), self._about.get("names"))
        beside = as_beside(as_who(key, rows), sample_weight, groups)
        return self.tallied(labels, scores, beside, threads)

    def tallied(
        self, labels: Any, scores: Any, beside: dict[str, Any], threads: int | None
    ) -> Tally:
        """Tally a batch that was brought into the extension's shape; for this package."""
        beside["from_logits"] = self._about.get("from_logits", False)
        count = 0 if threads is None else as_whole(threads, "threads")
        return Tally(self._core.tally(labels, scores, beside, count))

    def finish(self, tally: Tally) -> Report:
        """Return the report of all rows.

        Parameters
        ----------
        tally : Tally
            The sum of the tallies of all batches.

        Returns
        -------
        Report
            As that of :func:`calipers.evaluate`, but for scores of rows and figures;
            ``report.sample`` is the number of rows in the sample. Groups go by their names as
            words.

        Raises
        ------
        InputError
            If the tally is of another plan; if the rows of the sample are not each in it once: some
            rows are missing, or were counted twice.
        """
        return Report(self._core.finish(tally._core))

    def sample_report(self) -> Report:
        """Return what was found in the sample, which may be everything."""
        return Report(self._core.sample_report())

    @property
    def classes(self) -> list[str]:
        """The classes' names, in the order of the columns."""
        return self._core.classes

    @property
    def sample(self) -> int:
        """The number of rows in the sample."""
        return self._core.rows

    @property
    def is_everything(self) -> bool:
        """Whether the sample is all rows that the plan was made of."""
        return self._core.is_everything

    def to_bytes(self) -> bytes:
        """Return the plan as bytes, to be sent to wherever rows are."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Plan:
        """Return the plan that :meth:`to_bytes` wrote; its tallies have the same bits.

        Raises
        ------
        InputError
            If the bytes are no plan.
        """
        return cls(_calipers.Plan.from_bytes(data))

    def __reduce__(self) -> tuple[Callable[[bytes], Plan], tuple[bytes]]:
        """Pickle and copy it as bytes."""
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        """Say what it is about."""
        kind = "all rows" if self.is_everything else "a sample"
        return f"<calipers.Plan of {kind}: {self.sample:,} rows, {len(self.classes)} classes>"


class Drawing:
    """A sample on its way to a plan, batch by batch.

    Parameters
    ----------
    given : mapping
        The options of :func:`calipers.evaluate`, all of them.
    sample : int or None
        How many rows are in the sample at the most, if that was said.
    keyed : bool
        Whether rows have keys.
    """

    def __init__(self, given: Mapping[str, Any], sample: int | None, *, keyed: bool) -> None:
        refuse_of_arrays(given)
        self._given = {**given, "sample_weight": None, "groups": None}
        self._sample = None if sample is None else as_whole(sample, "sample")
        if self._sample == 0:
            raise InputError("sample: 0 rows; something has to be learnt from")
        if not isinstance(given["folds"], (int, np.integer)):
            raise InputError("folds: of a source, expected their number")
        self._keyed = keyed
        self._sampler: _calipers.Sampler | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there were no rows yet."""
        return self._sampler is None or self._sampler.seen == 0

    def columns_are(self, count: int, columns: list[str] | None, label: Any) -> None:
        """Say how many columns of predictions there are, and what all columns are called."""
        settings = as_settings(self._given, np.empty((0, count)), columns)
        if not isinstance(settings["recalibrator"], str):
            raise InputError(
                "recalibrator: a classifier cannot be sent to where rows are; expected a name"
            )
        if not all(isinstance(metric, str) for metric in settings["metrics"]):
            raise InputError("metrics: a distance cannot be sent to where rows are; expected names")
        if columns is not None:
            settings["origin"] = (label if isinstance(label, str) and label else "y_true", columns)
        self._columns, self._count, self._settings = columns, count, settings
        self._names: list[str] | None = settings["class_names"]

    def expect(self, labels: Any) -> None:
        """Say which labels there are, whether or not they will be met."""
        labels, self._names = as_labels(labels, self._count, self._names)
        self._begun().expect(labels)

    def add(self, y_true: Any, scores: np.ndarray[Any, Any], beside: dict[str, Any]) -> None:
        """Look at a batch, whose labels are of any kind."""
        labels, self._names = as_labels(y_true, self._count, self._names)
        self.add_read(labels, scores, beside)

    def add_read(self, labels: Any, scores: np.ndarray[Any, Any], beside: dict[str, Any]) -> None:
        """Look at a batch, whose labels were brought into the extension's shape."""
        beside["from_logits"] = self._settings["from_logits"]
        self._begun().add(labels, scores, beside)

    def plan(self) -> Plan:
        """Make the plan."""
        about = {
            "columns": self._columns,
            "names": self._names,
            "keyed": self._keyed,
            "from_logits": self._settings["from_logits"],
        }
        progress = self._given["progress"]
        if progress is False:
            return Plan(self._begun().plan(self._settings, json.dumps(about)))
        with watched(progress) as watcher:
            settings = {**self._settings, "progress": watcher}
            return Plan(self._begun().plan(settings, json.dumps(about)))

    def _begun(self) -> _calipers.Sampler:
        if self._sampler is None:
            seed, given = self._settings["seed"], self._settings["given"]
            usual = _calipers.usual_sample(max(self._count, 2))
            sample = usual if self._sample is None else self._sample
            self._sampler = _calipers.Sampler(sample, seed, self._names, given)
        return self._sampler


def as_beside(who: Any, sample_weight: Any, groups: Any) -> dict[str, Any]:
    """Return what the extension is told of rows besides labels and predictions."""
    return {
        "who": who,
        "weights": as_weights(sample_weight),
        "groups": as_coded(groups),
        "folds": None,
        "from_logits": False,
    }

"""Monitoring: evidence against calibration, in the order of arrival."""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers import _calipers
from calipers._arrays import as_array, as_scores, classes_of, number_of_columns
from calipers._errors import InputError
from calipers._groups import as_groups
from calipers._labels import POSITIONS, as_labels, as_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class _Reading(NamedTuple):
    """How the first rows were read, and all others have to be."""

    classes: list[str]  # The classes' names, in the order of the columns.
    labels: list[str]  # The label of each class: its name, or its position, or a truth.
    columns: list[str] | None  # The names of the columns, if they had names.

    def fits(self, classes: int) -> bool:
        """Whether there is a name and a label for each of so many classes."""
        named = _are_names(self.classes) and _are_names(self.labels)
        return (
            named
            and len(self.classes) == len(self.labels) == classes
            and (self.columns is None or _are_names(self.columns))
        )


class Monitor:
    """Evidence against "these probabilities are calibrated", which grows as rows arrive.

    The e-value is the wealth of a player who began with 1 and bets against the probabilities at
    the odds that they state, with what he has learnt from earlier rows. If labels are draws from
    the probabilities, it ever reaches 20 with a probability of at most 1/20, and likewise for
    any other level. So it may be looked at after every row and stopped at any time: an e-value of
    20 is evidence at 5 %, whenever it is reached.

    Parameters
    ----------
    class_names : sequence, optional
        The classes' names, in the order of the columns. Without it, the first rows decide, by the
        rules of :func:`calipers.evaluate`; after them, classes and their order are fixed.
    from_logits : bool, default False
        Whether logits are observed; a single column is the logit of class 1.

    Examples
    --------
    >>> import calipers
    >>> monitor = calipers.Monitor()
    >>> for day in range(20):
    ...     y_true, y_prob = calipers.simulate("binary-overconfident", 50, seed=day)
    ...     monitor.observe(y_true, y_prob)
    ...     if monitor.p_value <= 0.01:
    ...         break
    >>> monitor.largest >= 100, monitor.n < 1000
    (True, True)

    Saved and resumed, it goes on as if it had never stopped:

    >>> resumed = calipers.Monitor.from_json(monitor.to_json())
    >>> resumed.e_value == monitor.e_value
    True
    """

    def __init__(
        self, class_names: Sequence[Any] | None = None, *, from_logits: bool = False
    ) -> None:
        self._class_names = as_names(class_names, None)
        self._from_logits = bool(from_logits)
        self._reading: _Reading | None = None
        self._core: _calipers.Monitor | None = None
        self._turn = threading.Lock()

    def observe(self, y_true: Any, y_prob: Any, *, cluster: Any = None) -> None:
        """Take in rows, in the order in which they arrived.

        How they are cut into batches makes no difference, to the last bit, and a batch without
        rows does nothing. The order must not depend on the labels: where one outcome is known
        sooner than the other, enter a row when either would have been known.

        Parameters
        ----------
        y_true : array of shape (n,)
            The observed classes, as in :func:`calipers.evaluate`.
        y_prob : array of shape (n,), (n, 1) or (n, k)
            The probabilities, one column a class; a single column is that of class 1.
        cluster : array of shape (n,), optional
            Which rows belong together and may share their fate: they are bet on once. All rows of a
            cluster have to come in one batch.

        Raises
        ------
        InputError
            If something in the input is wrong, or does not fit to the rows before: another number
            of columns, other names of columns, a label that is none of the classes. Nothing has
            been taken in then.
        """
        scores, columns = as_scores(y_prob)
        if len(scores) == 0 and as_array(y_true, "y_true")[0].size == 0:
            return
        count = number_of_columns(scores)
        with self._turn:
            reading = self._reading
            if reading is None:
                names = as_names(self._class_names, classes_of(columns), count)
                labels, names = as_labels(y_true, count, names)
                given = self._class_names is not None
                codes, reading = self._first(labels, count, names, given, columns)
            else:
                labels, _ = as_labels(y_true, count, reading.labels)
                codes = self._later(labels, count, columns, reading)
            core = self._core or _calipers.Monitor(len(reading.classes))
            together = as_groups(cluster, "cluster")
            self._core = core.observe(scores, codes, self._from_logits, together)
            self._reading = reading

    @staticmethod
    def _first(
        labels: Any,
        count: int,
        names: list[str] | None,
        given: bool,
        columns: list[str] | None,
    ) -> tuple[Any, _Reading]:
        """Read labels as `evaluate` does, and keep what they mean."""
        codes, classes, rule, _, _ = _calipers.read_labels(labels, count, names, given)
        fixed = classes
        if rule in POSITIONS:
            fixed = [str(POSITIONS[rule] + place) for place in range(len(classes))]
        elif rule == "truth":
            fixed = ["false", "true"]
        return codes, _Reading(classes, fixed, columns)

    @staticmethod
    def _later(labels: Any, count: int, columns: list[str] | None, reading: _Reading) -> Any:
        """Read labels as the first ones were."""
        if None not in (columns, reading.columns) and columns != reading.columns:
            raise InputError(
                f"columns {columns}: those of the first rows were {reading.columns}, in this order"
            )
        codes, _, rule, _, examples = _calipers.read_labels(labels, count, reading.labels, True)
        if rule == "names":
            return codes
        # By another rule they could be read, but the first rows went by this one.
        for row in sorted(example for example in examples if example >= 0):
            one = labels[row : row + 1]
            if _calipers.read_labels(one, count, reading.labels, True)[2] != "names":
                raise InputError(
                    f"row {row}: label {labels[row]!r} is none of the classes "
                    f"{', '.join(reading.labels)}",
                    row=row,
                    value=labels[row],
                )
        return codes  # Not reached: a label that has no name is among the examples.

    @property
    def e_value(self) -> float:
        """The evidence after the rows so far; 1 before the first."""
        return 1.0 if self._core is None else self._core.e_value

    @property
    def log_e_value(self) -> float:
        """The logarithm of the e-value, which is finite where the e-value is too large."""
        return 0.0 if self._core is None else self._core.log_e_value

    @property
    def largest(self) -> float:
        """The largest e-value after any row so far, to which Ville's inequality applies."""
        return 1.0 if self._core is None else self._core.largest

    @property
    def log_largest(self) -> float:
        """The logarithm of the largest e-value."""
        return 0.0 if self._core is None else self._core.log_largest

    @property
    def p_value(self) -> float:
        """1/largest: a p-value that holds at all times at once, and never rises."""
        return 1.0 if self._core is None else self._core.p_value

    @property
    def n(self) -> int:
        """The number of rows so far."""
        return 0 if self._core is None else self._core.rows

    @property
    def impossible_rows(self) -> int:
        """How many rows were of a class whose probability was 0; one makes the e-value infinite."""
        return 0 if self._core is None else self._core.impossible_rows

    @property
    def classes(self) -> list[str] | None:
        """The classes' names, in the order of the columns; None before the first row."""
        return None if self._reading is None else list(self._reading.classes)

    def to_json(self) -> str:
        """Return everything it knows as text: the state of its bets, no rows."""
        with self._turn:
            state = {
                "class_names": self._class_names,
                "from_logits": self._from_logits,
                "reading": None if self._reading is None else self._reading._asdict(),
                "state": None if self._core is None else self._core.to_json(),
            }
        return json.dumps({"calipers": _FORMAT, **state, "checksum": _checksum(state)})

    @classmethod
    def from_json(cls, text: str) -> Monitor:
        """Return the monitor that was saved; it goes on to the same bits.

        Raises
        ------
        InputError
            If the text is no saved monitor, or was damaged or edited.
        """
        try:
            saved = json.loads(text)
        except ValueError as error:
            raise InputError(f"saved monitor: {error}") from None
        if not isinstance(saved, dict) or saved.pop("calipers", None) != _FORMAT:
            raise InputError(f'saved monitor: expected an object with "calipers": {_FORMAT}')
        if saved.pop("checksum", None) != _checksum(saved):
            raise InputError("saved monitor: its checksum is another: it was damaged or edited")
        try:
            monitor = cls(saved["class_names"], from_logits=saved["from_logits"])
            fits = saved["class_names"] is None or _are_names(saved["class_names"])
            if saved["state"] is None:
                fits = fits and saved["reading"] is None
            else:
                monitor._core = _calipers.Monitor.from_json(saved["state"])
                monitor._reading = _Reading(**saved["reading"])
                fits = fits and monitor._reading.fits(monitor._core.classes)
        except (KeyError, TypeError):
            fits = False
        if not fits:
            raise InputError("saved monitor: its parts do not fit together")
        return monitor

    def __reduce__(self) -> tuple[Callable[[str], Monitor], tuple[str]]:
        """Pickle and copy it as JSON."""
        return type(self).from_json, (self.to_json(),)

    def __repr__(self) -> str:
        """Show what it says so far."""
        return f"<Monitor: {self.n:,} rows, e-value {self.e_value:.4g}, largest {self.largest:.4g}>"


# The number of the format; it changes when an older reader could misread a text.
_FORMAT = 1


def _checksum(state: dict[str, Any]) -> str:
    """Return what tells damage and edits; it is no signature."""
    text = json.dumps(state, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)

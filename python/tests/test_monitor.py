"""The e-value that is updated as rows arrive."""

import copy
import json
import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from common import Simulated

import calipers
from calipers import InputError, Monitor


def monitored(*batches: tuple[Any, Any], **settings: Any) -> Monitor:
    monitor = Monitor(**settings)
    for y_true, y_prob in batches:
        monitor.observe(y_true, y_prob)
    return monitor


def test_it_begins_with_one() -> None:
    monitor = Monitor()
    assert (monitor.e_value, monitor.largest, monitor.p_value, monitor.n) == (1.0, 1.0, 1.0, 0)
    assert (monitor.log_e_value, monitor.log_largest, monitor.impossible_rows) == (0.0, 0.0, 0)
    assert monitor.classes is None
    assert repr(monitor) == "<Monitor: 0 rows, e-value 1, largest 1>"


def test_a_miscalibrated_model_is_found_and_a_calibrated_one_is_not(binary: Simulated) -> None:
    found = monitored(binary)
    assert found.largest > 1e6
    assert found.p_value == pytest.approx(1 / found.largest)
    assert (found.n, found.classes) == (600, ["0", "1"])
    calm = monitored(calipers.simulate("multiclass-calibrated-3", 2000, seed=3))
    assert calm.largest < 20
    assert 0 < calm.e_value <= calm.largest
    assert calm.log_e_value == pytest.approx(math.log(calm.e_value))


@pytest.mark.parametrize("step", [1, 7, 600])
def test_batches_make_no_difference(multiclass: Simulated, step: int) -> None:
    y_true, y_prob = multiclass
    parts = [slice(at, at + step) for at in range(0, len(y_true), step)]
    # A label alone does not say whether it is counted from 0 or from 1.
    named = {"class_names": [0, 1, 2]}
    cut = monitored(*((y_true[part], y_prob[part]) for part in parts), **named)
    assert cut.to_json() == monitored(multiclass, **named).to_json()


def test_large_batches_are_as_small_ones() -> None:
    # Those of more than 10,000 cells are taken in by a thread of their own.
    y_true, y_prob = calipers.simulate("binary-overconfident", 12_000, seed=0)
    parts = np.array_split(np.arange(12_000), 5)
    cut = monitored(*((y_true[part], y_prob[part]) for part in parts))
    assert cut.to_json() == monitored((y_true, y_prob)).to_json()


def test_anything_that_is_an_array_will_do(binary: Simulated) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y_true, y_prob = binary
    expected = monitored(binary).e_value
    y_prob = y_prob[:, 1] if y_prob.ndim == 2 else y_prob
    both = np.column_stack([1 - y_prob, y_prob])
    for labels, scores in [
        (y_true.tolist(), y_prob.tolist()),
        (y_true.astype(bool), y_prob[:, None]),
        (y_true.astype(float), np.asfortranarray(both)),
        (pandas.Series(y_true), pandas.DataFrame(both, columns=["p_0", "p_1"])),
        (polars.Series(y_true), polars.Series(y_prob)),
        (np.where(y_true == 1, "yes", "no"), y_prob),
    ]:
        assert monitored((labels, scores)).e_value == pytest.approx(expected, rel=1e-9)
    logits = np.log(y_prob) - np.log1p(-y_prob)
    found = monitored((y_true, logits), from_logits=True)
    # Probabilities of logits of probabilities are equal but for rounding.
    assert found.log_e_value == pytest.approx(math.log(expected), rel=1e-6)


def test_classes_are_fixed_by_the_first_rows() -> None:
    monitor = monitored((["no", "yes"], [0.2, 0.7]))
    assert monitor.classes == ["no", "yes"]
    before = monitor.to_json()
    monitor.observe(["yes"], [0.7])  # Alone it could not have been read.
    monitor = Monitor.from_json(before)
    for labels, culprit in [(["yes", "maybe"], "maybe"), ([0, 2], 2), ([-1, 1], -1)]:
        with pytest.raises(InputError) as error:
            monitor.observe(labels, [0.2, 0.7][: len(labels)])
        assert str(error.value.value) == str(culprit)
        assert error.value.row == labels.index(culprit)
    assert monitor.to_json() == before
    # What means the same is the same.
    others = [Monitor.from_json(before) for _ in range(3)]
    for other, labels in zip(others, (["yes", "no"], [True, False], [1, 0]), strict=True):
        other.observe(labels, [0.2, 0.7])
    assert len({other.e_value for other in others}) == 1


def test_positions_stay_positions() -> None:
    named = {"class_names": ["1", "2", "0"]}
    y_prob = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]]
    by_name = monitored(([0, 2, 1], y_prob), **named)
    assert by_name.e_value == monitored(([2, 1, 0], y_prob)).e_value
    # Positions, from 0 or from 1, also where one alone could not be read.
    expected = monitored(([2, 1, 0, 2], [*y_prob, y_prob[0]])).e_value
    for first, names in [(0, ["dog", "cat", "ant"]), (1, ["dog", "cat", "ant"]), (1, None)]:
        positions = monitored((np.array([2, 1, 0]) + first, y_prob), class_names=names)
        positions.observe([2 + first], y_prob[:1])
        assert positions.e_value == expected


def test_a_lonely_first_label_needs_names() -> None:
    with pytest.raises(InputError, match="class_names"):
        Monitor().observe(["cat"], [0.7])
    assert monitored((["cat"], [0.7]), class_names=["dog", "cat"]).n == 1
    with pytest.raises(InputError, match="counted from 1, or the second, counted from 0"):
        Monitor().observe([1], [[0.1, 0.7, 0.2]])


def test_columns_may_not_change_places() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"p_cat": [0.2, 0.9], "p_dog": [0.8, 0.1]})
    monitor = monitored((["dog", "cat"], table))
    monitor.observe(["dog"], table[:1])
    with pytest.raises(InputError, match="in this order"):
        monitor.observe(["dog"], table[["p_dog", "p_cat"]][:1])
    assert monitor.n == 3


def test_what_is_wrong_changes_nothing(multiclass: Simulated) -> None:
    y_true, y_prob = multiclass
    monitor = Monitor()
    for labels, scores in [(y_true, 2 * y_prob), (y_true[:5], y_prob), ([], y_prob)]:
        with pytest.raises(InputError):
            monitor.observe(labels, scores)
        assert monitor.n == 0
        assert monitor.classes is None
    monitor.observe(y_true, y_prob)
    before = monitor.to_json()
    with pytest.raises(InputError, match="classes: expected 3, found 2"):
        monitor.observe([0, 1], [0.3, 0.6])
    with pytest.raises(InputError, match="row 1"):
        monitor.observe([0, 3], y_prob[:2])
    assert monitor.to_json() == before


def test_a_batch_without_rows_does_nothing(multiclass: Simulated) -> None:
    monitor = Monitor()
    for labels, scores in [([], []), ([], np.zeros((0, 3))), (np.zeros((0, 3)), np.zeros((0, 3)))]:
        monitor.observe(labels, scores)
        assert (monitor.n, monitor.classes) == (0, None)
    monitor.observe(*multiclass)
    before = monitor.to_json()
    monitor.observe([], [])
    assert monitor.to_json() == before
    for labels, scores in [([1], []), ([], [0.5])]:
        with pytest.raises(InputError, match=r"labels|no rows"):
            Monitor().observe(labels, scores)


def test_one_hot_labels_are_read_as_the_first_rows_were(multiclass: Simulated) -> None:
    pandas = pytest.importorskip("pandas")
    y_true, y_prob = multiclass
    expected = monitored(multiclass).e_value
    hot = np.eye(3)[y_true]
    assert monitored((hot[:100], y_prob[:100]), (hot[100:], y_prob[100:])).e_value == expected
    mixed = monitored((y_true[:100], y_prob[:100]), (hot[100:], y_prob[100:]))
    assert mixed.e_value == expected
    table = pandas.DataFrame(y_prob, columns=["2", "1", "0"])
    named = monitored((hot[:100], table[:100]), (hot[100:], y_prob[100:]))
    assert (named.e_value, named.classes) == (expected, ["2", "1", "0"])


def test_what_cannot_be_and_happens_is_infinite() -> None:
    monitor = monitored(([1, 0, 1], [0.9, 0.1, 0.0]), ([1], [0.8]))
    assert monitor.e_value == monitor.largest == monitor.log_e_value == math.inf
    assert (monitor.p_value, monitor.impossible_rows, monitor.n) == (0.0, 1, 4)
    assert Monitor.from_json(monitor.to_json()).e_value == math.inf


@pytest.mark.parametrize("again", [pickle.dumps, copy.deepcopy, Monitor.to_json])
def test_what_was_saved_goes_on_as_if_it_had_never_stopped(again: Any, binary: Simulated) -> None:
    y_true, y_prob = binary
    names = np.where(y_true == 1, "ill", "well")
    monitor = monitored((names[:100], y_prob[:100]), class_names=["well", "ill"])
    kept = again(monitor)
    if isinstance(kept, bytes):
        kept = pickle.loads(kept)
    elif isinstance(kept, str):
        kept = Monitor.from_json(kept)
    for one in (monitor, kept):
        one.observe(names[100:], y_prob[100:])
    assert kept.to_json() == monitor.to_json()
    assert kept.classes == ["well", "ill"]
    empty = Monitor.from_json(Monitor(["a", "b"], from_logits=True).to_json())
    assert empty.to_json() == Monitor(["a", "b"], from_logits=True).to_json()


def test_damage_is_noticed() -> None:
    text = monitored((["a", "b", "a"], [0.2, 0.7, 0.4])).to_json()
    for at in range(len(text)):
        for other in ("", "7", '"', "}"):
            damaged = text[:at] + other + text[at + 1 :]
            try:
                read = Monitor.from_json(damaged)
            except InputError:
                continue
            assert read.to_json() == text  # A space was left out.
    for nothing in ("", "1", "null", "[]", '{"calipers": 2}', '{"calipers": 1}'):
        with pytest.raises(InputError, match=r"^saved monitor: "):
            Monitor.from_json(nothing)


@pytest.mark.parametrize(
    "change",
    [
        {"reading": None},
        {"state": None},
        {"state": "{}"},
        {"state": 3},
        {"class_names": 7},
        {"reading": {"classes": ["a"], "labels": ["a"], "columns": None}},
        {"reading": {"classes": [1, 2], "labels": ["a", "b"], "columns": None}},
        {"reading": {"classes": ["a", "b"], "labels": ["a", "b"], "columns": 3}},
        {"reading": {"wrong": 1}},
    ],
)
def test_parts_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    from calipers._monitor import _checksum

    saved = json.loads(monitored((["a", "b", "a"], [0.2, 0.7, 0.4])).to_json())
    del saved["checksum"], saved["calipers"]
    saved.update(change)
    with pytest.raises(InputError):
        Monitor.from_json(json.dumps({"calipers": 1, **saved, "checksum": _checksum(saved)}))


def test_threads_take_turns(binary: Simulated) -> None:
    y_true, y_prob = binary
    monitor = Monitor()

    def work() -> None:
        for at in range(0, 600, 10):
            monitor.observe(y_true[at : at + 10], y_prob[at : at + 10])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert monitor.n == 2400

"""The contest: its losses, splits, ranks and page, against closed forms and known values."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from studies.contest import entrants, page, run, sentences
from studies.contest.entrants import PEERS, UNCALIBRATED
from studies.contest.measured import attempt, means
from studies.contest.protocol import SIZES, losses, split, splits
from studies.contest.ranks import critical_difference, mean_ranks
from studies.contest.summary import contests
from studies.corpus import PARTS, Data, Floats, Ints, part
from studies.pages import Pages


def drawn(rows: int = 1001, classes: int = 3, pair: str = "iris__lr") -> Data:
    rng = np.random.default_rng(0)
    return Data(pair, rng.dirichlet(np.ones(classes), rows), rng.integers(classes, size=rows))


def test_losses_are_those_of_a_hand() -> None:
    probs = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    found = losses(probs, np.array([0, 1]))
    # A floor of 1e-12 for the logarithm alone: the Brier score of the second row is 1 + 1.
    assert found.log_loss == pytest.approx((math.log(2.0) + 12.0 * math.log(10.0)) / 2.0)
    assert found.brier == pytest.approx((0.25 + 2.0 * 0.0625 + 2.0) / 2.0)
    assert found.accuracy == 0.5


def test_splits_are_disjoint_and_the_same_for_all_models_of_a_dataset() -> None:
    data, other = drawn(), drawn(pair="iris__rf")
    for number in splits(3):
        one = split(data, number)
        assert sorted([*one.learn, *one.judge]) == list(range(1001))
        assert len(one.learn) == 500
        assert np.array_equal(one.judge, split(other, number).judge)
        sizes = one.sizes()
        assert {size: len(rows) for size, rows in sizes.items()} == dict(
            zip(SIZES, (50, 100, 500, 500), strict=True)
        )
        assert np.array_equal(sizes["50"], sizes["100"][:50])
    assert not np.array_equal(split(data, 0).judge, split(data, 1).judge)
    assert list(split(drawn(300), 0).sizes()) == ["50", "100", "half"]
    assert (len(splits(8)), len(splits(9))) == (2, 1)


def test_ranks_are_those_of_counting_and_of_friedman() -> None:
    few = np.random.default_rng(0).integers(3, size=(4, 6)).astype(np.float64)
    slow = np.zeros(4)
    for one, file in itertools.product(range(4), range(6)):
        less = np.sum(few[:, file] < few[one, file])
        equal = np.sum(few[:, file] == few[one, file])
        slow[one] += (less + (equal + 1.0) / 2.0) / 6.0
    blocks = [str(number) for number in range(6)]
    assert mean_ranks(few, blocks) == pytest.approx(slow)
    # Friedman's statistic follows from the mean ranks where nothing is equal.
    values = np.random.default_rng(1).random((4, 6))
    squares = np.sum(mean_ranks(values, blocks) ** 2)
    statistic = 12.0 * 6.0 / (4.0 * 5.0) * (squares - 4.0 * 5.0**2 / 4.0)
    assert statistic == pytest.approx(stats.friedmanchisquare(*values).statistic)


def test_critical_differences_are_the_published_ones() -> None:
    # Demšar's example of four learners on fourteen data sets, at 5 % and 10 %, with two digits.
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert critical_difference(4, 14, 0.1) == pytest.approx(1.12, abs=5e-3)
    # The quantiles of his table 5, with three digits.
    for count, quantile in ((2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)):
        own = critical_difference(count, 1) / math.sqrt(count * (count + 1) / 6.0)
        # They are cut or rounded in the last digit.
        assert own == pytest.approx(quantile, abs=1e-3)


def test_the_files_of_a_dataset_count_once() -> None:
    one = np.array([[1.0, 1.0, 1.0, 2.0], [2.0, 2.0, 2.0, 1.0]])
    assert mean_ranks(one, ["a", "a", "a", "b"]) == pytest.approx([1.5, 1.5])
    assert mean_ranks(one, ["a", "b", "c", "d"]) == pytest.approx([1.25, 1.75])


class Returns:
    """An entrant that returns one thing."""

    def __init__(self, value: Floats) -> None:
        self.value = value

    def fit(self, _: Floats, __: Ints) -> None:
        """Learn nothing."""

    def predict_proba(self, _: Floats) -> Floats:
        """Return it."""
        return self.value


def test_what_is_no_probability_counts_as_failed_and_f_stands_in() -> None:
    data = drawn(10)
    rows = data.probs, data.labels
    for wrong in (np.full((10, 3), np.nan), np.ones((10, 2)), np.ones(10)):
        found, failed, _ = attempt(Returns(wrong), rows, data.probs)
        assert failed
        assert np.array_equal(found, data.probs)
    found, failed, _ = attempt(Returns(np.full((10, 3), 0.5)), rows, data.probs)
    assert not failed
    assert found == pytest.approx(1.0 / 3.0)


def test_harm_is_counted_by_split_and_losses_are_averaged() -> None:
    row = {"file": "a__lr", "n_cal": "50", "brier": "0.5", "accuracy": "1", "seconds": "0.1"}
    two = [
        {**row, "split": "0", "log_loss": "0.4", "before": "0.4", "failed": "1"},
        {**row, "split": "1", "log_loss": "0.5", "before": "0.45", "failed": "0"},
    ]
    (found,) = means(two)
    assert found["log_loss"] == pytest.approx(0.45)
    assert (found["splits"], found["failed"], found["harmed"]) == (2, 1, 1)


def test_every_peer_comes_from_a_package_whose_version_is_pinned() -> None:
    assert all(entrants.package(name) for name in PEERS)
    assert page.versions().startswith("probmetrics 1.3")
    assert entrants.called(["peers"]) == list(PEERS)


def tiny(folder: Path) -> None:
    """Write a contest of four entrants; `auto` is first for two classes, a peer for many."""
    names = [f"{letter}__lr" for letter in "abcdefgh"]
    assert {part(name) for name in names[::2]} == {part(name) for name in names[1::2]} == set(PARTS)
    files = [
        {
            "file": name,
            "task": entrants.TASKS[number % 2],
            "n": 200,
            "k": 2 + number % 2,
            "zeros": 0,
        }
        for number, name in enumerate(names)
    ]
    pages = Pages()
    pages.records(folder / "files.csv", files)
    levels = {
        UNCALIBRATED: (0.5, 0.5),
        "auto": (0.3, 0.3),
        "netcal-bbq": (0.4, 0.2),
        "temperature": (1, 1),
    }
    for entrant, (two, many) in levels.items():
        rows = [
            {
                "file": name,
                "n_cal": size,
                "splits": 2,
                "failed": 0,
                "harmed": 2 * (entrant == "temperature"),
                "log_loss": float(many if number % 2 else two),
                "brier": float(many if number % 2 else two),
                "accuracy": 1,
                "seconds": 0.1,
            }
            for (number, name), size in itertools.product(enumerate(names), SIZES)
        ]
        pages.records(folder / "entrants" / f"{entrant}.csv", rows)


def test_a_page_says_who_is_ahead_and_is_the_same_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    tiny(folder)
    two, *_, many = contests(folder)
    assert [line.name for line in two.standings] == [
        "auto",
        "netcal-bbq",
        UNCALIBRATED,
        "temperature",
    ]
    assert "`auto` is first of 4 by the log loss (mean rank 1.0)" in sentences.item(two)
    assert "`auto` is number 2 of 4 by the Brier score" in sentences.item(many)
    assert "behind `netcal-bbq` (1.0)" in sentences.item(many)
    assert "is first in 4 of 8 contests" in sentences.count(contests(folder))
    assert (two.of("auto").harm, two.of("temperature").harm) == (0.0, 1.0)
    assert two.of("temperature").changes["log_loss"] == pytest.approx(0.5)
    run.write(Pages(), folder)
    again = Pages(check=True)
    run.write(again, folder)
    assert again.finish() == 0
    assert "{" not in (tmp_path / "contest.md").read_text(encoding="utf-8").split("## Entering")[0]
    auto = folder / "entrants" / "auto.csv"
    auto.write_text(auto.read_text(encoding="utf-8").replace("0.3", "0.6"), encoding="utf-8")
    changed = Pages(check=True)
    run.write(changed, folder)
    assert changed.finish() == 1

"""The parts of the reproduction that compute something themselves, against slow or closed forms."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest

from studies.corpus import Floats, Ints
from studies.pages import Pages
from studies.reproduce import checks, figures
from studies.reproduce.agreement import ALTERNATIVES, compared, meant
from studies.reproduce.binning import BINS, assign, binned_error
from studies.reproduce.methods import CELLS, MASS, WIDTH, of_classes
from studies.reproduce.plan import FIGURES, FULL, QUICK, SIZES, simulation
from studies.reproduce.points import Count, Point, read_published
from studies.reproduce.table1 import COLUMNS
from studies.reproduce.truth import true_error
from studies.results import Results


def drawn(classes: int, rows: int = 700) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(1)
    probs = rng.dirichlet(np.full(classes, 0.5), rows)
    return probs, rng.integers(classes, size=rows)


def test_bins_of_equal_width_are_those_of_the_definition() -> None:
    probs, labels = drawn(2)
    expected = 0.0
    for number in range(BINS):
        inside = [i for i, p in enumerate(probs[:, 1]) if number / BINS <= p < (number + 1) / BINS]
        if inside:
            gap = np.mean(labels[inside]) - np.mean(probs[inside, 1])
            expected += len(inside) / len(labels) * abs(gap)
    # Both are sums of 700 numbers below 1.
    assert binned_error(probs, labels, WIDTH, 0) == pytest.approx(expected, abs=1e-12)
    # A prediction of exactly 1 belongs to the last bin.
    assert assign(np.array([[0.0, 1.0], [1.0, 0.0]]), WIDTH, 0).tolist() == [BINS - 1, 0]


def test_bins_of_equal_mass_hold_as_many_rows_and_are_in_order() -> None:
    probs, _ = drawn(2)
    bins = assign(probs, MASS, 0)
    counts = np.bincount(bins)
    assert len(counts) == BINS
    assert counts.max() - counts.min() <= 1
    assert np.all(np.diff(bins[np.argsort(probs[:, 1])]) >= 0)


def test_cells_give_the_weighted_distance_of_means() -> None:
    probs, labels = drawn(3)
    cells = assign(probs, CELLS, 5)
    expected = 0.0
    for cell in np.unique(cells):
        inside = cells == cell
        gap = np.eye(3)[labels[inside]].mean(axis=0) - probs[inside].mean(axis=0)
        expected += inside.mean() * np.linalg.norm(gap)
    assert binned_error(probs, labels, CELLS, 5) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("classes", FIGURES)
def test_true_errors_are_the_published_ones(classes: int) -> None:
    for (setting, _), row in read_published(classes).items():
        # Published are means of 300,000 draws of at most 1: a standard error of at most 0.0005,
        # and ours of three classes and more likewise.
        difference = true_error(simulation(setting, classes)) - float(row["true"])
        assert abs(difference) < 3.0 * np.sqrt(2.0) * 0.0005


@pytest.mark.parametrize("classes", FIGURES)
def test_every_size_and_method_of_the_plan_was_published(classes: int) -> None:
    published = read_published(classes)
    assert set(QUICK.sizes) < set(SIZES) == set(FULL.sizes)
    for setting, size in itertools.product(FIGURES[classes], SIZES):
        row = published[setting, size]
        assert all(method.figure in row for method in of_classes(classes) if method.figure)


def point(**changes: object) -> Point:
    one = Point(2, "calibrated", 200, "kernel", 10, 0.1, 0.01, 0.0, 0.2, -7.0)
    return dataclasses.replace(one, **changes)  # type: ignore[arg-type]


def test_chance_is_that_of_student() -> None:
    # In closed form for two degrees of freedom: P(|T| > t) = 1 - t/√(t² + 2).
    assert point(repeats=3).chance == pytest.approx(1.0 - 3.0 / np.sqrt(11.0), abs=1e-12)
    count = Count.of([point(), point(deviations=2.9), point(published=None, deviations=None)])
    assert (count.points, count.outside) == (2, 1)
    assert count.expected == pytest.approx(2.0 * point().chance, abs=1e-12)


def test_the_nearer_way_of_binning_is_counted() -> None:
    points = [point(method=WIDTH), point(method=MASS, deviations=1.0), point(method="kernel")]
    assert meant(points, 2) == MASS
    assert [one.method for one in compared(points)] == [MASS, "kernel"]


def test_a_run_that_departs_fails(tmp_path: Path) -> None:
    cells = {f"{task}_{metric}": 1.0 for task, metric in COLUMNS}
    side = {"setting": "a", "metric": "l1", "method": "boost", "mean": 0.1, "published": 0.1}

    def failures(within: str, deviations: float, note: str, filled: float | None) -> int:
        Pages().records(tmp_path / "over_under.csv", [{**side, "within": within}])
        points = [
            point(classes=classes, method=method, deviations=deviations)
            for classes in FIGURES
            for method in (*ALTERNATIVES[classes], "kernel")
        ]
        Pages().records(tmp_path / "synthetic.csv", [dataclasses.asdict(one) for one in points])
        row = {"row": "TS", "source": "calipers", **cells, "binary_l1": filled, "note": note}
        Pages().records(tmp_path / "table1.csv", [row])
        return len(checks.failures(tmp_path))

    assert failures("true", 1.0, "", 50.0) == 0
    assert failures("true", 1.0, "not run", None) == 0
    assert failures("false", 1.0, "", 50.0) == 1
    assert failures("true", -4.0, "", 50.0) == 1
    assert failures("true", 1.0, "", None) == 1


def test_results_outlive_a_run_but_not_their_program(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    row = {"a": "1", "value": "2", "program": "x"}
    Results(path, {"x"}, ("a",), ("value",)).add(row)
    path.write_text(path.read_text() + "3,4")
    assert Results(path, {"x"}, ("a",), ("value",)).rows == {("1",): row}
    assert not Results(path, {"y"}, ("a",), ("value",)).rows


def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    points = [
        point(setting=setting, method=method.name, n=n, mean=1.0 / n)
        for setting in FIGURES[2]
        for method in of_classes(2)
        for n in SIZES
    ]
    for name in ("first.svg", "second.svg"):
        figures.overview(Pages(), tmp_path / name, points, MASS)
        figures.methods(Pages(), tmp_path / f"methods_{name}", points)
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()
    both = [tmp_path / f"methods_{name}" for name in ("first.svg", "second.svg")]
    assert both[0].read_bytes() == both[1].read_bytes()
    # The pages that show them are read over a network.
    assert max(path.stat().st_size for path in tmp_path.iterdir()) < 100_000

"""Figures and pages from Python: the same numbers as everywhere, in matplotlib's hands."""

import json
import pickle
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from common import Simulated

import calipers


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_axes_in_axes_out(binary: Simulated):
    report = calipers.evaluate(*binary, metrics="l1", recalibrator="isotonic")
    _, ax = plt.subplots()
    assert report.plot(ax) is ax
    assert ax.get_xlabel() == "predicted probability of 1"
    names = ax.get_legend_handles_labels()[1]
    assert {"calibrated", "95 % band", "g, the estimated truth"} <= set(names)
    assert len(names) == len(set(names))
    assert "15 bins" not in names
    assert "15 bins" in report.plot(bins=True).get_legend_handles_labels()[1]


def test_the_curve_of_the_identity_is_the_diagonal(binary: Simulated):
    ax = calipers.evaluate(*binary, metrics="l1", recalibrator="identity").plot()
    line = next(one for one in ax.get_lines() if one.get_label() == "g, the estimated truth")
    np.testing.assert_allclose(line.get_ydata(), line.get_xdata(), atol=1e-12)


def test_contributions_add_up_to_the_estimate(binary: Simulated):
    report = calipers.evaluate(*binary, metrics="l1", recalibrator="isotonic")
    ax = report.plot(kind="contribution")
    total = sum(bar.get_height() for bar in ax.patches)
    # Sums of 600 numbers in another order.
    assert total == pytest.approx(report["l1"].value, abs=1e-12)


def test_a_class_may_be_chosen(multiclass: Simulated):
    report = calipers.evaluate(*multiclass, metrics="l1", recalibrator="isotonic")
    assert report.plot().get_xlabel() == "probability of the most probable class"
    assert report.plot(class_name="2").get_xlabel() == "predicted probability of 2"
    with pytest.raises(calipers.InputError, match="no class is named cat"):
        report.plot(class_name="cat")
    with pytest.raises(calipers.InputError, match="kind"):
        report.plot(kind="pie")


def test_a_display_has_scikit_learns_habits(binary: Simulated):
    display = calipers.ReliabilityDisplay.from_predictions(
        *binary, name="mine", recalibrator="temperature"
    )
    assert display.figure_ is display.ax_.figure
    assert "mine" in display.ax_.get_legend_handles_labels()[1]
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
    assert json.loads(json.dumps(display.figure_data)) == display.figure_data


def test_a_page_is_saved_whole(binary: Simulated, tmp_path: Path):
    report = calipers.evaluate(*binary, metrics="l1", recalibrator="isotonic")
    report.save_html(tmp_path / "page.html", name="<mine>")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "&lt;mine&gt;" in text
    assert f"{report['l1'].value:.4f}" in text
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(FileNotFoundError):
        report.save_html(tmp_path / "nowhere" / "page.html")


def test_a_pickled_report_is_small_and_says_what_it_lacks(binary: Simulated):
    report = calipers.evaluate(*binary, metrics="l1", recalibrator="isotonic")
    again = pickle.loads(pickle.dumps(report))
    assert again["l1"].value == report["l1"].value
    with pytest.raises(ValueError, match="does not know its predictions"):
        again.plot()

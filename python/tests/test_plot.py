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


def test_a_display_of_a_classifier(binary: Simulated):
    from sklearn.datasets import make_classification
    from sklearn.naive_bayes import GaussianNB
    from sklearn.svm import LinearSVC

    X, y = make_classification(600, random_state=0)
    words = np.array(["no", "yes"])[y]
    model = GaussianNB().fit(X[:300], words[:300])
    display = calipers.ReliabilityDisplay.from_estimator(
        model, X[300:], words[300:], recalibrator="isotonic"
    )
    assert display.ax_.get_xlabel() == "predicted probability of yes"
    assert "GaussianNB" in display.ax_.get_legend_handles_labels()[1]
    same = calipers.ReliabilityDisplay.from_predictions(
        words[300:], model.predict_proba(X[300:]), recalibrator="isotonic"
    )
    assert display.figure_data == same.figure_data
    named = calipers.ReliabilityDisplay.from_estimator(model, X, words, name="mine")
    assert "mine" in named.ax_.get_legend_handles_labels()[1]
    for wrong, message in [(LinearSVC().fit(X, y), "predict_proba"), (GaussianNB(), "classes_")]:
        with pytest.raises(calipers.InputError, match=f"without {message}"):
            calipers.ReliabilityDisplay.from_estimator(wrong, X, y)


def test_the_curve_is_that_of_the_figure(binary: Simulated, multiclass: Simulated):
    curve = calipers.calibration_curve(*binary, recalibrator="isotonic")
    ax = calipers.evaluate(*binary, metrics="l1", recalibrator="isotonic").plot()
    line = next(one for one in ax.get_lines() if one.get_label() == "g, the estimated truth")
    np.testing.assert_array_equal(curve.prob_pred, line.get_xdata())
    np.testing.assert_array_equal(curve.prob_true, line.get_ydata())
    assert (np.diff(curve.prob_pred) > 0).all()
    assert ((curve.lower <= curve.prob_true) & (curve.prob_true <= curve.upper)).all()
    prob_true, prob_pred, *_ = calipers.calibration_curve(*binary, recalibrator="identity")
    np.testing.assert_allclose(prob_true, prob_pred, atol=1e-12)
    top = calipers.calibration_curve(*multiclass)
    one = calipers.calibration_curve(*multiclass, class_name="2")
    assert top.prob_pred.min() >= 1 / 3 > one.prob_pred.min()
    few = calipers.calibration_curve([0, 1], [0.3, 0.6], recalibrator="identity", folds=2)
    assert few.prob_true.shape == few.prob_pred.shape


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

"""Bounds, tests, brackets, parts of losses, groups and comparisons."""

import json

import numpy as np
import pytest

import calipers


@pytest.fixture(name="data", scope="module")
def _data():
    return calipers.simulate("binary-overconfident", 1500, seed=0)


def test_bound_and_p_value_are_there_by_default(data):
    y_true, y_prob = data
    report = calipers.evaluate(y_true, y_prob)
    for one in report.estimates.values():
        assert 0 < one.lower < one.value
        assert one.p_value == pytest.approx(0.001)
        assert one.in_sample is None
    assert "lower 95%" in str(report)
    lower = calipers.evaluate(y_true, y_prob, confidence=0.99)["l1"].lower
    assert lower < report["l1"].lower


def test_draws_decide_on_the_p_value(data):
    y_true, y_prob = data
    assert calipers.calibration_error(y_true, y_prob, draws=0).p_value is None
    assert calipers.calibration_error(y_true, y_prob, draws=99).p_value == pytest.approx(0.01)
    with pytest.raises(calipers.InputError, match="draws"):
        calipers.calibration_error(y_true, y_prob, draws=-1)


def test_a_refitted_test_looks_where_the_recalibrator_does(data):
    y_true, y_prob = data
    one = calipers.calibration_error(y_true, y_prob, recalibrator="isotonic", test="refit")
    assert one.p_value == pytest.approx(0.01)
    with pytest.raises(calipers.InputError, match="expected 'score' or 'refit'"):
        calipers.calibration_error(y_true, y_prob, test="other")


def test_calibrated_labels_are_rejected_as_often_as_the_level_says():
    p_values = []
    for seed in range(200):
        y_true, y_prob = calipers.simulate("binary-calibrated", 100, seed=seed)
        one = calipers.calibration_error(y_true, y_prob, recalibrator="identity", draws=99)
        p_values.append(one.p_value)
    # One standard error of 200 data sets is 1.5 points.
    assert np.mean(np.array(p_values) <= 0.05) < 0.1
    assert 0.4 < np.mean(p_values) < 0.6


def test_bracket_errs_upwards(data):
    y_true, y_prob = data
    one = calipers.calibration_error(y_true, y_prob, recalibrator="isotonic", bracket=True)
    assert one.in_sample > one.value
    assert "in_sample" in repr(one)
    report = calipers.evaluate(y_true, y_prob, recalibrator="isotonic", bracket=True)
    assert "in-sample" in str(report)
    assert report.to_dict()["metrics"]["l1"]["in_sample"] == one.in_sample


def test_parts_add_up_to_scikit_learns_losses(data):
    from sklearn.metrics import brier_score_loss, log_loss

    y_true, y_prob = data
    positive = y_prob[:, 1] if y_prob.ndim == 2 else y_prob
    report = calipers.evaluate(y_true, y_prob, metrics=["brier", "log", "l1"])
    expected = {
        "brier": brier_score_loss(y_true, positive),
        "log": log_loss(y_true, positive),
    }
    for name, loss in expected.items():
        parts = report[name].decomposition
        assert parts.loss == pytest.approx(loss, abs=1e-12)
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert total == pytest.approx(loss, abs=1e-12)
        assert parts.miscalibration == report[name].value
    assert report["l1"].decomposition is None


def test_groups_have_bounds_of_their_own():
    rng = np.random.default_rng(0)
    group = np.array(["even", "odd"] * 1000 + ["few"] * 5)
    chance = np.select([group == "even", group == "odd"], [0.8, 0.2], 0.5)
    y_true = (rng.random(len(group)) < chance).astype(int)
    y_prob = np.full(len(group), 0.5)
    report = calipers.evaluate(y_true, y_prob, "l1", recalibrator="constant", groups=group)
    assert report["l1"].lower == 0
    assert list(report.groups) == ["even", "odd", "few"]
    for name in ("even", "odd"):
        found = report.groups[name]["l1"]
        assert found.lower > 0.2
        assert found.confidence == pytest.approx(0.975)
        assert found.p_value == pytest.approx(0.002)
    assert report.groups["few"].estimates is None
    assert "too few" in repr(report.groups["few"])
    with pytest.raises(KeyError, match="too small"):
        report.groups["few"]["l1"]
    aware = report.group_aware["l1"]
    assert aware.lower > 0.25
    assert report.to_dict()["group_aware"]["l1"]["value"] == aware.value
    assert calipers.evaluate(y_true, y_prob, "l1", recalibrator="constant").groups is None


def test_compare_tells_models_apart(data):
    y_true, y_prob = data
    corrected = calipers.Recalibrator("temperature").fit(y_prob, y_true).predict_proba(y_prob)
    models = {"raw": y_prob, "corrected": corrected, "again": y_prob}
    comparison = calipers.compare(y_true, models, metrics=["l1", "brier"])
    assert list(comparison.reports) == list(models)
    assert len(comparison.differences) == 6
    first, same = comparison.differences[0], comparison.differences[1]
    assert (first.first, first.second) == ("raw", "corrected")
    assert first.p_value < 0.05
    assert first.interval[0] < first.value < first.interval[1]
    assert (same.value, same.p_value) == (0, 1)
    expected = comparison["raw"]["l1"].value - comparison["corrected"]["l1"].value
    assert first.value == pytest.approx(expected, abs=1e-12)
    text = str(comparison)
    assert text.startswith("A  raw\nB  corrected\nC  again\n\nl1  estimate")
    of_l1 = text[: text.index("\n\nbrier")]
    assert "\nmore error is found in A than in B: A - B = 0." in of_l1
    assert "\nA and C are not shown to differ" in of_l1
    assert json.loads(comparison.to_json()) == comparison.to_dict()
    # What is compared is what is found: there are no guesses.
    alone = calipers.evaluate(y_true, y_prob, metrics=["l1", "brier"], best=False)
    assert comparison["raw"].to_dict() == alone.to_dict()


def test_compare_refuses_what_does_not_fit_together(data):
    y_true, y_prob = data
    for models in ({}, {"one": y_prob}, [y_prob, y_prob]):
        with pytest.raises(calipers.InputError, match="models"):
            calipers.compare(y_true, models)
    with pytest.raises(calipers.InputError):
        calipers.compare(y_true, {"a": y_prob, "b": y_prob[:-1]})
    with pytest.raises(TypeError, match="unexpected keyword argument 'metric'"):
        calipers.compare(y_true, {"a": y_prob, "b": y_prob}, metric="l1")
    with pytest.raises(calipers.InputError, match="progress"):
        calipers.compare(y_true, {"a": y_prob, "b": y_prob}, progress=True)

"""The answer from both sides: best guesses, upper bounds, rows that belong together."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import calipers
from calipers import InputError, Monitor, Report


def overconfident(n=1000, seed=0):
    """Return labels and probabilities of class 1; the true l1 is 0.137."""
    y, p = calipers.simulate("binary-overconfident", n, seed=seed)
    return y, p[:, 1]


def test_a_best_guess_is_near_the_truth_and_its_interval_holds_it():
    """Of 40 data sets with a truth of 0.137: 90 % less three standard errors of 4.7 points."""
    guesses, held = [], 0
    for seed in range(40):
        l1 = calipers.calibration_error(*overconfident(seed=seed), draws=0)
        low, high = l1.interval
        assert l1.lower <= l1.best <= high
        assert low <= l1.best
        guesses.append(l1.best)
        held += low <= 0.137 <= high
    # The standard deviation of a guess is 0.014.
    assert abs(np.mean(guesses) - 0.137) < 0.008
    assert held >= 30


def test_calibrated_data_are_guessed_to_have_little_error():
    """Root mean squares of the guess and of the cross-fitted estimate, whose truth is 0."""
    found = [
        calipers.calibration_error(*calipers.simulate("binary-calibrated", 500, seed=s), draws=0)
        for s in range(40)
    ]
    best = np.sqrt(np.mean([one.best**2 for one in found]))
    value = np.sqrt(np.mean([one.value**2 for one in found]))
    assert best <= 1.25 * value


@pytest.mark.parametrize("metric", ["l1", "l2", "brier", "log", "top-over-l1", "classwise-brier"])
def test_every_metric_has_a_guess(metric):
    y, p = calipers.simulate("multiclass-overconfident-3", 300, seed=1)
    one = calipers.calibration_error(y, p, metric, draws=0)
    assert one.best >= 0
    assert one.interval[0] <= one.best <= one.interval[1]


def test_there_is_no_guess_where_none_can_be_made():
    y, p = overconfident(200)
    for options in (
        {"best": False},
        {"recalibrator": "isotonic"},
        {"cluster": np.arange(200) // 4},
        {"sample": 100},
    ):
        one = calipers.calibration_error(y, p, **options)
        assert (one.best, one.interval, one.interval_low) == (None, None, None)


def test_upper_bounds_hold_under_their_assumption():
    y, p = overconfident(2000)
    report = calipers.evaluate(y, p, ["l1", "brier", "over-l1"], assume="monotone")
    assert report.assume == "monotone"
    assert not report.contradicted
    assert 0.137 < report["l1"].upper < 0.3
    assert report["over-l1"].upper <= report["l1"].upper
    assert "upper 95%" in str(report)
    assert "never falls" in report.notes[-1]
    # A truth that falls.
    report = calipers.evaluate(1 - y, p, "l1", assume="monotone")
    assert report.contradicted
    assert report["l1"].upper is None
    assert json.loads(report.to_json())["contradicted"] is True


def test_more_classes_are_bounded_by_the_top_one_and_by_each():
    y, p = calipers.simulate("multiclass-overconfident-3", 2000, seed=1)
    report = calipers.evaluate(y, p, ["l1", "top-l1", "classwise-l1"], assume="monotone")
    assert report["l1"].upper is None
    assert report["top-l1"].value < report["top-l1"].upper < 1
    assert report["classwise-l1"].value < report["classwise-l1"].upper < 1
    assert any("l1 has no upper bound" in note for note in report.notes)


def test_what_is_known_is_kept_in_json_pickles_and_tables():
    y, p = overconfident(400)
    report = calipers.evaluate(y, p, ["l1", "brier"], assume="monotone")
    read = Report.from_json(report.to_json())
    again = pickle.loads(pickle.dumps(report["l1"]))
    for one in (read["l1"], again):
        assert (one.best, one.interval, one.upper) == (
            report["l1"].best,
            report["l1"].interval,
            report["l1"].upper,
        )
    frame = report.to_frame()
    assert frame["best"][0] == report["l1"].best
    assert frame["interval_high"][1] == report["brier"].interval[1]
    assert "best guess" in str(read)
    assert "best=" in repr(report["l1"])


def clustered(seed, clusters=40, size=10):
    """Return calibrated predictions of which the labels of a cluster are nearly all alike."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.2, 0.8, clusters)[:, None] + rng.uniform(-0.1, 0.1, (clusters, size))
    common = rng.random((clusters, 1))
    own = rng.random((clusters, size))
    draws = np.where(rng.random((clusters, size)) < 0.9, common, own)
    ids = np.repeat([f"patient {cluster}" for cluster in range(clusters)], size)
    return (draws < p).astype(int).ravel(), p.ravel(), ids


def test_bounds_allow_for_rows_that_belong_together():
    """Of 60 data sets, 5 % and three standard errors of 2.8 points."""
    told = untold = 0
    for seed in range(60):
        y, p, ids = clustered(seed)
        options = {"recalibrator": "logistic", "seed": seed, "draws": 99}
        together = calipers.evaluate(y, p, "l1", cluster=ids, **options)
        assert together.clusters == 40
        told += together["l1"].lower > 0
        untold += calipers.evaluate(y, p, "l1", **options)["l1"].lower > 0
    assert told <= 8
    assert untold >= 20


def test_clusters_and_times_may_be_anything_that_tells_rows_apart():
    y, p, ids = clustered(1)
    numbers = np.repeat(np.arange(40), 10)
    reports = [
        calipers.evaluate(y, p, "l1", cluster=one, recalibrator="logistic")
        for one in (ids, numbers, pd.Series(ids, dtype="category"), list(ids))
    ]
    assert len({report.to_json() for report in reports}) == 1
    assert "40 clusters" in str(reports[0])
    days = pd.date_range("2024-01-01", periods=400)
    by_day = calipers.evaluate(y, p, "l1", time=days, recalibrator="logistic")
    by_number = calipers.evaluate(y, p, "l1", time=np.arange(400.0), recalibrator="logistic")
    assert by_day.to_json() == by_number.to_json()
    assert by_day.clusters == 20


def test_a_monitor_bets_once_a_cluster():
    y, p, ids = clustered(3)
    apart, together = Monitor(), Monitor()
    apart.observe(y, p)
    together.observe(y, p, cluster=ids)
    assert together.n == apart.n == 400
    assert together.largest < apart.largest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": [1, 2]}, "clusters: expected 400, found 2"),
        ({"cluster": [None] * 400}, "row 0: the cluster is missing"),
        (
            {"cluster": [0] * 400},
            "clusters: 1 cluster is too few for 5 folds: every fold needs one",
        ),
        ({"time": [float("nan")] * 400}, "times: row 0: NaN is not finite"),
        ({"time": ["soon"] * 400}, "row 0: 'soon' is not a number"),
        ({"assume": "convex"}, "assume: 'convex'; expected 'monotone'"),
        (
            {"assume": "monotone", "sample_weight": np.ones(400)},
            "assume: there is no upper bound where rows have weights",
        ),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    y, p, _ = clustered(1)
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        calipers.evaluate(y, p, "l1", **options)


def test_streams_take_rows_for_independent():
    y, p, ids = clustered(1)
    frame = pd.DataFrame({"y": y, "p": p, "patient": ids})
    with pytest.raises(InputError, match="cluster: the rows of a source or a stream"):
        calipers.evaluate(frame, label="y", probs="p", cluster=ids)
    with pytest.raises(InputError, match="cluster: the rows of a source or a stream"):
        calipers.Plan.fit(y, p, cluster=ids)

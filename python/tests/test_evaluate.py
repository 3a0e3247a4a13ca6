"""Settings of an evaluation, and what they mean."""

import inspect
import math

import numpy as np
import pandas as pd
import pytest
from common import Simulated

import calipers


def test_the_contract_of_the_signature() -> None:
    parameters = inspect.signature(calipers.evaluate).parameters
    defaults = {name: one.default for name, one in parameters.items()}
    contract = {
        "metrics": None,
        "recalibrator": "auto",
        "folds": 5,
        "repeats": 1,
        "seed": 0,
        "sample_weight": None,
        "groups": None,
        "class_names": None,
        "from_logits": False,
        "binary": "scalar",
        "log_floor": None,
    }
    assert list(parameters)[: len(contract) + 2] == ["y_true", "y_prob", *contract]
    assert {name: defaults[name] for name in contract} == contract


def test_the_default_metrics_depend_on_the_number_of_classes(
    binary: Simulated, multiclass: Simulated
) -> None:
    assert list(calipers.evaluate(*binary, recalibrator="identity")) == ["l1", "brier", "log"]
    report = calipers.evaluate(*multiclass, recalibrator="identity")
    assert list(report) == ["l1", "l2", "brier", "log"]
    with pytest.raises(calipers.InputError, match="metrics: none were asked for"):
        calipers.evaluate(*binary, metrics=[])


def test_one_number(binary: Simulated) -> None:
    estimate = calipers.calibration_error(*binary, "over-l1", recalibrator="isotonic", seed=2)
    report = calipers.evaluate(*binary, metrics="over-l1", recalibrator="isotonic", seed=2)
    assert estimate.value == report["over-l1"].value
    assert calipers.calibration_error(*binary).metric == "l1"


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(multiclass: Simulated) -> None:
    reports = [
        calipers.evaluate(*multiclass, "l1", "boost", threads=n).to_json() for n in (1, 2, 3)
    ]
    assert reports[0] == reports[1] == reports[2]
    assert calipers.evaluate(*multiclass, "l1", "boost", seed=1).to_json() != reports[0]


def test_folds_of_any_kind(binary: Simulated) -> None:
    y, p = binary
    ids = np.arange(len(y)) % 4
    expected = calipers.evaluate(y, p, folds=ids)
    assert expected.folds == 4
    values = {
        calipers.evaluate(y, p, folds=form)["l1"].value
        for form in (
            ids.tolist(),
            ids + 2020,
            ids.astype(float),
            np.array(list("abcd"))[ids],
            pd.Series(ids),
            ids.astype(np.uint8),
        )
    }
    assert values == {expected["l1"].value}
    many = calipers.evaluate(y, p, folds=10, repeats=3)
    # And one to all rows, for the best guess.
    assert (many.folds, many.repeats, many.fits) == (10, 3, 31)
    for folds, message in [
        (1, "at least 2 folds"),
        (-1, "at least 2 folds"),
        (601, "too few for 601 folds"),
        (ids[1:], "fold ids: expected 600, found 599"),
        (ids * 0, "at least 2 are needed"),
        ([None] * 600, "row 0: the fold is missing"),
    ]:
        with pytest.raises(calipers.InputError, match=message):
            calipers.evaluate(y, p, folds=folds)


def test_weights_count(binary: Simulated) -> None:
    y, p = binary
    twice = np.r_[y, y[:100]], np.r_[p, p[:100]]
    folds = np.arange(len(y)) % 5
    weights = np.where(np.arange(len(y)) < 100, 2, 1)
    repeated = calipers.evaluate(*twice, recalibrator="isotonic", folds=np.r_[folds, folds[:100]])
    weighted = calipers.evaluate(y, p, recalibrator="isotonic", folds=folds, sample_weight=weights)
    # A row of weight 2 is two rows; only the 1/(n + 1) of the uniform counts rows differently.
    assert weighted["brier"].value == pytest.approx(repeated["brier"].value, abs=1e-4)
    scaled = calipers.evaluate(
        y, p, recalibrator="isotonic", folds=folds, sample_weight=pd.Series(weights * 8)
    )
    assert scaled["brier"].value == weighted["brier"].value


def test_groups_leave_the_whole_as_it_is_and_are_checked(binary: Simulated) -> None:
    y, p = binary
    groups = np.array(["a", "b"])[np.arange(len(y)) % 2]
    grouped = calipers.evaluate(y, p, groups=groups).to_dict()
    assert grouped["metrics"] == calipers.evaluate(y, p).to_dict()["metrics"]
    with pytest.raises(calipers.InputError, match="groups: expected 600, found 2"):
        calipers.evaluate(y, p, groups=["a", "b"])
    with pytest.raises(calipers.InputError, match="row 1: the group is missing"):
        calipers.evaluate(y, p, groups=["a", None] * 300)


def test_two_classes_by_the_closed_form() -> None:
    # One prediction, 0.7, and 60 % positive: C = 0.6 for all, and g comes close to it. Whatever p,
    # the error of class 1 is 0.1; of both columns, 0.1 times 2^(1/p).
    y = np.tile([1, 1, 1, 0, 0], 2000)
    p = np.full(len(y), 0.7)
    metrics = ["l1", "l2", "l3", "linf", "brier"]
    scalar = calipers.evaluate(y, p, metrics, recalibrator="constant")
    vector = calipers.evaluate(y, p, metrics, recalibrator="constant", binary="vector")
    # The constant is 0.6 up to the shuffling of 8,000 rows; the sign of g - f is then certain, and
    # the estimate of a norm is the mean of 0.7 - y to the last bits.
    for metric, power in [("l1", 1), ("l2", 1 / 2), ("l3", 1 / 3), ("linf", 0)]:
        assert scalar[metric].value == pytest.approx(0.1, abs=1e-12)
        assert vector[metric].value == pytest.approx(0.1 * 2**power, abs=1e-12)
    assert scalar["brier"].value == pytest.approx(0.01, abs=1e-4)
    assert vector["brier"].value == pytest.approx(2 * scalar["brier"].value, rel=1e-12)


def test_logits(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-4)):
        found = calipers.evaluate(
            y, np.log(p).astype(dtype) - 5, from_logits=True, recalibrator="logistic"
        )
        assert found["brier"].value == pytest.approx(
            calipers.evaluate(y, p, recalibrator="logistic")["brier"].value, abs=tolerance
        )
    y2, p2 = binary
    logit = np.log(p2[:, 1] / p2[:, 0])
    for form in (logit, logit[:, np.newaxis], np.asfortranarray(np.c_[0 * logit, logit])):
        assert calipers.calibration_error(y2, form, from_logits=True).value == pytest.approx(
            calipers.calibration_error(y2, p2).value, abs=1e-12
        )
    with pytest.raises(calipers.InputError, match="row 0, column 0: logit inf is not finite"):
        calipers.evaluate([0, 1], [math.inf, 1], from_logits=True, folds=2)


def test_what_is_masked_out_among_logits_has_no_probability(multiclass: Simulated) -> None:
    y, p = multiclass
    p = p.copy()
    p[y != 2, 2] = 0
    p /= p.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        logits = np.log(p)
    found = calipers.calibration_error(y, logits, from_logits=True, recalibrator="isotonic")
    expected = calipers.calibration_error(y, p, recalibrator="isotonic")
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    never = -math.inf
    for wrong, message in [
        ([[0, 0], [never, never]], "row 1, column 0: logit -inf is not finite"),
        ([[0, 0], [0, math.inf]], "row 1, column 1: logit inf is not finite"),
        ([[0, math.nan], [0, 0]], "row 0, column 1: logit NaN is not finite"),
    ]:
        with pytest.raises(calipers.InputError, match=message):
            calipers.evaluate([0, 1], wrong, from_logits=True, folds=2)


def test_distances(binary: Simulated, multiclass: Simulated) -> None:
    l1 = calipers.Distance(lambda f, z: abs(z - f).sum(axis=1), lambda f, z: np.sign(z - f), "tv")
    brier = calipers.Distance(
        lambda f, z: ((z - f) ** 2).sum(axis=1), lambda f, z: 2 * (z - f), "squares"
    )
    for y, p in (binary, multiclass):
        report = calipers.evaluate(y, p, ["l1", l1, "brier", brier], "isotonic", binary="vector")
        # The built-in losses are written so that digits do not cancel; these are as they stand.
        assert report["tv"].value == pytest.approx(report["l1"].value, abs=1e-12)
        assert report["squares"].value == pytest.approx(report["brier"].value, abs=1e-12)
        np.testing.assert_allclose(report["tv"].scores, report["l1"].scores, rtol=0, atol=1e-12)
    # More rows than one call evaluates, and repeats.
    y, p = calipers.simulate("multiclass-overconfident-3", 100_000, seed=0)
    report = calipers.evaluate(y, p, ["l1", l1], "temperature", folds=2, repeats=2)
    assert report["tv"].value == pytest.approx(report["l1"].value, abs=1e-12)
    for value, slope, message in [
        (lambda f, z: 0.0, lambda f, z: z, "value returned an array of shape"),
        (lambda f, z: z[:, 0], lambda f, z: z[0], "subgradient returned an array of shape"),
        (lambda f, z: z[:, 0] * np.nan, lambda f, z: z, "value returned a number that is not"),
    ]:
        with pytest.raises(calipers.InputError, match=message):
            calipers.evaluate(*binary, calipers.Distance(value, slope))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "ece"}, 'unknown metric "ece"'),
        ({"metrics": []}, "none were asked for"),
        ({"metrics": [1]}, "metrics: 1; expected names"),
        ({"metrics": "over-l1"}, "top-over-l1 measures the most probable class"),
        ({"recalibrator": "nothing"}, 'unknown recalibrator "nothing": the names are auto'),
        ({"recalibrator": "kernel:width=1"}, "it has bandwidth"),
        ({"repeats": 0}, "repeats: 0: at least 1"),
        ({"repeats": 1.5}, "repeats: 1.5 is not a whole number"),
        ({"seed": -1}, "seed: -1 is not between 0"),
        ({"confidence": 1.0}, "confidence: 1 is not between 0 and 1"),
        ({"binary": "both"}, "binary: 'both'; expected 'scalar' or 'vector'"),
        ({"log_floor": -1.0}, "log floor: -1 is not at least 0"),
        ({"threads": -1}, "threads: -1 is not between 0"),
        ({"sample_weight": [1.0]}, "weights: expected 600, found 1"),
        ({"sample_weight": np.zeros(600)}, "all weights are zero"),
        ({"sample_weight": ["a"] * 600}, "row 0: 'a' is not a number"),
    ],
)
def test_settings_that_make_no_sense(options: dict, message: str, multiclass: Simulated) -> None:
    with pytest.raises(calipers.InputError, match=message):
        calipers.evaluate(*multiclass, **options)


def test_lists() -> None:
    assert next(iter(calipers.recalibrators())) == "auto"
    assert "bandwidth=0.1" in calipers.recalibrators()["kernel"]
    assert calipers.metrics()["brier"].startswith("E|f - C|^2")
    y, p = calipers.simulate("binary-shifted", 50, seed=7)
    assert (y.dtype, p.dtype, p.shape) == (np.int64, np.float64, (50, 2))
    assert (p == calipers.simulate("binary-shifted", 50, seed=7)[1]).all()
    with pytest.raises(calipers.InputError, match="the names are binary-calibrated"):
        calipers.simulate("binary", 50)
    with pytest.raises(calipers.InputError, match="nothing to draw"):
        calipers.simulate("binary-over", 0)


def test_estimates_are_near_the_known_truth() -> None:
    y, p = calipers.simulate("binary-overconfident", 20_000, seed=3)
    l1 = calipers.calibration_error(y, p)
    assert abs(l1.value - 0.137) < 3 * l1.stderr + 0.002

"""The calibrator in NannyML's estimates of performance."""

import copy

import numpy as np
import pandas as pd
import pytest
from nannyml import CBPE
from nannyml.calibration import CalibratorFactory

import calipers
from calipers.nannyml import RecalibratorCalibrator
from checks.integrations.pages import examples_that_run

ROWS, CHUNK = 4000, 500
HALF = ROWS // 2


def halves(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return rows whose labels NannyML may see, and others."""
    later = table[HALF:].reset_index(drop=True)
    return table[:HALF], later.drop(columns="y")


@pytest.fixture(scope="module")
def binary() -> pd.DataFrame:
    y, p = calipers.simulate("binary-overconfident", ROWS, seed=0)
    return pd.DataFrame({"y": y, "p": p[:, 1], "predicted": (p[:, 1] > 0.5).astype(int)})


def estimated(estimator: CBPE, table: pd.DataFrame) -> list[float]:
    """Return the accuracies of the chunks that NannyML expects."""
    reference, later = halves(table)
    found = estimator.fit(reference).estimate(later).filter(period="analysis").to_df()
    return found["accuracy", "value"].tolist()


@pytest.mark.parametrize(
    "settings",
    [{"calibrator": RecalibratorCalibrator("logistic")}, {"calibration": "calipers"}],
    ids=["object", "name"],
)
def test_two_classes(binary: pd.DataFrame, settings: dict) -> None:
    estimator = CBPE(
        problem_type="classification_binary",
        y_true="y",
        y_pred="predicted",
        y_pred_proba="p",
        metrics=["accuracy"],
        chunk_size=CHUNK,
        **settings,
    )
    found = estimated(estimator, binary)
    assert estimator.needs_calibration
    # The accuracy that is expected is the mean of the probability of what was predicted.
    by_hand = calipers.Recalibrator("logistic" if "calibrator" in settings else "auto")
    by_hand.fit(binary["p"][:HALF].to_numpy(), binary["y"][:HALF].to_numpy())
    corrected = by_hand.predict_proba(binary["p"][HALF:].to_numpy())
    right = np.where(binary["predicted"][HALF:] == 1, corrected[:, 1], corrected[:, 0])
    assert found == pytest.approx(right.reshape(-1, CHUNK).mean(axis=1).tolist(), abs=1e-9)
    # Without a correction the model is believed: it is sure of itself, and wrong.
    believed = np.maximum(binary["p"], 1 - binary["p"])[HALF:].mean()
    truth = (binary["y"] == binary["predicted"])[HALF:].mean()
    assert abs(np.mean(found) - truth) < abs(believed - truth) / 3


def test_many_classes() -> None:
    y, p = calipers.simulate("multiclass-overconfident-3", ROWS, seed=0)
    names = np.array(["a", "b", "c"])
    table = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"])
    table = table.assign(y=names[y], predicted=names[p.argmax(axis=1)])
    estimator = CBPE(
        problem_type="classification_multiclass",
        y_true="y",
        y_pred="predicted",
        y_pred_proba={name: f"p_{name}" for name in names},
        metrics=["accuracy"],
        chunk_size=CHUNK,
        calibrator=RecalibratorCalibrator("isotonic"),
    )
    found = estimated(estimator, table)
    corrected = []
    for name in names:
        own = calipers.Recalibrator("isotonic")
        own.fit(table[f"p_{name}"][:HALF].to_numpy(), (table["y"] == name)[:HALF].to_numpy())
        corrected.append(own.predict_proba(table[f"p_{name}"][HALF:].to_numpy())[:, 1])
    shares = np.array(corrected).T / np.sum(corrected, axis=0)[:, None]
    right = shares[np.arange(HALF), p[HALF:].argmax(axis=1)]
    assert found == pytest.approx(right.reshape(-1, CHUNK).mean(axis=1).tolist(), abs=1e-9)


def test_it_is_copied_with_what_it_learnt(binary: pd.DataFrame) -> None:
    calibrator = CalibratorFactory.create("calipers", recalibrator="beta")
    calibrator.fit(binary["p"], binary["y"])
    once, again = (one.calibrate(binary["p"]) for one in (calibrator, copy.deepcopy(calibrator)))
    assert once.shape == (ROWS,)
    assert (once == again).all()
    assert not np.allclose(once, binary["p"])


def test_parameters_are_those_of_a_recalibrator(binary: pd.DataFrame) -> None:
    model = calipers.Recalibrator("stack")
    found = []
    for calibrator in (
        RecalibratorCalibrator(model, preserve="ranking"),
        RecalibratorCalibrator("stack", preserve="ranking"),
    ):
        calibrator.fit(binary["p"], binary["y"])
        found.append(calibrator.calibrate(np.sort(binary["p"])))
    assert (found[0] == found[1]).all()
    assert (np.diff(found[0]) >= 0).all()
    # What was given is left as it was.
    assert model.preserve is None
    with pytest.raises(calipers.InputError, match='unknown recalibrator "nothing"'):
        RecalibratorCalibrator("nothing").fit(binary["p"], binary["y"])


def test_scores_that_are_no_probabilities_are_named() -> None:
    with pytest.raises(calipers.InputError, match=r"1\.5") as raised:
        RecalibratorCalibrator().fit([0.5, 0.5, 1.5], [0, 1, 1])
    assert raised.value.row == 2


def test_the_page() -> None:
    assert examples_that_run("nannyml") > 5

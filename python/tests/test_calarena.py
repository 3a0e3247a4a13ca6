"""The adapter for CalArena keeps its rule: arrays of one, two or many columns, a column a class."""

import runpy

import numpy as np
import pytest
from common import ROOT

import calipers

EXAMPLE = ROOT / "examples" / "calarena.py"
CALIBRATORS = runpy.run_path(str(EXAMPLE))["CALIBRATORS"]


def test_every_recalibrator_is_there():
    assert set(CALIBRATORS) == {f"calipers-{name}" for name in calipers.recalibrators()}


def test_one_column_is_two_classes():
    labels, probs = calipers.simulate("binary-overconfident", 600, seed=0)
    found = []
    for columns in (probs, probs[:, 1], probs[:, 1:], probs[:, 1].astype(np.float32)):
        calibrator = CALIBRATORS["calipers-auto"]()
        calibrator.fit(columns[:300], labels[:300])
        found.append(calibrator.predict_proba(columns[300:]))
        assert found[-1].shape == (300, 2)
    direct = calipers.Recalibrator(class_names=range(2)).fit(probs[:300], labels[:300])
    for own in found:
        # 1 - f rounds f0, and single precision rounds to 6e-8, which a slope may enlarge.
        assert own == pytest.approx(direct.predict_proba(probs[300:]), abs=1e-5)


@pytest.mark.parametrize("name", list(CALIBRATORS))
def test_a_class_without_rows_keeps_its_column(name):
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(4), 120).astype(np.float32)
    calibrator = CALIBRATORS[name]()
    calibrator.fit(probs[:60], rng.integers(3, size=60))
    found = calibrator.predict_proba(probs[60:])
    assert found.shape == (60, 4)
    # Sums of four numbers below 1.
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-12)

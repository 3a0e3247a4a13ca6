"""Calibration as others measure it: the face; the numbers are tested in Rust."""

import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from common import Simulated

import calipers
from calipers import InputError


def test_an_error_of_bins_is_what_it_is_by_hand() -> None:
    f = np.array([0.05, 0.15, 0.9, 1.0])
    found = calipers.neighbours([0, 1, 1, 1], f, "ece:bins=2")
    # Two bins of two rows: |0.1 - 0.5| and |0.95 - 1|.
    assert float(found["ece:bins=2"]) == pytest.approx(0.5 * 0.4 + 0.5 * 0.05, abs=1e-15)
    assert found["ece:bins=2"].details == {"bins": 2.0}
    assert len(found) == 1


def test_all_are_measured_unless_some_are_asked_for(binary: Simulated) -> None:
    found = calipers.neighbours(*binary)
    assert list(found.measures)[:2] == ["ece", "ece:by=mass"]
    assert {one.name.partition(":")[0] for one in found} == set(calipers.measures())
    assert found["cox"].p_value is not None and found["cox"].p_value < 1e-3
    assert str(found).startswith("600 rows, 2 classes\n\nmeasure")
    assert repr(found["ece"]).startswith("<calipers.Measurement ece=0.")


def test_the_command_line_says_the_same(binary: Simulated, tmp_path: Path) -> None:
    y_true, y_prob = binary
    np.savez(tmp_path / "binary.npz", probs=y_prob, labels=y_true)
    command = [os.environ["CALIPERS_COMMAND"], "neighbours", tmp_path / "binary.npz"]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, check=True)
    found = calipers.neighbours(y_true, y_prob)
    assert json.loads(done.stdout) == found.to_dict()
    assert done.stdout.decode().strip() == found.to_json()


def test_what_has_no_answer_says_why() -> None:
    found = calipers.neighbours([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], ["cox", "spiegelhalter"])
    assert found["cox"].value is None
    assert math.isnan(float(found["cox"]))
    assert "separates" in str(found["cox"].reason)
    assert "cox there is no finite slope" in " ".join(str(found).split())


def test_a_table_has_a_column_for_each_detail(binary: Simulated) -> None:
    frame = calipers.neighbours(*binary, ["ece", "corp"]).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.loc["ece", "bins"] == 15
    corp = frame.loc["corp"]
    parts = corp["value"] - corp["discrimination"] + corp["uncertainty"]
    assert parts == pytest.approx(corp["score"], abs=1e-14)


def test_bad_requests_are_named(binary: Simulated) -> None:
    with pytest.raises(InputError, match="unknown measure"):
        calipers.neighbours(*binary, "eec")
    with pytest.raises(InputError, match="none were asked for"):
        calipers.neighbours(*binary, [])
    with pytest.raises(InputError, match="expected names"):
        calipers.neighbours(*binary, [3])  # type: ignore[list-item]
    y_true, y_prob = calipers.simulate("multiclass-calibrated-3", 50)
    with pytest.raises(InputError, match="put top- or classwise- before it"):
        calipers.neighbours(y_true, y_prob, "ece")

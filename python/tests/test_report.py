"""What a report looks like, and that it is the command line's."""

import csv
import json
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import ROOT, Simulated, built, command

import calipers

CELLS = ROOT / "data" / "cells_lgbm.csv"
DIGITS = ROOT / "data" / "mnist5k_lr.csv"


def read(path: Path) -> tuple[list[str], pd.DataFrame]:
    """Read what the command line would, to the last bit."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name.startswith("p_")]
    probs = pd.DataFrame({name: [float(row[name]) for row in rows] for name in columns})
    return [row["label"] for row in rows], probs


@pytest.mark.parametrize("path", [CELLS, DIGITS], ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "metrics", [("l1", "l2", "brier", "log"), ("top-over-l1", "classwise-l1.5")]
)
def test_the_command_line_prints_the_same_json(path: Path, metrics: tuple[str, ...]) -> None:
    printed = command("estimate", str(path), "--metric", ",".join(metrics), "--format", "json")
    report = calipers.evaluate(*read(path), metrics=metrics)
    assert report.to_json() + "\n" == printed
    assert report.to_dict() == json.loads(printed)


@pytest.mark.parametrize("path", [CELLS, DIGITS], ids=lambda path: path.stem)
def test_the_command_line_prints_the_same_table(path: Path) -> None:
    metrics = ["l1", "top-l2", "brier", "top-under-l1"]
    options = ["--metric", ",".join(metrics), "--recalibrator", "kernel:bandwidth=0.05"]
    printed = command("estimate", str(path), *options, "--repeats", "2")
    report = calipers.evaluate(
        *read(path), metrics=metrics, recalibrator="kernel:bandwidth=0.05", repeats=2
    )
    expected = printed.split(": ", 1)[1].split()
    assert str(report).split() == expected
    assert max(map(len, str(report).splitlines())) <= 80


def test_a_report_is_a_mapping_of_estimates(binary: Simulated) -> None:
    report = calipers.evaluate(*binary, seed=3, folds=4, confidence=0.9)
    assert list(report) == ["l1", "brier", "log"]
    assert len(report) == 3
    assert "l1" in report
    one = report["l1"]
    assert float(one) == one.value == pytest.approx(one.scores.mean(), abs=1e-15)
    # Twice the variance of independent scores, for what folds share.
    independent = one.scores.std(ddof=1) / math.sqrt(one.n)
    assert one.stderr == pytest.approx(math.sqrt(2) * independent, rel=0.02)
    assert (one.n, one.metric, one.infinite_rows, one.confidence) == (600, "l1", 0, 0.9)
    assert (report.n, report.folds, report.repeats, report.seed) == (600, 4, 1, 3)
    assert report.recalibrator == "auto"
    assert repr(one).startswith("Estimate(metric='l1', value=0.1")
    assert repr(report).startswith("<calipers.Report of 600 rows: l1=0.1")
    with pytest.raises(KeyError):
        report["l3"]


def test_reports_survive_being_sent(binary: Simulated) -> None:
    report = calipers.evaluate(*binary)
    again = pickle.loads(pickle.dumps(report))
    assert again.to_json() == report.to_json()
    assert str(again) == str(report)
    np.testing.assert_array_equal(again["l1"].scores, report["l1"].scores)


def test_infinite_values_are_said(binary: Simulated) -> None:
    y, p = binary
    p = p.copy()
    p[0] = [y[0], 1 - y[0]]
    report = calipers.evaluate(y, p, recalibrator="logistic")
    assert report["log"].value == math.inf
    assert report["log"].infinite_rows == 1
    assert report.to_dict()["metrics"]["log"]["value"] == "inf"
    assert "note: log is infinite: 1 row gives the observed class no probability" in str(report)
    assert "log_floor=1e-12" in str(report)
    assert math.isfinite(calipers.calibration_error(y, p, "log", log_floor=1e-12).value)
    assert math.isinf(report.to_frame()["value"].iloc[2])


def test_notes_of_the_unusual(multiclass: Simulated) -> None:
    y, p = multiclass
    report = calipers.evaluate(y, p * 1.0005, recalibrator="identity", draws=0)
    assert report.notes == ["note: 600 rows did not sum to 1 and were renormalised"]
    calibrated = calipers.simulate("binary-calibrated", 200, seed=2)
    below = calipers.evaluate(*calibrated, recalibrator="bins-mass")
    assert below["brier"].value < 0
    assert "an estimate below 0 means that no error was detected" in str(below)


def test_html_has_every_number_and_escapes(binary: Simulated) -> None:
    y, p = binary
    distance = calipers.Distance(
        lambda f, z: abs(z - f).sum(axis=1), lambda f, z: np.sign(z - f), name="<b>mine</b>"
    )
    report = calipers.evaluate(y, p * 1.0005, ["l1", distance])
    html = report._repr_html_()
    assert f"{report['l1'].value:.4f}" in html
    assert "&lt;b&gt;mine" in html
    assert "<b>" not in html
    assert "renormalised" in html


def test_frames(binary: Simulated, monkeypatch: pytest.MonkeyPatch) -> None:
    report = calipers.evaluate(*binary)
    frame = report.to_frame()
    assert isinstance(frame, pd.DataFrame)
    columns = ["metric", "value", "stderr", "lower", "p_value", "in_sample", "infinite_rows"]
    assert list(frame.columns) == columns
    assert frame["value"].tolist() == [one.value for one in report.estimates.values()]
    monkeypatch.setitem(sys.modules, "pandas", None)
    other = report.to_frame()
    assert isinstance(other, pl.DataFrame)
    assert other.columns == columns
    assert other["value"].to_list() == frame["value"].tolist()
    assert other["lower"].dtype == pl.Float64
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="needs pandas or polars"):
        report.to_frame()


def test_progress_is_shown_by_tqdm_or_a_line(
    binary: Simulated, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    plain = calipers.evaluate(*binary, progress=lambda done, total: seen.append((done, total)))
    assert sorted(seen) == [(done, 5) for done in range(1, 6)]
    assert capsys.readouterr().err == ""
    shown = calipers.evaluate(*binary, progress=True)
    assert "5/5" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    calipers.evaluate(*binary, progress=True)
    assert capsys.readouterr().err.endswith("5 of 5 fits\n")
    assert plain.to_json() == shown.to_json()

    def broken(done: int, total: int) -> None:
        raise RuntimeError("no more paper")

    with pytest.raises(RuntimeError, match="no more paper"):
        calipers.evaluate(*binary, progress=broken)


def test_rust_and_the_command_line_and_python_give_the_same_bits(tmp_path: Path) -> None:
    example = built("CALIPERS_EXAMPLE", "examples/simulated")
    for setting in ("binary-overconfident", "multiclass-underconfident-10"):
        file = tmp_path / f"{setting}.csv"
        command("simulate", setting, "-n", "400", "-o", str(file))
        for name in calipers.recalibrators():
            metrics = ["l1", "top-l2", "brier", "log"]
            rust = subprocess.run(
                [example, setting, "400", name, *metrics],
                check=True,
                capture_output=True,
                text=True,
                timeout=120,
            ).stdout
            y, p = calipers.simulate(setting, 400, seed=0)
            python = calipers.evaluate(y, p, metrics, recalibrator=name).to_json()
            options = ["--metric", ",".join(metrics), "--recalibrator", name, "--format", "json"]
            assert rust == python + "\n", name
            assert command("estimate", str(file), *options) == python + "\n", name

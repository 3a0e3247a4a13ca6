"""What a report looks like, and that it is the command line's."""

import copy
import csv
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import ROOT, Simulated, built, command

import calipers

CELLS = ROOT / "data" / "cells_lgbm.csv"
DIGITS = ROOT / "data" / "mnist5k_lr.csv"


def read(path: Path) -> tuple[pd.Series, pd.DataFrame]:
    """Read what the command line would, to the last bit."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name.startswith("p_")]
    probs = pd.DataFrame({name: [float(row[name]) for row in rows] for name in columns})
    return pd.Series([row["label"] for row in rows], name="label"), probs


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


def test_a_report_is_a_true_mapping(binary: Simulated) -> None:
    report = calipers.evaluate(*binary, recalibrator="isotonic", draws=0)
    assert isinstance(report, Mapping)
    assert dict(report) == {**report} == report.estimates == report
    assert list(report.keys()) == ["l1", "brier", "log"]
    assert [one.metric for one in report.values()] == list(report)
    assert dict(report.items())["brier"] is report["brier"]
    assert "l1" in report
    assert "l3" not in report
    assert report.get("l3") is None


def test_an_estimate_counts_as_a_float(binary: Simulated) -> None:
    report = calipers.evaluate(*binary, recalibrator="isotonic", draws=0)
    one, other = report["l1"], report["brier"]
    value = one.value
    assert type(value) is float
    assert one > 0.02 > -one
    assert one == value
    assert hash(one) == hash(value)
    assert (f"{one:.3f}", f"{one:+.1%}") == (f"{value:.3f}", f"{value:+.1%}")
    assert round(one, 3) == round(value, 3)
    assert one - other == value - other.value
    assert type(one - other) is type(one * 2) is type(abs(one)) is float
    assert np.isclose(one, value)
    assert min(report.values()) is other
    assert max(report.values()) == max(one.value for one in report.values())
    assert sorted([one, other, 0.0]) == [0.0, other.value, value]
    assert np.asarray([one, other]).dtype == np.float64
    assert sum(report.values()) == pytest.approx(np.sum([v.value for v in report.values()]))
    assert json.loads(json.dumps(dict(report)))["l1"] == value
    assert pd.DataFrame([dict(report)]).dtypes.tolist() == [np.float64] * 3
    for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (again, repr(again), again.n) == (one, repr(one), one.n)
        assert again.decomposition == one.decomposition
        np.testing.assert_array_equal(again.scores, one.scores)


def test_a_report_can_be_read_from_json(binary: Simulated, tmp_path: Path) -> None:
    y, p = binary
    p = p.copy()
    p[0] = [y[0], 1 - y[0]]
    metrics = ["l1", "brier", "log"]
    report = calipers.evaluate(y, p, metrics, "isotonic", bracket=True, repeats=2)
    again = calipers.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert again == report
    for name, one in again.items():
        own = report[name]
        assert repr(one) == repr(own)
        assert (one.decomposition, one.infinite_rows) == (own.decomposition, own.infinite_rows)
        assert one.confidence == own.confidence
        assert one.scores is None
    assert again.classes == report.classes
    # The same table; what JSON does not hold are the notes.
    assert str(report).startswith(str(again))
    assert "<table>" in again._repr_html_()
    pd.testing.assert_frame_equal(again.to_frame(), report.to_frame())
    assert str(pickle.loads(pickle.dumps(again))) == str(again)
    with pytest.raises(ValueError, match="read from JSON"):
        again.plot()
    printed = command("estimate", str(CELLS), "--metric", "l1", "--format", "json")
    assert calipers.Report.from_json(printed).n == json.loads(printed)["n"]


def test_groups_are_read_from_json_by_their_names(binary: Simulated) -> None:
    y, p = binary
    groups = np.where(np.arange(len(y)) < 5, 7, np.arange(len(y)) % 2)
    report = calipers.evaluate(y, p, "l1", groups=groups)
    again = calipers.Report.from_json(report.to_json())
    assert list(again.groups) == ["7", "1", "0"]
    assert again.groups["7"].estimates is None
    assert again.groups["1"]["l1"] == report.groups[1]["l1"]
    assert again.groups["1"]["l1"].n == report.groups[1].n
    assert again.group_aware == report.group_aware
    assert f"{again.groups['1']['l1']:.4f}" in str(again)
    assert "with the group known" in str(again)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("[]", "no report"),
        ("{}", "'n' is missing"),
        ("1", "no report"),
        (7, "JSON object must be"),
    ],
)
def test_what_is_no_report_is_refused(text: str, message: str) -> None:
    with pytest.raises(calipers.InputError, match=f"saved report: .*{message}"):
        calipers.Report.from_json(text)


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
    guess = ["upper", "best", "interval_low", "interval_high"]
    columns = ["metric", "value", "stderr", "lower", *guess, "p_value", "in_sample"]
    columns.append("infinite_rows")
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


def test_frames_of_groups(binary: Simulated, monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = binary
    groups = np.where(np.arange(len(y)) < 5, 7, np.arange(len(y)) % 2)
    report = calipers.evaluate(y, p, ["l1", "log"], "isotonic", groups=groups, draws=0)
    frame = report.to_frame()
    assert list(frame)[:3] == ["group", "metric", "value"]
    assert frame["group"].tolist() == [None, None, 7, 7, 1, 1, 0, 0]
    assert frame["value"].tolist()[4:] == [
        report.groups[group][metric].value for group in (1, 0) for metric in ("l1", "log")
    ]
    assert frame["value"].isna().tolist() == [False] * 2 + [True] * 2 + [False] * 4
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert report.to_frame()["group"].to_list() == frame["group"].tolist()


def test_frames_of_comparisons(binary: Simulated, monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = binary
    models = {"a": p, "b": 0.5 * p + 0.25, "c": p}
    found = calipers.compare(y, models, metrics=["l1", "brier"], recalibrator="isotonic", draws=0)
    frame = found.to_frame()
    names = ["metric", "first", "second", "value", "stderr", "lower", "upper", "p_value"]
    assert set(names) <= set(frame)
    assert len(frame) == len(found.differences) == 6
    assert frame["upper"].tolist() == [one.interval[1] for one in found.differences]
    own = found.errors_to_frame()
    assert own["model"].tolist() == ["a", "a", "b", "b", "c", "c"]
    assert own["value"].tolist()[2] == found["b"]["l1"].value
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert found.to_frame()["lower"].to_list() == frame["lower"].tolist()
    assert found.errors_to_frame()["value"].to_list() == own["value"].tolist()


def test_a_notebook_shows_what_a_comparison_prints(binary: Simulated) -> None:
    y, p = binary
    models = {"<b>": p, "other": 0.5 * p + 0.25}
    found = calipers.compare(y, models, metrics="l1", recalibrator="isotonic")
    html = found._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert f"{found['other']['l1']:.4f}" in html


def test_progress_is_shown_by_tqdm_or_a_line(
    binary: Simulated, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    plain = calipers.evaluate(*binary, progress=lambda done, total: seen.append((done, total)))
    # Five folds, and all rows for the best guess.
    assert sorted(seen) == [(done, 6) for done in range(1, 7)]
    assert capsys.readouterr().err == ""
    shown = calipers.evaluate(*binary, progress=True)
    assert "6/6" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    calipers.evaluate(*binary, progress=True)
    assert capsys.readouterr().err.endswith("6 of 6 fits\n")
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
            # The file's columns have names, which the array's have not.
            printed = json.loads(command("estimate", str(file), *options))
            del printed["columns"]
            assert printed == json.loads(python), name

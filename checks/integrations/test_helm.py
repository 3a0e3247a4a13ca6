"""What HELM writes, and what `calipers helm` makes of it."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import calipers
from checks.pages import blocks
from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "debug" / "calipers"))
MODEL = "simple/model1"
TASKS = ("simple_classification", "simple_mcqa")
METRICS = ("l1", "over-l1", "brier")


def run(folder: Path, suite: str, *flags: str) -> Path:
    """Let HELM ask its model for trials about even and odd numbers; return what it wrote to."""
    entries = [f"{task}:model={MODEL}" for task in TASKS]
    asked = ["--run-entries", *entries, "--suite", suite, "--max-eval-instances", "79"]
    start(folder, *flags, *asked)
    return folder / "benchmark_output" / "runs" / suite


def start(folder: Path, *flags: str) -> None:
    """Run HELM."""
    subprocess.run(
        [sys.executable, "-m", "checks.integrations.helm_run", *flags, "--disable-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        check=True,
        capture_output=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("helm"), "sure", "--sure")


def measured(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "helm", *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


def answers(suite: Path) -> list[tuple[str, float, int]]:
    """Read, as HELM's own calibration metrics do, the answers of all tasks."""
    found = []
    for task in TASKS:
        (path,) = suite.glob(f"{task}:*/per_instance_stats.json")
        stats: dict[str, dict[str, float]] = {}
        for one in json.loads(path.read_text(encoding="utf-8")):
            own = stats.setdefault(one["instance_id"], {})
            own |= {stat["name"]["name"]: stat["mean"] for stat in one["stats"] if stat["count"]}
        for _, own in sorted(stats.items()):
            found.append((task, own["max_prob"], int(own["exact_match"])))
    return found


def test_every_number_is_pythons(suite: Path) -> None:
    rows = answers(suite)
    assert len(rows) == 158
    report = calipers.evaluate(
        [right for *_, right in rows],
        [sure for _, sure, _ in rows],
        METRICS,
        groups=[task for task, *_ in rows],
        binary="confidence",
        best=False,
    )
    found: dict[str, Any] = json.loads(measured(suite, "--format", "json").stdout)
    own = found["models"][MODEL]
    assert list(own["groups"]) == list(TASKS)
    for metric in METRICS:
        assert own["metrics"][metric]["value"] == report[metric].value
        assert own["metrics"][metric]["lower"] == report[metric].lower
        for task in TASKS:
            group = own["groups"][task]["metrics"][metric]
            assert group["lower"] == report.groups[task][metric].lower


def test_a_model_without_log_probabilities_is_left_out(tmp_path: Path) -> None:
    # HELM's model for trials gives none: its confidence of 1 means nothing.
    done = measured(run(tmp_path, "plain"))
    assert done.returncode == 2
    reason = f"of {MODEL}: all log-probabilities are 0: the model gave none"
    assert all(f"{task} {reason}" in done.stderr for task in TASKS)


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (typed,) = blocks("helm", "sh")
    first, second = (shlex.split(line) for line in typed.splitlines())
    assert (first[0], second[:2]) == ("helm-run", ["calipers", "helm"])
    start(tmp_path, "--sure", *first[1:])
    monkeypatch.chdir(tmp_path)
    done = measured(*second[2:])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{MODEL}: 79 rows, 2 classes, recalibrator auto, 5 folds\n")

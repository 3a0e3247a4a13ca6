"""The hook, run by pre-commit in a repository of its own, without a network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from checks.pages import blocks
from studies.pages import ROOT


def git(place: Path, settings: dict[str, str], *arguments: str) -> str:
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    command = [
        "git",
        *who,
        "-c",
        "commit.gpgsign=false",
        "-c",
        "core.hooksPath=.git/hooks",
        *arguments,
    ]
    done = subprocess.run(
        command, cwd=place, env=settings, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


def run(
    project: Path, settings: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", "run", "--color=never", *arguments]
    return subprocess.run(
        command,
        check=False,
        cwd=project,
        env=settings,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(("limit", "passes"), [("0.05", False), ("0.2", True)])
def test_a_commit_is_stopped_by_predictions_above_the_limit(
    place: Path, settings: dict[str, str], limit: str, passes: bool
) -> None:
    settings = {**settings, "PRE_COMMIT_HOME": str(place / "home")}
    hooks, project = place / "hooks", place / "project"
    for folder in (hooks, project):
        folder.mkdir()
        git(folder, settings, "init", "--quiet")
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (hooks / ".pre-commit-hooks.yaml").write_text(text)
    git(hooks, settings, "add", ".")
    git(hooks, settings, "commit", "--quiet", "--message", "hooks")
    # The configuration of the page, with this place and this limit.
    shown = yaml.safe_load(blocks("ci", "yaml")[1])
    (where,) = shown["repos"]
    (hook,) = where["hooks"]
    where |= {"repo": str(hooks), "rev": git(hooks, settings, "rev-parse", "HEAD")}
    assert hook["args"][-1] == "l1=0.05"
    hook["args"][-1] = f"l1={limit}"
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(shown))
    (project / "predictions.csv").write_text((ROOT / "data" / "cells_lgbm.csv").read_text())
    (project / "notes.txt").write_text("of no concern\n")
    git(project, settings, "add", ".")
    done = run(project, settings)
    assert done.returncode == (0 if passes else 1), done.stdout + done.stderr
    assert ("Passed" if passes else "above the limit by at least") in done.stdout
    # Other files are no reason to check.
    other = run(project, settings, "--files", "notes.txt")
    assert other.returncode == 0
    assert "Skipped" in other.stdout


def test_every_kind_of_file_that_is_read_is_looked_at() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    formats = ROOT / "crates" / "calipers-files" / "src" / "formats"
    lines = [
        line
        for path in formats.glob("*/mod.rs")
        for line in re.findall(r"(?m)^ +(?:extensions|aliases): &\[.*\]", path.read_text("utf-8"))
    ]
    endings = set(re.findall(r'"(\w+)"', " ".join(lines)))
    assert {"csv", "parquet", "npy"} <= endings
    packed = {
        f"{text}.{how}" for text in ("csv", "tsv", "jsonl", "ndjson") for how in ("gz", "zst")
    }
    for ending in (endings | packed) - {"txt"}:
        assert re.search(hook["files"], f"predictions.{ending}"), ending
    for other in ("notes.txt", "csv", "picture.gz", "table.csv.bak", "table.parquet.gz"):
        assert not re.search(hook["files"], other), other

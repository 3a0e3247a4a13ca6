"""What runs on GitHub's machines: targets of make, and around them what only GitHub can do."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from studies.pages import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
# Sources, languages, artifacts, attestations, credentials, pages: nothing that builds or tests.
# Those that are not GitHub's own are named by commit: a tag can be moved.
ACTIONS = {
    *("actions/checkout", "actions/setup-python", "actions-rust-lang/setup-rust-toolchain"),
    *("actions/upload-artifact", "actions/download-artifact"),
    *("actions/attest-build-provenance", "rust-lang/crates-io-auth-action"),
    *("actions/configure-pages", "actions/upload-pages-artifact", "actions/deploy-pages"),
}


def jobs(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    assert found
    return found


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in jobs(path).values() for step in job.get("steps", [])]


def test_they_are_there() -> None:
    assert {"ci.yml", "docs.yml", "release.yml", "wheels.yml"} <= {path.name for path in WORKFLOWS}


def test_they_are_workflows() -> None:
    # The schema is within the package; nothing is fetched.
    check = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run(
        [sys.executable, *check, *WORKFLOWS], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_is_a_target_of_make(path: Path) -> None:
    for step in steps(path):
        if "run" in step:
            found = re.fullmatch(r"make ([a-z-]+)", step["run"])
            assert found, step
            assert found[1] in TARGETS, step
        else:
            name, _, pin = step["uses"].partition("@")
            assert name in ACTIONS, step
            form = r"v\d+|[0-9a-f]{40}" if name.startswith("actions/") else r"[0-9a-f]{40}"
            assert re.fullmatch(form, pin), step


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_more_is_allowed_than_needed(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in jobs(path).items():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file(), name
        else:
            assert job["timeout-minutes"] <= 60, name
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_only_an_approved_job_uploads() -> None:
    for path in WORKFLOWS:
        for name, job in jobs(path).items():
            uploads = any(step.get("run") == "make publish" for step in job.get("steps", []))
            assert uploads == (job.get("environment") == "release"), (path.name, name)


def test_nothing_is_built_of_a_tag_that_is_not_the_version() -> None:
    release = jobs(ROOT / ".github" / "workflows" / "release.yml")
    assert {"run": "make tag"} in release["tag"]["steps"]
    # All others wait for it, or for one that does.
    assert [name for name, job in release.items() if "needs" not in job] == ["tag"]

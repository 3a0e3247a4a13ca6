"""Examples for other build systems: their commands are run, and what they leave is read."""

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from checks.pages import blocks
from studies.pages import ROOT

FOLDER = ROOT / "examples" / "ci"


def gitlab() -> tuple[list[str], str, str]:
    """Return the commands, and where the XML and the page are looked for."""
    job = yaml.safe_load((FOLDER / "gitlab-ci.yml").read_text(encoding="utf-8"))["calibration"]
    kept = job["artifacts"]
    # Only then are both there when the check fails.
    assert kept["when"] == "always"
    return job["script"], kept["reports"]["junit"], kept["paths"][0]


def jenkins() -> tuple[list[str], str, str]:
    """Return the same of the Jenkinsfile, whose language nothing here reads."""
    text = (FOLDER / "Jenkinsfile").read_text(encoding="utf-8")
    stages, _, after = text.partition("post {")
    assert after.split("{")[0].strip() == "always"
    (junit,) = re.findall(r"junit '(.*)'", after)
    (page,) = re.findall(r"archiveArtifacts artifacts: '(.*)'", after)
    return re.findall(r"^ *sh '(.*)'$", stages, re.MULTILINE), junit, page


@pytest.mark.parametrize("system", [gitlab, jenkins])
def test_the_commands_run_and_leave_what_the_system_looks_for(
    system: object, place: Path, settings: dict[str, str]
) -> None:
    assert callable(system)
    commands, junit, page = system()
    first, last = commands
    subprocess.run(["sh", "-ec", first], cwd=place, env=settings, check=True, timeout=120)
    # The model that ships with calipers is shown to be off by more than this limit.
    command = ["sh", "-ec", last]
    done = subprocess.run(command, check=False, cwd=place, env=settings, timeout=120)
    assert done.returncode == 1
    assert "<html" in (place / page).read_text(encoding="utf-8")
    (suite,) = ElementTree.parse(place / junit).getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "above the limit" in failure.get("message", "")


def test_the_page_shows_the_snippets_as_they_are() -> None:
    *_, gitlab_block = blocks("ci", "yaml")
    assert gitlab_block == (FOLDER / "gitlab-ci.yml").read_text(encoding="utf-8")
    assert blocks("ci", "groovy") == [(FOLDER / "Jenkinsfile").read_text(encoding="utf-8")]

"""The action of GitHub: its scripts are run here as its steps run them."""

import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from checks.pages import blocks
from studies.pages import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, CHECK, UPLOAD = ACTION["runs"]["steps"]


def step(
    which: dict[str, Any],
    place: Path,
    settings: dict[str, str],
    action: Path = ROOT,
    **inputs: str,
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: its line in bash, what it asks for in the environment."""
    given = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()}
    given |= inputs
    env = {
        name: re.sub(r"^\$\{\{ inputs\.(\w+) \}\}$", lambda found: given[found[1]], value)
        for name, value in which["env"].items()
    }
    files = {
        f"GITHUB_{name}": str(place / name.lower()) for name in ("STEP_SUMMARY", "OUTPUT", "PATH")
    }
    (place / "temp").mkdir(exist_ok=True)
    around = {"GITHUB_ACTION_PATH": str(action), "RUNNER_TEMP": str(place / "temp")}
    around |= {"GITHUB_JOB": "build"}
    command = ["bash", "-e", "-o", "pipefail", "-c", which["run"]]
    return subprocess.run(
        command,
        check=False,
        cwd=place,
        env={**settings, **around, **files, **env},
        capture_output=True,
        text=True,
        timeout=120,
    )


def outputs(place: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (place / "output").read_text().splitlines())


def test_no_input_is_written_into_shell_and_every_script_is_there() -> None:
    for one in (INSTALL, CHECK):
        assert "${{" not in one["run"]
        (script,) = re.findall(r'"\$GITHUB_ACTION_PATH/(\S+)"', one["run"])
        assert (ROOT / script).is_file()
        for name, value in one["env"].items():
            assert value == f"${{{{ inputs.{name.removeprefix('INPUT_').lower()} }}}}"
            assert name.removeprefix("INPUT_").lower() in ACTION["inputs"]
    assert "run" not in UPLOAD
    assert set(re.findall(r"inputs\.(\w+)", str(ACTION["runs"]))) == set(ACTION["inputs"])
    assert UPLOAD["with"]["name"] == ACTION["outputs"]["artifact"]["value"]


@pytest.mark.parametrize(("limit", "status", "word"), [("0.05", 1, "failed"), ("0.2", 0, "passed")])
def test_the_status_is_the_checks_and_summary_page_and_xml_are_left(
    place: Path, settings: dict[str, str], limit: str, status: int, word: str
) -> None:
    done = step(CHECK, place, settings, files="predictions.csv", max=f"l1={limit}\nbrier=0.5")
    assert done.returncode == status, done.stderr
    summed = (place / "step_summary").read_text()
    assert f"### Calibration: {word}" in summed
    table = [line.split("|")[1:-1] for line in summed.splitlines() if line.startswith("|")]
    assert [row[1].strip() for row in table[2:]] == ["l1", "brier"]
    assert {len(row) for row in table} == {6}
    left = outputs(place)
    assert left["status"] == str(status)
    suite = ElementTree.parse(left["junit"]).getroot().find("testsuite")
    assert suite is not None
    assert suite.get("tests") == "2"
    assert suite.get("failures") == str(status)
    assert "<html" in (Path(left["folder"]) / "calibration.html").read_text(encoding="utf-8")


def test_the_step_that_the_page_shows_stops_a_build(place: Path, settings: dict[str, str]) -> None:
    (shown,) = yaml.safe_load(blocks("ci", "yaml")[0])
    assert shown["uses"] == "OWNER/calipers@REF"
    # The model that ships with calipers is shown to be off by more than this limit.
    assert step(CHECK, place, settings, **shown["with"]).returncode == 1
    assert outputs(place)["status"] == "1"


def test_two_steps_of_a_job_keep_what_is_theirs(place: Path, settings: dict[str, str]) -> None:
    left = []
    for limit in ("0.2", "0.05"):
        step(CHECK, place, settings, files="predictions.csv", max=f"l1={limit}")
        left.append(outputs(place))
        (place / "output").unlink()
    for name in ("folder", "junit", "artifact"):
        assert left[0][name] != left[1][name]
    for one, failures in zip(left, ("0", "1"), strict=True):
        suite = ElementTree.parse(one["junit"]).getroot().find("testsuite")
        assert suite is not None
        assert suite.get("failures") == failures
        # What GitHub lets an artifact be called.
        assert re.fullmatch(r"calipers-build-\w+", one["artifact"])


def test_a_project_says_it_in_a_file_of_its_own(place: Path, settings: dict[str, str]) -> None:
    (place / "calipers.toml").write_text('files = "predictions.csv"\n[check]\nmax.l1 = 0.05\n')
    done = step(CHECK, place, settings)
    assert done.returncode == 1, done.stderr
    assert "the files of calipers.toml: " in (place / "step_summary").read_text()
    assert (Path(outputs(place)["folder"]) / "calibration.html").exists()


def test_hostile_names_are_files_and_text(place: Path, settings: dict[str, str]) -> None:
    names = ["$(touch taken) `touch taken`; touch taken #'\"|<b>.csv", "--label=x.csv"]
    for name in names:
        shutil.copy(ROOT / "data" / "cells_lgbm.csv", place / name)
    done = step(
        CHECK, place, settings, files="\n".join(names), max="l1=0.2", columns="--label label"
    )
    assert done.returncode == 0, done.stderr
    assert not (place / "taken").exists()
    summed = (place / "step_summary").read_text()
    assert "4,038 rows" in summed
    assert not set("<>`$") & set(summed)
    pages = sorted(path.name for path in Path(outputs(place)["folder"]).glob("*.html"))
    assert pages == ["calibration-2.html", "calibration.html"]


def test_groups_have_rows_of_their_own(place: Path, settings: dict[str, str]) -> None:
    head, *rows = (place / "predictions.csv").read_text().splitlines()
    lines = [f"{row},{('a|b', '<i>')[number % 2]}" for number, row in enumerate(rows)]
    (place / "grouped.csv").write_text("\n".join([f"{head},site", *lines]) + "\n")
    inputs = {"files": "grouped.csv", "max": "l1=0.2", "columns": "--group site", "page": ""}
    assert step(CHECK, place, settings, **inputs).returncode == 0
    summed = (place / "step_summary").read_text()
    assert "| a&#124;b | l1 | 0.2000 |" in summed
    assert "| &#60;i&#62; | l1 | 0.2000 |" in summed
    assert not list(Path(outputs(place)["folder"]).glob("*.html"))


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"files": "none.csv"}, "cannot read none.csv"),
        ({"files": " \n"}, "<FILE>..."),
        ({"max": ""}, "--max <M=LIMIT>"),
        ({"max": "l1"}, "l1"),
        ({"columns": "--label 'y"}, "::error::columns: "),
        ({"args": "--help"}, "::error::args: "),
        ({"page": "../page.html"}, "::error::page: "),
        ({"page": "a\nstatus=0.html"}, "::error::page: "),
    ],
)
def test_wrong_inputs_are_named_with_status_2(
    place: Path, settings: dict[str, str], inputs: dict[str, str], words: str
) -> None:
    done = step(CHECK, place, settings, **{"files": "predictions.csv", "max": "l1=0.2", **inputs})
    assert done.returncode == 2
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if (place / "output").exists():
        assert outputs(place)["status"] == "2"


def wheel(path: Path, *, command: bool) -> Path:
    """Write a wheel with or without a command calipers."""
    about = "calipers-0.0.1.dist-info"
    texts = {
        "calipers_stub.py": "def main():\n    print('stub')\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: calipers\nVersion: 0.0.1\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if command:
        texts[f"{about}/entry_points.txt"] = "[console_scripts]\ncalipers = calipers_stub:main\n"
    texts[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in texts)
    path.mkdir()
    made = path / "calipers-0.0.1-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as file:
        for name, text in texts.items():
            file.writestr(name, text)
    return made


def test_a_command_on_the_path_is_taken(place: Path, settings: dict[str, str]) -> None:
    for install in ("auto", "path"):
        done = step(INSTALL, place, settings, install=install)
        assert done.returncode == 0
        assert done.stdout.strip().endswith("/bin/calipers")
    assert not (place / "path").exists()


@pytest.mark.parametrize("command", [True, False])
def test_a_wheel_is_installed_if_it_carries_the_command(
    place: Path, settings: dict[str, str], command: bool
) -> None:
    file = wheel(place / "$(touch taken) wheels", command=command)
    offline = {**settings, "PIP_NO_INDEX": "1"}
    done = step(INSTALL, place, offline, install=str(file.relative_to(place)))
    assert not (place / "taken").exists()
    if command:
        assert done.returncode == 0, done.stdout + done.stderr
        found = Path((place / "path").read_text().strip()) / "calipers"
        ran = subprocess.run([found], check=True, capture_output=True, text=True)
        assert ran.stdout == "stub\n"
    else:
        assert done.returncode == 2
        assert "carries no command calipers" in done.stdout


def test_programs_lie_elsewhere_on_windows(place: Path, settings: dict[str, str]) -> None:
    file = wheel(place / "wheels", command=True)
    python = place / "bin" / "python3"
    python.write_text(
        "#!/bin/sh\n"
        'mkdir "$3/Scripts" && cd "$3/Scripts"\n'
        'printf \'#!/bin/sh\\ntouch "%s/calipers"; chmod +x "%s/calipers"\' "$PWD" "$PWD" >python\n'
        "chmod +x python\n"
    )
    python.chmod(0o755)
    done = step(INSTALL, place, settings, install=str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    found = Path((place / "path").read_text().strip())
    assert found.name == "Scripts"
    assert (found / "calipers").exists()


def test_two_steps_install_what_each_asks_for(place: Path, settings: dict[str, str]) -> None:
    file = wheel(place / "wheels", command=True)
    offline = {**settings, "PIP_NO_INDEX": "1"}
    for _ in range(2):
        assert step(INSTALL, place, offline, install=str(file)).returncode == 0
    first, second = (place / "path").read_text().split()
    assert first != second


@pytest.mark.parametrize(
    ("head", "installed"),
    [
        ("## [Unreleased]\n\n## [0.0.1] - 2030-01-02\n", True),
        ("## [Unreleased]\n\n### Added\n- More.\n\n## [0.0.1] - 2030-01-02\n", False),
        ("## [Unreleased]\n\n## [0.0.0] - 2030-01-02\n", False),
    ],
)
def test_a_release_is_taken_from_its_wheel_and_else_built(
    place: Path, settings: dict[str, str], head: str, installed: bool
) -> None:
    file = wheel(place / "wheels", command=True)
    clone = place / "clone"
    shutil.copytree(ROOT / ".github" / "action", clone / ".github" / "action")
    (clone / "crates" / "calipers-cli").mkdir(parents=True)
    (clone / "crates" / "calipers-cli" / "Cargo.toml").touch()
    (clone / "Cargo.toml").write_text('[workspace.package]\nversion = "0.0.1"\n')
    (clone / "CHANGELOG.md").write_text(f"# Changelog\n\n{head}")
    for name in ("calipers", "cargo"):
        (place / "bin" / name).unlink(missing_ok=True)
    (place / "bin" / "cargo").write_text(f'#!/bin/sh\ntouch "{place}/built"\n')
    (place / "bin" / "cargo").chmod(0o755)
    offline = {**settings, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(file.parent)}
    done = step(INSTALL, place, offline, action=clone, install="auto")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (place / "built").exists() != installed
    assert bool([*place.glob("temp/calipers-command-*/bin/calipers")]) == installed


@pytest.mark.parametrize("clone", [True, False])
def test_a_clone_is_built_by_cargo(place: Path, settings: dict[str, str], clone: bool) -> None:
    cargo = place / "bin" / "cargo"
    cargo.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{place}/asked"\n')
    cargo.chmod(0o755)
    if clone:
        done = step(INSTALL, place, settings, install=str(ROOT))
        assert done.returncode == 0, done.stdout + done.stderr
        asked = (place / "asked").read_text().splitlines()
        assert asked[0] == "install"
        assert asked[-1] == str(ROOT / "crates" / "calipers-cli")
        (made,) = (place / "temp").glob("calipers-command-*")
        assert (place / "path").read_text().strip() == str(made / "bin")
    else:
        done = step(INSTALL, place, settings, install=".")
        assert done.returncode == 2
        assert "is no clone of calipers" in done.stdout
        assert not (place / "asked").exists()

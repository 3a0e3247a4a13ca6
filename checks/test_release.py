"""The pieces of a release, on copies; what is long or cannot be taken back is replaced."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import date
from pathlib import Path

import pytest

from release import changelog, source, version, wheel
from studies.pages import ROOT


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what manifests are read from, and what a release changes."""
    kept = re.compile(
        r"Cargo\.(toml|lock)|CHANGELOG\.md|Makefile|(crates|fuzz|release)/.*|.*/coverage/.*\.rs"
    )
    for name in filter(kept.fullmatch, tracked()):
        place = tmp_path / "copy" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place)
    return tmp_path / "copy"


@pytest.fixture
def clone(copy: Path) -> Path:
    """Make a repository of the copy, whose `make` notes what it is asked for."""
    (copy / "bin").mkdir()
    fake = '#!/bin/sh\necho "$@" >>"$MADE"\ntest "$1" != "$FAILS"\n'
    (copy / "bin" / "make").write_text(fake)
    (copy / "bin" / "make").chmod(0o755)
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Start"]):
        git(copy, *command)
    return copy


SOMEBODY = {
    f"GIT_{who}_{what}": "x@example.org"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(
        command,
        check=True,
        cwd=folder,
        env={**os.environ, **SOMEBODY},
        capture_output=True,
        text=True,
    )
    return done.stdout


def release(
    clone: Path, *arguments: str, fails: str = ""
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    made = clone.parent / "made"
    made.write_text("")
    path = f"{clone / 'bin'}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, **SOMEBODY, "PATH": path, "MADE": str(made), "FAILS": fails}
    command = [sys.executable, "-m", "release", *arguments]
    done = subprocess.run(
        command, check=False, cwd=clone, env=settings, capture_output=True, text=True
    )
    return done, made.read_text().split()


def test_the_version_is_one() -> None:
    assert version.every(ROOT) == {version.read(ROOT)}


def test_every_crate_takes_version_and_address_from_the_workspace() -> None:
    for manifest in ROOT.glob("crates/*/Cargo.toml"):
        text = manifest.read_text(encoding="utf-8")
        assert "\nversion.workspace = true\n" in text, manifest
        if "publish = false" not in text:
            assert "\nrepository.workspace = true\n" in text, manifest
            assert (manifest.parent / "README.md").exists(), manifest


def test_a_version_that_is_set_is_one_to_cargo_too(copy: Path) -> None:
    version.set_version(copy, "7.8.9-rc.1")
    assert version.every(copy) == {"7.8.9-rc.1"}
    # `--locked` refuses a lock file that does not go with the manifests.
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    found = subprocess.run(command, check=True, cwd=copy, capture_output=True, timeout=300).stdout
    packages = json.loads(found)["packages"]
    ours = {package["version"] for package in packages if package["source"] is None}
    assert ours == {"7.8.9-rc.1"}


@pytest.mark.parametrize("wrong", ["1.2", "v1.2.3", "1.2.3.dev1", "1.2.3-beta", ""])
def test_versions_are_those_of_cargo_and_python(copy: Path, wrong: str) -> None:
    before = version.manifest(copy)
    with pytest.raises(ValueError, match="is no version"):
        version.set_version(copy, wrong)
    assert version.manifest(copy) == before


def test_the_address_is_written_to_one_place(copy: Path) -> None:
    version.set_repository(copy, "https://example.org/calipers")
    assert version.repository(copy) == "https://example.org/calipers"
    assert version.manifest(copy).count("example.org") == 1
    with pytest.raises(ValueError, match="https"):
        version.set_repository(copy, 'x"')


def test_what_is_unreleased_becomes_a_version(copy: Path) -> None:
    before = changelog.notes((copy / "CHANGELOG.md").read_text())
    assert before.startswith("### ")
    changelog.release(copy, "7.8.9", date(2030, 1, 2))
    text = (copy / "CHANGELOG.md").read_text()
    assert "\n## [Unreleased]\n\n## [7.8.9] - 2030-01-02\n" in text
    assert changelog.notes(text, "7.8.9") == before
    assert changelog.notes(text) == ""
    with pytest.raises(ValueError, match="nothing is under Unreleased"):
        changelog.release(copy, "7.9.0", date(2030, 1, 3))


def test_a_release_is_checked_committed_tagged_and_built(clone: Path) -> None:
    done, made = release(clone, "7.8.9", "--repository", "https://example.org/calipers")
    assert done.returncode == 0, done.stderr
    assert made[:2] == ["test", "release-checks"]
    assert made.index("wheels") > made.index("release-checks")
    assert "publish" not in made
    assert "git push origin HEAD v7.8.9" in done.stdout
    assert "make publish" in done.stdout
    assert git(clone, "log", "-1", "--format=%s").strip() == "Release v7.8.9"
    # Headings of the changelog are in the tag's message: git would take them for comments.
    assert "\n### Added\n" in git(clone, "tag", "--list", "--format=%(contents)", "v7.8.9")
    assert git(clone, "status", "--porcelain") == ""
    assert version.read(clone) == "7.8.9"
    again, made = release(clone, "7.8.9")
    assert again.returncode == 1
    assert "v7.8.9 is tagged already" in again.stderr
    assert made == []


def test_nothing_is_tagged_if_a_check_fails(clone: Path) -> None:
    address = ("--repository", "https://example.org/calipers")
    done, made = release(clone, "7.8.9", *address, fails="release-checks")
    assert done.returncode == 1
    assert "a check failed" in done.stderr
    assert made == ["test", "release-checks"]
    assert git(clone, "tag") == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["7.8.9"], "nobody said where the project is"),
        (["7.8", "--repository", "https://example.org"], "is no version"),
        (["7.8.9", "--repository", "example.org"], "is no address"),
    ],
)
def test_what_is_wrong_changes_nothing(clone: Path, arguments: list[str], words: str) -> None:
    version.change(clone / "Cargo.toml", version.ADDRESS, "")
    git(clone, "commit", "--quiet", "--allow-empty", "--all", "--message", "Nowhere")
    done, made = release(clone, *arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert made == []
    assert git(clone, "status", "--porcelain") == ""


def test_changes_that_are_not_committed_are_in_the_way(clone: Path) -> None:
    (clone / "CHANGELOG.md").write_text("")
    done, _ = release(clone, "7.8.9", "--repository", "https://example.org/calipers")
    assert done.returncode == 1
    assert "not committed" in done.stderr


def test_the_command_is_added_to_a_wheel(tmp_path: Path) -> None:
    path, command = tmp_path / "calipers-1-py3-none-any.whl", tmp_path / "calipers"
    command.write_bytes(b"\x7fELF")
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("calipers/__init__.py", "")
        made.writestr(
            "calipers-1.dist-info/RECORD",
            "calipers/__init__.py,,0\ncalipers-1.dist-info/RECORD,,\n",
        )
    wheel.add_command(path, command)
    with zipfile.ZipFile(path) as read:
        assert read.testzip() is None
        *_, place, record = read.infolist()
        assert place.filename == "calipers-1.data/scripts/calipers"
        assert place.external_attr >> 16 == 0o100755
        assert read.read(place) == b"\x7fELF"
        lines = read.read(record).decode().splitlines()
    assert lines == [
        "calipers/__init__.py,,0",
        wheel.line_of_record(place.filename, b"\x7fELF"),
        "calipers-1.dist-info/RECORD,,",
    ]


def test_what_is_packed_as_source_is_whole_to_cargo(tmp_path: Path) -> None:
    with tarfile.open(source.pack(tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / f"calipers-{version.read(ROOT)}"
    assert (folder / "PKG-INFO").read_text(encoding="utf-8").startswith("Metadata-Version: ")
    assert not (folder / "python" / "tests").exists()
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=300)

"""The pieces of a release, on copies; what is long or cannot be taken back is replaced."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
import zlib
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.utils import parse_sdist_filename
from packaging.version import Version

from release import __main__ as steps
from release import changelog, crates, image, source, tag, version, wheel
from studies.pages import ROOT

# The project's own has nothing under Unreleased while a release is made.
CHANGELOG = """# Changelog

## [Unreleased]

### Added
- Something.

## [0.0.1] - 2030-01-01

### Added
- Everything.
"""


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what manifests are read from, and what a release changes."""
    kept = re.compile(
        r"Cargo\.(toml|lock)|CITATION\.cff|Makefile|(crates|fuzz|release)/.*|.*/coverage/.*\.rs"
    )
    for name in filter(kept.fullmatch, tracked()):
        place = tmp_path / "copy" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place)
    (tmp_path / "copy" / "CHANGELOG.md").write_text(CHANGELOG)
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
    assert yaml.safe_load((copy / "CITATION.cff").read_text())["version"] == "7.8.9-rc.1"
    # `--locked` refuses a lock file that does not go with the manifests.
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    found = subprocess.run(command, check=True, cwd=copy, capture_output=True, timeout=300).stdout
    packages = json.loads(found)["packages"]
    ours = {package["version"] for package in packages if package["source"] is None}
    assert ours == {"7.8.9-rc.1"}


def test_no_test_knows_the_version() -> None:
    # It would fail in the middle of a release.
    number = version.read(ROOT)
    for name in tracked():
        if name.startswith(("crates/", "checks/", "python/")):
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            assert f"calipers {number}" not in text, name


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("1.2.3", "1.2.3"),
        ("1.2.3-alpha.4", "1.2.3a4"),
        ("1.2.3-beta.4", "1.2.3b4"),
        ("1.2.3-rc.1", "1.2.3rc1"),
    ],
)
def test_versions_are_written_as_python_does(number: str, expected: str) -> None:
    assert version.of_python(number) == expected == str(Version(number))


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


def test_these_tests_pass_while_a_release_is_made(tmp_path: Path, copy: Path) -> None:
    # As `make test` finds the project: nothing is under Unreleased any more.
    changelog.release(copy, "7.8.9", date(2030, 1, 2))
    version.set_version(copy, "7.8.9")
    for name in ("checks/__init__.py", "checks/test_release.py", "studies/pages.py"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    (copy / "pyproject.toml").write_text("")
    git(copy, "init", "--quiet")
    some = "becomes_a_version or checked_committed or the_version_is_one"
    command = [sys.executable, "-m", "pytest", "-q", "checks/test_release.py", "-k", some]
    base = ["--basetemp", str(tmp_path / "within")]
    done = subprocess.run([*command, *base], check=False, cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


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
    # cargo packs no manifest that was changed and not committed.
    assert made == [*steps.CHECKS, *steps.BUILDS]
    assert not {"crates", "sdist", "wheels"} & set(steps.CHECKS)
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
    # Compressed as well as maturin does, which was asked to compress well.
    content = (ROOT / "Cargo.lock").read_bytes()
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = len(packer.compress(content) + packer.flush())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("calipers/__init__.py", content, compresslevel=9)
        made.writestr(
            "calipers-1.dist-info/RECORD",
            "calipers/__init__.py,,0\ncalipers-1.dist-info/RECORD,,\n",
        )
    wheel.add_command(path, command)
    with zipfile.ZipFile(path) as read:
        assert read.testzip() is None
        first, place, record = read.infolist()
        assert first.compress_size == packed < len(content)
        assert read.read(first) == content
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
    folder = tmp_path / f"calipers-{version.of_python(version.read(ROOT))}"
    assert (folder / "PKG-INFO").read_text(encoding="utf-8").startswith("Metadata-Version: ")
    assert not (folder / "python" / "tests").exists()
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=300)


def test_the_source_of_a_version_before_is_named_as_python_asks(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version.set_version(copy, "1.2.3-rc.1")
    monkeypatch.setattr(source, "ROOT", copy)
    monkeypatch.setattr(source, "tracked", lambda: ["Cargo.toml"])
    monkeypatch.setattr(source, "metadata", lambda: b"")
    path = source.pack(copy)
    # With any other name, `parse_sdist_filename` has another version, and registries refuse it.
    assert parse_sdist_filename(path.name) == ("calipers", Version("1.2.3rc1"))
    assert path.name == "calipers-1.2.3rc1.tar.gz"
    with tarfile.open(path) as archive:
        names = archive.getnames()
    assert names == ["calipers-1.2.3rc1/Cargo.toml", "calipers-1.2.3rc1/PKG-INFO"]


def test_no_source_is_packed_of_what_git_does_not_track(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Unpacked within the repository of somebody else.
    git(copy.parent, "init", "--quiet")
    monkeypatch.setattr(source, "ROOT", copy)
    with pytest.raises(SystemExit, match="tracks nothing of"):
        source.tracked()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"TAG": "v7.8.9"}, ""),
        ({"GITHUB_REF_NAME": "v7.8.9"}, ""),
        ({"TAG": "v7.8.8"}, "the tag is 'v7.8.8', and the version makes it v7.8.9"),
        ({"GITHUB_REF_NAME": "7.8.9"}, "the tag is '7.8.9'"),
        ({}, "the tag is ''"),
    ],
)
def test_a_tag_names_the_version(
    copy: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], words: str
) -> None:
    version.set_version(copy, "7.8.9")
    monkeypatch.setattr(tag, "ROOT", copy)
    for name in ("TAG", "GITHUB_REF_NAME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    if words:
        with pytest.raises(SystemExit, match=words):
            tag.main()
    else:
        tag.main()


def packed_crates(folder: Path, number: str) -> None:
    folder.mkdir()
    for name in (*crates.BENEATH, "calipers-cli"):
        with tarfile.open(folder / f"{name}-{number}.crate", "w:gz") as archive:
            entry = tarfile.TarInfo(f"{name}-{number}/Cargo.toml")
            archive.addfile(entry)


@pytest.mark.parametrize("says", ["0", "9"])
def test_the_packed_command_is_installed_beside_the_packed_crates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    number = version.read(ROOT)
    packed_crates(tmp_path / "package", number)
    monkeypatch.setattr(crates, "PACKED", tmp_path / "package")
    # Installs what says a version, once every crate that it is told of is there.
    (tmp_path / "cargo").write_text(f"""#!{sys.executable}
import pathlib, sys
said = sys.argv[1:]
patched = [one.split('"')[1] for one in said if one.startswith("patch.crates-io.")]
assert said[0] == "install" and "--locked" not in said and len(patched) == {len(crates.BENEATH)}
for place in (*patched, said[said.index("--path") + 1]):
    assert pathlib.Path(place, "Cargo.toml").exists()
place = pathlib.Path(said[said.index("--root") + 1], "bin", "calipers")
place.parent.mkdir(parents=True)
place.write_text("#!/bin/sh\\necho calipers {number if says == "0" else says}\\n")
place.chmod(0o755)
""")
    (tmp_path / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    if says == "0":
        crates.main()
    else:
        with pytest.raises(SystemExit, match="says that it is 'calipers 9'"):
            crates.main()


def test_the_crates_are_those_that_are_packed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"(?m)^CRATES := \$\(addprefix --package ,(.*)\)$", makefile)
    assert listed is not None
    assert listed[1].split() == [*crates.BENEATH, "calipers-cli"]


def test_the_image_is_laid_out_of_wheels_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(image, "DIST", tmp_path / "dist")
    monkeypatch.setattr(image, "FOLDER", tmp_path / "image")
    # A command of an earlier version does not stay.
    (tmp_path / "image" / "amd64").mkdir(parents=True)
    (tmp_path / "image" / "amd64" / "calipers").touch()
    (tmp_path / "dist").mkdir()
    with pytest.raises(SystemExit, match="no wheel of musllinux is in"):
        image.main()
    made = tmp_path / "dist" / "calipers-1-cp310-abi3-musllinux_1_2_aarch64.whl"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("calipers-1.data/scripts/calipers", b"\x7fELF")
    image.main()
    assert (tmp_path / "image" / "arm64" / "calipers").read_bytes() == b"\x7fELF"
    assert not (tmp_path / "image" / "amd64").exists()


def test_the_container_holds_what_is_laid_out() -> None:
    text = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    told = dict(line.split(" ", 1) for line in lines)
    assert len(told) == len(lines)
    assert list(told) == ["FROM", "ARG", "COPY", "WORKDIR", "USER", "ENTRYPOINT"]
    assert told["FROM"] == "scratch"
    name, _, machine = told["ARG"].partition("=")
    assert machine in image.MACHINES.values()
    inside, outside = told["COPY"].split()
    assert inside == f"${{{name}}}/calipers"
    assert json.loads(told["ENTRYPOINT"]) == [outside]


def test_the_recipe_for_conda_is_of_this_package() -> None:
    text = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(text)
    # Those of version 1 of the format, as far as they are used here.
    known = {"schema_version", "context", "package", "source", "build", "requirements", "tests"}
    assert set(recipe) == {*known, "about"}
    assert recipe["schema_version"] == 1
    assert set(recipe["requirements"]) == {"build", "host", "run"}
    assert set(recipe["build"]) == {"number", "python", "script"}
    place = recipe["source"]["path"].replace("${{ version }}", version.read(ROOT))
    assert parse_sdist_filename(Path(place).name)[0] == recipe["context"]["name"] == "calipers"
    assert (ROOT / "packaging" / "conda" / place).resolve().parent == ROOT / "dist"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (builder,) = project["build-system"]["requires"]
    assert builder.replace(">", " >", 1) in recipe["requirements"]["host"]
    for need in project["project"]["dependencies"]:
        assert need.replace(">", " >", 1) in recipe["requirements"]["run"]
    oldest = project["project"]["requires-python"].removeprefix(">=")
    assert f"python {oldest}.*" in recipe["requirements"]["host"]
    assert recipe["about"]["license"] == project["project"]["license"]
    assert set(project["project"]["license-files"]) <= set(recipe["about"]["license_file"])


@pytest.fixture
def examine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import what examines wheels, without what is installed only where that is done."""
    for name in ("elftools", "elftools.elf", "elftools.elf.elffile"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys.modules["elftools.elf.elffile"], "ELFFile", None, raising=False)
    monkeypatch.delitem(sys.modules, "release.examine", raising=False)
    return importlib.import_module("release.examine")


@pytest.mark.parametrize(("system", "limited"), [("Linux", True), ("Darwin", False)])
def test_the_command_has_to_start_quickly_on_linux(
    examine: ModuleType, monkeypatch: pytest.MonkeyPatch, system: str, limited: bool
) -> None:
    monkeypatch.setattr(examine, "SLOWEST_START", 0)
    monkeypatch.setattr(examine.platform, "system", lambda: system)
    command = Path("/bin/true")
    if limited:
        with pytest.raises(SystemExit, match="to start"):
            examine.start(command)
    else:
        assert examine.start(command) > 0

"""The version and the project's address, in the one file that has them: the workspace's manifest.

The version stands there more than once, since crates that stand on each other name theirs, and in
`Cargo.lock` and `CITATION.cff`; here all are set at once, and `checks/test_release.py` insists that
they agree.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The project's folder."""

FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-(?:alpha|beta|rc)\.\d+)?")
"""Versions that Cargo and Python both understand."""

OWN = re.compile(r'(?m)^(version = ")(.*)(?="$)')
OF_CRATES = re.compile(r'(?m)^(calipers[\w-]* = \{ path = .*?version = ")(.*?)(?=")')
ADDRESS = re.compile(r'(?m)^(repository = ")(.*)(?="$)')
LOCKED = re.compile(r'(?m)^(name = "calipers[\w-]*"\nversion = ")(.*)(?="(?!\nsource)$)')
CITED = re.compile(r"(?m)^(version: )(.*)$")

PLACES = (
    *(("Cargo.toml", OWN), ("Cargo.toml", OF_CRATES)),
    *(("Cargo.lock", LOCKED), ("CITATION.cff", CITED)),
)
"""Where the version stands, and what stands before it."""


def manifest(root: Path) -> str:
    """Return the workspace's manifest."""
    return (root / "Cargo.toml").read_text(encoding="utf-8")


def read(root: Path) -> str:
    """Return the version."""
    return all_of(OWN, manifest(root))[0]


def repository(root: Path) -> str:
    """Return the project's address, empty if it has none."""
    return all_of(ADDRESS, manifest(root))[0]


def every(root: Path) -> set[str]:
    """Return all versions that are written down; they should be one."""
    return {one for path, what in PLACES for one in all_of(what, (root / path).read_text("utf-8"))}


def of_python(version: str) -> str:
    """Return a version as Python's packages have it: 1.2.3rc1 where Cargo has 1.2.3-rc.1."""
    for word, letters in (("-alpha.", "a"), ("-beta.", "b"), ("-rc.", "rc")):
        version = version.replace(word, letters)
    return version


def set_version(root: Path, version: str) -> None:
    """Write another version wherever it stands."""
    if not FORM.fullmatch(version):
        raise ValueError(f"{version!r} is no version such as 1.2.3 or 1.2.3-rc.1")
    for path, what in PLACES:
        change(root / path, what, version)


def set_repository(root: Path, address: str) -> None:
    """Write down where the project is."""
    if not re.fullmatch(r"https://[^\s\"\\]+", address):
        raise ValueError(f"{address!r} is no address that starts with https://")
    change(root / "Cargo.toml", ADDRESS, address)


def all_of(what: re.Pattern[str], text: str) -> list[str]:
    """Return the values that a pattern finds, of which there is at least one."""
    found = [match[2] for match in what.finditer(text)]
    if not found:
        raise ValueError(f"nothing looks like {what.pattern}")
    return found


def change(path: Path, what: re.Pattern[str], value: str) -> None:
    """Replace every value that a pattern finds."""
    text = path.read_text(encoding="utf-8")
    all_of(what, text)
    path.write_text(what.sub(rf"\g<1>{value}", text), encoding="utf-8")

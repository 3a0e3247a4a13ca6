"""What calipers is made of, as far as cargo itself can tell within a second."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from studies.pages import ROOT


def toml(path: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / path).read_text())


@pytest.fixture(scope="module")
def packages() -> list[dict[str, Any]]:
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    output = subprocess.run(command, check=True, capture_output=True, cwd=ROOT, timeout=300).stdout
    found: list[dict[str, Any]] = json.loads(output)["packages"]
    assert len(found) > len(members(found)) > 0
    return found


def members(packages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [package for package in packages if package["source"] is None]


def permitted(expression: str, allowed: set[str]) -> bool:
    """Tell whether an SPDX expression can be met with licences from a list."""
    # An exception is a part of the name of its licence; a slash is how old manifests write OR.
    spaced = expression.replace(" WITH ", "+with+").replace("/", " OR ")
    names = {name.replace(" WITH ", "+with+") for name in allowed}
    words = re.findall(r"[()]|[^\s()]+", spaced)

    def alternatives() -> bool:
        met = both()
        while words and words[0] == "OR":
            words.pop(0)
            met |= both()
        return met

    def both() -> bool:
        met = one()
        while words and words[0] == "AND":
            words.pop(0)
            met &= one()
        return met

    def one() -> bool:
        word = words.pop(0)
        if word != "(":
            return word in names
        met = alternatives()
        assert words.pop(0) == ")"
        return met

    met = alternatives()
    assert not words, expression
    return met


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("GPL-3.0", False),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0 OR MIT", True),
        ("GPL-3.0 AND MIT", False),
        ("(MIT OR GPL-3.0) AND Zlib", True),
        ("MIT OR GPL-3.0 AND LGPL-2.1", True),
        ("(MIT OR GPL-3.0) AND LGPL-2.1", False),
        ("Apache-2.0 WITH LLVM-exception", False),
    ],
)
def test_expressions_of_licences_are_understood(expression: str, expected: bool) -> None:
    assert permitted(expression, {"MIT", "Apache-2.0", "Zlib"}) is expected


def test_every_licence_is_permissive(packages: list[dict[str, Any]]) -> None:
    allowed = set(toml("deny.toml")["licenses"]["allow"])
    refused = {
        f"{package['name']} {package['version']}": package["license"]
        for package in packages
        if not permitted(package["license"] or "none", allowed)
    }
    assert refused == {}


def test_everything_comes_from_one_registry(packages: list[dict[str, Any]]) -> None:
    sources = {package["source"] for package in packages} - {None}
    assert len(sources) == 1
    assert sources.pop().startswith("registry+")
    for package in members(packages):
        assert Path(package["manifest_path"]).is_relative_to(ROOT)


def test_no_crate_asks_for_a_newer_compiler(packages: list[dict[str, Any]]) -> None:
    def version(text: str) -> tuple[int, ...]:
        parts = [int(part) for part in text.split(".")]
        return (*parts, *[0] * (3 - len(parts)))

    ours = toml("Cargo.toml")["workspace"]["package"]["rust-version"]
    newer = {
        package["name"]: package["rust_version"]
        for package in packages
        if package["rust_version"] and version(package["rust_version"]) > version(ours)
    }
    assert newer == {}
    assert f"Rust {ours}" in (ROOT / "README.md").read_text()


def test_no_published_crate_of_ours_may_be_unsafe(packages: list[dict[str, Any]]) -> None:
    # `forbid` cannot be lifted in a source file, only by a manifest that does not inherit it. The
    # programs that libFuzzer drives export a function to it, and are not published.
    assert toml("Cargo.toml")["workspace"]["lints"]["rust"]["unsafe_code"] == "forbid"
    for package in members(packages):
        manifest = tomllib.loads(Path(package["manifest_path"]).read_text())
        if manifest["package"].get("publish", True):
            assert manifest.get("lints") == {"workspace": True}, package["name"]


def test_building_ours_runs_no_code_of_ours(packages: list[dict[str, Any]]) -> None:
    kinds = {
        kind
        for package in members(packages)
        for target in package["targets"]
        for kind in target["kind"]
    }
    assert "lib" in kinds
    assert kinds.isdisjoint({"custom-build", "proc-macro"})

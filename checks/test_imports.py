"""No module of a crate imports one that, by way of others, imports it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studies.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

# A module by its path from the crate's root, as ("estimate", "driver").
Module = tuple[str, ...]

CRATES = sorted(path.parent for path in ROOT.glob("crates/*/src"))
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")
GROUP = re.compile(r"([\w:]*?)(?:::)?\{(.*)\}$", re.DOTALL)


def code(path: Path) -> str:
    """Return what is compiled for more than tests, without comments."""
    text = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")[0]
    return "\n".join(line.split("//")[0] for line in text.splitlines())


def paths(text: str) -> Iterator[str]:
    """Go through the paths that a text names, one at a time."""
    for statement in USE.findall(text):
        yield from spelt_out(" ".join(statement.split()), "")
    yield from PATH.findall(USE.sub("", text))


def spelt_out(tree: str, before: str) -> Iterator[str]:
    """Spell out ``a::{b, c::{d, e}}``."""
    group = GROUP.match(tree.strip())
    if group is None:
        yield before + tree.strip().split(" as ")[0]
        return
    depth, part = 0, ""
    for letter in group[2] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if part.strip():
                yield from spelt_out(part, f"{before}{group[1]}::" if group[1] else before)
            part = ""
        else:
            part += letter


def modules(root: Path) -> dict[Module, Path]:
    """Return the modules below a folder that are compiled for more than tests."""
    found = {}
    for path in root.rglob("*.rs"):
        relative = path.relative_to(root)
        is_test = {"tests", "oracle"} & {*relative.parts[:-1], relative.stem}
        if is_test or relative.name in ("lib.rs", "main.rs"):
            continue
        name = () if relative.stem == "mod" else (relative.stem,)
        found[(*relative.parent.parts, *name)] = path
    return found


def imports(known: dict[Module, Path], own: Module) -> Iterator[Module]:
    """Go through the modules that a module names."""
    for path in paths(code(known[own])):
        parts = path.split("::")
        base = own
        if parts[0] == "crate":
            base = ()
        while parts and parts[0] in ("crate", "super", "self"):
            base = base[:-1] if parts[0] == "super" else base
            parts = parts[1:]
        for part in parts:
            if (*base, part) not in known:
                break
            base = (*base, part)
        if base in known:
            yield base


def graph(known: dict[Module, Path]) -> dict[Module, set[Module]]:
    """Return which modules import which: both as seen from the nearest room that holds them.

    A room and what is in it know each other; that is no import.
    """
    edges: dict[Module, set[Module]] = {}
    for own in known:
        for other in imports(known, own):
            shared = 0
            while shared < min(len(own), len(other)) and own[shared] == other[shared]:
                shared += 1
            if shared < min(len(own), len(other)):
                edges.setdefault(own[: shared + 1], set()).add(other[: shared + 1])
    return edges


def cycle(edges: dict[Module, set[Module]]) -> list[str]:
    """Return the modules of a cycle, or nothing if there is none."""
    done: set[Module] = set()

    def search(module: Module, way: list[Module]) -> list[Module]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        for other in sorted(edges.get(module, ())):
            if found := search(other, [*way, module]):
                return found
        done.add(module)
        return []

    for module in sorted(edges):
        if found := search(module, []):
            return ["::".join(one) for one in found]
    return []


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_modules_import_each_other_in_one_direction(crate: Path) -> None:
    edges = graph(modules(crate / "src"))
    assert cycle(edges) == []


def test_a_cycle_is_found(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room/mod.rs").write_text("mod one;\nmod two;\npub use one::One;\n")
    (tmp_path / "room/one.rs").write_text("use super::two::{self, Two as Other};\n")
    two = "// use super::one::One;\nuse crate::below::{Below, deep::Deep};\n"
    (tmp_path / "room/two.rs").write_text(two)
    (tmp_path / "below.rs").write_text("use std::fmt;\n")
    known = modules(tmp_path)
    assert graph(known) == {
        ("room", "one"): {("room", "two")},
        ("room",): {("below",)},
    }
    assert cycle(graph(known)) == []
    (tmp_path / "room/two.rs").write_text("fn two() -> super::one::One { todo() }\n")
    assert cycle(graph(known)) == ["room::one", "room::two", "room::one"]
    (tmp_path / "below.rs").write_text("use crate::room::One;\n")
    (tmp_path / "room/two.rs").write_text("use crate::below::Below;\n")
    assert cycle(graph(known)) == ["below", "room", "below"]

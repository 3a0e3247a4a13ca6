"""The map is of this house: its rooms are there, and begin with the words that it has for them."""

import re

import pytest

from studies.pages import ROOT

MAP = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
CORE = ROOT / "crates/calipers/src"
ROOMS = dict(re.findall(r"^\| `(\w+)` \| ([A-Z].*?) \|$", MAP, re.MULTILINE))


def test_every_room_and_every_crate_is_on_the_map() -> None:
    rooms = {path.parent.name for path in CORE.glob("*/mod.rs")}
    assert set(ROOMS) == rooms
    crates = {path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")} | {"calipers-fuzz"}
    assert set(re.findall(r"^\| `(calipers[\w-]*)` \|", MAP, re.MULTILINE)) == crates


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_begins_with_its_words(room: str) -> None:
    lines = (CORE / room / "mod.rs").read_text(encoding="utf-8").splitlines()
    paragraph = []
    for line in lines:
        if line.strip() in ("//!", ""):
            break
        paragraph.append(line.removeprefix("//! "))
    assert " ".join(paragraph) == ROOMS[room]

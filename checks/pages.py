"""Blocks of code on the pages about other packages and builds, for the tests that type them."""

import re
from pathlib import Path

from studies.pages import ROOT

FOLDER = ROOT / "docs" / "integrations"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return the pages about other packages and builds."""
    return sorted(FOLDER.glob("*.md"))


def all_blocks(page: Path) -> list[tuple[str, str]]:
    """Return every block of a page with its language, in order."""
    return [(found[1], found[2]) for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def blocks(name: str, language: str) -> list[str]:
    """Return the blocks of the page of this name that are in a language, in order."""
    return [text for own, text in all_blocks(FOLDER / f"{name}.md") if own == language]

"""The head of the changelog: what is unreleased becomes a version."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

HEAD = "## [Unreleased]\n"


def release(root: Path, version: str, day: date) -> None:
    """Give what is unreleased a version and a day, and start anew above it."""
    path = root / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    if not notes(text):
        raise ValueError("CHANGELOG.md: nothing is under Unreleased")
    if f"\n## [{version}]" in text:
        raise ValueError(f"CHANGELOG.md: {version} is there already")
    title = f"{HEAD}\n## [{version}] - {day.isoformat()}\n"
    path.write_text(text.replace(HEAD, title, 1), encoding="utf-8")


def notes(text: str, version: str = "Unreleased") -> str:
    """Return what stands under a version."""
    head = re.escape(f"## [{version}]")
    found = re.search(rf"(?ms)^{head}[^\n]*\n(.*?)(?=^## |\Z)", text)
    return found[1].strip() if found else ""

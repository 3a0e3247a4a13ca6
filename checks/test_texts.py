"""Texts that stand in two places are the same in both."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_rules_for_columns_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8")
    for path in ("calipers-files/src/columns/guesses.txt", "calipers/src/data/labels/rules.txt"):
        assert (ROOT / "crates" / path).read_text(encoding="utf-8") in page, path

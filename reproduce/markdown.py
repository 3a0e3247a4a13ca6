"""Markdown for the page."""

import textwrap
from collections.abc import Sequence

WIDTH = 118
# Tables, headings, pictures and comments stay as they are.
VERBATIM = ("|", "#", "!", "<")


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def wrapped(text: str) -> str:
    """Break the lines of paragraphs and lists anew, now that numbers have been filled in."""
    return "\n\n".join(map(block, text.strip().split("\n\n"))) + "\n"


def block(text: str) -> str:
    """Break the lines of what stands between two empty lines."""
    if text.startswith(VERBATIM):
        return text
    items: list[str] = []
    for line in text.splitlines():
        if line.startswith("- ") or not items:
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    return "\n".join(fill(item) for item in items)


def fill(text: str) -> str:
    """Break one paragraph or item."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )

"""What studies write: CSV files, figures, and pages of Markdown that are filled in from templates.

A study hands every file to `Pages`, which writes those that changed; or, to check, writes nothing
and remembers them.
"""

import csv
import io
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The project's folder."""

Row = dict[str, str]
"""A line of a CSV file."""

WIDTH = 118
# Tables, headings, pictures, comments and code stay as they are.
VERBATIM = ("|", "#", "!", "<", "```")
# What an item of a list begins with.
ITEM = re.compile(r"- |\d+\. ")


class Pages:
    """The files of a study."""

    def __init__(self, check: bool = False) -> None:
        """Write them, or only compare."""
        self.check = check
        self.changed: list[Path] = []

    def write(self, path: Path, text: str) -> None:
        """Write a text, unless it is there already."""
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        self.changed.append(path)
        if not self.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def csv(self, path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write a CSV file."""
        file = io.StringIO(newline="")
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
        self.write(path, file.getvalue())

    def records(self, path: Path, rows: Iterable[Mapping[str, object]]) -> None:
        """Write a CSV file of rows that name their columns, numbers with six digits."""
        lines = list(rows)
        head = list(lines[0])
        self.csv(path, head, ([digits(row[name]) for name in head] for row in lines))

    def page(self, path: Path, template: Path, fields: Mapping[str, str]) -> None:
        """Write a page: a template whose fields are filled in."""
        self.write(path, wrapped(template.read_text(encoding="utf-8").format_map(fields)))

    def finish(self) -> int:
        """Say what changed; return 1 if nothing was to."""
        for path in self.changed:
            print(f"{shown(path)} {'is not what the study gives' if self.check else 'written'}")
        return 1 if self.check and self.changed else 0


def shown(path: Path) -> str:
    """Return a path as seen from the project's folder."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def read(path: Path) -> list[Row]:
    """Read a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def digits(value: object) -> str:
    """Return a cell: numbers have six significant digits, what is not there is empty."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def percent(share: float) -> str:
    """Return a share in percent, as text has it."""
    return f"{share:.1%}".replace("%", " %")


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
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
        if ITEM.match(line) or not items:
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    return "\n".join(fill(item) for item in items)


def fill(text: str) -> str:
    """Break one paragraph or item."""
    item = ITEM.match(text)
    indent = " " * len(item[0]) if item else ""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )

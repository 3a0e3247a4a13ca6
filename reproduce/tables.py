"""CSV files: what was published, and what this writes."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from bench.results import Row

PUBLISHED = Path(__file__).parent / "published"


def read(path: Path) -> list[Row]:
    """Read a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write a CSV file; numbers have six significant digits, what is not there is empty."""
    lines = [{name: text(value) for name, value in row.items()} for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def text(value: object) -> str:
    """Return how a value is written."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)

"""Write `docs/robustness.md`: `page.md`, with a table in the place of every name of a CSV file.

The files are in `docs/robustness/`, each written by the command that the page names beside it.
"""

import argparse
import csv
import re
import sys
from pathlib import Path

from studies.pages import ROOT, Pages, shown, table, wrapped
from studies.robustness import lines

TEMPLATE = Path(__file__).parent / "page.md"
MEASURED = ROOT / "docs" / "robustness"


def options(_: argparse.ArgumentParser) -> None:
    """Say that there are none."""


def run(asked: argparse.Namespace) -> int:
    """Write the page, or say whether it is what the files say."""
    pages = Pages(asked.check)
    pages.write(MEASURED.with_suffix(".md"), page())
    return pages.finish()


def page() -> str:
    """Return the template with its tables filled in."""
    template = TEMPLATE.read_text()
    named = re.compile(r"^<!-- (\w+)\.csv -->$", re.MULTILINE)
    missing = {path.stem for path in MEASURED.glob("*.csv")} - set(named.findall(template))
    if missing:
        sys.exit(f"{shown(TEMPLATE)} shows no table of {', '.join(sorted(missing))}")
    return wrapped(named.sub(lambda found: measured(found[1]), template))


def measured(name: str) -> str:
    """Return a file of measurements as a table."""
    with (MEASURED / f"{name}.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    if name == "coverage":
        return lines.summary(rows)
    return table(head, [[cell_for_people(cell) for cell in row] for row in rows])


def cell_for_people(cell: str) -> str:
    """Return a cell with whole numbers in groups of three, and no bar that ends it."""
    if re.fullmatch(r"\d{4,}", cell):
        return f"{int(cell):,}"
    return cell.replace("|", "\\|")

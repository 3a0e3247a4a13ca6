"""Write `docs/reliability.md`: `page.md`, with a table in the place of every name of a CSV file.

The files are in `docs/reliability/`, each written by the command that the page names beside it.

Usage: python3 -m reliability [--check]
"""

import argparse
import csv
import re
import sys
from pathlib import Path

from bench.program import ROOT
from reliability import coverage
from reproduce.markdown import table, wrapped

TEMPLATE = Path(__file__).parent / "page.md"
MEASURED = ROOT / "docs" / "reliability"
PAGE = ROOT / "docs" / "reliability.md"


def main() -> None:
    """Write the page, or say whether it is what the files say."""
    parser = argparse.ArgumentParser(prog="python3 -m reliability", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it differs")
    check = parser.parse_args().check
    text = page()
    if not check:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit(f"{PAGE.relative_to(ROOT)} is not what was measured: python3 -m reliability")


def page() -> str:
    """Return the template with its tables filled in."""
    template = TEMPLATE.read_text()
    named = re.compile(r"^<!-- (\w+)\.csv -->$", re.MULTILINE)
    missing = {path.stem for path in MEASURED.glob("*.csv")} - set(named.findall(template))
    if missing:
        sys.exit(f"{TEMPLATE.relative_to(ROOT)} shows no table of {', '.join(sorted(missing))}")
    return wrapped(named.sub(lambda found: measured(found[1]), template))


def measured(name: str) -> str:
    """Return a file of measurements as a table."""
    with (MEASURED / f"{name}.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    if name == "coverage":
        return coverage.summary(rows)
    return table(head, [[shown(cell) for cell in row] for row in rows])


def shown(cell: str) -> str:
    """Return a cell for people: whole numbers in groups of three, and no bar that ends it."""
    if re.fullmatch(r"\d{4,}", cell):
        return f"{int(cell):,}"
    return cell.replace("|", "\\|")


if __name__ == "__main__":
    main()

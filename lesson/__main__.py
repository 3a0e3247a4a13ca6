"""Measure data of known truth in every way, and write the lesson: figures, a CSV file, a page.

The full run writes `docs/neighbours.md` and `docs/neighbours/`; the quick one measures fewer data
sets and writes to `target/lesson/quick/`.

Usage: python3 -m lesson [--quick]
"""

import argparse
import time

from bench.program import ROOT
from lesson import figures, page
from lesson.measured import FULL, QUICK, compute
from lesson.summary import summarise, write

TARGET = ROOT / "target" / "lesson"
WORKERS = 2


def main() -> None:
    """Measure, summarise, draw, write."""
    parser = argparse.ArgumentParser(prog="python3 -m lesson", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer data sets, in a minute")
    quick = parser.parse_args().quick
    start = time.monotonic()
    plan = QUICK if quick else FULL
    document = TARGET / "quick" / "neighbours.md" if quick else ROOT / "docs" / "neighbours.md"
    output = document.with_suffix("")
    output.mkdir(parents=True, exist_ok=True)
    points = summarise(compute(plan, TARGET / "measured.csv", WORKERS))
    write(output / "summary.csv", points)
    figures.errors(points, plan, output / "errors.svg")
    figures.squares(points, plan, output / "squares.svg")
    figures.bins(points, plan, output / "bins.svg")
    figures.tests(points, plan, output / "tests.svg")
    page.write(document, points, plan)
    print(f"{document.relative_to(ROOT)} written, {time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()

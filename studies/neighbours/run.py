"""Measure data of known truth in every way, and write the lesson: figures, a CSV file, a page.

The full run writes `docs/neighbours.md` and `docs/neighbours/`; the quick one measures fewer data
sets and writes to `target/neighbours/quick/`.
"""

import argparse
import time

from studies.neighbours import figures, page
from studies.neighbours.measured import FULL, QUICK, compute
from studies.neighbours.summary import records, summarise
from studies.pages import ROOT, Pages, shown

TARGET = ROOT / "target" / "neighbours"
WORKERS = 2


def options(_: argparse.ArgumentParser) -> None:
    """Say that there are none."""


def run(asked: argparse.Namespace) -> int:
    """Measure, summarise, draw, write."""
    start = time.monotonic()
    plan = QUICK if asked.quick else FULL
    folder = TARGET / "quick" if asked.quick else ROOT / "docs"
    document, output = folder / "neighbours.md", folder / "neighbours"
    pages = Pages(asked.check)
    points = summarise(compute(plan, TARGET / "measured.csv", WORKERS))
    pages.records(output / "summary.csv", records(points))
    figures.errors(pages, output / "errors.svg", points, plan)
    figures.squares(pages, output / "squares.svg", points, plan)
    figures.bins(pages, output / "bins.svg", points, plan)
    figures.tests(pages, output / "tests.svg", points, plan)
    page.write(pages, document, points, plan)
    print(f"{shown(document)}: {time.monotonic() - start:.0f} s in all")
    return pages.finish()

"""Compute the paper's figures and tables again, write them, and check them.

The full run writes `docs/reproduction.md` and `docs/reproduction/`; the quick one computes fewer
sizes and files and writes to `target/reproduction/quick/`. Both exit with 1 if something is further
from the paper than chance allows. Estimates are kept in `target/reproduction/cache/`, by the digest
of the program that computed them: a run that was stopped goes on where it was.
"""

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_limits

from studies.pages import ROOT, Pages, read, shown
from studies.program import Program
from studies.reproduce import checks, figures, page, sides, simulated, table1
from studies.reproduce.agreement import meant
from studies.reproduce.foundation import Foundation, tabicl, tabpfn
from studies.reproduce.page_synthetic import figure_name
from studies.reproduce.plan import FIGURES, FULL, QUICK, WORKERS
from studies.reproduce.points import Point, points

TARGET = ROOT / "target" / "reproduction"


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--program", type=Path, help="a calipers to run instead of building one")
    add("--folder", type=Path, help="predictions for Table 1, which do not come with this")
    add("--tabicl-weights", type=Path, help="weights of TabICLv2, to run its row of Table 1")
    add("--tabpfn-weights", type=Path, help="weights of RealTabPFN-2.5, likewise")


def run(asked: argparse.Namespace) -> int:
    """Compute, write, check."""
    start = time.monotonic()
    plan = QUICK if asked.quick else FULL
    document = TARGET / "quick" / "reproduction.md" if asked.quick else page.DOCUMENT
    output = document.parent if asked.quick else page.DOCUMENT.with_suffix("")
    program = Program.find(asked.program)
    pages = Pages(asked.check)
    work = simulated.Simulated(program, TARGET / "cache" / "simulated.csv")
    models = [
        Foundation("TabICLv2", "tabicl", tabicl, asked.tabicl_weights),
        Foundation("RealTabPFN-2.5", "tabpfn", tabpfn, asked.tabpfn_weights),
    ]

    # Two programs run at a time; k-means, which shares the cores with them, takes no more than one.
    with threadpool_limits(1):
        work.compute("over and under", simulated.sides(), WORKERS)
        for classes in FIGURES:
            title = f"figure, {classes} classes"
            work.compute(title, simulated.figure(plan, classes), WORKERS)
        folder = table1.Folder.read(asked.folder, plan.files)
        rows = table1.compute(program, folder, plan, models, TARGET / "cache")

    pages.records(output / "over_under.csv", sides.cells(work))
    pages.records(output / "table1.csv", table1.table(rows, folder, plan, models))
    all_points = [point for classes in FIGURES for point in points(work, plan, classes)]
    pages.records(output / "synthetic.csv", [asdict(point) for point in all_points])

    # From here on what counts is what was written.
    all_points = [Point.parse(row) for row in read(output / "synthetic.csv")]
    for classes in FIGURES:
        own = [point for point in all_points if point.classes == classes]
        name = figure_name(classes)
        figures.overview(pages, output / f"{name}.svg", own, meant(own, classes))
        figures.methods(pages, output / f"{name}_methods.svg", own)
    page.write(pages, document, output, plan, folder)

    failures = checks.failures(output)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print(f"{shown(document)}: {time.monotonic() - start:.0f} s in all")
    return 1 if pages.finish() or failures else 0

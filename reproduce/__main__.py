"""Compute the paper's figures and tables again, write them, and check them.

The full run writes `docs/reproduction.md` and `docs/reproduction/`; the quick one computes fewer
sizes and files and writes to `target/reproduction/quick/`. Both exit with 1 if something is further
from the paper than chance allows. Estimates are kept in `target/reproduction/cache/`, by the digest
of the program that computed them: a run that was stopped goes on where it was.

Usage: python3 -m reproduce [--help]
"""

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_limits

from bench.program import ROOT, Program
from reproduce import checks, figures, page, sides, simulated, table1, tables
from reproduce.agreement import meant
from reproduce.foundation import Foundation, tabicl, tabpfn
from reproduce.page_synthetic import figure_name
from reproduce.plan import FIGURES, FULL, QUICK, WORKERS
from reproduce.points import Point, points

TARGET = ROOT / "target" / "reproduction"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python3 -m reproduce", description="Compute the paper's figures and tables again."
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="fewer sizes and files, in under three minutes")
    add("--program", type=Path, help="a calipers to run instead of building one")
    add("--folder", type=Path, help="predictions for Table 1 (default: ../shared/corpus if there)")
    add("--tabicl-weights", type=Path, help="weights of TabICLv2, to run its row of Table 1")
    add("--tabpfn-weights", type=Path, help="weights of RealTabPFN-2.5, likewise")
    return parser.parse_args()


def main() -> int:
    """Compute, write, check."""
    options = arguments()
    start = time.monotonic()
    plan = QUICK if options.quick else FULL
    document = TARGET / "quick" / "reproduction.md" if options.quick else page.DOCUMENT
    output = document.parent if options.quick else page.DOCUMENT.with_suffix("")
    program = Program.find(options.program)
    work = simulated.Simulated(program, TARGET / "cache" / "simulated.csv")
    models = [
        Foundation("TabICLv2", "tabicl", tabicl, options.tabicl_weights),
        Foundation("RealTabPFN-2.5", "tabpfn", tabpfn, options.tabpfn_weights),
    ]

    # Two programs run at a time; k-means, which shares the cores with them, takes no more than one.
    with threadpool_limits(1):
        work.compute("over and under", simulated.sides(), WORKERS)
        for classes in FIGURES:
            title = f"figure, {classes} classes"
            work.compute(title, simulated.figure(plan, classes), WORKERS)
        folder = table1.Folder.read(options.folder, plan.files)
        rows = table1.compute(program, folder, plan, models, TARGET / "cache")

    tables.write(output / "over_under.csv", sides.cells(work))
    tables.write(output / "table1.csv", table1.table(rows, folder, plan, models))
    all_points = [point for classes in FIGURES for point in points(work, plan, classes)]
    tables.write(output / "synthetic.csv", [asdict(point) for point in all_points])

    # From here on what counts is what was written.
    all_points = [Point.parse(row) for row in tables.read(output / "synthetic.csv")]
    for classes in FIGURES:
        own = [point for point in all_points if point.classes == classes]
        name = figure_name(classes)
        figures.overview(own, meant(own, classes), output / f"{name}.svg")
        figures.methods(own, output / f"{name}_methods.svg")
    page.write(document, output, plan, folder)

    failures = checks.failures(output)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print(f"{document.relative_to(ROOT)} written, {time.monotonic() - start:.0f} s in all")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

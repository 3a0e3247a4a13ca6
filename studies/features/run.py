"""Errors given features, beside MCGrad: segments that are seen, real corrections, and time.

`power` plants segments in simulated data, `mended` corrects real classifiers, `timing` times both
sides. What each side found of each data set is kept beneath `target/features`: a run that was
stopped goes on where it was, unless the side's version is another. `--fresh` forgets that. Tables
are written to `docs/features`, or to `target/features/quick` with `--quick`, and printed.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

# Before NumPy is imported: one thread each.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from studies.features import mended, power, timing
from studies.pages import ROOT, Pages

RAW = ROOT / "target" / "features"
KEPT = ROOT / "docs" / "features"
SIDES = ("mcgrad", "calipers")
Part = Callable[[argparse.Namespace, list[str], Pages], None]


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--parts", nargs="+", choices=list(PARTS), default=list(PARTS), help="what is measured")
    add("--sides", nargs="+", choices=SIDES, default=list(SIDES), help="which packages are run")
    add("--sets", type=int, default=100, help="data sets of a cell with a segment")
    add("--nulls", type=int, default=200, help="data sets of a cell without one")
    add("--splits", type=int, default=3, help="splits of a real table")
    add("--runs", type=int, default=3, help="runs that are timed")
    add("--fresh", action="store_true", help="forget what was kept")


def folders(quick: bool) -> tuple[Path, Path]:
    """Return where raw results and tables are."""
    return (RAW / "quick", RAW / "quick") if quick else (RAW, KEPT)


def seen(asked: argparse.Namespace, sides: list[str], pages: Pages) -> None:
    """Plant segments."""
    raw, tables = folders(asked.quick)
    plan = power.quick() if asked.quick else power.full(asked.sets, asked.nulls)
    for side in sides:
        if asked.fresh:
            (raw / f"power_{side}.csv").unlink(missing_ok=True)
        power.measure(plan, side, raw)
    lines = list(power.summary(plan, raw, sides))
    pages.records(tables / "power.csv", lines)
    power.show(lines)


def corrected(asked: argparse.Namespace, sides: list[str], pages: Pages) -> None:
    """Correct real classifiers."""
    raw, tables = folders(asked.quick)
    plan = mended.QUICK if asked.quick else mended.Plan(splits=asked.splits)
    methods = ["before", *sides]
    if asked.fresh:
        (raw / "mended_raw.csv").unlink(missing_ok=True)
    mended.measure(plan, methods, raw)
    lines = list(mended.summary(plan, methods, raw))
    pages.records(tables / "mended.csv", lines)
    mended.show(lines, methods)


def timed(asked: argparse.Namespace, sides: list[str], pages: Pages) -> None:
    """Time both."""
    plan = timing.QUICK if asked.quick else timing.Plan(runs=asked.runs)
    lines = list(timing.measure(plan, sides))
    pages.records(folders(asked.quick)[1] / "timing.csv", lines)
    timing.show(lines)


PARTS: dict[str, Part] = {"power": seen, "mended": corrected, "timing": timed}


def run(asked: argparse.Namespace) -> int:
    """Measure what was asked for, and write its tables."""
    sides = [side for side in SIDES if side in asked.sides]
    if sides != list(SIDES):
        print(f"only {sides[0]}: the tables in docs are not written", file=sys.stderr)
    pages = Pages(check=sides != list(SIDES))
    for part in asked.parts:
        print(f"\n{part}")
        PARTS[part](asked, sides, pages)
    return 0 if pages.check else pages.finish()

"""What `compare` claims of two models whose errors are known, and `docs/comparison.md`.

The cells are in `docs/comparison/cells.csv`. With `--measure` the example `comparison` of the core,
`comparison.rs`, computes them anew, which takes an hour or two.
"""

import argparse
import math
import subprocess
from collections.abc import Iterable
from pathlib import Path

from studies.pages import ROOT, Pages, Row, percent, read, table

EXAMPLE = ["cargo", "run", "--release", "--package", "calipers", "--example", "comparison", "--"]
CELLS = ROOT / "docs" / "comparison" / "cells.csv"
TEMPLATE = Path(__file__).parent / "page.md"
LEVEL = 0.05
LEARNERS = ("temperature", "isotonic", "auto")
# The recalibrators that are quick, and the one that is not.
RUNS = (
    ["--recalibrators", "temperature,isotonic"],
    ["--recalibrators", "auto", "--data-sets", "200", "--rows", "100,1000"],
)


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("--measure", action="store_true", help="compute all cells anew first")


def run(asked: argparse.Namespace) -> int:
    """Measure if that was asked for, and write the page."""
    if asked.measure:
        CELLS.write_text(measured(), encoding="utf-8")
    pages = Pages(asked.check)
    pages.page(CELLS.parent.with_suffix(".md"), TEMPLATE, fields(read(CELLS)))
    return pages.finish()


def measured() -> str:
    """Return the cells of all runs, under one heading."""
    lines: list[str] = []
    for more in RUNS:
        run = subprocess.run(
            [*EXAMPLE, *more], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        )
        head, *rest = run.stdout.splitlines()
        lines += rest if lines else [head, *rest]
    return "\n".join(lines) + "\n"


def fields(cells: list[Row]) -> dict[str, str]:
    """Return what the template asks for."""
    level = [cell for cell in cells if cell["kind"] != "differ"]
    above = [cell for cell in level if excess(cell, "claims") > 2]
    worst = max(level, key=lambda cell: float(cell["claims"]))
    return {
        "cells": f"{len(level):,}",
        "level": false_claims(cells),
        "power": power(cells),
        "above": str(len(above)),
        "above_before": str(sum(excess(cell, "t_test") > 2 for cell in level)),
        "worst": f"{percent(float(worst['claims']))} ({described(worst)})",
    }


def excess(cell: Row, what: str) -> float:
    """Return how far a share is above 5 %, in Monte-Carlo standard errors."""
    stderr = math.sqrt(LEVEL * (1 - LEVEL) / float(cell["data_sets"]))
    return (float(cell[what]) - LEVEL) / stderr


def described(cell: Row) -> str:
    """Name a cell."""
    rows = f"{int(cell['rows']):,}"
    return f"{cell['kind']} {cell['pair']}, n = {rows}, `{cell['recalibrator']}`, {cell['metric']}"


def false_claims(cells: list[Row]) -> str:
    """Return the table of pairs that do not differ."""
    lines = []
    for kind in ("calibrated", "equal"):
        for learner in LEARNERS:
            own = [one for one in cells if (one["kind"], one["recalibrator"]) == (kind, learner)]
            before, after = (shares(own, what) for what in ("t_test", "claims"))
            lines.append(
                [kind, f"`{learner}`", str(len(own)), percent(max(before)), percent(max(after))]
            )
    return table(["pair", "recalibrator", "cells", "t-test, worst", "claims, worst"], lines)


def power(cells: list[Row]) -> str:
    """Return the table of pairs that differ."""
    sizes = sorted({int(cell["rows"]) for cell in cells})
    differ = [cell for cell in cells if cell["kind"] == "differ"]
    lines = []
    for learner in LEARNERS:
        own = [cell for cell in differ if cell["recalibrator"] == learner]
        found = [mean_shares([one for one in own if int(one["rows"]) == size]) for size in sizes]
        lines.append([f"`{learner}`", *found])
    return table(["recalibrator", *(f"n = {size:,}" for size in sizes)], lines)


def mean_shares(cells: list[Row]) -> str:
    """Return the mean shares of the t-test and of the claims."""
    if not cells:
        return ""
    means = [sum(shares(cells, what)) / len(cells) for what in ("t_test", "claims")]
    return " / ".join(f"{100 * mean:.0f}" for mean in means)


def shares(cells: Iterable[Row], what: str) -> list[float]:
    """Return one column."""
    return [float(cell[what]) for cell in cells]

"""The page about the reproduction: `page.md`, with every number filled in from the CSV files."""

from pathlib import Path

from studies.pages import ROOT, Pages, Row, read, table
from studies.reproduce import page_real, page_synthetic
from studies.reproduce.plan import REPEATS, SIDES_ROWS, Plan
from studies.reproduce.points import Point
from studies.reproduce.sides import TOLERANCE
from studies.reproduce.simulated import SIDES_METHODS, SIDES_METRICS
from studies.reproduce.table1 import Folder

DOCUMENT = ROOT / "docs" / "reproduction.md"
TEMPLATE = Path(__file__).parent / "page.md"


def write(pages: Pages, path: Path, output: Path, plan: Plan, folder: Folder) -> None:
    """Write the page."""
    points = [Point.parse(row) for row in read(output / "synthetic.csv")]
    images = "" if output == path.parent else f"{output.name}/"
    fields = {
        **page_synthetic.fields(points, plan, images),
        **sides_fields(read(output / "over_under.csv")),
        **page_real.fields(read(output / "table1.csv"), folder, plan),
    }
    pages.page(path, TEMPLATE, fields)


def sides_fields(sides: list[Row]) -> dict[str, str]:
    """Return what the page says about over- and under-confidence."""
    settings = list(dict.fromkeys(row["setting"] for row in sides))
    lines = []
    for metric in (*SIDES_METRICS, "true"):
        methods = SIDES_METHODS if metric in SIDES_METRICS else ("",)
        name = f"`{metric}`" if metric in SIDES_METRICS else "true `l1`"
        for method in methods:
            own = [r for r in sides if (r["metric"], r["method"]) == (metric, method)]
            cells = {row["setting"]: row for row in own}
            if method == methods[0]:
                lines.append([name, "paper", *(cells[s]["published"] for s in settings)])
            source = f"`{method}`" if method else "integral"
            lines.append([name, source, *(side(cells[s]) for s in settings)])
    return {
        "sides_rows": f"{SIDES_ROWS:,}",
        "sides_repeats": str(REPEATS),
        "sides_within": str(sum(row["within"] == "true" for row in sides)),
        "sides_cells": str(len(sides)),
        "tolerance": str(TOLERANCE),
        "furthest": f"{max(abs(float(row['difference'])) for row in sides):.4f}",
        "sides": table(["", "", *(f"`{setting}`" for setting in settings)], lines),
    }


def side(row: Row) -> str:
    """Return a cell."""
    error = f" ± {float(row['standard_error']):.4f}" if row["method"] else ""
    return f"{float(row['mean']):.4f}{error}"

"""A billion rows: time and memory beside DuckDB's 15-bin ECE, and `docs/scale.md`.

What was measured is in `docs/scale`, and the page is written from there. With `--measure` all of it
is measured anew first, or a part: `growth` (two classes, from 100,000 to a billion rows), `bits`
(the same rows in any files, in any order) and `classes` (a thousand of them). The data take 2.5 GB
in `--folder`, and are kept there if one is named. `--quick` measures small ones.
"""

import argparse
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

# Nothing that is imported here is large (timing.py says why); what draws is imported below.
from studies.pages import ROOT, Pages, read
from studies.program import Program
from studies.stream import bits, classes, growth
from studies.stream.settings import FULL, QUICK, Settings
from studies.stream.timing import say

KEPT = ROOT / "docs" / "scale"
PARTS = {"growth": growth.measure, "bits": bits.measure, "classes": classes.measure}


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--measure", nargs="*", metavar="PART", help=f"measure anew: {', '.join(PARTS)}, or all")
    add("--folder", type=Path, help="where data are, or are to be kept, instead of for this run")
    add("--program", type=Path, help="a program to time instead of building one")


def run(asked: argparse.Namespace) -> int:
    """Measure what was asked for, and write the page."""
    pages = Pages(asked.check)
    results = ROOT / "target" / "scale" if asked.quick else KEPT
    if (asked.measure is not None or asked.quick) and not asked.check:
        chosen = asked.measure or list(PARTS)
        unknown = [name for name in chosen if name not in PARTS]
        if unknown:
            print(f"error: {unknown[0]} is none of {', '.join(PARTS)}", file=sys.stderr)
            return 2
        measure(pages, results, chosen, asked)
    from studies.stream import figure, page

    figure.draw(pages, results)
    page.write(pages, results)
    several = {kind: count for kind, count in page.distinct(read(results / "bits.csv")).items()}
    for kind, count in several.items():
        if count > 1:
            print(f"error: {kind}: {count} sets of bits", file=sys.stderr)
    return pages.finish() or int(max(several.values()) > 1)


def measure(pages: Pages, results: Path, chosen: list[str], asked: argparse.Namespace) -> None:
    """Measure some parts; each is written when it is done."""
    settings = QUICK if asked.quick else FULL
    program = Program.find(asked.program, parquet=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (asked.folder or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            PARTS[name](pages, results, program, folder, settings)
            pages.records(results / "about.csv", [about(settings)])
            say(f"{name}: written to {results}")


def about(settings: Settings) -> dict[str, object]:
    """Return what was measured with."""
    return {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "duckdb": version("duckdb"),
        "parts_rows": settings.parts_rows,
    }

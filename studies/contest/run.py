"""Recalibrators of calipers and of other packages on the same real predictions: `docs/contest.md`.

What each entrant found is in `docs/contest/entrants`, and the page is written from there. With
`--measure` some are measured anew first, on a folder of predictions as `corpus.py` describes it:
`ours`, `slow` (ours, from scratch), `peers`, or entrants by name. A run that was stopped goes on
where it was, unless calipers or a package have changed since.
"""

import argparse
from pathlib import Path

from studies.contest import figure, measured, page
from studies.contest.summary import contests, without_zeros
from studies.pages import ROOT, Pages


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    shared = ROOT.parent / "shared"
    add = parser.add_argument
    add("--measure", nargs="+", default=[], metavar="NAME", help="measure groups or entrants anew")
    add("--folder", type=Path, default=shared / "corpus", help="where the NPZ files are")


def run(asked: argparse.Namespace) -> int:
    """Measure what was asked for, and write the page."""
    pages = Pages(asked.check)
    if asked.measure:
        measured.run(pages, asked.measure, asked.folder)
    write(pages, measured.KEPT)
    return pages.finish()


def write(pages: Pages, folder: Path) -> None:
    """Write the figure, and the page beside the folder."""
    found = contests(folder)
    figure.draw(pages, folder / "harm.svg", found)
    page.write(pages, folder.with_suffix(".md"), found, without_zeros(folder))

"""What all figures share: style, colours, names beside curves, and SVG that is always the same.

The same points give the same bytes: no date, a fixed salt for the names of parts, text as text.
"""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator
from sklearn.isotonic import isotonic_regression

from studies.pages import Pages

STYLE = {
    "svg.hashsalt": "calipers",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial"],
    "axes.facecolor": "none",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
    "axes.edgecolor": "#888888",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}
# Okabe and Ito's colours, which the colour-blind can tell apart.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
GREY = "#777777"
# Share of an axis' height that a line of text needs.
LINE_HEIGHT = 0.1
ATTRIBUTE = re.compile(r'="[^"]*"')
LONG = re.compile(r"-?\d+\.\d{3,}")


def logarithmic(axes: Any, ticks: Sequence[int]) -> None:  # noqa: ANN401
    """Make the horizontal axis logarithmic, with these ticks."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda n, _: f"{n:g}" if n < 1000 else f"{n / 1000:g}k")


def label(axes: Any, names: list[tuple[float, str, str]]) -> None:  # noqa: ANN401
    """Write names to the right of where curves end, without overlap: (height, name, colour)."""
    low, high = axes.get_ylim()
    ordered = sorted(names)
    # The nearest places that keep the order and a distance: increasing once that is taken off.
    distances = LINE_HEIGHT * (high - low) * np.arange(len(ordered))
    heights = isotonic_regression([height for height, _, _ in ordered] - distances) + distances
    place = {"xycoords": ("axes fraction", "data"), "annotation_clip": False, "va": "center"}
    for height, (_, name, colour) in zip(heights, ordered, strict=True):
        axes.annotate(name, (1.02, height), color=colour, **place)


def short(number: re.Match[str]) -> str:
    """Return a number with fewer digits."""
    return f"{float(number[0]):.1f}".removesuffix(".0")


def save(pages: Pages, path: Path, figure: Any) -> None:  # noqa: ANN401
    """Write a figure, the same bytes for the same figure."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    # A tenth of a point is enough; and Matplotlib leaves spaces at the ends of lines.
    text = ATTRIBUTE.sub(lambda found: LONG.sub(short, found[0]), file.getvalue())
    pages.write(path, "".join(line.strip() + "\n" for line in text.splitlines()))

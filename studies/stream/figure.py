"""The figure: time and memory over rows, of calipers and of DuckDB."""

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from studies.figures import GREEN, GREY, ORANGE, STYLE, save
from studies.pages import Pages, read
from studies.stream.page import Growth

TOOLS = {
    "calipers": ("calipers: fit, bounds, p-value", GREEN, "o"),
    "duckdb": ("DuckDB: ECE of 15 bins", ORANGE, "s"),
}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(rows: float) -> str:
    """Return a power of 10."""
    return "10" + str(len(f"{rows:.0f}") - 1).translate(SUPERSCRIPTS)


def panel(axes: Any, growth: Growth, what: str, unit: float, title: str) -> None:  # noqa: ANN401
    """Draw time or memory, in a unit."""
    every: list[float] = []
    for tool, (name, colour, marker) in TOOLS.items():
        heights = [growth.of(tool, rows, what) / unit for rows in growth.sizes]
        every += heights
        axes.plot(growth.sizes, heights, color=colour, marker=marker, markersize=4, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(growth.sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda rows, _: power(rows))
    # Whole powers of 10, so that there are labels however little it grows.
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    axes.set_ylim(10.0 ** (low - 0.05), 10.0 ** (high + 0.05))
    axes.yaxis.set_major_locator(FixedLocator([10.0**at for at in range(low, high + 1)]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(True, axis="y", color=GREY, alpha=0.2, linewidth=0.6)
    axes.set_xlabel("rows")
    axes.set_title(title)


def draw(pages: Pages, folder: Path) -> None:
    """Draw both."""
    growth = Growth(read(folder / "growth.csv"))
    unit = growth.of("duckdb", growth.reference, "seconds")
    with mpl.rc_context(STYLE):
        figure: Any = Figure(figsize=(8.6, 3.4), layout="constrained")
        left, right = figure.subplots(1, 2)
        title = f"time: DuckDB's for {power(growth.reference)} rows is 1"
        panel(left, growth, "seconds", unit, title)
        panel(right, growth, "megabytes", 1.0, "largest resident set, MB")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        save(pages, folder / "growth.svg", figure)

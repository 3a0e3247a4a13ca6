"""The synthetic figures: the paper's beside ours, and each method beside what was published."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as MplPath

from studies.figures import BLACK, BLUE, GREEN, ORANGE, STYLE, VERMILION, label, logarithmic, save
from studies.pages import Pages
from studies.reproduce.methods import BINNED, BY_NAME, IN_SAMPLE
from studies.reproduce.plan import FIGURES
from studies.reproduce.points import Point

TICKS = (200, 500, 1000, 2000, 5000, 10_000)
FEW_TICKS = (200, 1000, 10_000)


def select(points: Sequence[Point], setting: str, method: str) -> list[Point]:
    """Return a curve, by size."""
    chosen = [p for p in points if (p.setting, p.method) == (setting, method)]
    return sorted(chosen, key=lambda point: point.n)


def curve(axes: Any, points: list[Point], colour: str, style: str = "-") -> None:  # noqa: ANN401
    """Draw means and a band of one standard error."""
    n = [point.n for point in points]
    low = [point.mean - point.standard_error for point in points]
    high = [point.mean + point.standard_error for point in points]
    axes.fill_between(n, low, high, color=colour, alpha=0.22, linewidth=0.0)
    axes.plot(n, [point.mean for point in points], style, color=colour, linewidth=1.4)


def dots(axes: Any, places: list[tuple[int, float]], colour: str) -> None:  # noqa: ANN401
    """Draw dots as one path, of lines with round ends and no length: markers take far more."""
    vertices = [place for place in places for _ in range(2)]
    codes = [MplPath.MOVETO, MplPath.LINETO] * len(places)
    how = {"edgecolor": colour, "facecolor": "none", "linewidth": 3.2, "capstyle": "round"}
    axes.add_patch(PathPatch(MplPath(vertices, codes), zorder=3.0, **how))
    axes.update_datalim(vertices)


def sizes(axes: Any, ticks: Sequence[int]) -> None:  # noqa: ANN401
    """Make the axis of sizes logarithmic."""
    logarithmic(axes, ticks)
    axes.set_xlim(185, 10_800)


def lines_of(binned: str) -> dict[str, str]:
    """Return the curves of the paper's figure, and `auto`: colours by method."""
    return {"isotonic": BLUE, IN_SAMPLE: VERMILION, binned: ORANGE, "auto": GREEN}


def overview(pages: Pages, path: Path, points: list[Point], binned: str) -> None:
    """Draw the paper's figure, a row for each setting: as published on the left, ours beside it."""
    settings = FIGURES[points[0].classes]
    norm = "l1" if points[0].classes == 2 else "l2"
    colours = lines_of(binned)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 2.25 * len(settings) + 0.5), layout="constrained")
        grid = figure.subplots(len(settings), 2, sharex=True, sharey="row")
        for (left, right), setting in zip(grid, settings, strict=True):
            ends = []
            for method, colour in colours.items():
                ours = select(points, setting, method)
                curve(right, ours, colour)
                ends.append((ours[-1].mean, BY_NAME[method].label, colour))
                published = [(p.n, p.published) for p in ours if p.published is not None]
                if published:
                    left.plot(*zip(*published, strict=True), color=colour, linewidth=1.4)
            for axes in (left, right):
                axes.axhline(ours[0].true, color=BLACK, linewidth=1.2, zorder=1.0)
                sizes(axes, TICKS)
            ends.append((ours[0].true, "true error", BLACK))
            label(right, ends)
            left.set_ylabel(f"{setting}\n{norm}")
        grid[0][0].set_title("published")
        grid[0][1].set_title("calipers (mean ± standard error)")
        for axes in grid[-1]:
            axes.set_xlabel("samples n")
        save(pages, path, figure)


def methods(pages: Pages, path: Path, points: list[Point]) -> None:
    """Draw a panel for each setting and method: ours as a curve, the published means as dots."""
    settings = FIGURES[points[0].classes]
    norm = "l1" if points[0].classes == 2 else "l2"
    left_out = ("isotonic", IN_SAMPLE, *BINNED)
    names = list(dict.fromkeys(p.method for p in points if p.method not in left_out))
    with mpl.rc_context({**STYLE, "font.size": 8.0, "axes.titlesize": 8.5}):
        size = (1.45 * len(names) + 0.6, 1.6 * len(settings) + 0.8)
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(len(settings), len(names), sharex=True, sharey="row")
        for panels, setting in zip(grid, settings, strict=True):
            for axes, name in zip(panels, names, strict=True):
                ours = select(points, setting, name)
                sizes(axes, FEW_TICKS)
                if ours:
                    axes.axhline(ours[0].true, color=BLACK, linewidth=1.0, zorder=1.0)
                    curve(axes, ours, BLUE)
                    published = [(p.n, p.published) for p in ours if p.published is not None]
                    if published:
                        dots(axes, published, VERMILION)
            panels[0].set_ylabel(f"{setting}\n{norm}")
        for axes, name in zip(grid[0], names, strict=True):
            title = BY_NAME[name].label
            axes.set_title(title if title == name else f"{title}\n{name}")
        for axes in figure.axes:
            where = axes.get_subplotspec()
            if where is not None:
                left, bottom = where.is_first_col(), where.is_last_row()
                axes.tick_params(left=left, bottom=bottom, labelsize=7.0)
        figure.supxlabel("samples n", fontsize=8.5)
        handles = [
            Line2D([], [], color=BLUE, label="calipers, ± standard error"),
            Line2D([], [], color=VERMILION, marker="o", ls="", ms=4, label="published"),
            Line2D([], [], color=BLACK, label="true error"),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
        save(pages, path, figure)

"""The figures: errors, squared errors and refusals against n, and errors against bins."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from studies.figures import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    STYLE,
    VERMILION,
    label,
    logarithmic,
    save,
)
from studies.neighbours.measured import BINS, TESTS, Plan, binned
from studies.neighbours.settings import SETTINGS
from studies.neighbours.summary import LEVEL, Points, curve, truths
from studies.pages import Pages

ERRORS = {
    "ece": ("ece, 15 bins", ORANGE),
    "sweep": ("sweep", PURPLE),
    "smooth": ("smooth", SKY),
    "kernel": ("kernel", VERMILION),
    "l1": ("calipers l1", GREEN),
}
SQUARES = {
    "ece:p=2": ("(ece, p = 2)²", ORANGE),
    "corp": ("corp", VERMILION),
    "squared": ("debiased²", BLUE),
    "brier": ("calipers brier", GREEN),
}
TEST_LINES = {
    "skce": ("skce", PURPLE),
    "kuiper": ("kuiper", BLUE),
    "kolmogorov-smirnov": ("kolm.-smirnov", SKY),
    "hosmer-lemeshow": ("hosmer-lem.", ORANGE),
    "spiegelhalter": ("spiegelhalter", VERMILION),
    "cox": ("cox", GREY),
    "l1": ("calipers", GREEN),
}
LINES = {1: ERRORS, 2: SQUARES}
"""By the power of |f - C| that they aim at."""
# Shapes tell lines apart that colours do not.
MARKERS = "osv^DPX"


def panels(columns: int, rows: int = 1) -> tuple[Any, Any]:
    """Return an empty figure with panels side by side."""
    figure = Figure(figsize=(3.1 * columns + 1.3, 2.5 * rows + 0.5), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def by_size(pages: Pages, path: Path, points: Points, plan: Plan, power: int) -> None:
    """Draw means with a band of one standard deviation against n, a panel a setting."""
    true = truths(power)
    with mpl.rc_context(STYLE):
        figure, (grid,) = panels(len(SETTINGS))
        for axes, setting in zip(grid, SETTINGS, strict=True):
            axes.axhline(true[setting.name], color=BLACK, linewidth=1.2, zorder=1.0)
            ends = [(true[setting.name], "true error", BLACK)]
            for measure, (name, colour) in LINES[power].items():
                own = curve(points, setting.name, measure, plan.sizes)
                # The square of an error is compared with squares.
                squared = measure == "ece:p=2"
                means = [one.mean**2 if squared else one.mean for one in own]
                low = [(one.mean - one.deviation) ** (2 if squared else 1) for one in own]
                high = [(one.mean + one.deviation) ** (2 if squared else 1) for one in own]
                axes.fill_between([one.n for one in own], low, high, color=colour, alpha=0.15, lw=0)
                axes.plot([one.n for one in own], means, color=colour, linewidth=1.4)
                ends.append((means[-1], name, colour))
            logarithmic(axes, (200, 1000, 5000))
            axes.set_title(f"{setting.name}\n{setting.about}")
            axes.set_xlabel("samples n")
            if setting is SETTINGS[-1]:
                label(axes, ends)
        save(pages, path, figure)


def errors(pages: Pages, path: Path, points: Points, plan: Plan) -> None:
    """Draw the errors that aim at E|f - C|."""
    by_size(pages, path, points, plan, 1)


def squares(pages: Pages, path: Path, points: Points, plan: Plan) -> None:
    """Draw those that aim at E(f - C)²."""
    by_size(pages, path, points, plan, 2)


def bins(pages: Pages, path: Path, points: Points, plan: Plan) -> None:
    """Draw the binned error against the number of bins, a panel a size, a row a setting."""
    true = truths(1)
    chosen = [setting.name for setting in SETTINGS]
    with mpl.rc_context(STYLE):
        figure, grid = panels(len(plan.bin_sizes), len(chosen))
        for row, setting in zip(grid, chosen, strict=True):
            for axes, n in zip(row, plan.bin_sizes, strict=True):
                ends = [(true[setting], "true error", BLACK)]
                axes.axhline(true[setting], color=BLACK, linewidth=1.2, zorder=1.0)
                for mass, name, colour, style in (
                    (False, "equal width", ORANGE, "-"),
                    (True, "equal mass", BLUE, "--"),
                ):
                    own = [points[setting, n, binned(count, mass)] for count in BINS]
                    axes.plot(BINS, [one.mean for one in own], style, color=colour, linewidth=1.4)
                    low = [one.mean - one.deviation for one in own]
                    high = [one.mean + one.deviation for one in own]
                    axes.fill_between(BINS, low, high, color=colour, alpha=0.15, lw=0)
                    ends.append((own[-1].mean, name, colour))
                estimate = points[setting, n, "l1"].mean
                axes.axhline(estimate, color=GREEN, linewidth=1.4, linestyle=":")
                ends.append((estimate, "calipers l1", GREEN))
                logarithmic(axes, (2, 5, 15, 50, 200))
                axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
                axes.set_title(f"{setting}, n = {n:,}")
                if n == plan.bin_sizes[-1]:
                    label(axes, ends)
        for axes in grid[-1]:
            axes.set_xlabel("number of bins")
        save(pages, path, figure)


def tests(pages: Pages, path: Path, points: Points, plan: Plan) -> None:
    """Draw how often each test refuses calibration at 5 %, a panel a setting."""
    with mpl.rc_context(STYLE):
        figure, (grid,) = panels(len(SETTINGS))
        for axes, setting in zip(grid, SETTINGS, strict=True):
            axes.axhline(LEVEL, color=BLACK, linewidth=1.0, linestyle=":")
            ends = []
            for marker, measure in zip(MARKERS, (*TESTS, "l1"), strict=True):
                name, colour = TEST_LINES[measure]
                own = curve(points, setting.name, measure, plan.sizes)
                shares = [one.refused or 0.0 for one in own]
                axes.plot([one.n for one in own], shares, color=colour, marker=marker, ms=3.5)
                ends.append((shares[-1], name, colour))
            logarithmic(axes, (200, 1000, 5000))
            axes.set_ylim(-0.03, 1.03)
            axes.set_title(setting.name)
            axes.set_xlabel("samples n")
            if setting is SETTINGS[-1]:
                label(axes, ends)
        grid[0].set_ylabel("share refused at 5 %")
        save(pages, path, figure)

"""The lesson's figures as SVG, in the style of the reproduction's."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from lesson.measured import BINS, TESTS, Plan, binned
from lesson.settings import SETTINGS
from lesson.summary import LEVEL, Points, curve, truths
from reproduce.figures import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    STYLE,
    VERMILION,
    label,
    save,
)

GREY = "#777777"
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
# Shapes tell lines apart that colours do not.
MARKERS = "osv^DPX"


def panels(columns: int, rows: int = 1) -> tuple[Any, Any]:
    """Return an empty figure with panels side by side."""
    figure = Figure(figsize=(3.1 * columns + 1.3, 2.5 * rows + 0.5), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def logarithmic(axes: Any, ticks: tuple[int, ...]) -> None:  # noqa: ANN401
    """Make the horizontal axis logarithmic, with these ticks."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda n, _: f"{n:g}" if n < 1000 else f"{n / 1000:g}k")


def by_size(
    points: Points, plan: Plan, lines: dict[str, tuple[str, str]], power: int, path: Path
) -> None:
    """Draw means with a band of one standard deviation against n, a panel a setting."""
    true = truths(power)
    with mpl.rc_context(STYLE):
        figure, (grid,) = panels(len(SETTINGS))
        for axes, setting in zip(grid, SETTINGS, strict=True):
            axes.axhline(true[setting.name], color=BLACK, linewidth=1.2, zorder=1.0)
            ends = [(true[setting.name], "true error", BLACK)]
            for measure, (name, colour) in lines.items():
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
        save(figure, path)


def errors(points: Points, plan: Plan, path: Path) -> None:
    """Draw the errors that aim at E|f - C|."""
    by_size(points, plan, ERRORS, 1, path)


def squares(points: Points, plan: Plan, path: Path) -> None:
    """Draw those that aim at E(f - C)²."""
    by_size(points, plan, SQUARES, 2, path)


def bins(points: Points, plan: Plan, path: Path) -> None:
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
        save(figure, path)


def tests(points: Points, plan: Plan, path: Path) -> None:
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
        save(figure, path)

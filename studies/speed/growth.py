"""Time estimates over rows and over classes, and say how fast they grow.

Two classes, from a thousand rows to ten million; a fixed number of rows, from two classes to five
thousand. P-values and bounds are included, reading is not; the least of some runs, on all cores. A
slope is the exponent of a power of the rows, or of the classes: 1 is proportional. Short runs are
mostly what does not grow, so that the slope that counts is the steepest between neighbours beyond a
tenth of a second. Writes `growth.csv` and `growth.svg` to docs/speed.
"""

import argparse
import itertools
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from studies.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, VERMILION, save
from studies.pages import ROOT, Pages, Row, read
from studies.program import TIMINGS, Program

FOLDER = ROOT / "docs" / "speed"
ROWS = [10**power for power in range(3, 8)]
CLASSES = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
# So many rows have the classes.
ROWS_OF_CLASSES = 2_000
METHODS = {
    "auto": GREEN,
    "isotonic": ORANGE,
    "temperature": BLUE,
    "boost": VERMILION,
    "sms": PURPLE,
}
OF_ROWS = ("auto", "isotonic", "temperature", "boost")
RUNS = 3
# Runs that take longer are not repeated.
LONG = 5.0
# Steps from shorter runs say nothing of growth.
SHORTEST = 0.1
FIELDS = ("axis", "method", "rows", "classes", "seconds")


def simulate(rows: int, classes: int, file: Path) -> None:
    """Write over-confident predictions of single precision, and labels."""
    rng = np.random.default_rng(classes)
    logits = 1.5 * rng.standard_normal((rows, classes), dtype=np.float32)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    cooler = np.cumsum(powers**0.7, axis=1)
    labels = np.sum(rng.random((rows, 1)) * cooler[:, -1:] > cooler[:, :-1], axis=1)
    np.savez(file, logits=logits, labels=labels, classes=np.arange(classes).astype(str))


def seconds(program: Program, method: str, file: Path, *more: str) -> float:
    """Return the least time of some estimates."""
    least = math.inf
    for _ in range(RUNS):
        done = program.run("estimate", file, "--recalibrator", method, "--timings", *more)
        found = TIMINGS.search(done.stderr)
        if found is None:
            sys.exit(f"error: calipers does not say how long it took:\n{done.stderr}")
        least = min(least, float(found[1]))
        if least > LONG:
            break
    return least


def measure(program: Program, rows: list[int], classes: list[int]) -> list[Row]:
    """Time everything."""
    lines: list[Row] = []

    def add(axis: str, method: str, n: int, k: int, file: Path, *more: str) -> None:
        took = seconds(program, method, file, *more)
        found = (axis, method, str(n), str(k), f"{took:.4f}")
        lines.append(dict(zip(FIELDS, found, strict=True)))
        print(*lines[-1].values(), flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for n in rows:
            file = Path(folder) / "rows.npz"
            program.simulate("binary-overconfident", n, 0, file)
            for method in OF_ROWS:
                add("rows", method, n, 2, file)
        for k in classes:
            file = Path(folder) / "classes.npz"
            simulate(ROWS_OF_CLASSES, k, file)
            for method in METHODS:
                add("classes", method, ROWS_OF_CLASSES, k, file)
    return lines


def curve(lines: list[Row], axis: str, method: str) -> tuple[list[int], list[float]]:
    """Return where a method was timed along an axis, and its seconds."""
    own = [line for line in lines if (line["axis"], line["method"]) == (axis, method)]
    return [int(line[axis]) for line in own], [float(line["seconds"]) for line in own]


def slopes(lines: list[Row], axis: str, method: str) -> tuple[float, float]:
    """Return the slope over all that takes long enough, and the steepest between neighbours."""
    at, took = curve(lines, axis, method)
    points = [(math.log(x), math.log(y)) for x, y in zip(at, took, strict=True) if y >= SHORTEST]
    if len(points) < 2:
        return math.nan, math.nan
    steps = itertools.pairwise(points)
    steepest = max((later[1] - one[1]) / (later[0] - one[0]) for one, later in steps)
    first, last = points[0], points[-1]
    return (last[1] - first[1]) / (last[0] - first[0]), steepest


def draw(pages: Pages, lines: list[Row]) -> None:
    """Draw both axes, one panel each."""
    with mpl.rc_context(STYLE):
        figure: Any = Figure(figsize=(8.6, 3.8), layout="constrained")
        for axes, axis in zip(figure.subplots(1, 2, sharey=True), ("rows", "classes"), strict=True):
            for method, colour in METHODS.items():
                at, took = curve(lines, axis, method)
                if at:
                    axes.plot(at, took, color=colour, marker="o", markersize=3, label=method)
            at, _ = curve(lines, axis, OF_ROWS[0])
            guide = np.array([at[0], at[-1]], dtype=float)
            axes.plot(guide, 1e-3 * guide / guide[0], color=GREY, linestyle=":", label="slope 1")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("rows of two classes" if axis == "rows" else "classes of 2,000 rows")
            axes.grid(True, color=GREY, alpha=0.2, linewidth=0.6)
        figure.axes[0].set_ylabel("seconds")
        handles = figure.axes[1].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=6)
        save(pages, FOLDER / "growth.svg", figure)


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--rows", type=int, nargs="*", default=ROWS, help="numbers of rows of two classes")
    add("--classes", type=int, nargs="*", default=CLASSES, help="numbers of classes")
    add("--drawn", action="store_true", help="draw what was measured before")
    add("--program", type=Path, help="a program to time instead of building one")


def run(asked: argparse.Namespace) -> None:
    """Measure, write, draw, print the slopes."""
    pages, table = Pages(), FOLDER / "growth.csv"
    if asked.drawn:
        lines = read(table)
    else:
        lines = measure(Program.find(asked.program), asked.rows, asked.classes)
        pages.csv(table, FIELDS, [list(line.values()) for line in lines])
    draw(pages, lines)
    for axis in ("rows", "classes"):
        for method in METHODS:
            whole, steepest = slopes(lines, axis, method)
            if not math.isnan(whole):
                print(f"{axis}, {method}: slope {whole:.2f}, at the steepest {steepest:.2f}")

"""How often planted segments are seen at 5 % of false alarms, and what bounds are worth.

MCGrad's error in standard deviations is held against its own 95 % quantile over data sets of the
same kind without a segment, which only a simulation knows; and its own p-value against 5 %.
calipers' p-value is held against 5 %. Data sets are the same for both. What each found of each is
kept, and a run that was stopped goes on where it was.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies.corpus import Floats
from studies.features import ours, peer
from studies.features.planted import Cell, draw
from studies.pages import Row
from studies.results import Bar, Results

LEVEL = 0.05
SIZES = (0.01, 0.03, 0.1, 0.3)
KINDS = ("x", "c", "xx", "xc", "xxc")
# Of 50,000 rows fewer kinds, and only MCGrad's first segments: they take seconds each.
FEWER = ("x", "xc", "xxc")
MANY = 50_000
NOISY = tuple(Cell(10_000, size, "xc", 50) for size in (0.03, 0.1, 0.3))
FOUND = {
    "mcgrad": ("sigma", "p_value", "sigma_all", "segments", "seconds"),
    "calipers": (
        "p_value",
        *(f"{what}_{metric}" for what in ("lower", "truth") for metric in ours.METRICS),
        "broken",
        "segments",
        "seconds",
    ),
}


@dataclass(frozen=True)
class Plan:
    """What is simulated."""

    cells: tuple[Cell, ...]
    sets: int
    nulls: int

    def of(self, cell: Cell) -> int:
        """Return the number of data sets of a cell; half as many of the largest."""
        if not cell.size:
            return self.nulls
        return max(1, self.sets // 2) if cell.rows >= MANY else self.sets

    def seeds(self) -> Iterator[tuple[Cell, int]]:
        """Yield every data set, those without a segment first."""
        for cell in (*self.null(), *self.cells):
            for seed in range(self.of(cell)):
                yield cell, seed

    def null(self) -> list[Cell]:
        """Return the cells without a segment."""
        return list(dict.fromkeys(cell.null for cell in self.cells))


def full(sets: int = 100, nulls: int = 200) -> Plan:
    """Return all cells, from few rows to many."""
    cells = [
        Cell(rows, size, kind)
        for rows in (2000, 10_000, MANY)
        for kind in (FEWER if rows >= MANY else KINDS)
        for size in SIZES
    ]
    return Plan((*cells, *NOISY), sets, nulls)


def quick() -> Plan:
    """Return a part."""
    return Plan((Cell(2000, 0.1, "x"), Cell(2000, 0.3, "xc")), 5, 10)


def by_mcgrad(cell: Cell, seed: int) -> Row:
    """Return what MCGrad finds; all segments where they are few."""
    data = draw(cell, seed)
    every = cell.rows < MANY and not cell.noise
    return peer.error(data.features, data.y, data.p, every).row


def by_calipers(cell: Cell, seed: int) -> Row:
    """Return what calipers finds."""
    return ours.found(draw(cell, seed), seed).row


SIDES: dict[str, tuple[Callable[[], str], Callable[[Cell, int], Row]]] = {
    "mcgrad": (peer.name, by_mcgrad),
    "calipers": (ours.name, by_calipers),
}


def kept(folder: Path, side: str) -> Results:
    """Open what a side has found."""
    program = SIDES[side][0]()
    return Results(folder / f"power_{side}.csv", {program}, ("cell", "seed"), FOUND[side])


def measure(plan: Plan, side: str, folder: Path, done: Callable[[], None] = lambda: None) -> None:
    """Find what is not there yet; say when a cell is done."""
    program, look = SIDES[side]
    results = kept(folder, side)
    missing = [job for job in plan.seeds() if (job[0].name, str(job[1])) not in results.rows]
    bar = Bar(side, len(missing))
    for number, (cell, seed) in enumerate(missing, 1):
        about = {"cell": cell.name, "seed": str(seed), "program": program()}
        results.add({**about, **look(cell, seed)})
        bar.step(f"{cell.name} {seed}")
        if number == len(missing) or missing[number][0] != cell:
            done()


def column(results: Results, plan: Plan, cell: Cell, field: str) -> Floats | None:
    """Return what was found of a cell so far; nothing if that is nothing."""
    rows = [results.rows.get((cell.name, str(seed))) for seed in range(plan.of(cell))]
    texts = [row[field] for row in rows if row is not None and row[field]]
    return np.array(texts, dtype=float) if texts else None


def share(values: Iterable[bool] | None) -> float | None:
    """Return how many hold."""
    return None if values is None else float(np.mean(list(values)))


def rejected(results: Results, plan: Plan, cell: Cell, field: str) -> float | None:
    """Return how often a statistic is beyond the 95 % quantile of its null."""
    null, found = (column(results, plan, one, field) for one in (cell.null, cell))
    if null is None or found is None:
        return None
    return share(found > np.quantile(null, 1 - LEVEL, method="higher"))


def covered(results: Results, plan: Plan, cell: Cell) -> dict[str, float | None]:
    """Return how often lower bounds are above the population's errors."""
    wrong: dict[str, float | None] = {}
    for metric in ours.METRICS:
        lower, truth = (
            column(results, plan, cell, f"{what}_{metric}") for what in ("lower", "truth")
        )
        known = None if lower is None or truth is None else lower > truth
        wrong[f"above_{metric}"] = share(known)
    return wrong


def summary(plan: Plan, folder: Path, sides: Iterable[str]) -> Iterator[dict[str, object]]:
    """Yield a line for each cell: shares of data sets, empty where a side was not run."""
    opened = {side: kept(folder, side) for side in sides}
    for cell in (*plan.null(), *plan.cells):
        line: dict[str, object] = {
            "rows": cell.rows,
            "kind": cell.kind or "none",
            "size": cell.size,
            "noise": cell.noise,
        }
        if "mcgrad" in opened:
            results = opened["mcgrad"]
            own = column(results, plan, cell, "p_value")
            line["mcgrad_sets"] = 0 if own is None else len(own)
            line["mcgrad"] = rejected(results, plan, cell, "sigma")
            line["mcgrad_all"] = rejected(results, plan, cell, "sigma_all")
            line["mcgrad_own_p"] = share(None if own is None else own <= LEVEL)
        if "calipers" in opened:
            results = opened["calipers"]
            own = column(results, plan, cell, "p_value")
            broken = column(results, plan, cell, "broken")
            line["calipers_sets"] = 0 if own is None else len(own)
            line["calipers"] = share(None if own is None else own <= LEVEL)
            line |= covered(results, plan, cell)
            line["broken"] = share(None if broken is None else broken > 0)
        yield line


def show(lines: Iterable[dict[str, object]]) -> None:
    """Print the table, shares in percent."""
    about = ("rows", "kind", "size", "noise", "mcgrad_sets", "calipers_sets")
    for number, line in enumerate(lines):
        if not number:
            print("".join(f"{head:>14}" for head in line))
        cells = [
            str(value)
            if head in about
            else "-"
            if value is None
            else f"{100 * float(str(value)):.1f}"
            for head, value in line.items()
        ]
        print("".join(f"{cell:>14}" for cell in cells))

"""How long MCGrad and calipers take to measure and to correct, one thread each, in turns."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from studies.features import ours, peer
from studies.features.planted import Cell, Planted, draw

CELLS = tuple(
    Cell(rows, 0.1, "xc", noise)
    for rows, noise in ((2000, 0), (10_000, 0), (50_000, 0), (100_000, 20))
)


@dataclass(frozen=True)
class Plan:
    """What is timed."""

    cells: tuple[Cell, ...] = CELLS
    runs: int = 3


QUICK = Plan(CELLS[:1], 1)


TASKS: dict[str, dict[str, Callable[[Planted], object]]] = {
    "mcgrad": {
        "measure": lambda data: peer.multicalibration(data.features, data.y, data.p).mce_sigma,
        "correct": lambda data: peer.Correction(data.features, data.y, data.p),
    },
    "calipers": {
        "measure": lambda data: ours.evaluate(data.features, data.y, data.p, 0, threads=1),
        "correct": lambda data: ours.Correction(data.features, data.y, data.p, threads=1),
    },
}


def seconds(run: Callable[[Planted], object], data: Planted) -> float:
    """Return what one run takes."""
    start = time.perf_counter()
    run(data)
    return time.perf_counter() - start


def measure(plan: Plan, sides: list[str]) -> Iterator[dict[str, object]]:
    """Yield a line for each cell: medians, and MCGrad's over calipers'."""
    warm = draw(CELLS[0], 1)
    for side in sides:
        for run in TASKS[side].values():
            run(warm)
    for cell in plan.cells:
        data = draw(cell, 0)
        line: dict[str, object] = {"rows": cell.rows, "features": data.features.shape[1]}
        times: dict[str, list[float]] = {}
        for _ in range(plan.runs):
            for task in ("measure", "correct"):
                for side in sides:
                    taken = seconds(TASKS[side][task], data)
                    times.setdefault(f"{side}_{task}", []).append(taken)
        medians = {name: statistics.median(found) for name, found in times.items()}
        line |= medians
        for task in ("measure", "correct") if len(sides) == 2 else ():
            line[f"ratio_{task}"] = medians[f"mcgrad_{task}"] / medians[f"calipers_{task}"]
        yield line


def show(lines: Iterable[dict[str, object]]) -> None:
    """Print the table, in seconds."""
    for number, line in enumerate(lines):
        if not number:
            print("".join(f"{head:>18}" for head in line))
        texts = [f"{one:.3f}" if isinstance(one, float) else str(one) for one in line.values()]
        print("".join(f"{text:>18}" for text in texts))

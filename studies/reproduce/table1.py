"""Table 1: how much of the error each method recovers on real predictions, and in what time."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studies import corpus
from studies.corpus import DECIDES, METRICS, Data, Floats, Scored, averages, shares
from studies.pages import ROOT, Row, read
from studies.program import Program
from studies.reproduce.foundation import Foundation
from studies.reproduce.methods import COLD, METHODS, PUBLISHED, of_table
from studies.reproduce.plan import WORKERS, Plan

CORPUS = ROOT.parent / "shared" / "corpus"
SMALL = ROOT / "studies" / "oracles" / "data"
PEERS = ROOT.parent / "shared" / "reference" / "peers_dev.csv"
PEER = "probmetrics: "
COLUMNS = (
    ("binary", "l1"),
    ("binary", "brier"),
    ("multiclass", "l2"),
    ("multiclass", "brier"),
)


@dataclass(frozen=True)
class Folder:
    """The predictions that the table is made of."""

    path: Path
    files: list[Data]

    @classmethod
    def read(cls, path: Path | None, most: int | None) -> "Folder":
        """Read a folder; without one the corpus, or the small files that ship with the project."""
        folder = path or (CORPUS if CORPUS.exists() else SMALL)
        files = [corpus.read(file) for file in corpus.paths(folder)]
        chosen = []
        for task in DECIDES:
            of_task = [data for data in files if data.task == task and data.probs.shape[1] > 1]
            # Spread over the folder, so that they are of different datasets and models.
            step = 1.0 if most is None else max(len(of_task) / most, 1.0)
            chosen += [of_task[int(i * step)] for i in range(int(len(of_task) / step))]
        return cls(folder, chosen)

    @property
    def name(self) -> str:
        """Return how it is called."""
        home = ROOT if self.path.is_relative_to(ROOT) else ROOT.parent
        if not self.path.is_relative_to(home):
            return str(self.path)
        return ("" if home == ROOT else "../") + str(self.path.relative_to(home))


def compute(
    program: Program, folder: Folder, plan: Plan, models: list[Foundation], cache: Path
) -> list[Row]:
    """Return the estimates of every method on every file."""
    names = [method.name for method in of_table()]
    about = corpus.checksum(str(folder.path.resolve()))
    results = corpus.results(cache / f"corpus-{about:08x}.csv", program)
    warm = [name for name in names if name not in COLD]
    rows = Scored(folder.files, list(plan.seeds), warm).compute(
        program, results, WORKERS, "table 1"
    )
    cold = Scored(folder.files, list(plan.cold_seeds), list(COLD))
    rows += cold.compute(program, results, WORKERS, "table 1, trees from scratch")
    for model in models:
        if model.absent() is None:
            path = cache / f"{model.package}-{about:08x}.csv"
            rows += model.compute(folder.files, plan.seeds, path)
    return rows


def summary(rows: Iterable[Row], files: list[Data]) -> dict[str, dict[str, object]]:
    """Return each method's cells: mean and standard error over pairs, and seconds."""
    rows = list(rows)
    found: dict[str, dict[str, object]] = {}
    for task, metric in COLUMNS:
        pairs = [data.pair for data in files if data.task == task]
        chosen = [row for row in rows if row["task"] == task]
        for method, values in shares(averages(chosen, pairs), task).items():
            column: Floats = values[:, METRICS.index(metric)]
            column = column[~np.isnan(column)]
            cells = found.setdefault(method, {})
            name = f"{task}_{metric}"
            cells[name] = float(column.mean())
            cells[f"{name}_error"] = float(column.std(ddof=1) / np.sqrt(len(column)))
            cells[f"{name}_pairs"] = len(column)
    for method, cells in found.items():
        times = [1e3 * float(r["seconds"]) / int(r["n"]) for r in rows if r["method"] == method]
        cells["seconds"] = float(np.mean(times))
    return found


def peers(folder: Folder, plan: Plan) -> list[Row]:
    """Return what probmetrics found with methods of the table, if that is known of every file."""
    if not PEERS.exists():
        return []
    # Its figures name methods as the published means do, but for isotonic regression.
    names = {(m.figure or "").removesuffix("_cv"): PEER + m.name for m in METHODS if m.table}
    pairs = {data.pair for data in folder.files}
    rows = [
        {**row, "method": names[row["method"]]}
        for row in corpus.peers(PEERS, plan.seeds)
        if row["pair"] in pairs and row["method"] in names
    ]
    return rows if {row["pair"] for row in rows} == pairs else []


def table(
    rows: list[Row], folder: Folder, plan: Plan, models: list[Foundation]
) -> list[dict[str, object]]:
    """Return a line for each row of the paper and each of three sources."""
    of_row = {method.table: method for method in METHODS if method.table}
    found = summary([*rows, *peers(folder, plan)], folder.files)
    absent = {model.row: model.absent() for model in models}
    package = {model.row: model.package for model in models}
    empty = {f"{task}_{metric}{kind}": None for task, metric in COLUMNS for kind in KINDS}
    lines: list[dict[str, object]] = []

    def line(row: str, source: str, cells: dict[str, object], note: str = "") -> None:
        head: dict[str, object] = {"row": row, "source": source}
        lines.append({**head, **empty, "seconds": None, **cells, "note": note})

    for published in read(PUBLISHED / "table1.csv"):
        row = published.pop("row")
        line(row, "paper", dict(published))
        method = of_row.get(row)
        name = method.name if method else package[row]
        line(row, "calipers", found.get(name, {}), absent.get(row) or "")
        if PEER + name in found:
            line(row, "probmetrics", found[PEER + name])
    line("auto", "calipers", found["auto"])
    return lines


KINDS = ("", "_error", "_pairs")
"""What is known of a cell."""

"""Write the reference estimates values/<file>.json of every data/<file>.npz."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from studies.oracles.common import Fit
from studies.oracles.problems import Problem, read
from studies.oracles.recalibrators import RECALIBRATORS
from studies.oracles.scores import CANONICAL, CLASSWISE, LOG_FLOOR, TOP, TWO_CLASS
from studies.pages import Pages

HERE = Path(__file__).parent
ROUNDING = 1e-12


def estimates(problem: Problem, fit: Fit) -> dict[str, float]:
    """Return the estimate of every metric under one recalibrator."""
    values: dict[str, float] = {}
    scores = CANONICAL | (TWO_CLASS if problem.probs.shape[1] == 2 else {})
    for part, table in ((problem, scores), (problem.top(), TOP)):
        g = part.held_out(fit)
        for name, score in table.items():
            values[name] = part.estimate(score(part.probs, g, part.labels))
    parts = [(part, part.held_out(fit)) for part in problem.classes()]
    for name, score in CLASSWISE.items():
        each = [part.estimate(score(part.probs, g, part.labels)) for part, g in parts]
        values[name] = float(np.mean(each))
    return values


def document(path: Path) -> dict[str, Any]:
    """Return what is written for one data file."""
    problem = read(path)
    with np.load(path) as file:
        n, k = file["probs"].shape
    values: dict[str, dict[str, float]] = {}
    for name, fit in RECALIBRATORS.items():
        start = time.perf_counter()
        values[name] = estimates(problem, fit)
        print(f"{path.stem} {name}: {time.perf_counter() - start:.1f} s", flush=True)
    return {"file": path.stem, "k": k, "n": n, "log_floor": LOG_FLOOR, "values": values}


def same(path: Path, found: dict[str, Any]) -> bool:
    """Tell whether a file holds these values, up to what another processor may round otherwise."""
    if not path.exists():
        return False
    known = json.loads(path.read_text(encoding="utf-8"))
    figures = known.pop("values"), found["values"]
    pairs = [(figures[0].get(name, {}), values) for name, values in figures[1].items()]
    return (
        known == {name: value for name, value in found.items() if name != "values"}
        and figures[0].keys() == figures[1].keys()
        and all(old.keys() == new.keys() for old, new in pairs)
        and all(abs(old[name] - new[name]) <= ROUNDING for old, new in pairs for name in new)
    )


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("files", nargs="*", help="names of single data files; all without any")


def run(asked: argparse.Namespace) -> int:
    """Write the values."""
    pages = Pages(asked.check)
    for path in sorted((HERE / "data").glob("*.npz")):
        if not asked.files or path.stem in asked.files:
            found, target = document(path), HERE / "values" / f"{path.stem}.json"
            if not same(target, found):
                pages.write(target, json.dumps(found, indent=1, sort_keys=True) + "\n")
    return pages.finish()

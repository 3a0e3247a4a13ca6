"""Count the faults put into the core on purpose that its tests notice.

cargo-mutants breaks one thing at a time (a comparison turned round, a function that returns 0) and
runs the tests. A mutant that fails them, or never ends, is noticed; one that does not compile says
nothing; one that passes survives: a test is missing, or nobody could tell the difference, and then
`docs/robustness/survivors.csv` says why. A new survivor is added there without a reason, and this
script fails until it has one, or a test.

`make long WHAT=mutants` gives one file; of several, a mutant's last outcome counts.
"""

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.pages import ROOT, Pages, read

DOCS = ROOT / "docs" / "robustness"
SOURCE = "crates/calipers/src/"
LEAST_SHARE = 0.9
MARKER = "/* ~ changed by cargo-mutants ~ */"
CAUGHT, TIMED_OUT, UNVIABLE, SURVIVED = "CaughtMutant", "Timeout", "Unviable", "MissedMutant"
KINDS = (CAUGHT, TIMED_OUT, UNVIABLE, SURVIVED)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: where it is, how it reads without line numbers, one of KINDS."""

    module: str
    mutant: str
    kind: str


def outcome(entry: dict[str, Any], diff: str) -> Outcome | None:
    """Read one entry; none for the tests of the code as it is.

    >>> diff = chr(10).join(["--- a", "+++ b", "-  p - 1", f"+  p + {MARKER} 1"])
    >>> def replaced(summary, genre):
    ...     name = "crates/calipers/src/loss/lp.rs:40:2: replace - with + in score"
    ...     mutant = {"name": name, "file": name[:30], "genre": genre}
    ...     return {"scenario": {"Mutant": mutant}, "summary": summary}
    >>> outcome(replaced("MissedMutant", "BinaryOperator"), diff)
    Outcome(module='loss', mutant='loss/lp.rs: p + 1', kind='MissedMutant')
    >>> outcome(replaced("Timeout", "FnValue"), diff)
    Outcome(module='loss', mutant='loss/lp.rs: replace - with + in score', kind='Timeout')
    >>> outcome({"scenario": "Baseline", "summary": "Success"}, "")
    """
    scenario = entry["scenario"]
    if scenario == "Baseline":
        if entry["summary"] != "Success":
            raise SystemExit("the tests fail without any mutant")
        return None
    mutant = scenario["Mutant"]
    if entry["summary"] not in KINDS:
        raise SystemExit(f"{mutant['name']}: {entry['summary']}")
    file = mutant["file"].removeprefix(SOURCE)
    module = file.split("/")[0].removesuffix(".rs")
    added = [line[1:] for line in diff.splitlines()[2:] if line.startswith("+")]
    if mutant["genre"] == "FnValue" or len(added) != 1:
        reads = mutant["name"].split(": ", 1)[1]
    else:
        reads = " ".join(added[0].replace(MARKER, "").split())
    return Outcome(module, f"{file}: {reads}", entry["summary"])


def outcomes_of(paths: list[Path]) -> list[Outcome]:
    """Read the outcomes; differences from the code as it is are in files beside them."""
    last: dict[str, Outcome] = {}
    for path in paths:
        for entry in json.loads(path.read_text())["outcomes"]:
            diff = entry.get("diff_path")
            found = outcome(entry, (path.parent / diff).read_text() if diff else "")
            if found:
                last[entry["scenario"]["Mutant"]["name"]] = found
    return list(last.values())


def share(kinds: Counter[str]) -> float:
    """Of the mutants that compile, those that were noticed.

    >>> share(Counter({CAUGHT: 6, TIMED_OUT: 3, UNVIABLE: 7, SURVIVED: 1}))
    0.9
    """
    noticed = kinds[CAUGHT] + kinds[TIMED_OUT]
    return noticed / max(noticed + kinds[SURVIVED], 1)


def row(module: str, kinds: Counter[str]) -> list[str]:
    """Return a row of the table.

    >>> row("loss", Counter({CAUGHT: 8, SURVIVED: 1}))
    ['loss', '9', '8', '0', '0', '1', '88.8 %']
    """
    # Rounded down, so that nothing less than all of them reads 100 %.
    percent = int(1000 * share(kinds)) / 10
    counts = [str(kinds[kind]) for kind in KINDS]
    return [module, str(kinds.total()), *counts, f"{percent:.1f} %"]


def reasons(survivors: list[str], path: Path) -> dict[str, str]:
    """Return the survivors with the reasons that were written down for them, if any."""
    lines = read(path) if path.exists() else []
    known = {line["mutant"]: line["why"].strip() for line in lines}
    return {mutant: known.get(mutant, "") for mutant in sorted(set(survivors))}


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("outcomes", type=Path, nargs="+", help="outcomes.json of cargo-mutants")


def run(asked: argparse.Namespace) -> int:
    """Count, write both files, and fail if too many survive or one does so without a reason."""
    outcomes = outcomes_of(asked.outcomes)
    modules: dict[str, Counter[str]] = {}
    for found in outcomes:
        modules.setdefault(found.module, Counter())[found.kind] += 1
    total = sum(modules.values(), Counter())
    header = ["module", "mutants", "caught", "timed out", "unviable", "survived", "share noticed"]
    table = [row(module, modules[module]) for module in sorted(modules)]
    table.append(row("all", total))
    pages = Pages()
    pages.csv(DOCS / "mutants.csv", header, table)
    survivors = [found.mutant for found in outcomes if found.kind == SURVIVED]
    explained = reasons(survivors, DOCS / "survivors.csv")
    pages.csv(DOCS / "survivors.csv", ["mutant", "why"], explained.items())
    for line in (header, *table):
        print("".join(cell.rjust(14) for cell in line))
    unexplained = [mutant for mutant, why in explained.items() if not why]
    if unexplained:
        raise SystemExit("survived, and nobody says why:\n  " + "\n  ".join(unexplained))
    if share(total) < LEAST_SHARE:
        raise SystemExit(f"fewer than {LEAST_SHARE:.0%} of the mutants were noticed")
    return pages.finish()

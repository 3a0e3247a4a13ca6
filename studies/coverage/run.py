"""How often lower bounds are above the truth, how tight they are, and how often tests reject.

Runs the example `coverage` of the core, `coverage.rs`. Its table goes to `target/coverage.csv`, its
summary is printed. Options after `--` are those of the example, which it names at its top.
"""

import argparse
import subprocess
from pathlib import Path

from studies.pages import ROOT

EXAMPLE = ["cargo", "run", "--release", "--package", "calipers", "--example", "coverage", "--"]
QUICK = ["--repeats", "50", "--rows", "200", "--recalibrators", "logistic,isotonic"]


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    default = ROOT / "target" / "coverage.csv"
    parser.add_argument("--output", type=Path, default=default, help="the file of all cells")
    parser.add_argument("more", nargs="*", help="options of the example, after --")


def run(asked: argparse.Namespace) -> int:
    """Run the example."""
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    more = [*(QUICK if asked.quick else []), *asked.more]
    with asked.output.open("w") as file:
        return subprocess.run([*EXAMPLE, *more], cwd=ROOT, stdout=file, check=False).returncode

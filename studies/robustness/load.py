"""Thousands of estimates at once in Rust, Python and on the command line.

Runs `crates/calipers/tests/load`, `crates/calipers-cli/tests/load.rs` and `python/tests/load.py` at
length, of which each compares every answer, watches for hangs, memory, threads and open files, and
fails if something is wrong; and keeps what they measured in `docs/robustness/load.csv`.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from studies.pages import ROOT, Pages

CARGO = [
    ["cargo", "test", "--workspace", "--test", "load", "--", "--nocapture"],
    ["cargo", "test", "--workspace", "--test", "main", "--", "load::", "--nocapture"],
]
PYTHON = [sys.executable, "python/tests/load.py"]
CASES = ["threads", "forks", "arrays", "errors", "exceptions"]
HEADER = [
    "what",
    "workers",
    "calls",
    "seconds",
    "calls a second",
    "memory after a tenth of them (MiB)",
    "memory at the end (MiB)",
    "different answers",
    "hangs",
]


def lines(command: list[str], estimates: int) -> list[list[str]]:
    """Run a program, show what it says, and return what it measured."""
    # A variable for the tests of Cargo, which take no arguments.
    environment = {**os.environ, "CALIPERS_LOAD": str(estimates), "OMP_NUM_THREADS": "1"}
    # Each has a watchdog of its own, which says where it hangs: this is for the watchdogs.
    patience = 3600 + 60 * estimates
    ran = subprocess.run(
        command,
        check=False,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=patience,
    )
    print(ran.stdout, end="", flush=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {ran.returncode}")
    return [found.split(",") for found in re.findall(r"\bload,(.*)", ran.stdout)]


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("--estimates", type=int, default=1000, help="estimates a worker")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/robustness/load.csv")


def run(asked: argparse.Namespace) -> int:
    """Run everything, and write the table."""
    python = [*PYTHON, *CASES, "--estimates", str(asked.estimates)]
    rows = [row for command in (*CARGO, python) for row in lines(command, asked.estimates)]
    table = [
        [what, workers, calls, seconds, f"{int(calls) / float(seconds):.0f}", *rest]
        for what, workers, calls, seconds, *rest in rows
    ]
    pages = Pages()
    pages.csv(asked.output, HEADER, table)
    return pages.finish()

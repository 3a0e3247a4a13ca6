"""Time `calipers estimate` on a million rows of two classes, and measure its peak memory.

The claim: estimating with `isotonic`, bounds and p-values included, takes less than twice the time
of reading the CSV file, and the peak of memory stays below ten times the size of the numbers
themselves (a label and two probabilities a row, 8 bytes each). Each figure is the median of several
runs.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from studies.program import Program

RUNS = 9
TIMINGS = re.compile(r"reading: ([\d.]+) s; estimating: ([\d.]+) s")


def measured(calipers: Path, arguments: list[str]) -> tuple[float, float, float]:
    """Return seconds of reading and of estimating, and the peak memory in bytes."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([calipers, *arguments], stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        errors.seek(0)
        text = errors.read().decode()
    found = TIMINGS.search(text)
    if status != 0 or found is None:
        sys.exit(f"calipers failed:\n{text}")
    return float(found[1]), float(found[2]), 1024.0 * usage.ru_maxrss


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("recalibrators", nargs="*", default=["isotonic", "auto", "kernel"], help="what to time")
    add("--rows", type=int, default=1_000_000, help="how many")
    add("--program", type=Path, help="a program to time instead of building one")


def run(asked: argparse.Namespace) -> None:
    """Simulate, estimate, print."""
    calipers = Program.find(asked.program, parquet=True).path
    rows, names = asked.rows, asked.recalibrators
    numbers = 24 * rows
    with tempfile.TemporaryDirectory() as folder:
        for extension in ("csv", "parquet"):
            file = f"{folder}/big.{extension}"
            subprocess.run(
                [calipers, "simulate", "binary-overconfident", "-n", str(rows), "-o", file],
                check=True,
            )
            for name in names:
                asked_for = ["--recalibrator", name, "--metric", "l1,l2,brier,log"]
                arguments = ["estimate", file, *asked_for, "--timings"]
                runs = [measured(calipers, arguments) for _ in range(RUNS)]
                reading, estimating, memory = map(statistics.median, zip(*runs, strict=True))
                ratio = statistics.median(later / first for first, later, _ in runs)
                print(
                    f"{extension:7} {name:9} reading {reading:.3f} s, "
                    f"estimating {estimating:.3f} s ({ratio:.2f} of reading), "
                    f"memory {memory / numbers:.1f} x the numbers",
                    flush=True,
                )

"""Try every property on many more other cases than the tests do, and write down how many.

The tests of `crates/*/tests/main/properties` append a line a property to a file; here they become
`docs/robustness/properties.csv`.
"""

import argparse
import os
import subprocess

from studies.pages import ROOT, Pages

LINES = ROOT / "target" / "properties.csv"
HEADER = ("property", "recalibrators", "metrics", "cases", "comparisons", "failures")


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--times", type=int, default=20, help="as many cases as the tests try, times this")


def run(asked: argparse.Namespace) -> int:
    """Run the tests, then bring their lines together."""
    LINES.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "CALIPERS_PROPERTY_TIMES": str(asked.times),
        "CALIPERS_PROPERTY_SEED": "1",
        "CALIPERS_PROPERTY_TABLE": str(LINES),
    }
    command = ["cargo", "test", "--workspace", "--test", "main", "properties::"]
    failed = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    pages = Pages()
    if not failed:
        rows = [line.split(",") for line in sorted(LINES.read_text().splitlines())]
        pages.csv(ROOT / "docs" / "robustness" / "properties.csv", HEADER, rows)
    return pages.finish() or failed

"""Fuzz every target for a while, two at a time, and say what was found.

    python -m studies fuzz target/debug --seconds 6
    python -m studies fuzz target/fuzz/release --seconds 600 --corpus target/fuzz/corpus --record

The first argument is the folder of the programs, which `make long WHAT=fuzz` builds and runs.
Inputs that fail are left in `target/fuzz/failed`; a mended one goes to `fuzz/regressions`, where
the tests find it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from studies.pages import ROOT, Pages

FUZZ = ROOT / "fuzz"
RECORD = ROOT / "docs" / "robustness" / "fuzz.csv"
HEADER = (
    "target",
    "inputs run",
    "seconds",
    "inputs a second",
    "edges covered",
    "inputs kept",
    "failures",
)
FAILED = ROOT / "target" / "fuzz" / "failed"

# More than any input should need, by far, even on a busy machine: a second and half a gigabyte.
TIMEOUT_SECONDS = 25
MOST_MEBIBYTES = 1024

# Bytes; longer inputs are slower, and say little more.
LONGEST = {
    "metric": 64,
    "recalibrator": 96,
    "neighbour": 96,
    "predictions": 256,
    "estimate": 512,
    "model": 40_000,
}


@dataclass
class Outcome:
    """What one target's run came to."""

    target: str
    inputs: int
    seconds: int
    edges: int
    corpus: int
    failures: list[Path]
    text: str


def targets() -> list[str]:
    """List the targets' names."""
    return sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))


def fuzz(target: str, programs: Path, seconds: int, corpora: Path) -> Outcome:
    """Run one target's program, from its seeds and what earlier runs found."""
    corpus = corpora / target
    corpus.mkdir(parents=True, exist_ok=True)
    failed = FAILED / target
    failed.mkdir(parents=True, exist_ok=True)
    known = set(failed.iterdir())
    folders = [corpus, FUZZ / "seeds" / target, FUZZ / "regressions" / target]
    command = [
        str(programs / target),
        *(str(folder) for folder in folders if folder.is_dir()),
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST.get(target, 8192)}",
        f"-timeout={TIMEOUT_SECONDS}",
        f"-report_slow_units={TIMEOUT_SECONDS}",
        f"-rss_limit_mb={MOST_MEBIBYTES}",
        f"-artifact_prefix={failed}/",
        "-print_final_stats=1",
        "-seed=1",
    ]
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False
    )
    text = done.stderr.decode(errors="replace")
    failures = sorted(set(failed.iterdir()) - known)
    if done.returncode != 0 and not failures:
        sys.exit(f"{target} ended with status {done.returncode}:\n{text[-4000:]}")
    return Outcome(
        target=target,
        inputs=last(r"stat::number_of_executed_units:\s*(\d+)", text),
        seconds=last(r"Done \d+ runs in (\d+) second", text),
        edges=last(r"cov: (\d+)", text),
        corpus=last(r"corp: (\d+)", text),
        failures=failures,
        text=text,
    )


def last(pattern: str, text: str) -> int:
    """Find the last number that a pattern captures; 0 if there is none."""
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def row(one: Outcome) -> list[object]:
    """Return the figures that the documentation shows."""
    rate = one.inputs // max(one.seconds, 1)
    return [
        one.target,
        one.inputs,
        one.seconds,
        rate,
        one.edges,
        one.corpus,
        len(one.failures),
    ]


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    parser.add_argument("programs", type=Path, help="folder of the built targets")
    parser.add_argument("--seconds", type=int, default=6, help="for each target")
    parser.add_argument("--corpus", type=Path, help="folder that keeps what was found")
    parser.add_argument("--record", action="store_true", help="write docs/robustness/fuzz.csv")
    parser.add_argument("--targets", nargs="*", default=targets(), help="some of them")
    parser.add_argument("--jobs", type=int, default=2, help="how many to run at once")


def run(asked: argparse.Namespace) -> int:
    """Run what the command line asks for."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        corpora = asked.corpus or Path(folder)
        each = pool.map(
            lambda target: fuzz(target, asked.programs, asked.seconds, corpora), asked.targets
        )
        outcomes = []
        for one in each:
            print(
                f"{one.target:13}{one.inputs:>12,} inputs{one.seconds:>6} s{one.edges:>8,} edges"
                f"{one.corpus:>8,} kept{len(one.failures):>4} failures",
                flush=True,
            )
            outcomes.append(one)
    if asked.record:
        pages = Pages()
        pages.csv(RECORD, HEADER, map(row, outcomes))
        pages.finish()
    for one in outcomes:
        for failure in one.failures:
            print(f"\n{one.target} fails on {failure}:\n{one.text[-3000:]}", file=sys.stderr)
    return int(any(one.failures for one in outcomes))

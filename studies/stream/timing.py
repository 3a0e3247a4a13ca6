"""Programs timed from outside, each in a process of its own.

Nothing large is imported here: what a process holds when it starts another counts in the other's
peak memory.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studies.pages import ROOT


@dataclass(frozen=True)
class Run:
    """One run of a program."""

    seconds: float
    memory: float
    """The peak, in megabytes."""
    output: str
    errors: str


def say(text: str) -> None:
    """Say how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def timed(command: Sequence[str | Path], given: str = "") -> Run:
    """Run a program with something on its standard input; an error ends everything."""
    with (
        tempfile.TemporaryFile() as start,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
    ):
        start.write(given.encode())
        start.seek(0)
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=start, stdout=out, stderr=errors, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        # It was waited for here, which `process` does not know.
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        said = errors.read().decode()
        if status != 0:
            words = " ".join(map(str, command))
            sys.exit(f"error: {words[:400]} failed ({process.returncode}):\n{said}")
        return Run(seconds, usage.ru_maxrss * 1024 / 1e6, out.read().decode(), said)


def module(name: str, *words: str | Path, given: str = "") -> Run:
    """Run a module of this study in a Python of its own."""
    return timed([sys.executable, "-m", f"studies.stream.{name}", *words], given)


def by_module(name: str, files: Sequence[Path]) -> tuple[Run, float]:
    """Run a rival on some files; its seconds are those that it counted itself, after its start."""
    run = module(name, given="\n".join(map(str, files)))
    seconds, found = map(float, run.output.split())
    return Run(seconds, run.memory, run.output, run.errors), found

"""The command line tool, as scripts run it."""

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from studies.pages import ROOT

TIMINGS = re.compile(r"estimating: ([\d.]+) s")


@dataclass(frozen=True)
class Estimates:
    """What one run found."""

    values: dict[str, float]
    in_sample: dict[str, float]
    """The same on the rows that g was fitted to, if that was asked for."""
    seconds: float
    """How long estimating took, without the start and reading."""


@dataclass(frozen=True)
class Program:
    """The command line tool, and what tells this build of it from others."""

    path: Path
    digest: str

    @classmethod
    def find(cls, path: Path | None, parquet: bool = False) -> "Program":
        """Take a program, or build one; Parquet takes minutes more."""
        if path is None:
            build = ["cargo", "build", "--release", "--quiet", "--package", "calipers-cli"]
            build += [] if parquet else ["--no-default-features"]
            subprocess.run(build, cwd=ROOT, check=True)
            path = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "calipers"
        digest = hashlib.sha256()
        # In parts: what a process holds when it starts another counts in the other's peak memory.
        with path.open("rb") as file:
            while part := file.read(2**20):
                digest.update(part)
        return cls(path.absolute(), digest.hexdigest()[:12])

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run it; an error ends everything, with what it said."""
        command = [str(self.path), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"error: {' '.join(command)} failed:\n{done.stderr}")
        return done

    def simulate(self, setting: str, rows: int, seed: int, file: Path) -> None:
        """Draw predictions whose error is known."""
        self.run("simulate", setting, "-n", str(rows), "--seed", str(seed), "-o", file)

    def estimate(
        self, file: Path, metrics: tuple[str, ...], method: str, seed: int, *more: str
    ) -> Estimates:
        """Estimate on one thread, without p-values."""
        how = ["--metric", ",".join(metrics), "--recalibrator", method, "--seed", str(seed)]
        printing = ["--threads", "1", "--draws", "0", "--timings", "--format", "json"]
        done = self.run("estimate", file, *how, *more, *printing)
        seconds = TIMINGS.search(done.stderr)
        if seconds is None:
            sys.exit(f"error: calipers does not say how long it took:\n{done.stderr}")
        found = json.loads(done.stdout)["metrics"]
        values = {name: float(found[name]["value"]) for name in metrics}
        in_sample = {
            name: float(found[name]["in_sample"]) for name in metrics if "in_sample" in found[name]
        }
        return Estimates(values, in_sample, float(seconds[1]))

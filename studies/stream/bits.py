"""The same rows in any files, in any order, on any number of threads: one set of bits."""

import hashlib
import random
import tempfile
from pathlib import Path

from studies.pages import Pages
from studies.program import Program
from studies.stream.settings import Settings, parts
from studies.stream.timing import module, say

KINDS = {"plain": (), "weights and groups": ("--weight", "w", "--group", "site")}
THREADS = (1, 8)
BY_HAND = 7
"""How many files are tallied each by itself."""


def measure(
    pages: Pages, results: Path, program: Program, folder: Path, settings: Settings
) -> None:
    """Estimate the same rows in many ways, and write a digest of each report."""
    say("one set of bits: data")
    module("data", folder, "parts", *(["--quick"] if settings.quick else []))
    lines: list[dict[str, object]] = []
    for kind, more in KINDS.items():
        asked = ["--label", "y", "--probs", "p", "--key", "id", *more]
        asked += ["--sample", str(settings.parts_sample)]

        def keep(files: int, way: str, threads: int, text: str, kind: str = kind) -> None:
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]
            line = {"kind": kind, "files": files, "way": way, "threads": threads}
            lines.append({**line, "digest": digest})
            say(f"{kind}, {files} files, {way}, {threads} threads: {digest}")

        for count in settings.parts:
            paths = sorted(parts(folder, settings, count).glob("*.parquet"))
            for threads in THREADS:
                # The order follows from the numbers, and is another one each time.
                random.Random(count * 10 + threads).shuffle(paths)
                told = [*asked, "--threads", str(threads), "--format", "json"]
                keep(count, "estimate", threads, program.run("estimate", *paths, *told).stdout)
        paths = sorted(parts(folder, settings, BY_HAND).glob("*.parquet"))
        keep(BY_HAND, "plan, tally, finish", 1, by_hand(program, paths, asked))
    pages.records(results / "bits.csv", lines)


def by_hand(program: Program, paths: list[Path], asked: list[str]) -> str:
    """Return the report of tallies that were made file by file, and merged from last to first."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "all.plan"
        program.run("plan", *paths, *asked, "-o", plan)
        tallies = [Path(folder) / f"{number}.tally" for number in range(len(paths))]
        for path, tally in zip(paths, tallies, strict=True):
            program.run("tally", plan, path, "--threads", "1", "-o", tally)
        return program.run("finish", plan, *reversed(tallies), "--format", "json").stdout

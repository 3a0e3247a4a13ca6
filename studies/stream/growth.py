"""Two classes: time and memory by the number of rows, beside DuckDB's ECE of fifteen bins."""

import json
from pathlib import Path

from studies.pages import Pages
from studies.program import Program
from studies.stream.settings import THREADS, Settings, two_classes
from studies.stream.timing import by_module, module, say, timed

LARGEST = 10**8
"""More rows than these are the same files, listed several times."""


def measure(
    pages: Pages, results: Path, program: Program, folder: Path, settings: Settings
) -> None:
    """Measure all sizes; write every run, and what was found."""
    say("two classes: data")
    quick = ["--quick"] if settings.quick else []
    truth = float(module("data", folder, "growth", *quick).output)
    runs: list[dict[str, object]] = []
    found: list[dict[str, object]] = []
    for rows in settings.rows:
        own = two_classes(folder, min(rows, LARGEST))
        times = max(rows // LARGEST, 1)
        files = [path for path in sorted(own.glob("*.parquet")) for _ in range(times)]
        patterns = [str(own / "*.parquet")] * times
        asked = ["--threads", str(THREADS), "--format", "json", *settings.sample]
        # Not counted: from here on the files are in memory, as far as there is room for them.
        by_module("by_duckdb", files)
        for number in range(settings.runs if rows <= LARGEST else min(settings.runs, 3)):
            theirs, ece = by_module("by_duckdb", files)
            ours = timed([program.path, "estimate", *patterns, *asked])
            for tool, run in (("calipers", ours), ("duckdb", theirs)):
                runs.append(
                    {
                        "rows": rows,
                        "tool": tool,
                        "run": number,
                        "seconds": run.seconds,
                        "megabytes": run.memory,
                    }
                )
            say(
                f"{rows:,} rows, run {number}: {ours.seconds:.2f} s and {ours.memory:.0f} MB, "
                f"duckdb {theirs.seconds:.2f} s and {theirs.memory:.0f} MB"
            )
        report = json.loads(ours.output)
        l1 = report["metrics"]["l1"]
        found.append(
            {
                "rows": report["n"],
                "sample": report.get("sample", report["n"]),
                "l1": l1["value"],
                "stderr": l1["stderr"],
                "lower": l1["lower"],
                "truth": truth,
                "ece": ece,
            }
        )
    pages.records(results / "growth.csv", runs)
    pages.records(results / "found.csv", found)

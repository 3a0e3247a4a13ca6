"""Many classes: what goes beyond the fit, beside reading the rows and one log-softmax of each."""

import re
import sys
import tempfile
from pathlib import Path

from studies.pages import Pages
from studies.program import Program
from studies.stream.settings import THREADS, Settings, many_classes
from studies.stream.timing import Run, by_module, module, say, timed

READING = re.compile(r"reading: ([\d.]+) s")
# A step takes most of a minute, and what is looked for is a factor: once is enough.
RUNS = 1


def measure(
    pages: Pages, results: Path, program: Program, folder: Path, settings: Settings
) -> None:
    """Measure each step, several times but for the fit."""
    say(f"{settings.classes:,} classes: data")
    module("data", folder, "classes", *(["--quick"] if settings.quick else []))
    files = sorted(many_classes(folder, settings).glob("*.parquet"))
    columns = ",".join(f"c{number}" for number in range(settings.classes))
    threads = ["--threads", str(THREADS)]
    asked = ["--label", "y", "--logits", columns, *settings.classes_sample, *threads]
    lines: list[dict[str, object]] = []

    def keep(step: str, run: Run, number: int = 0) -> None:
        lines.append({"step": step, "run": number, "seconds": run.seconds, "megabytes": run.memory})
        say(f"{step}, run {number}: {run.seconds:.2f} s, {run.memory:.0f} MB")

    by_module("by_numpy", files)
    # The first reading is the same whatever is fitted afterwards: here, next to nothing.
    nothing = ["--recalibrator", "identity", "--metric", "brier", "--draws", "0", "--timings"]
    for number in range(RUNS):
        keep("baseline", by_module("by_numpy", files)[0], number)
        run = timed([program.path, "estimate", *files, *asked, *nothing])
        seconds = READING.search(run.errors)
        if seconds is None:
            sys.exit(f"error: calipers does not say how long it took:\n{run.errors}")
        keep("reading", Run(float(seconds[1]), run.memory, run.output, run.errors), number)
    with tempfile.TemporaryDirectory() as temporary:
        plan, tally = Path(temporary) / "all.plan", Path(temporary) / "all.tally"
        keep("plan", timed([program.path, "plan", *files, *asked, "-o", plan]))
        for number in range(RUNS):
            added = timed([program.path, "tally", plan, *files, *threads, "-o", tally])
            keep("tally", added, number)
        keep("finish", timed([program.path, "finish", plan, tally]))
    keep("estimate", timed([program.path, "estimate", *files, *asked]))
    pages.records(results / "classes.csv", lines)
    sizes = {"classes": settings.classes, "rows": settings.classes_rows, "files": len(files)}
    pages.records(results / "classes_sizes.csv", [sizes])

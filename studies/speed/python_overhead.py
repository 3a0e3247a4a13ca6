"""Print what the Python package costs beside the computation: time, memory, import.

Time: `calibration_error` on 1,000 predictions of two classes, and how much of it was spent outside
the Rust call, which times itself; medians of one run, and the tenth percentile, which a busy
machine disturbs less. Memory: ten million rows of single precision, of which nothing may be copied;
the peak is that of the process, less what it was before. Import: what `import calipers` takes after
`import numpy`, the least of some runs.
"""

import argparse
import re
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from typing import Any

import numpy as np

CALLS = 2000
ROWS = 10_000_000


def overhead() -> None:
    """Time many small calls."""
    import calipers
    from calipers import _calipers

    y_true, y_prob = calipers.simulate("binary-overconfident", 1000, seed=0)
    y_prob = y_prob[:, 1].copy()
    inside: list[float] = []
    original = _calipers.evaluate

    def watched(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
        fields = original(*arguments)
        inside.append(fields["seconds"])
        return fields

    for name in ("identity", "isotonic", "logistic"):
        calipers.calibration_error(y_true, y_prob, recalibrator=name)
        _calipers.evaluate = watched  # type: ignore[assignment]
        total = []
        for _ in range(CALLS):
            start = time.perf_counter()
            calipers.calibration_error(y_true, y_prob, recalibrator=name)
            total.append(time.perf_counter() - start)
        _calipers.evaluate = original
        outside = sorted((whole - part) * 1e6 for whole, part in zip(total, inside, strict=True))
        print(
            f"{name}: {statistics.median(total) * 1e6:.0f} µs a call, of which "
            f"{statistics.median(outside):.0f} µs outside Rust ({outside[CALLS // 10]:.0f} µs in "
            "the quickest tenth)"
        )
        inside.clear()


def memory() -> None:
    """Measure the peaks of large calls."""
    import calipers

    rng = np.random.default_rng(0)
    y_prob = rng.random(ROWS, dtype=np.float32)
    y_true = (rng.random(ROWS, dtype=np.float32) < y_prob).view(np.int8)
    size = y_prob.nbytes / 1e6
    tracemalloc.start()
    estimate = calipers.calibration_error(y_true, y_prob, recalibrator="identity", threads=1)
    held, peak = (value / 1e6 for value in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    print(
        f"{ROWS:,} float32 rows ({size:.0f} MB): Python and NumPy allocate {peak - held:.1f} MB "
        f"at the most beyond the {held:.1f} MB that are left afterwards"
    )
    del estimate
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    start = time.perf_counter()
    calipers.calibration_error(y_true, y_prob, recalibrator="isotonic", threads=1)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"isotonic: {seconds:.1f} s, the process peaks {after - before:.0f} MB above {before:.0f}"
    )


def imports() -> None:
    """Time the import."""
    code = "import numpy; import calipers"
    times = []
    for _ in range(10):
        trace = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", code],
            check=True,
            capture_output=True,
            text=True,
        ).stderr
        found = re.findall(r"\| +(\d+) \| (numpy|calipers)$", trace, re.MULTILINE)
        times.append({name: int(value) / 1000 for value, name in found})
    best = {name: min(one[name] for one in times) for name in ("numpy", "calipers")}
    print(f"import: {best['calipers']:.1f} ms beyond numpy's {best['numpy']:.0f} ms")


def options(_: argparse.ArgumentParser) -> None:
    """Say that there are none."""


def run(_: argparse.Namespace) -> None:
    """Measure all three."""
    imports()
    overhead()
    memory()

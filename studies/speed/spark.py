"""Time `calipers.spark.evaluate` beside calipers' own streaming of the same files, in one session.

Spark runs on two threads of this machine, as calipers does. What Spark takes to start is not
counted: a sum of all columns goes before. The first evaluation still pays for code that Spark
compiles; later ones do not. Both reports must be the same to the letter.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

FILES = 10
THREADS = 2


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--rows", type=int, default=10_000_000, help="how many")
    add("--sample", type=int, default=100_000, help="rows that g learns from")
    add("--runs", type=int, default=3, help="evaluations by each")


def write(folder: Path, rows: int) -> None:
    """Write overconfident predictions with keys, a tenth to each file."""
    for number in range(FILES):
        random = np.random.default_rng((rows, number))
        count = rows // FILES
        p = random.beta(0.6, 1.2, count)
        y = (random.random(count) < 0.1 + 0.8 * p).astype(np.int8)
        keys = np.arange(count) + number * count
        columns = {"id": keys, "y": y, "p0": 1.0 - p, "p1": p}
        pq.write_table(pa.table(columns), folder / f"part-{number}.parquet")


def timed(work: Callable[[], Any]) -> tuple[float, str]:
    """Return how long an evaluation takes, and its report."""
    start = time.perf_counter()
    report = work()
    return time.perf_counter() - start, report.to_json()


def run(asked: argparse.Namespace) -> int:
    """Write the data, evaluate, print."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Here, because only Spark's own environment has it.
    from pyspark.sql import SparkSession

    import calipers
    import calipers.spark

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder, asked.rows)
        quiet = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
        }
        builder = SparkSession.builder.master(f"local[{THREADS}]")
        for name, value in {**quiet, "spark.driver.memory": "3g"}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        frame = session.read.parquet(str(folder))
        frame.selectExpr("sum(p0)", "sum(p1)", "max(y)", "max(id)").collect()
        columns = {"label": "y", "probs": ["p0", "p1"], "key": "id"}
        settings = {**columns, "sample": asked.sample, "recalibrator": "isotonic"}
        data = ds.dataset(folder)
        calipers.evaluate(data, threads=THREADS, **settings)
        for number in range(asked.runs):
            ours, own = timed(lambda: calipers.evaluate(data, threads=THREADS, **settings))
            theirs, found = timed(lambda: calipers.spark.evaluate(frame, **settings))
            print(
                f"evaluation {number + 1}: {theirs:.1f} s on Spark, {ours:.1f} s by itself: "
                f"{theirs / ours:.2f} times as long",
                flush=True,
            )
            if found != own:
                print("error: the reports differ", file=sys.stderr)
                return 1
        session.stop()
    return 0

"""Spark: the same bits as in one process, for any partitions (`make long WHAT=spark`)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="make long WHAT=spark has it")
pytestmark = [
    pytest.mark.timeout(600),
    # Spark's own, about what it will change.
    pytest.mark.filterwarnings("ignore"),
]

from pyspark.sql import SparkSession, functions
from streams import QUICK, Stream, stream

import calipers
import calipers.spark

# Executors are to run this very Python, and to find the package where this process does.
ENVIRONMENT = {
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_DRIVER_PYTHON": sys.executable,
    "PYTHONPATH": os.pathsep.join([str(Path(calipers.__file__).parents[1]), *sys.path]),
    "SPARK_LOCAL_IP": "127.0.0.1",
}
QUIET = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def configured(builder, **more: str):
    for name, value in {**QUIET, **more}.items():
        builder = builder.config(name, value)
    return builder


@pytest.fixture(scope="module", autouse=True)
def environment():
    with pytest.MonkeyPatch.context() as patched:
        for name, value in ENVIRONMENT.items():
            patched.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def spark(environment):
    session = configured(SparkSession.builder.master("local[2]")).getOrCreate()
    yield session
    session.stop()


def options_of(rows: Stream, beside: bool, **more) -> dict[str, object]:
    own = {"weight": "weight", "group": "group"} if beside else {}
    given = {"label": "label", "probs": rows.columns, "key": "key", "sample": 500}
    return {**given, **QUICK, **own, **more}


def on_spark(df, options: dict[str, object]) -> str:
    options = {"groups" if name == "group" else name: one for name, one in options.items()}
    return calipers.spark.evaluate(df, **options).to_json()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("beside", [False, True])
def test_any_partitions_give_the_bits_of_one_process(spark, classes, beside) -> None:
    rows = stream(3000, classes)
    options = options_of(rows, beside)
    answer = calipers.evaluate(rows.table(), **options).to_json()
    df = spark.createDataFrame(rows.table())
    for parts in (1, 7):
        assert on_spark(df.repartition(parts), options) == answer
    # evaluate itself takes a DataFrame, too; and texts are keys as numbers are.
    assert calipers.evaluate(df, **options | {"key": "text"}).to_json() == answer


def test_arrays_and_vectors(spark) -> None:
    from pyspark.ml.functions import array_to_vector

    rows = stream(3000, 3)
    options = options_of(rows, False, probs="lists")
    answer = calipers.evaluate(rows.table(), **options).to_json()
    df = spark.createDataFrame(rows.table()).repartition(3)
    assert on_spark(df, options) == answer
    vectors = df.withColumn("lists", array_to_vector("lists"))
    assert on_spark(vectors, options) == answer


def test_partitions_may_lack_labels_and_rows(spark) -> None:
    rows = stream(3000, 3)
    options = options_of(rows, False, probs="lists", sample=200)
    answer = calipers.evaluate(rows.table(), **options).to_json()
    df = spark.createDataFrame(rows.table()).repartitionByRange(3, "label").union(
        spark.createDataFrame(rows.table()).limit(0)
    )  # fmt: skip
    assert on_spark(df, options) == answer


def test_rows_without_keys_go_by_their_places(spark) -> None:
    rows = stream(3000)
    options = options_of(rows, False, key=None)
    df = spark.createDataFrame(rows.table()).coalesce(1)
    # One partition in order is one table; without a sample, any partitions in order are.
    assert on_spark(df, options) == calipers.evaluate(rows.table(), **options).to_json()
    options["sample"] = 3000
    df = spark.createDataFrame(rows.table())
    assert on_spark(df, options) == calipers.evaluate(rows.table(), **options).to_json()
    options["sample"] = 500
    assert on_spark(df, options) == on_spark(df, options)


def test_what_is_wrong_is_told_with_its_place(spark) -> None:
    rows = stream(900)
    table = rows.table()
    df = spark.createDataFrame(table).coalesce(1)
    options = options_of(rows, False, sample=200)
    far = int(rows.keys.max())

    def refused(df, message: str, **more) -> calipers.InputError:
        with pytest.raises(calipers.InputError, match=message) as caught:
            on_spark(df, {**options, **more})
        return caught.value

    cat = functions.when(functions.col("key") == far, functions.lit(1.5)).otherwise(
        functions.col("p_cat")
    )
    error = refused(df.withColumn("p_cat", cat), "probability 1.5 is above 1|sum to")
    label = functions.when(functions.col("key") == far, functions.lit(None)).otherwise(
        functions.col("label")
    )
    error = refused(df.withColumn("label", label), "partition 0, row .*: the label is missing")
    assert error.row == int(np.argmax(rows.keys))
    key = functions.when(functions.col("key") == far, functions.lit(None)).otherwise(
        functions.col("key")
    )
    refused(df.withColumn("key", key), "partition 0, row .*: the key is missing")
    label = functions.when(functions.col("key") == far, functions.lit("cow")).otherwise(
        functions.col("label")
    )
    refused(df.withColumn("label", label), "cow")
    refused(df, "there is no column 'nobody'", probs=["nobody"])
    refused(df.limit(0), "there are no rows")
    refused(df, "probs: not given", probs=None)


def test_partitions_that_change_are_noticed(spark) -> None:
    rows = stream(3000)
    # Spark's own random numbers are the same whenever they are computed; Java's are not.
    random = functions.expr("reflect('java.util.UUID', 'randomUUID')")
    df = spark.createDataFrame(rows.table()).withColumn("key", random)
    with pytest.raises(calipers.InputError, match=r"rows are missing|counted twice|not those"):
        on_spark(df, options_of(rows, False))


def test_rows_that_come_and_go_are_noticed(spark) -> None:
    rows = stream(3000)
    random = functions.expr("double(reflect('java.lang.Math', 'random'))")
    df = spark.createDataFrame(rows.table()).filter(random < 0.5)
    # By chance there are as many rows each time; then those of the sample are others.
    with pytest.raises(calipers.InputError, match=r"computed again|rows are missing|not those"):
        on_spark(df, options_of(rows, False))


def test_rows_that_are_dropped_where_they_are_read_do_not_count(spark, tmp_path) -> None:
    rows = stream(3000)
    options = options_of(rows, False)
    answer = calipers.evaluate(rows.table(), **options).to_json()
    told = zip(rows.labels, rows.probs.tolist(), rows.keys, strict=True)
    lines = [f"{label},{cat!r},{dog!r},{key}" for label, (cat, dog), key in told]
    # As many again are malformed: Spark counts them, because to count it reads no columns.
    lines += [f"cat,some,few,{number}" for number in range(3000)]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    schema = "label string, p_cat double, p_dog double, key long"
    df = spark.read.csv(str(tmp_path), schema=schema, mode="DROPMALFORMED")
    assert df.count() == 6000
    assert on_spark(df, options) == answer


def test_the_session_is_left_as_it_was(spark) -> None:
    rows = stream(3000)
    options = options_of(rows, False)
    df = spark.createDataFrame(rows.table())
    before = spark.conf.getAll
    answer = on_spark(df, options)
    with pytest.raises(calipers.InputError, match="the label is missing"):
        on_spark(df.withColumn("label", functions.lit(None).cast("string")), options)
    assert spark.conf.getAll == before
    with calipers.spark._unmeasured(spark, 4):
        assert spark.conf.get(calipers.spark.BYTES) == calipers.spark.UNLIMITED
    with calipers.spark._unmeasured(spark, 1000):
        assert spark.conf.getAll == before, "rows that are wide need the limit"
    # What the user has set is kept to: here, a batch for each row or two.
    spark.conf.set(calipers.spark.BYTES, "1k")
    try:
        assert on_spark(df, options) == answer
        assert spark.conf.get(calipers.spark.BYTES) == "1k"
    finally:
        spark.conf.unset(calipers.spark.BYTES)


def test_recalibrate_is_predict_proba(spark) -> None:
    from pyspark.ml.functions import array_to_vector

    rows = stream(3000, 3)
    model = calipers.Recalibrator("logistic").fit(rows.probs, rows.labels)
    expected = {int(k): p for k, p in zip(rows.keys, model.predict_proba(rows.probs), strict=True)}
    df = spark.createDataFrame(rows.table()).repartition(5)

    def same(found, read) -> bool:
        got = {row["key"]: read(row) for row in found.collect()}
        return got.keys() == expected.keys() and all(
            np.array_equal(got[key], expected[key]) for key in got
        )

    added = calipers.spark.recalibrate(df, model, probs=rows.columns)
    assert added.columns == [*df.columns, "calibrated"]
    assert same(added, lambda row: row["calibrated"])
    added = calipers.spark.recalibrate(df, model, probs="lists", output=["a", "b", "c"])
    assert same(added, lambda row: [row["a"], row["b"], row["c"]])
    vectors = df.withColumn("lists", array_to_vector("lists"))
    added = calipers.spark.recalibrate(vectors, model, probs="lists")
    assert added.columns == [*df.columns, "calibrated"]
    assert same(added, lambda row: row["calibrated"])
    with pytest.raises(calipers.InputError, match="already"):
        calipers.spark.recalibrate(df, model, probs="lists", output="key")
    with pytest.raises(calipers.InputError, match="2 names for 3 classes"):
        calipers.spark.recalibrate(df, model, probs="lists", output=["a", "b"])


def test_spark_connect_gives_the_same_bits(tmp_path) -> None:
    """In a process of its own: a session is classic or remote, not both."""
    rows = stream(3000)
    options = options_of(rows, True)
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pyspark.sql import SparkSession
import calipers, calipers.spark
from streams import stream

rows = stream(3000)
spark = SparkSession.builder.remote("local[2]").getOrCreate()
df = spark.createDataFrame(rows.table().drop(["lists"]).to_pandas()).repartition(5)
assert type(df).__module__.startswith("pyspark.sql.connect"), type(df)
print("REPORT", calipers.evaluate(df, **{options!r}).to_json().replace(chr(10), ""))
model = calipers.Recalibrator("logistic").fit(rows.probs, rows.labels)
better = calipers.spark.recalibrate(df, model, probs=rows.columns)
print("ROWS", len(better.select("key", "calibrated").collect()))
print("LIMIT", spark.conf.get(calipers.spark.BYTES, None))
spark.stop()
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env={**os.environ, **ENVIRONMENT},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = next(line for line in done.stdout.splitlines() if line.startswith("REPORT "))
    answer = calipers.evaluate(rows.table(), **options).to_json().replace("\n", "")
    assert found.removeprefix("REPORT ") == answer
    assert "ROWS 3000" in done.stdout
    assert "LIMIT None" in done.stdout


class Cluster:
    """A master and two workers of Spark's own, on this machine."""

    def __init__(self, folder: Path, port: int = 17077) -> None:
        self.url = f"spark://127.0.0.1:{port}"
        self.folder = folder
        self.master = self.start(
            "master", "master.Master", "--port", str(port), "--webui-port", str(port + 1)
        )
        self.workers = [
            self.start(
                f"worker{number}",
                "worker.Worker",
                *("--cores", "1", "--memory", "1g", "--webui-port", str(port + 2 + number)),
                *("--work-dir", str(folder / f"work{number}"), self.url),
            )
            for number in range(2)
        ]
        deadline = time.monotonic() + 60
        log = folder / "master.log"
        while log.read_text().count("Registering worker") < 2:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)

    def start(self, name: str, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__file__).parent
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{what}"]
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [*command, "--host", "127.0.0.1", *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **ENVIRONMENT, "SPARK_HOME": str(home)},
                start_new_session=True,
            )

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a process and what it started, at once."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in (*self.workers, self.master):
            self.kill(process)


# Runs in a process of its own, because it has another master.
JOB = """
import sys, time
sys.path.insert(0, {tests!r})
from pyspark.sql import SparkSession
import calipers, calipers.spark

builder = SparkSession.builder.master({url!r})
for name, value in {settings!r}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
df = spark.read.parquet({data!r})
assert df.rdd.getNumPartitions() == 24, df.rdd.getNumPartitions()

def slowly(batches):
    for batch in batches:
        time.sleep(0.5)
        yield batch

# Slow rows, so that a worker is lost while its tasks run.
slow = df.mapInArrow(slowly, df.schema)
print("REPORT", calipers.spark.evaluate(slow, **{options!r}).to_json().replace(chr(10), ""))
spark.stop()
"""


def test_a_worker_that_is_lost_changes_no_bit(tmp_path) -> None:
    import pyarrow.parquet

    rows = stream(6000)
    data = tmp_path / "data"
    data.mkdir()
    for number, part in enumerate(rows.parts(24, seed=1)):
        pyarrow.parquet.write_table(part.table(), data / f"{number}.parquet")
    options = options_of(rows, False)
    answer = calipers.evaluate(rows.table(), **options).to_json().replace("\n", "")
    settings = {
        **QUIET,
        "spark.executor.memory": "512m",
        # A file is a partition: to open one counts as much as a partition may.
        "spark.sql.files.maxPartitionBytes": "1m",
        "spark.sql.files.openCostInBytes": "1m",
    }
    tests = str(Path(__file__).parent)
    cluster, job, log_of = Cluster(tmp_path), None, tmp_path / "job.log"
    try:
        program = JOB.format(
            tests=tests, url=cluster.url, settings=settings, data=str(data), options=options
        )
        with log_of.open("wb") as log:
            job = subprocess.Popen(
                [sys.executable, "-c", program],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **ENVIRONMENT},
            )
        # Reading the schema is a stage; counting takes three, of which one is left out; and each of
        # the passes is one: the last adds tallies up.
        deadline = time.monotonic() + 300
        while not re.search(r"\[Stage 5:[^\]]*\([3-9] \+ 2\)", said := log_of.read_text()):
            assert job.poll() is None and time.monotonic() < deadline, said[-3000:]
            time.sleep(0.05)
        cluster.kill(cluster.workers[0])
        printed = job.communicate(timeout=200)[0]
        assert job.returncode == 0, log_of.read_text()[-3000:]
    finally:
        if job is not None:
            job.kill()
        cluster.stop()
    found = next(line for line in printed.splitlines() if line.startswith("REPORT "))
    assert found.removeprefix("REPORT ") == answer
    assert "Lost executor" in log_of.read_text()

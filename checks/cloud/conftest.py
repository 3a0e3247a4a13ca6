"""A store of objects on this machine, with the same files as a folder beside it."""

import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "debug" / "calipers"))
BUCKET = "predictions"

Run = Callable[..., subprocess.CompletedProcess[str]]


def rows(seed: int, count: int) -> dict[str, list[object]]:
    """Draw predictions that are a little too sure of themselves, with a key a row."""
    chance = random.Random(seed)
    sure = [chance.random() for _ in range(count)]
    labels = [int(chance.random() < 0.1 + 0.8 * p) for p in sure]
    return {"id": [seed * 100_000 + row for row in range(count)], "label": labels, "p": sure}


def write_csv(path: Path, columns: dict[str, list[object]]) -> None:
    lines = [",".join(map(repr, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files as a cluster does, with what it leaves beside them."""
    folder = tmp_path_factory.mktemp("files")
    for number, site in enumerate(["north", "south"]):
        place = folder / "preds" / f"site={site}"
        (place / "_temporary").mkdir(parents=True)
        for part in range(2):
            columns = rows(10 * number + part, 400)
            pq.write_table(pa.table(columns), place / f"part-{part}.parquet", row_group_size=90)
        write_csv(place / "more.csv", rows(10 * number + 5, 300))
        (place / "_SUCCESS").write_text("")
        (place / "notes.md").write_text("nothing to read")
        (place / "_temporary" / "part-0.csv").write_text("half a fi")
    # What Hive writes for a slash, in a name that is there as it is written.
    odd = folder / "odd" / "site=north%2Fwest"
    odd.mkdir(parents=True)
    write_csv(odd / "a b[1].csv", rows(3, 300))
    for name in ["good-0.csv", "good-1.csv"]:
        (folder / "damaged").mkdir(exist_ok=True)
        write_csv(folder / "damaged" / name, rows(7, 200))
    whole = (folder / "preds/site=north/part-0.parquet").read_bytes()
    (folder / "damaged/part.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "damaged/part.csv").write_text("id,label,p\n1,1,0.5\n2,0,high\n")
    (folder / "empty").mkdir()
    (folder / "empty" / "notes.md").write_text("nothing to read")
    return folder


@pytest.fixture(scope="session")
def endpoint(folder: Path) -> Iterator[str]:
    """Start a store that speaks S3, and bring the files there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    program = Path(sys.executable).parent / "moto_server"
    server = subprocess.Popen(
        [program, "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(endpoint)
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
        client.create_bucket(Bucket=BUCKET)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                client.upload_file(str(path), BUCKET, path.relative_to(folder).as_posix())
        yield endpoint
    finally:
        server.terminate()
        server.wait(timeout=30)


def wait_for(endpoint: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the store did not start")


@pytest.fixture(scope="session")
def run(endpoint: str) -> Run:
    """Run the command with what it needs to know of the store, and no other setting."""

    def run(*arguments: str, endpoint: str = endpoint) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "AWS_ENDPOINT": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
        command = [COMMAND, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=environment, check=False
        )

    return run

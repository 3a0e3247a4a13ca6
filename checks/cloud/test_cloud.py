"""Files in an object store are read as those of a folder are: `make long WHAT=cloud`."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.cloud.conftest import BUCKET, Run

STORE = f"s3://{BUCKET}"
COLUMNS = ["--label", "label", "--probs", "p"]
AS_JSON = [*COLUMNS, "--metric", "l1,brier", "--format", "json"]


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("preds/site=north/more.csv", []),
        ("preds/site=north/part-1.parquet", []),
        ("preds/site=north/part-1.parquet", ["--key", "id"]),
        ("odd/site=north%2Fwest/a b[1].csv", []),
        ("preds/", ["--group", "site"]),
        ("preds/", ["--group", "site", "--key", "id"]),
        ("preds/site=*/part-?.parquet", ["--group", "site"]),
        ("preds/**/more.csv", []),
        ("preds/site=n*", []),
        # More rows than are kept: a part is drawn, and all are read once more and scored.
        ("preds/", ["--group", "site", "--sample", "500", "--threads", "1"]),
        ("preds/", ["--group", "site", "--sample", "500", "--threads", "3", "--key", "id"]),
        ("damaged/", ["--skip-bad-files"]),
    ],
)
def test_an_object_is_read_as_a_file_is(
    run: Run, folder: Path, given: str, options: list[str]
) -> None:
    near = run("estimate", f"{folder}/{given}", *AS_JSON, *options)
    far = run("estimate", f"{STORE}/{given}", *AS_JSON, *options)
    assert (near.returncode, far.returncode) == (0, 0), near.stderr + far.stderr
    assert '"l1"' in far.stdout
    assert far.stdout.replace(STORE, str(folder)) == near.stdout
    assert far.stderr.replace(STORE, str(folder)) == near.stderr


def test_several_urls_and_files_are_one_list(run: Run, folder: Path) -> None:
    first, second = "preds/site=south/more.csv", "preds/site=north/part-0.parquet"
    near = run("estimate", f"{folder}/{first}", f"{folder}/{second}", *AS_JSON)
    far = run("estimate", f"{STORE}/{first}", f"{folder}/{second}", *AS_JSON)
    assert far.stdout == near.stdout != ""


def test_models_are_fitted_and_applied(run: Run, folder: Path, tmp_path: Path) -> None:
    for name, root in (("near", str(folder)), ("far", STORE)):
        model, made = tmp_path / f"{name}.json", tmp_path / f"{name}.csv"
        fit = ["--recalibrator", "isotonic", *COLUMNS, "-o", str(model)]
        assert run("recalibrate", "fit", f"{root}/preds/site=north/more.csv", *fit).returncode == 0
        given = f"{root}/preds/site=*/part-0.parquet"
        ran = run("recalibrate", "apply", str(model), given, "-o", str(made))
        assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "far.csv").read_text() == (tmp_path / "near.csv").read_text() != ""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (f"{STORE}/preds/none.csv", "cannot read {}: there is no such object or bucket"),
        (f"{STORE}/preds", "cannot read {}: there is no such object or bucket"),
        ("s3://nowhere/a.csv", "cannot read {}: there is no such object or bucket"),
        ("s3://nowhere/", "cannot read {}: there is no such object or bucket"),
        ("s3://nowhere/*.csv", "cannot read {}: there is no such object or bucket"),
        (STORE, "cannot read {}: it is a prefix"),
        (f"{STORE}/preds/*.arrow", "{}: no object matches"),
        (f"{STORE}/preds/[.csv", "cannot read {}: it is no pattern"),
        (f"{STORE}/empty/", "{}: no object below it ends in .csv"),
        (f"{STORE}/none/", "{}: no object below it ends in .csv"),
        (f"{STORE}/empty/notes.md", "{}: files that end in .md are not known"),
        (f"{STORE}//a//b.csv", "cannot read {}: "),
        ("s3://", "cannot read {}: "),
        ("az://container/a.csv", "cannot read {}: Generic MicrosoftAzure error: Account must be"),
    ],
)
def test_what_is_not_there_is_named(run: Run, given: str, message: str) -> None:
    ran = run("estimate", given, *COLUMNS)
    assert ran.returncode == 2, ran.stderr
    assert ran.stderr.startswith("error: " + message.format(given)), ran.stderr
    assert len(ran.stderr.splitlines()) <= 2


@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_damaged_object_is_named(run: Run, folder: Path, threads: str) -> None:
    for given in ("damaged/", "damaged/part.parquet", "damaged/part.*"):
        near = run("estimate", f"{folder}/{given}", *COLUMNS, "--threads", threads)
        far = run("estimate", f"{STORE}/{given}", *COLUMNS, "--threads", threads)
        assert far.returncode == near.returncode == 2
        assert far.stderr.replace(STORE, str(folder)) == near.stderr
        assert f"{STORE}/damaged/part." in far.stderr


@pytest.fixture
def closed() -> Iterator[str]:
    """Answer everybody that they may not."""

    class Closed(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(403)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("given", ["a.csv", "", "*.csv"])
def test_a_store_may_deny_access(run: Run, closed: str, given: str) -> None:
    url = f"s3://secret/{given}"
    ran = run("estimate", url, endpoint=closed)
    assert ran.returncode == 2
    message, hint = ran.stderr.splitlines()
    assert message == f"error: cannot read {url}: access is denied"
    assert hint.startswith("hint: credentials are taken from the environment: variables")

"""The page of `make web`, served on this machine, and a browser to look at it."""

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.browser.conftest import browser
from studies.pages import ROOT

__all__ = ["browser"]

DIST = ROOT / "web" / "dist"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of what is asked for."""

    def log_message(self, format: str, *args: object) -> None:
        """Leave it out."""


@pytest.fixture(scope="session")
def dist() -> Path:
    """Return the folder of the page."""
    assert (DIST / "calipers.wasm").exists(), "`make web` builds it"
    return DIST


@pytest.fixture(scope="session")
def address(dist: Path) -> Iterator[str]:
    """Serve the page."""
    handler = functools.partial(Quiet, directory=str(dist))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()

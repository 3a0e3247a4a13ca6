"""Load that a service puts on it, and processes that are killed while they write.

The same at length is `make long WHAT=load`.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from common import Simulated

import calipers
from calipers._calipers import write_file

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="forks and signals are Unix's"),
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
]


@pytest.mark.parametrize(
    ("case", "estimates"),
    [("threads", 25), ("forks", 25), ("arrays", 50), ("errors", 50), ("exceptions", 50)],
)
def test_nothing_is_left_of_many_calls(case: str, estimates: int) -> None:
    # A process of its own, so that memory, threads and open files are its own.
    program = Path(__file__).with_name("load.py")
    command = [sys.executable, program, case, "--estimates", str(estimates)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=250)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("load,Python: "), ran.stdout
    assert ran.stdout.rstrip().endswith(",0,0"), ran.stdout


def killed(work: Callable[[], None], after: float, how: signal.Signals) -> None:
    """Have a forked process work until it is sent a signal."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            # As a program has it that did not ask: pytest may have had other plans.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.write(tell, b".")
            while True:
                work()
        finally:
            os._exit(1)
    os.read(ready, 1)
    os.close(ready)
    os.close(tell)
    time.sleep(after)
    os.kill(child, how)
    os.waitpid(child, 0)


SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]


@pytest.mark.parametrize("how", SIGNALS, ids=lambda how: how.name)
def test_a_file_is_the_old_or_the_new(tmp_path: Path, how: signal.Signals) -> None:
    target = tmp_path / "page.html"
    texts = [letter * size for letter, size in [("a", 3_000_000), ("b", 2_000_000)]]
    target.write_text(texts[0])
    drawn = random.Random(0)

    def work() -> None:
        for text in (texts[1], texts[0]):
            write_file(target, text)

    left = 0
    for attempt in range(20):
        killed(work, drawn.random() * 0.002 * (attempt + 1), how)
        assert target.read_text() in texts
        beside = [path for path in tmp_path.iterdir() if path != target]
        left += len(beside)
        for path in beside:
            assert path.name.startswith(".calipers-")
            path.unlink()
    # An interrupt waits until the file is written. What is killed can leave a file only while it
    # has a name of its own: for microseconds between two system calls, where the system has files
    # without a name (Linux, on most file systems).
    if how == signal.SIGINT:
        assert left == 0
    elif sys.platform == "linux":
        assert left <= 5


def test_a_page_is_the_old_or_the_new(tmp_path: Path, binary: Simulated) -> None:
    report = calipers.evaluate(*binary, recalibrator="identity", draws=0)
    target = tmp_path / "page.html"
    report.save_html(target)
    for attempt in range(12):
        killed(lambda: report.save_html(target), 0.01 * attempt, SIGNALS[attempt % 3])
        page = target.read_text()
        assert page.startswith("<!") and page.rstrip().endswith("</html>")
    # As above: a draft has a name of its own for microseconds.
    beside = [path.name for path in tmp_path.iterdir() if path != target]
    assert len(beside) <= 3 and all(name.startswith(".calipers-") for name in beside)


def test_a_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_file(tmp_path / "page.html", "text")
    assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path / "taken", "text")
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "nowhere" / "page.html", "text")
    with pytest.raises(UnicodeEncodeError):
        write_file(tmp_path / "page.html", "half of a pair: \ud800")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to("page.html")
    for text in ("first", "second"):
        write_file(link, text)
        assert link.is_symlink()
        assert (tmp_path / "page.html").read_text() == text

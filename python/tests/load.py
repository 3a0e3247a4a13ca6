"""Many calls at once, or one after the other: the same answers, no hang, and nothing left behind.

`python load.py threads forks errors exceptions --estimates 1000` prints a line a case: the name,
the workers, the calls, the seconds, the memory after a tenth of the calls and at the end in MiB,
the answers that differed, and the hangs. A case that finds a fault, or hangs, fails.
"""

import argparse
import contextlib
import faulthandler
import gc
import json
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import calipers

THREADS = 8
FORKS = 4

# Memory may grow by so many MiB after the warm-up: which of the allocator's arenas have grown, of
# which there are up to eight a core, is chance. A leak of a kilobyte a call is 8 MiB at 8,000.
GROWTH = 8.0

# Rows, classes and recalibrators of every kind; 0 threads are as many as there are cores.
TASKS = [
    (setting, rows, recalibrator, (at + rows) % 3)
    for at, recalibrator in enumerate(
        ["auto", "temperature", "isotonic", "logistic", "kernel", "bins-mass", "boost:trees=3"]
    )
    for setting, rows in [
        ("binary-overconfident", 50 + 60 * at),
        ("multiclass-overconfident-3", 500 - 60 * at),
    ]
]

# The most threads that sleep until the next estimate: four pools, of as many as there are cores.
ASLEEP = 4 * (os.cpu_count() or 1)

Task = tuple[str, int, str, int]


def answer(task: Task) -> str:
    """Estimate; the numbers are written so that they tell every bit."""
    setting, rows, recalibrator, threads = task
    y, p = calipers.simulate(setting, rows, seed=rows)
    report = calipers.evaluate(y, p, recalibrator=recalibrator, draws=99, threads=threads)
    return report.to_json()


class State:
    """What the process holds; nothing where `/proc` does not tell."""

    def __init__(self) -> None:
        self.memory = float("nan")
        self.threads = self.files = 0
        with contextlib.suppress(OSError):
            status = Path("/proc/self/status").read_text()
            numbers = dict(line.split(":", 1) for line in status.splitlines())
            self.memory = int(numbers["VmRSS"].split()[0]) / 1024
            self.threads = int(numbers["Threads"])
            self.files = len(os.listdir("/proc/self/fd"))

    def check(self, before: "State") -> None:
        """Complain of what has grown."""
        assert not self.memory > before.memory + GROWTH, (before.memory, self.memory)
        assert self.threads <= before.threads + ASLEEP, (before.threads, self.threads)
        assert self.files == before.files, (before.files, self.files)


def settled(before: State | None = None) -> State:
    """Wait for threads that have been told to end, which may take them a moment."""
    gc.collect()
    deadline = time.monotonic() + 20
    last = State()
    while True:
        time.sleep(0.05)
        state = State()
        quiet = state.threads == last.threads
        if (quiet and (before is None or state.threads <= before.threads + ASLEEP)) or (
            time.monotonic() > deadline
        ):
            return state
        last = state


def line(
    what: str, workers: int, calls: int, start: float, memory: tuple[float, float], different: int
) -> None:
    """Print what a case found, as it stands in `docs/robustness/load.csv`."""
    seconds = time.perf_counter() - start
    before, after = memory
    print(f"load,{what},{workers},{calls},{seconds:.1f},{before:.1f},{after:.1f},{different},0")


def repeated(what: str, calls: int, call: Callable[[], None]) -> None:
    """Make a call again and again, after a tenth of that to warm up, and see what is left of it."""
    for _ in range(-(-calls // 10)):
        call()
    before = settled()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    after = settled(before)
    after.check(before)
    line(what, 1, calls, start, (before.memory, after.memory), 0)


def threads(estimates: int) -> None:
    """Eight threads of one process."""
    answers = [answer(task) for task in TASKS]
    different = [0] * THREADS

    def work(worker: int, calls: int) -> None:
        for turn in range(calls):
            at = (worker * 5 + turn) % len(TASKS)
            different[worker] += answer(TASKS[at]) != answers[at]

    def everything(calls: int) -> None:
        workers = [threading.Thread(target=work, args=(one, calls)) for one in range(THREADS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    everything(-(-estimates // 10))
    before = settled()
    start = time.perf_counter()
    everything(estimates)
    after = settled(before)
    assert sum(different) == 0, different
    after.check(before)
    memory = (before.memory, after.memory)
    line("Python: threads of one process", THREADS, THREADS * estimates, start, memory, 0)


def forks(estimates: int) -> None:
    """Four forked processes, whose parent has estimated before, on threads that they lack."""
    answers = [answer(task) for task in TASKS]

    def work(worker: int, out: int) -> None:
        different = 0

        def everything(calls: int) -> None:
            nonlocal different
            for turn in range(calls):
                at = (worker * 5 + turn) % len(TASKS)
                different += answer(TASKS[at]) != answers[at]

        everything(-(-estimates // 10))
        before = settled()
        everything(estimates)
        after = settled(before)
        after.check(before)
        os.write(out, json.dumps([different, before.memory, after.memory]).encode())

    start = time.perf_counter()
    children = {}
    for worker in range(FORKS):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.close(reader)
                work(worker, writer)
                status = 0
            finally:
                os._exit(status)
        os.close(writer)
        children[child] = reader
    found = []
    for child, reader in children.items():
        # The watchdog of this process ends all of them if one hangs.
        with open(reader, "rb") as file:
            said = file.read()
        _, status = os.waitpid(child, 0)
        assert status == 0, f"a worker ended with {status}"
        found.append(json.loads(said))
    different, before, after = (sum(column) for column in zip(*found, strict=True))
    assert different == 0
    calls = FORKS * estimates
    line("Python: forked processes", FORKS, calls, start, (before, after), different)


def errors(estimates: int) -> None:
    """Input that is refused, of every kind; nobody keeps the arrays."""
    y, p = calipers.simulate("multiclass-overconfident-3", 300, seed=0)
    nan = p.copy()
    nan[7, 1] = np.nan
    wrong = [
        lambda: calipers.evaluate(y, nan),
        lambda: calipers.evaluate(y[:-1], p),
        lambda: calipers.evaluate(y, -p),
        lambda: calipers.evaluate(y, p, recalibrator="nonsense"),
        lambda: calipers.evaluate(y, p, metrics="nonsense"),
        lambda: calipers.Recalibrator("isotonic").fit(nan, y),
        lambda: calipers.compare(y, {"a": p, "b": nan}),
        lambda: calipers.neighbours(y, nan),
    ]
    held = [sys.getrefcount(array) for array in (y, p, nan)]

    def call() -> None:
        for one in wrong:
            try:
                one()
            except ValueError:
                continue
            raise AssertionError("it was not refused")

    repeated(f"Python: refused input of {len(wrong)} kinds", estimates, call)
    assert [sys.getrefcount(array) for array in (y, p, nan)] == held, "somebody holds an array"


class Raises:
    """A classifier that learns nothing, in one way or another."""

    def __init__(self, exception: type[BaseException]) -> None:
        self.exception = exception

    def fit(self, f: np.ndarray, y: np.ndarray) -> "Raises":
        """Give up."""
        raise self.exception("will not learn")

    def predict_proba(self, f: np.ndarray) -> np.ndarray:
        """Never be asked."""
        raise AssertionError("it was never fitted")


def exceptions(estimates: int) -> None:
    """Exceptions out of Python code in the middle of an estimate, interrupts among them."""
    y, p = calipers.simulate("binary-overconfident", 200, seed=0)
    kinds = [ArithmeticError, KeyboardInterrupt, MemoryError, SystemExit]
    held = [sys.getrefcount(array) for array in (y, p)]
    alive: list[weakref.ref[Raises]] = []

    def call() -> None:
        for kind in kinds:
            classifier = Raises(kind)
            alive[:] = [weakref.ref(classifier)]
            try:
                calipers.evaluate(y, p, recalibrator=classifier)
            except kind:
                continue
            raise AssertionError(f"{kind.__name__} was lost")

    repeated(f"Python: exceptions of {len(kinds)} kinds out of a classifier", estimates, call)
    gc.collect()
    assert [one() for one in alive] == [None], "somebody holds a classifier"
    assert [sys.getrefcount(array) for array in (y, p)] == held


def arrays(estimates: int) -> None:
    """Arrays that are given, and reports that are dropped."""

    def call() -> None:
        y, p = calipers.simulate("multiclass-overconfident-3", 2000, seed=0)
        narrow = p.astype(np.float32)
        report = calipers.evaluate(y, narrow, recalibrator="identity", draws=0, threads=1)
        recalibrator = calipers.Recalibrator("temperature").fit(p, y)
        given = [weakref.ref(array) for array in (y, p, narrow)]
        assert recalibrator.predict_proba(p).shape == p.shape
        del y, p, narrow, report, recalibrator
        if any(one() is not None for one in given):
            gc.collect()
        assert [one() for one in given] == [None] * 3, "somebody holds an array"

    repeated("Python: arrays that are given and released", estimates, call)


CASES = {case.__name__: case for case in (threads, forks, arrays, errors, exceptions)}


@contextlib.contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Print where every thread is and fail, if this takes too long; forked processes, too."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    signal.alarm(int(seconds) + 10)
    try:
        yield
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()


def main() -> None:
    """Run the cases that were asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="+", choices=CASES)
    parser.add_argument("--estimates", type=int, required=True)
    asked = parser.parse_args()
    for name in asked.cases:
        # A hundred times what it should take on a machine that does nothing else.
        with watchdog(120 + 2 * asked.estimates):
            CASES[name](asked.estimates)


if __name__ == "__main__":
    main()

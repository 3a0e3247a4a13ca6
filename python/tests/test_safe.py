"""Forks, threads, processes, event loops and Ctrl-C, each under a time-out."""

import asyncio
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pytest
from common import Simulated

import calipers

pytestmark = pytest.mark.timeout(120)


def task(seed: int) -> float:
    """Estimate something, in whatever thread or process this is."""
    y, p = calipers.simulate("multiclass-overconfident-3", 300, seed=seed)
    return calipers.calibration_error(y, p).value


EXPECTED = [task(seed) for seed in range(4)]


def send(seed: int, results) -> None:
    results.put((seed, task(seed)))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_processes(method: str) -> None:
    # The parent has estimated before, so that a pool of its own would be dead in a fork.
    context = multiprocessing.get_context(method)
    results = context.Queue()
    workers = [context.Process(target=send, args=(seed, results)) for seed in range(4)]
    for worker in workers:
        worker.start()
    found = dict(results.get(timeout=100) for _ in workers)
    for worker in workers:
        worker.join(timeout=20)
        assert worker.exitcode == 0
    assert [found[seed] for seed in range(4)] == EXPECTED


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_estimates() -> None:
    # The child inherits the memory of an estimate in mid-flight, and none of its threads.
    y, p = calipers.simulate("multiclass-overconfident-10", 3000, seed=0)
    background = threading.Thread(
        target=lambda: calipers.evaluate(y, p, recalibrator="boost", repeats=2)
    )
    background.start()
    time.sleep(0.05)
    child = os.fork()
    if child == 0:
        os._exit(0 if task(0) == EXPECTED[0] else 1)
    deadline = time.monotonic() + 60
    status = None
    while time.monotonic() < deadline and status is None:
        done, code = os.waitpid(child, os.WNOHANG)
        status = code if done else time.sleep(0.02)
    if status is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    background.join()
    assert status == 0


def test_threads() -> None:
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(task, range(4))) == EXPECTED


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend: str) -> None:
    found = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(task)(seed) for seed in range(4)
    )
    assert found == EXPECTED


def test_event_loop() -> None:
    async def gather() -> list[float]:
        loop = asyncio.get_running_loop()
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        ticker = asyncio.create_task(tick())
        found = await asyncio.gather(*(loop.run_in_executor(None, task, seed) for seed in range(4)))
        ticker.cancel()
        assert ticks > 0
        return found

    assert asyncio.run(gather()) == EXPECTED


def test_other_threads_run_while_rust_works() -> None:
    y, p = calipers.simulate("multiclass-overconfident-10", 2000, seed=0)
    counts = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    start, before = time.perf_counter(), counts[0]
    calipers.evaluate(y, p, recalibrator="boost", threads=1)
    seconds, during = time.perf_counter() - start, counts[0] - before
    stop.set()
    counter.join()
    # Had the lock been held, the counter would have stood still; a busy machine slows it down.
    assert during > seconds * 20


def test_nothing_is_started_at_import_and_threads_sleep_between_calls() -> None:
    code = """
        import os, time
        from pathlib import Path
        import numpy
        tasks = lambda: {task.name for task in Path("/proc/self/task").iterdir()}
        before = tasks()
        import calipers
        assert tasks() == before
        call = lambda: calipers.calibration_error([0, 1] * 50, [0.2, 0.7] * 50, threads=2)
        call()
        asleep = tasks() - before
        assert len(asleep) == 2, asleep
        # The same two do the next work, and none of them does anything meanwhile.
        call()
        assert tasks() - before == asleep
        time.sleep(0.2)
        spent = time.process_time()
        time.sleep(0.2)
        assert time.process_time() - spent < 0.1
    """
    if not os.path.exists("/proc/self/task"):
        pytest.skip("threads are counted in /proc")
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=60)


INTERRUPTED = """
    import os, sys, threading, time
    from pathlib import Path
    import numpy as np
    import calipers

    y, p = calipers.simulate({setting!r}, {rows}, seed=0)
    threads = lambda: len(list(Path("/proc/self/task").iterdir()))
    {prepare}
    before = threads()
    print("ready", flush=True)
    try:
        {run}
    except KeyboardInterrupt:
        stopped = time.monotonic()
        while threads() > before and time.monotonic() < stopped + 1:
            time.sleep(0.005)
        print("interrupted", threads() - before, flush=True)
        assert calipers.calibration_error([0, 1] * 50, [0.2, 0.7] * 50).n == 100
    else:
        print("finished")
"""

RUNS = {
    "a builtin": (
        "multiclass-overconfident-10",
        20_000,
        "",
        "calipers.evaluate(y, p, recalibrator='boost', repeats=200)",
    ),
    "one long fit": (
        "multiclass-overconfident-10",
        100_000,
        "",
        "calipers.Recalibrator('boost-cold:depth=8,rate=0.001').fit(p, y)",
    ),
    "a kernel": (
        "multiclass-overconfident-3",
        60_000,
        "",
        "calipers.evaluate(y, p, recalibrator='kernel', repeats=20)",
    ),
    "a classifier": (
        "multiclass-overconfident-3",
        20_000,
        "from sklearn.ensemble import GradientBoostingClassifier as Boosting",
        "calipers.evaluate(y, p, recalibrator=Boosting(n_estimators=10**6))",
    ),
    "a distance": (
        "multiclass-overconfident-3",
        20_000,
        "slow = lambda f, z: [time.sleep(30), abs(z - f).sum(axis=1)][1]",
        "calipers.evaluate(y, p, calipers.Distance(slow, lambda f, z: np.sign(z - f)))",
    ),
}


@pytest.mark.parametrize("what", RUNS)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_interrupts(what: str) -> None:
    setting, rows, prepare, run = RUNS[what]
    code = textwrap.dedent(INTERRUPTED).format(setting=setting, rows=rows, prepare=prepare, run=run)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline()
    seconds = time.monotonic() - sent
    _, errors = process.communicate(timeout=60)
    assert answer == "interrupted 0\n", errors
    assert seconds < 1.0
    assert process.returncode == 0, errors


def test_an_exception_in_python_code_stops_the_estimate(multiclass: Simulated) -> None:
    class Broken:
        def fit(self, f, y):
            raise ArithmeticError("will not learn")

        def predict_proba(self, f):
            raise AssertionError("never fitted")

    with pytest.raises(ArithmeticError, match="will not learn"):
        calipers.evaluate(*multiclass, recalibrator=Broken())

    def fails(f: np.ndarray, z: np.ndarray) -> np.ndarray:
        raise ArithmeticError("will not measure")

    with pytest.raises(ArithmeticError, match="will not measure"):
        calipers.evaluate(*multiclass, metrics=calipers.Distance(fails, fails))

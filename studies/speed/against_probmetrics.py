"""Time calipers beside the Python package probmetrics, on the same predictions, in one run.

The peer is WS CatBoost, the recalibrator that probmetrics recommends, or its isotonic regression.
Both estimate l1, l2, brier and log from one cross-validation of 5 folds, of two classes and of ten,
with 1,000 and 10,000 rows.
Only the computation counts: not starting, importing or reading. calipers adds its lower bounds and
its p-value, of which the peer has neither.

- One thread: calipers with `--threads 1`; probmetrics with a serial stand-in for the process pool
  inside its `fit`, and its libraries kept to one thread.
- All cores: calipers with `--threads 0`; probmetrics as it ships.

Each run of probmetrics is a process of its own, because its pool sometimes deadlocks: a process
that takes longer than the time-out, or than ten times one that kept to one thread, is killed,
counted as a hang and tried again.

The peer lives in a virtual environment that is made on the first run (Python 3.11 or newer; it
takes minutes, and about 6 GB on Linux, nearly all of it torch's). An environment that already holds
what `requirements/peers.txt` pins, such as one with a smaller build of torch, is used as it is.
"""

import argparse
import datetime
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studies.pages import ROOT
from studies.program import Program

REQUIREMENTS = ROOT / "requirements" / "peers.txt"
ENVIRONMENT = ROOT / ".venv-peers"
PEER = Path(__file__).resolve().parent / "probmetrics_run.py"
SETTINGS = ["binary-overconfident", "multiclass-overconfident-10"]
ROWS = [1_000, 10_000]
METRICS = ["l1", "l2", "brier", "log"]
# What a table is headed by, and the threads of calipers (0: one a core).
MODES = {"one-thread": ("One thread", "1"), "all-cores": ("All cores", "0")}
THREAD_VARIABLES = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
OUR_REPEATS = 15
# A run that hangs this often in a row is given up.
ATTEMPTS = 10
# Starting Python and importing torch alone can take long on a busy machine.
SHORTEST_TIME_OUT = 60.0
Command = list[str | Path]
TIMINGS = re.compile(r"estimating: (\d+\.(\d+)) s")


@dataclass(frozen=True)
class Data:
    """A file of simulated predictions."""

    setting: str
    rows: int
    file: Path

    def __str__(self) -> str:
        """Name it in a table."""
        return f"{self.setting}, {self.rows:,}"


@dataclass
class Runs:
    """What one of the two took and found."""

    seconds: list[float] = field(default_factory=list)
    estimates: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    hangs: int = 0
    # The unit of the last digit of a time, in seconds; 0 if there are digits enough.
    step: float = 0.0

    def best(self) -> float:
        """Return the shortest time; NaN if nothing ended."""
        return min(self.seconds, default=float("nan"))

    def median(self) -> float:
        """Return the median time; NaN if nothing ended."""
        return statistics.median(self.seconds) if self.seconds else float("nan")

    def record(self) -> dict[str, object]:
        """Return everything as it goes into the JSON file, which knows no NaN."""
        times = {"best": self.best(), "median": self.median()} if self.seconds else {}
        return {**vars(self), **times}


@dataclass(frozen=True)
class Result:
    """Both on the same data with the same number of threads."""

    mode: str
    data: Data
    theirs: Runs
    ours: Runs

    def ratio(self) -> float:
        """Return how many times longer probmetrics takes, by the medians."""
        return self.theirs.median() / self.ours.median()

    def record(self) -> dict[str, object]:
        """Return everything as it goes into the JSON file."""
        return {
            "mode": self.mode,
            "setting": self.data.setting,
            "rows": self.data.rows,
            "probmetrics": self.theirs.record(),
            "calipers": self.ours.record(),
            "ratio": self.ratio() if self.theirs.seconds else None,
        }


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


def checked(command: Command, what: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and return its output; leave with a message if it fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"error: could not {what}: {error}")
    if done.returncode != 0:
        sys.exit(f"error: could not {what} (exit status {done.returncode}):\n{done.stderr.strip()}")
    return done


def environment(folder: Path) -> Path:
    """Make the virtual environment of the peer, if it is not there, and return its Python."""
    python = folder.absolute() / "bin" / "python"
    if not python.exists():
        say(f"making the environment {folder} (a download of about 3 GB on Linux; minutes)")
        checked([sys.executable, "-m", "venv", folder.absolute()], f"make {folder}")
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    checked([python, *install, "--requirement", REQUIREMENTS], f"install {REQUIREMENTS.name}")
    return python


def simulate(calipers: Path, setting: str, rows: int, seed: int, folder: Path) -> Data:
    """Draw predictions into a file that both read."""
    data = Data(setting, rows, folder / f"{setting}-{rows}.npz")
    drawing: Command = ["simulate", setting, "-n", str(rows), "--seed", str(seed), "-o", data.file]
    checked([calipers, *drawing], f"simulate {data}")
    return data


def run_ours(calipers: Path, recalibrator: str, mode: str, data: Data, repeats: int) -> Runs:
    """Estimate several times with calipers, after once to warm up."""
    metrics = [argument for name in METRICS for argument in ("--metric", name)]
    how = ["--recalibrator", recalibrator, "--threads", MODES[mode][1]]
    command: Command = [calipers, "estimate", data.file, *metrics, *how]
    command += ["--timings", "--format", "json"]
    runs = Runs()
    for _ in range(1 + repeats):
        done = checked(command, f"estimate {data} with calipers")
        found = TIMINGS.search(done.stderr)
        if found is None:
            sys.exit(f"error: no timings in what calipers said:\n{done.stderr}")
        runs.step = 10.0 ** -len(found[2])
        # A time that is printed as 0 counts as one step, against calipers.
        runs.seconds.append(max(float(found[1]), runs.step))
    del runs.seconds[0]
    report = json.loads(done.stdout)["metrics"]
    runs.estimates = {name: report[name]["value"] for name in METRICS}
    runs.errors = {name: report[name]["stderr"] for name in METRICS}
    return runs


def child_environment(mode: str) -> dict[str, str]:
    """Return the variables for a run of probmetrics: its libraries' threads, or their defaults."""
    variables = {key: text for key, text in os.environ.items() if key not in THREAD_VARIABLES}
    if mode == "one-thread":
        variables |= dict.fromkeys(THREAD_VARIABLES, "1")
    return variables


def run_child(command: Command, mode: str, folder: Path, time_out: float) -> str | None:
    """Return what the command prints last; nothing if it was killed, with all that it started."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=child_environment(mode),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=time_out)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        sys.exit(f"error: probmetrics failed (exit status {process.returncode}):\n{errors.strip()}")
    return output.splitlines()[-1]


class Peer:
    """probmetrics in its environment."""

    def __init__(self, python: Path, recalibrator: str, time_out: float) -> None:
        """Remember where it is, what it fits, and how long a run may take."""
        self.python = python
        self.recalibrator = recalibrator
        self.time_out = time_out
        self.versions: dict[str, str] = {}
        # The longest that a run took in one thread, with its start.
        self.expected: dict[Data, float] = {}

    def limit(self, data: Data) -> float:
        """Return the seconds after which a run on the data is taken for a hang."""
        if data not in self.expected:
            return self.time_out
        return min(self.time_out, max(SHORTEST_TIME_OUT, 10.0 * self.expected[data]))

    def run(self, mode: str, data: Data, runs: Runs) -> None:
        """Estimate once, and again if it hangs; add the time to the runs, and the hangs."""
        command: Command = [self.python, PEER, data.file, mode, self.recalibrator]
        for _ in range(ATTEMPTS):
            start = time.perf_counter()
            output = run_child(command, mode, data.file.parent, self.limit(data))
            whole = time.perf_counter() - start
            if output is not None:
                break
            runs.hangs += 1
            say(f"{mode}, {data}: probmetrics hangs, killed after {whole:.0f} s")
        else:
            say(f"{mode}, {data}: given up after {ATTEMPTS} hangs")
            return
        found = json.loads(output)
        say(f"{mode}, {data}: probmetrics {found['seconds']:.2f} s")
        runs.seconds.append(found["seconds"])
        runs.estimates = found["estimates"]
        self.versions = found["versions"]
        if mode == "one-thread":
            self.expected[data] = max(whole, self.expected.get(data, 0.0))


def table(results: list[Result], mode: str) -> list[str]:
    """Return the lines of the times in one mode."""
    chosen = [result for result in results if result.mode == mode]
    hangs = sum(result.theirs.hangs for result in chosen)
    lines = [
        f"{MODES[mode][0]} (hangs of probmetrics: {hangs})",
        f"{'':35}{'probmetrics [s]':>18}{'calipers [ms]':>18}",
        f"{'data set, rows':35}{'best':>9}{'median':>9}{'best':>9}{'median':>9}{'ratio':>8}",
    ]
    for result in chosen:
        theirs, ours = result.theirs, result.ours
        peer = f"{theirs.best():9.2f}{theirs.median():9.2f}"
        own = f"{1e3 * ours.best():9.2f}{1e3 * ours.median():9.2f}"
        lines.append(f"{result.data!s:35}{peer}{own}{result.ratio():8,.0f}")
    return lines


def estimates(results: list[Result]) -> list[str]:
    """Return the lines of the estimates of l1, which are the same in every mode."""
    lines = [
        "l1 (two classes: of class 1; the standard error is that of calipers)",
        f"{'data set, rows':35}{'probmetrics':>13}{'calipers':>11}{'std. error':>12}",
    ]
    for result in {result.data: result for result in results}.values():
        theirs = result.theirs.estimates.get("l1", float("nan"))
        ours, error = result.ours.estimates["l1"], result.ours.errors["l1"]
        lines.append(f"{result.data!s:35}{theirs:13.4f}{ours:11.4f}{error:12.4f}")
    return lines


def header(peer: Peer, calipers: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return what was run, where and when."""
    version = checked([calipers, "--version"], "run calipers").stdout.split()[-1]
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
        "cpus": os.cpu_count(),
        "recalibrator": options.recalibrator,
        "peer": options.peer,
        "seed": options.seed,
        "versions": {"calipers": version, "python": platform.python_version(), **peer.versions},
    }


def show(head: dict[str, Any], results: list[Result], options: argparse.Namespace) -> None:
    """Print everything."""
    versions = ", ".join(f"{name} {version}" for name, version in head["versions"].items())
    print(f"calipers with {head['recalibrator']} against probmetrics with {head['peer']}")
    print(f"{head['date']}, {head['cpus']} CPUs")
    print(textwrap.fill(versions, width=79))
    print(f"{options.repeats} runs of probmetrics, {OUR_REPEATS} of calipers; ratio of the medians")
    step = max(result.ours.step for result in results)
    if min(result.ours.median() for result in results) < 20.0 * step:
        print(f"calipers states its times in steps of {1e3 * step:g} ms: short ones are that rough")
    for mode in options.modes:
        print("", *table(results, mode), sep="\n")
    print("", *estimates(results), sep="\n")


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    add = parser.add_argument
    add("--recalibrator", default="boost", help="the recalibrator of calipers")
    peers = ("ws-catboost", "isotonic")
    add("--peer", choices=peers, default=peers[0], help="the recalibrator of probmetrics")
    add("--repeats", type=int, default=3, help="runs of probmetrics of each kind")
    add("--rows", type=int, nargs="+", default=ROWS, help="sizes of the data sets")
    add("--settings", nargs="+", default=SETTINGS, help="what `calipers simulate` draws")
    add("--modes", nargs="+", choices=MODES, default=list(MODES), help="how many threads")
    add("--seed", type=int, default=1, help="seed of the data sets")
    add("--time-out", type=float, default=300.0, help="seconds until a run counts as a hang")
    add("--environment", type=Path, default=ENVIRONMENT, help="where probmetrics is installed")
    add("--program", type=Path, help="a program to time instead of building one")
    add("--json", type=Path, help="a file to write everything to")


def run(asked: argparse.Namespace) -> int:
    """Prepare both, run them side by side, print."""
    if asked.repeats < 1:
        print("error: --repeats must be at least 1", file=sys.stderr)
        return 2
    if asked.quick:
        asked.repeats, asked.rows, asked.modes = 1, ROWS[:1], list(MODES)[:1]
    say("building calipers")
    calipers = Program.find(asked.program).path
    with tempfile.TemporaryDirectory() as name:
        sets = [
            simulate(calipers, setting, rows, asked.seed, Path(name))
            for setting in asked.settings
            for rows in asked.rows
        ]
        # What calipers refuses is better known before the environment is made.
        run_ours(calipers, asked.recalibrator, asked.modes[0], sets[0], 0)
        peer = Peer(environment(asked.environment), asked.peer, asked.time_out)
        results = []
        for mode in asked.modes:
            for data in sets:
                theirs = Runs()
                for _ in range(asked.repeats):
                    peer.run(mode, data, theirs)
                ours = run_ours(calipers, asked.recalibrator, mode, data, OUR_REPEATS)
                results.append(Result(mode, data, theirs, ours))
    head = header(peer, calipers, asked)
    show(head, results, asked)
    if asked.json:
        record = {**head, "results": [result.record() for result in results]}
        asked.json.write_text(json.dumps(record, indent=2) + "\n")
    return 0

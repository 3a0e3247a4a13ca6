"""Examples of a watch that runs every night: their command is run."""

import fcntl
import json
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from studies.pages import ROOT

FOLDER = ROOT / "examples" / "monitor"


def systemd() -> list[str]:
    """Return the command of the unit."""
    lines = (FOLDER / "calipers-monitor.service").read_text(encoding="utf-8").splitlines()
    (start,) = (line for line in lines if line.startswith("ExecStart="))
    program, *arguments = shlex.split(start.removeprefix("ExecStart="))
    return [Path(program).name, *arguments]


def kubernetes() -> list[str]:
    """Return the command of the job, which must not run twice at a time."""
    job = yaml.safe_load((FOLDER / "cronjob.yaml").read_text(encoding="utf-8"))
    assert (job["kind"], job["spec"]["concurrencyPolicy"]) == ("CronJob", "Forbid")
    run = job["spec"]["jobTemplate"]["spec"]
    assert run["backoffLimit"] == 0
    (container,) = run["template"]["spec"]["containers"]
    return container["command"]


def test_the_timer_is_for_the_unit() -> None:
    names = {path.stem for path in FOLDER.glob("calipers-monitor.*")}
    assert names == {"calipers-monitor"}
    assert "OnCalendar=" in (FOLDER / "calipers-monitor.timer").read_text(encoding="utf-8")


@pytest.mark.parametrize("system", [systemd, kubernetes])
def test_the_command_goes_on_where_it_ended(
    system: object, place: Path, settings: dict[str, str]
) -> None:
    assert callable(system)
    program, *arguments = system()
    command = [str(place / "bin" / program), *arguments]
    new = []
    for _ in range(2):
        done = subprocess.run(
            command, check=False, cwd=place, env=settings, capture_output=True, timeout=120
        )
        # What ships with calipers is far from calibrated.
        assert done.returncode == 1, done.stderr
        told = json.loads(done.stdout)
        assert told["crossed"]
        assert told["rows"] == 2019
        new.append(told["new"])
    assert new == [2019, 0]


def test_a_second_run_at_the_same_time_is_refused(place: Path, settings: dict[str, str]) -> None:
    program, *arguments = systemd()
    arguments = ["monitor-held.json" if word == "monitor.json" else word for word in arguments]
    with (place / "monitor-held.json.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [str(place / "bin" / program), *arguments],
            check=False,
            cwd=place,
            env=settings,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert "another run holds it" in done.stderr

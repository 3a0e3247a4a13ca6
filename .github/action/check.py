"""Check predictions as the action's inputs say, and leave a summary, JUnit XML and a page.

Inputs are variables of the environment, and become arguments of one program each: no shell reads
them. The exit status is that of `calipers check`.
"""

from __future__ import annotations

import html
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import summary


def lines(name: str) -> list[str]:
    """Return the lines of an input that say something."""
    return [line.strip() for line in os.environ.get(name, "").splitlines() if line.strip()]


def flags(name: str) -> list[str]:
    """Return the words of an input: quotes group, and nothing is expanded."""
    try:
        return shlex.split(os.environ.get(name, ""))
    except ValueError as wrong:
        sys.exit(complaint(f"{name.removeprefix('INPUT_').lower()}: {wrong}"))


def complaint(text: str) -> int:
    """Say on one line, which GitHub shows beside the step, what is wrong; return the status."""
    print("::error::" + " ".join(text.split()))
    return 2


def append(variable: str, text: str) -> None:
    """Add to a file that GitHub reads after the step, if there is one."""
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run calipers, with its notes and errors in the log."""
    done = subprocess.run(
        ["calipers", *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    sys.stderr.write(done.stderr)
    return done


def found(check: subprocess.CompletedProcess[str]) -> dict[str, Any] | None:
    """Return what the check has found; None, and say why, if it was none."""
    if check.returncode not in (0, 1):
        return None
    try:
        outcome: dict[str, Any] = json.loads(check.stdout)
    except ValueError:
        print(check.stdout)
        complaint("args: with these, calipers check says something else than what it found")
        return None
    return outcome


def main() -> int:
    """Check, sum up, draw."""
    files, limits, page = lines("INPUT_FILES"), lines("INPUT_MAX"), os.environ.get("INPUT_PAGE", "")
    if page and (not page.endswith(".html") or not page.isprintable() or set(page) & set("/\\")):
        return complaint(f"page: {page!r} is no name of a file ending in .html")
    # Of this step alone: a job may have several, and artifacts of a run need names of their own.
    name = f"calipers-{os.environ['GITHUB_JOB']}-"
    folder = Path(tempfile.mkdtemp(prefix=name, dir=os.environ["RUNNER_TEMP"]))
    columns, junit = flags("INPUT_COLUMNS"), folder / "calipers.xml"
    # `--max=` and `--` keep what follows from being read as another option.
    asked = [*(f"--max={limit}" for limit in limits), *columns, *flags("INPUT_ARGS")]
    named = ["--", *files] if files else []
    check = run("check", *asked, "--format=json", f"--junit={junit}", *named)
    outcome = found(check)
    status = check.returncode if outcome is not None or check.returncode not in (0, 1) else 2
    left = {"status": status, "junit": junit, "folder": folder, "artifact": folder.name}
    append("GITHUB_OUTPUT", "".join(f"{one}={value}\n" for one, value in left.items()))
    if outcome is None:
        text = f"### Calibration: not measured\n\n<pre>{html.escape(check.stderr)}</pre>\n\n"
        append("GITHUB_STEP_SUMMARY", text)
        return status
    text = summary.markdown(outcome, files or ["the files of calipers.toml"])
    print(text)
    append("GITHUB_STEP_SUMMARY", text)
    # Several files are one table for a check, and several models on a page: a page for each.
    pages = [["--", file] for file in files] or [[]]
    for number, file in enumerate(pages if page else [], start=1):
        name = page if number == 1 else f"{page.removesuffix('.html')}-{number}.html"
        if run("report", *columns, f"--output={folder / name}", *file).returncode != 0:
            print(f"::warning::{name} could not be written; the log says why")
    return status


if __name__ == "__main__":
    sys.exit(main())

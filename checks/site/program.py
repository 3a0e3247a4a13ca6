"""The command line, which the pages of the reference are made of."""

import os
import subprocess
from pathlib import Path

from studies.pages import ROOT


def command() -> Path:
    """Return the program."""
    path = Path(
        os.environ.get("CALIPERS_COMMAND", ROOT / "target" / "debug" / "calipers")
    ).resolve()
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: make build")
    return path.resolve()


def printed(*arguments: str) -> str:
    """Return what the program prints, in the project's folder."""
    line = [str(command()), *arguments]
    done = subprocess.run(line, check=True, capture_output=True, text=True, cwd=ROOT, timeout=120)
    return done.stdout

"""What the tests share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
Simulated = tuple[NDArray[np.int64], NDArray[np.float64]]


def built(variable: str, path: str) -> str:
    """Return a program of the workspace; `make test-python` says where it is."""
    program = Path(os.environ.get(variable, ROOT / "target" / "debug" / path))
    if not program.exists() and variable not in os.environ:
        pytest.skip(f"{program} has not been built")
    return str(program)


def command(*arguments: str, folder: Path | None = None) -> str:
    """Run the command line, in a folder of its files, and return what it prints."""
    program = Path(built("CALIPERS_COMMAND", "calipers")).resolve()
    return subprocess.run(
        [program, *arguments], check=True, capture_output=True, text=True, timeout=120, cwd=folder
    ).stdout

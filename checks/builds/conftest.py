"""The command line, as build systems find it: by its name, on the path."""

import os
from pathlib import Path

import pytest

from studies.pages import ROOT

COMMAND = Path(os.environ.get("CALIPERS_COMMAND", ROOT / "target" / "debug" / "calipers"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a folder with predictions."""
    (tmp_path / "predictions.csv").symlink_to(ROOT / "data" / "cells_lgbm.csv")
    return tmp_path


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which the command is on the path."""
    command = COMMAND.resolve()
    assert command.exists(), f"{command} is not built: make build"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "calipers").symlink_to(command)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT")}
    return {**kept, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}

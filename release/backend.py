"""What `pip install .` runs (PEP 517): maturin, and the command `calipers` put into its wheel.

Settings of maturin (`MATURIN_PEP517_ARGS`) hold as they would without this.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

from release import source, wheel

# Those that are not defined below are maturin's own.
__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, Any] | None


def build_wheel(directory: str, settings: Settings = None, metadata: str | None = None) -> str:
    """Build the wheel."""
    return with_command(directory, maturin.build_wheel(directory, settings, metadata))


def build_editable(directory: str, settings: Settings = None, metadata: str | None = None) -> str:
    """Build the wheel that leads to the sources."""
    return with_command(directory, maturin.build_editable(directory, settings, metadata))


def build_sdist(directory: str, settings: Settings = None) -> str:
    """Pack the sources."""
    del settings
    return source.pack(Path(directory)).name


def with_command(directory: str, name: str) -> str:
    """Put the command into a wheel."""
    wheel.add_command(Path(directory) / name, build_command("--release"))
    return name


def build_command(*options: str, cargo: tuple[str, ...] = ("cargo", "rustc")) -> Path:
    """Build the command, and return where it is."""
    about = ["--locked", "--package", "calipers-cli", "--bin", "calipers"]
    # As maturin strips the extension: this program alone, so that what both stand on is built once.
    command = [*cargo, *about, *options, "--message-format", "json-render-diagnostics"]
    stripped = [*command, "--", "-C", "strip=symbols"]
    # Standard output is for what cargo made, and by PEP 517 for nobody else.
    done = subprocess.run(stripped, stdout=subprocess.PIPE, check=False, text=True, env=with_rust())
    if done.returncode:
        sys.exit(done.returncode)
    made = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    (path,) = [one["executable"] for one in made if one.get("executable")]
    return Path(path)


def with_rust() -> dict[str, str]:
    """Return an environment that has cargo: this machine's, or else what maturin asked for."""
    if shutil.which("cargo") is not None:
        return dict(os.environ)
    # Installed where cargo is missing, by what maturin says that the build requires.
    puccinialin = importlib.import_module("puccinialin")

    return {**os.environ, **puccinialin.setup_rust()}

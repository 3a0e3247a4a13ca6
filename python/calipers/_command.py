"""Where the command `calipers` is that came with the package."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

NAME = "calipers.exe" if os.name == "nt" else "calipers"


def find_command() -> Path:
    """Return the path of the command."""
    looked = list(dict.fromkeys(folders()))
    for folder in looked:
        if (folder / NAME).is_file():
            return folder / NAME
    places = ", ".join(map(str, looked))
    raise FileNotFoundError(f"the command calipers was not installed with the package: {places}")


def folders() -> Iterator[Path]:
    """Name the folders into which installers put it, the likeliest first."""
    package = Path(__file__).resolve().parent
    # `pip install --target` and `--prefix` put it beside the package, not where Python's own is.
    bin_name = "Scripts" if os.name == "nt" else "bin"
    yield package.parent / "bin"
    yield from (above / bin_name for above in package.parents[1:4])
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    yield Path(sys.executable).parent

"""Programs that come as Python packages."""

import os
import shutil
import sys
from pathlib import Path


def tool(name: str) -> str:
    """Return the path of a program: this environment's, or else one on the path."""
    here = Path(sys.executable).parent
    found = shutil.which(name, path=f"{here}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        sys.exit(f"{name} is not installed: requirements/wheels.txt")
    return found

"""`python -m calipers` is the command `calipers`, which is installed with the package."""

import os
import subprocess
import sys

from calipers._command import find_command


def main() -> None:
    """Run the command with the same arguments, and end as it ends."""
    try:
        command = find_command()
    except FileNotFoundError as missing:
        sys.exit(f"error: {missing}")
    arguments = [os.fspath(command), *sys.argv[1:]]
    # Where a process can become another, signals and the exit status are the command's own.
    if os.name == "posix":
        os.execv(command, arguments)
    sys.exit(subprocess.run(arguments, check=False).returncode)


if __name__ == "__main__":
    main()

"""Install the command of what `cargo package` packed, as `cargo install calipers-cli` will.

The crates beneath it are those that were packed with it: the registry does not have them yet.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from release import version
from release.version import ROOT

PACKED = ROOT / "target" / "package"
BENEATH = ("calipers", "calipers-draw", "calipers-files")


def main() -> None:
    """Unpack, install, and ask the command for its version."""
    number = version.read(ROOT)
    with tempfile.TemporaryDirectory() as name:
        # Elsewhere: below the workspace's manifest, cargo would take them for its members.
        folder = Path(name)
        for crate in (*BENEATH, "calipers-cli"):
            with tarfile.open(PACKED / f"{crate}-{number}.crate") as archive:
                archive.extractall(folder, filter="data")
        # Not --locked, which nobody needs to type; and not optimised, as `cargo package` builds.
        command = ["cargo", "install", "--debug", "--root", str(folder / "installed")]
        for crate in BENEATH:
            path = folder / f"{crate}-{number}"
            command += ["--config", f'patch.crates-io.{crate}.path="{path.as_posix()}"']
        command += ["--path", str(folder / f"calipers-cli-{number}")]
        settings = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
        subprocess.run(command, check=True, env=settings)
        installed = [str(folder / "installed" / "bin" / "calipers"), "--version"]
        said = subprocess.run(installed, check=True, stdout=subprocess.PIPE, text=True).stdout
    if said.split() != ["calipers", number]:
        sys.exit(f"what was installed says that it is {said.strip()!r}")
    print(f"calipers-cli {number} is installed from what was packed")


if __name__ == "__main__":
    main()

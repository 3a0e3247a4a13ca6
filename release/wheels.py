"""Build the wheels: `make wheels [ON="x86_64-unknown-linux-musl ..."]`.

Those of Linux are all built on any Linux: zig links them for other processors, and against a glibc
of 2012. Those of macOS and Windows are built where they run (`ON=here`). Each machine gets two: one
for every Python from 3.10 on (abi3), and one for the free-threaded Python, which has no such
interface before 3.15. Both carry the same command.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release import backend, wheel
from release.tools import tool
from release.version import ROOT

DIST = ROOT / "dist"
# glibc 2.17 is the oldest that Rust supports; pip takes such a wheel on every later one, 2.28 too.
# musl is compatible from 1.2 on.
GLIBC, MUSL = ("manylinux_2_17", ".2.17"), ("musllinux_1_2", "")
LINUX = {
    "x86_64-unknown-linux-gnu": GLIBC,
    "aarch64-unknown-linux-gnu": GLIBC,
    "x86_64-unknown-linux-musl": MUSL,
    "aarch64-unknown-linux-musl": MUSL,
}
"""What wheels for a target are called, and how zig is told the version of the C library."""
PROFILE = "dist"
"""How wheels are compiled: for their size."""
FREE_THREADED = "python3.14t"
LIMIT = 13 * 1024 * 1024
"""No wheel is larger than this, in bytes: those of x86_64 have 12.7 MiB, and growth is noticed."""


def main() -> None:
    """Build what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m release.wheels", description=__doc__)
    targets = (*LINUX, "here")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets))
    asked = parser.parse_args().targets or list(LINUX)
    if unknown := set(asked) - set(targets):
        parser.error(f"{', '.join(unknown)} is none of {', '.join(targets)}")
    # Where cargo-zigbuild and maturin look for zig: by the Python that has it.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for target in asked:
        made = here() if target == "here" else on_linux(target)
        for path in made:
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)}: {size / 1024 / 1024:.1f} MiB")
            if size > LIMIT:
                sys.exit(f"{path.name} is larger than {LIMIT / 1024 / 1024:.0f} MiB")


def on_linux(target: str) -> list[Path]:
    """Build for Linux, with zig as the linker."""
    subprocess.run(["rustup", "target", "add", target], check=True)
    tag, library = LINUX[target]
    zig = (tool("cargo-zigbuild"), "rustc")
    about = ("--profile", PROFILE, "--target", f"{target}{library}")
    command = backend.build_command(*about, cargo=zig)
    options = ("--zig", "--target", target, "--compatibility", tag)
    return [
        pack(command, *options),
        pack(command, *options, "--interpreter", FREE_THREADED),
    ]


def here() -> list[Path]:
    """Build for this machine, and for the free-threaded Python if there is one."""
    command = backend.build_command("--profile", PROFILE)
    pythons = [sys.executable]
    if os.environ.get("FREE_THREADED"):
        pythons.append(os.environ["FREE_THREADED"])
    return [pack(command, "--compatibility", "pypi", "--interpreter", one) for one in pythons]


def pack(command: Path, *options: str) -> Path:
    """Build the extension, pack it, and add the command."""
    with tempfile.TemporaryDirectory() as directory:
        build = [tool("maturin"), "build", "--profile", PROFILE, "--locked"]
        build += ["--compression-level", "9"]
        subprocess.run([*build, "--out", directory, *options], cwd=ROOT, check=True)
        (made,) = Path(directory).glob("*.whl")
        wheel.add_command(made, command)
        DIST.mkdir(exist_ok=True)
        return Path(shutil.move(made, DIST / made.name))


if __name__ == "__main__":
    main()

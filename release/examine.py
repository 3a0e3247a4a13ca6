"""Examine the wheels in `dist` (`make test-wheels`) or the packed source (`make test-sdist`).

Each is looked into: its size, the systems that it names against those that it runs on, the stable
interface of Python, the libraries that the command needs. The one for this machine is installed
where there is nothing else, and tried. The commands of the others are run where that is possible,
those of other processors by qemu, and measure the same file: their digits are compared.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

from release.tools import tool
from release.version import ROOT
from release.wheels import DIST, LIMIT

PREDICTIONS = ROOT / "data" / "cells_lgbm.csv"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
# The loader, and what glibc itself is made of before 2.34.
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-aarch64.so.1"}
SLOWEST_START = 0.010
"""Seconds that the command may take to start on Linux."""
TOLERANCE = 1e-9
"""How far numbers of two machines may differ, relatively: their exponentials round differently."""


def main() -> None:
    """Examine what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m release.examine", description=__doc__)
    parser.add_argument("--source", action="store_true", help="build a wheel of the packed source")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if parser.parse_args().source:
            install(of_source(folder), folder)
            return
        wheels = sorted(DIST.glob("*.whl"))
        if not wheels:
            sys.exit(f"no wheel is in {DIST}: `make wheels`")
        for wheel in wheels:
            look(wheel)
        ours = next(filter(runs_here, wheels), None)
        if ours is None:
            sys.exit("failed: none is for this machine and this Python")
        expected = measured([str(install(ours, folder))])
        for wheel in wheels:
            if wheel != ours and "-abi3-" in wheel.name:
                compare(wheel, expected, folder)


def look(wheel: Path) -> None:
    """Look into a wheel."""
    size = wheel.stat().st_size
    print(f"\n{wheel.name}: {size / 1024 / 1024:.2f} MiB", flush=True)
    expect(size <= LIMIT, "it is too large")
    run(tool("twine"), "check", "--strict", str(wheel))
    if "-abi3-" in wheel.name:
        run(tool("abi3audit"), "--strict", "--summary", str(wheel))
    if "linux" in wheel.name:
        with zipfile.ZipFile(wheel) as archive:
            (extension,) = [one for one in archive.namelist() if one.endswith(".so")]
            command = command_in(archive)
        if "manylinux" in wheel.name:
            audit(wheel)
            needs(wheel, command, LIBRARIES)
        else:
            # Where the C library is glibc, auditwheel looks for musl's and finds none.
            needs(wheel, extension, {"libc.so"})
            needs(wheel, command, set())


def audit(wheel: Path) -> None:
    """See that it runs on the systems that it names."""
    shown = json.loads(run(tool("auditwheel"), "show", "--json", str(wheel), quiet=True))
    allowed = str(shown["overall_tag"])
    print(f"auditwheel: {allowed}")
    expect(allowed in wheel.stem.rpartition("-")[2].split("."), f"it names others than {allowed}")


def needs(wheel: Path, name: str, allowed: set[str]) -> None:
    """See that a file of a wheel asks the loader for no other libraries."""
    with zipfile.ZipFile(wheel) as archive, archive.open(name) as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        tags = dynamic.iter_tags("DT_NEEDED") if dynamic else []
        needed = {tag.needed for tag in tags}
    print(f"{name} needs {', '.join(sorted(needed)) or 'no library: it is static'}")
    expect(needed <= allowed, "that is too much")


def command_in(wheel: zipfile.ZipFile) -> str:
    """Name the command within a wheel."""
    (name,) = [one for one in wheel.namelist() if ".data/scripts/calipers" in one]
    return name


def runs_here(wheel: Path) -> bool:
    """Tell whether this interpreter, on this machine, would install a wheel."""
    return not parse_wheel_filename(wheel.name)[3].isdisjoint(sys_tags())


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel with nothing but NumPy, try it, and return the command."""
    print(f"\n{wheel.name}, installed with Python {platform.python_version()}", flush=True)
    venv.create(folder / "installed", with_pip=True)
    place = folder / "installed" / SCRIPTS
    run(str(place / "python"), "-m", "pip", "install", "--quiet", str(wheel))
    print(run(str(place / "python"), str(ROOT / "python/tests/alone.py")), end="")
    command = place / Path("calipers").with_suffix(".exe" if os.name == "nt" else "")
    print(f"{start(command) * 1000:.1f} ms until the command has said its version")
    return command


def start(command: Path) -> float:
    """Return how long the command takes to start, at best: others use the machine, too."""
    times = []
    for _ in range(50):
        began = time.perf_counter()
        subprocess.run([command, "--version"], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    # Elsewhere the system itself takes longer than that to start any program.
    quick = min(times) < SLOWEST_START or platform.system() != "Linux"
    expect(quick, f"it takes {min(times) * 1000:.1f} ms to start")
    return min(times)


def compare(wheel: Path, expected: dict[str, Any], folder: Path) -> None:
    """Run the command of another wheel, if that is possible, and compare what it measures."""
    with zipfile.ZipFile(wheel) as archive:
        path = Path(archive.extract(command_in(archive), folder / wheel.stem))
    path.chmod(0o755)
    loader = runner(wheel.name)
    if loader is None:
        print(f"\n{wheel.name}: not run here")
        return
    found = measured([*loader, str(path)])
    differences = list(differing(expected, found))
    print(f"\n{wheel.name}: {'the same bits' if not differences else ''}")
    for name, one, other in differences:
        print(f"{name}: {one!r} here, {other!r} there")
        expect(close(one, other), "that is not the same")


def runner(name: str) -> list[str] | None:
    """Return what runs a command of this machine's system, for whichever processor."""
    if platform.system() != "Linux" or "linux" not in name:
        return None
    machine = "aarch64" if "aarch64" in name else "x86_64"
    if machine == platform.machine():
        return []
    qemu = shutil.which(f"qemu-{machine}-static")
    libraries_of_machine = Path(f"/usr/{machine}-linux-gnu")
    if qemu is None or ("manylinux" in name and not libraries_of_machine.exists()):
        return None
    return [qemu, "-L", str(libraries_of_machine)]


def measured(command: list[str]) -> dict[str, Any]:
    """Return what a command says of the predictions that ship with calipers."""
    text = run(*command, "estimate", str(PREDICTIONS), "--format", "json", quiet=True)
    found: dict[str, Any] = json.loads(text)
    return found


def differing(one: object, other: object, name: str = "") -> Iterator[tuple[str, object, object]]:
    """Find where two reports differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            yield from differing(one.get(key), other.get(key), f"{name}.{key}".lstrip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from differing(*pair, f"{name}[{index}]")
    elif one != other:
        yield name, one, other


def close(one: object, other: object) -> bool:
    """Tell whether two values are numbers that differ in their last digits."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=TOLERANCE)
    return False


def of_source(folder: Path) -> Path:
    """Build a wheel of the packed source, of crates that cargo has already."""
    (packed,) = DIST.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    build = ["pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder)]
    settings = {"CARGO_NET_OFFLINE": "true", "PATH": path_with_tools()}
    source = str(folder / packed.name.removesuffix(".tar.gz"))
    run(sys.executable, "-m", *build, source, settings=settings)
    (wheel,) = folder.glob("*.whl")
    return wheel


def path_with_tools() -> str:
    """Return a path on which maturin is that of this environment."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def run(*command: str, quiet: bool = False, settings: dict[str, str] | None = None) -> str:
    """Run a program, show what it says, and end if it fails."""
    env = {**os.environ, **(settings or {})}
    done = subprocess.run(command, check=False, env=env, stdout=subprocess.PIPE, text=True)
    if not quiet or done.returncode:
        print(done.stdout, end="", flush=True)
    expect(done.returncode == 0, f"{' '.join(command)} failed with {done.returncode}")
    return done.stdout


def expect(true: bool, otherwise: str) -> None:
    """End here unless something is true."""
    if not true:
        sys.exit(f"failed: {otherwise}")


if __name__ == "__main__":
    main()

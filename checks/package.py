"""Put the Python package together around a library that was built already.

A tree in `target/python`, which tests put on PYTHONPATH, and a wheel of it in `target/wheels`: what
`make wheels` packs, but for the library and the command, which are the debug ones that the
workspace's build made. Building them again for a wheel alone would take minutes, since parts apart
have other features.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from release.wheel import line_of_record, script
from studies.pages import ROOT

LIBRARY = ROOT / "target" / "debug" / "lib_calipers.so"
COMMAND = ROOT / "target" / "debug" / "calipers"
TREE = ROOT / "target" / "python"
WHEELS = ROOT / "target" / "wheels"


def main() -> None:
    """Make the tree, then the wheel."""
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.rmtree(WHEELS, ignore_errors=True)
    source = ROOT / "python" / "calipers"
    leftovers = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(source, TREE / "calipers", ignore=leftovers)
    shutil.copy(LIBRARY, TREE / "calipers" / "_calipers.abi3.so")
    command = [Path(sys.executable).parent / "maturin", "pep517", "write-dist-info"]
    where = ["--metadata-directory", TREE, "--interpreter", sys.executable]
    subprocess.run([*command, *where], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (about,) = TREE.glob("*.dist-info")
    place = TREE / script(about.name, COMMAND)
    place.parent.mkdir(parents=True)
    shutil.copy(COMMAND, place)
    files = sorted(path for path in TREE.rglob("*") if path.is_file())
    record = about / "RECORD"
    lines = [line_of_record(str(path.relative_to(TREE)), path.read_bytes()) for path in files]
    record.write_text("\n".join([*lines, f"{record.relative_to(TREE)},,"]) + "\n")
    WHEELS.mkdir()
    with zipfile.ZipFile(WHEELS / f"{about.stem}-{tag(about)}.whl", "w") as wheel:
        for path in (*files, record):
            wheel.write(path, path.relative_to(TREE))


def tag(about: Path) -> str:
    """Return the interpreters and machines that the wheel is for."""
    lines = (about / "WHEEL").read_text().splitlines()
    return next(line for line in lines if line.startswith("Tag: ")).removeprefix("Tag: ")


if __name__ == "__main__":
    main()

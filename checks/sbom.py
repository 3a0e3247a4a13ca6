"""Writes what the released files are made of: `make sbom`, or `make release-checks ONLY=sbom`.

The list of the command comes from cargo-cyclonedx; that of the Python package is the one that
maturin puts into the wheel, beside it. Both are CycloneDX, and name every crate with version,
licence and checksum.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from studies.pages import ROOT

DIST = ROOT / "dist"


def main() -> None:
    """Write the list of the command, and one for each wheel."""
    wheels = sorted(DIST.glob("*.whl"))
    if not wheels:
        sys.exit(f"no wheel is in {DIST}: `make wheels` or `make python`")
    write("calipers.cdx.json", of_command())
    for wheel in wheels:
        write(f"{wheel.stem}.cdx.json", of_wheel(wheel))


def of_command() -> str:
    """Describe the command, with the features that are built by default."""
    # The tool writes beside the manifest of every member, whichever it is given.
    made = "released.cdx"
    command = ["cargo", "cyclonedx", "--format", "json"]
    command += ["--target", host(), "--override-filename", made]
    try:
        subprocess.run(command, check=True, cwd=ROOT)
        return (ROOT / f"crates/calipers-cli/{made}.json").read_text()
    finally:
        for path in ROOT.glob(f"crates/*/{made}.json"):
            path.unlink()


def host() -> str:
    """Name the machine that rustc builds for."""
    return subprocess.run(
        ["rustc", "--print", "host-tuple"], check=True, capture_output=True, text=True
    ).stdout.strip()


def of_wheel(wheel: Path) -> str:
    """Take the list out of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".cyclonedx.json")]
        return archive.read(name).decode()


def write(name: str, text: str) -> None:
    """Write a list, without the folder in which it happened to be made."""
    path = DIST / name
    path.write_text(text.replace(str(ROOT), ""))
    print(f"{path.relative_to(ROOT)}: {len(json.loads(text)['components'])} components")


if __name__ == "__main__":
    main()

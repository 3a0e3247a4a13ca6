"""Lay out what the container image is made of: the static command of each musllinux wheel."""

from __future__ import annotations

import shutil
import sys
import zipfile

from release.version import ROOT

DIST = ROOT / "dist"
FOLDER = ROOT / "target" / "image"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
"""What Docker calls the machines."""


def main() -> None:
    """Write the command of each machine to a folder of its own."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for machine, name in MACHINES.items():
        for path in sorted(DIST.glob(f"*-abi3-musllinux_*_{machine}.whl")):
            with zipfile.ZipFile(path) as wheel:
                (inside,) = [one for one in wheel.namelist() if one.endswith("/scripts/calipers")]
                place = FOLDER / name / "calipers"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(wheel.read(inside))
                place.chmod(0o755)
                print(place)
    if not FOLDER.exists():
        sys.exit(f"no wheel of musllinux is in {DIST}: `make wheels`")


if __name__ == "__main__":
    main()

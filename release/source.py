"""The source as it is published: `make sdist`.

What wheels are built of, and nothing else: no studies, no pages but the README. maturin would pack
the extension's crates alone, and leave out the command's.
"""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import maturin

from release import version

ROOT = version.ROOT

KEPT = (
    *("Cargo.lock", "Cargo.toml", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"),
    *("pyproject.toml", ".cargo/config.toml", "crates", "python/calipers", "release"),
)
"""Files and folders that go into it, as far as git tracks them."""


def pack(directory: Path) -> Path:
    """Write the archive, and return where it is. The same files make the same archive."""
    name = f"calipers-{version.read(ROOT)}"
    path = directory / f"{name}.tar.gz"
    files = {file: (ROOT / file).read_bytes() for file in tracked()}
    files["Cargo.toml"] = manifest(files["Cargo.toml"].decode()).encode()
    core = "crates/calipers/Cargo.toml"
    files[core] = without_outside(files[core].decode()).encode()
    files["PKG-INFO"] = metadata()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path


def tracked() -> list[str]:
    """List what goes into it."""
    command = ["git", "ls-files", "-z", "--", *KEPT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the source is packed in a clone, by what git tracks: {done.stderr.strip()}")
    return [file for file in done.stdout.split("\0") if file]


def manifest(text: str) -> str:
    """Leave members out of the workspace that are not packed."""
    before, members, after = re.split(r"(?s)(\nmembers = \[.*?\])", text, maxsplit=1)
    return before + re.sub(r'\n +"(?!crates/).*",', "", members) + after


def without_outside(text: str) -> str:
    """Leave examples out of a crate that lie outside of it."""
    return re.sub(r'\[\[example\]\]\nname = ".*"\npath = "\.\./.*"\n\n', "", text)


def metadata() -> bytes:
    """Return the metadata of the Python package."""
    with tempfile.TemporaryDirectory() as directory:
        about: str = maturin.prepare_metadata_for_build_wheel(directory)
        return (Path(directory) / about / "METADATA").read_bytes()


if __name__ == "__main__":
    made = ROOT / "dist"
    made.mkdir(exist_ok=True)
    print(pack(made).relative_to(ROOT))

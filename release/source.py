"""The source as it is published: `make sdist`.

What wheels are built of, and what the manifests name: no tests of Python, no pages but the README.
maturin would pack the extension's crates alone, and leave out the command's.
"""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from release import version
from release.tools import tool

ROOT = version.ROOT

KEPT = (
    *("Cargo.lock", "Cargo.toml", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"),
    *("pyproject.toml", ".cargo/config.toml", "crates", "python/calipers", "release"),
    # Members of the workspace and examples of a crate: without them the lock file would not fit.
    *("fuzz", "studies/coverage/*.rs"),
)
"""Files and folders that go into it, as far as git tracks them."""


def pack(directory: Path) -> Path:
    """Write the archive, and return where it is. The same files make the same archive."""
    name = f"calipers-{version.of_python(version.read(ROOT))}"
    path = directory / f"{name}.tar.gz"
    files = {file: (ROOT / file).read_bytes() for file in tracked()}
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
    files = [file for file in done.stdout.split("\0") if file]
    # Within a repository of somebody else, git answers, and knows none of these.
    if done.returncode or "Cargo.toml" not in files:
        why = done.stderr.strip() or f"it tracks nothing of {ROOT}"
        sys.exit(f"the source is packed in a clone, by what git tracks: {why}")
    return files


def metadata() -> bytes:
    """Return the metadata of the Python package."""
    with tempfile.TemporaryDirectory() as directory:
        write = [tool("maturin"), "pep517", "write-dist-info", "--interpreter", sys.executable]
        where = ["--metadata-directory", directory]
        subprocess.run([*write, *where], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        (found,) = Path(directory).glob("*.dist-info/METADATA")
        return found.read_bytes()


if __name__ == "__main__":
    made = ROOT / "dist"
    made.mkdir(exist_ok=True)
    print(pack(made).relative_to(ROOT))

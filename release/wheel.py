"""Wheels as archives: what RECORD says, and the command beside the Python package.

maturin packs an extension or a program, not both. So it packs the extension, and the command is
added to what it made: as a script, which installers put on the path.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path


def line_of_record(name: str, content: bytes) -> str:
    """Return what RECORD says of a file: its name, its digest and its size."""
    code = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"{name},sha256={code.decode().rstrip('=')},{len(content)}"


def script(about: str, command: Path) -> str:
    """Name the place of the command in a wheel, of which `about` is the dist-info."""
    return f"{about.removesuffix('.dist-info')}.data/scripts/{command.name}"


def add_command(wheel: Path, command: Path) -> None:
    """Add the command to a wheel; the files that are there stay as they are, byte for byte."""
    made = wheel.with_suffix(".whl.new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        *files, record = old.infolist()
        about, _, last = record.filename.partition("/")
        if last != "RECORD":
            raise ValueError(f"{wheel}: the last file is {record.filename}, where RECORD should be")
        for file in files:
            # What a file was compressed with is not known any more, and would be the default.
            new.writestr(file, old.read(file), compresslevel=9)
        content, entry = command.read_bytes(), zipfile.ZipInfo(script(about, command))
        entry.compress_type = zipfile.ZIP_DEFLATED
        # A file that everyone may run; the date is that of the other files, so that the same
        # sources make the same wheel.
        entry.external_attr = 0o100755 << 16
        entry.date_time = record.date_time
        new.writestr(entry, content, compresslevel=9)
        *lines, own = old.read(record).decode().splitlines()
        lines += [line_of_record(entry.filename, content), own]
        new.writestr(record, "\n".join(lines) + "\n", compresslevel=9)
    made.replace(wheel)

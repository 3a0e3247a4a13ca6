"""Files out, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import Any

# What a new file gets, before the umask.
_MODE = 0o666
_NAMES = 100


def write(path: Any, text: str) -> None:
    """Write a file beside its place and rename it there.

    Whatever goes wrong, or ends the process, leaves what was there before, or the new file. Where
    the system has files without a name (Linux, on most file systems) nothing else is left either.
    A link stays a link: the file that it points to is replaced.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    handle = _unnamed(folder)
    beside = None
    if handle is None:
        handle, beside = _named(folder)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            if beside is None:
                beside = _name(file.fileno(), folder)
        os.replace(beside, target)
    except BaseException:
        if beside is not None:
            # An interrupt may come when it has been renamed already.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)
        raise


def _beside(folder: str) -> str:
    return os.path.join(folder, f".calipers-{secrets.token_hex(4)}")


def _own_path(handle: int) -> str:
    return f"/proc/self/fd/{handle}"


def _unnamed(folder: str) -> int | None:
    """Open a file without a name, if there are such files and they can be given one."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None:
        return None
    try:
        handle = os.open(folder, flag | os.O_RDWR | os.O_CLOEXEC, _MODE)
    except OSError:
        return None
    if not os.path.islink(_own_path(handle)):
        os.close(handle)
        return None
    return handle


def _named(folder: str) -> tuple[int, str]:
    """Open a new file with a name of its own."""
    for _ in range(_NAMES):
        path = _beside(folder)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _MODE), path
        except FileExistsError:
            continue
    raise FileExistsError(f"no name is free in {folder}")


def _name(handle: int, folder: str) -> str:
    """Give a name to a file that has none."""
    # With a directory, even one that an absolute path has no use for, Python follows the link to
    # the file; without one it would try to link the link.
    directory = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for _ in range(_NAMES):
            path = _beside(folder)
            try:
                os.link(_own_path(handle), path, src_dir_fd=directory, follow_symlinks=True)
            except FileExistsError:
                continue
            return path
    finally:
        os.close(directory)
    raise FileExistsError(f"no name is free in {folder}")

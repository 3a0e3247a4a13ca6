"""Pages show what happens: their commands are typed, and what is printed is what stands there.

Python's examples are doctests, which the Makefile runs on the same pages.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from checks.site.program import command
from studies.pages import ROOT

DOCS = ROOT / "docs"
NAMES = ("index", "start", "concepts", "glossary", "packages", "studies", "faq", "cite")
PAGES = [*(DOCS / f"{name}.md" for name in NAMES), *sorted((DOCS / "guide").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the kinds and the texts of a page's blocks of code."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def typed(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what it is to print."""
    start, *parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    assert start == "", "a block begins with a command"
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a folder like a clone's, as far as commands look at it, with the command on the path."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "calipers").symlink_to(command())
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "data", folder / "data")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_print_what_the_page_says(page: Path, place: Path) -> None:
    path = f"{place.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    status = 0
    for kind, block in blocks(page):
        for line, expected in typed(block) if kind == "console" else []:
            # So that the next line may ask how this one ended.
            script = ["sh", "-c", f"(exit {status}); {line}"]
            done = subprocess.run(
                script,
                check=False,
                cwd=place,
                env={**os.environ, "PATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
            )
            assert done.stdout == expected, line
            status = done.returncode
            asked = line.startswith("echo $?")
            assert status == 0 or asked or f"{line}\n{expected}$ echo $?\n{status}\n" in block, line


def test_every_block_is_run() -> None:
    found = [(page, kind, text) for page in PAGES for kind, text in blocks(page)]
    assert len([kind for _, kind, _ in found if kind == "console"]) >= 10
    for page, kind, text in found:
        # A doctest without a prompt would test nothing.
        runs = kind == "console" or (kind == "python" and text.startswith(">>> "))
        assert runs, f"{page.relative_to(ROOT)}: {text}"

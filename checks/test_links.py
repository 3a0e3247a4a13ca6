"""What Markdown files link to is there: files, and headings within them."""

import re
import subprocess
from pathlib import Path

from studies.pages import ROOT

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def documents() -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).exists()]


def text(path: Path) -> str:
    return FENCED.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Return the names that headings get: lower case, without punctuation, hyphens for spaces."""
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text(path)))
    return {heading.replace(" ", "-") for heading in kept}


def broken(path: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


def test_every_relative_link_leads_somewhere() -> None:
    # Templates of pages are read where their pages are.
    paths = [path for path in documents() if path.name != "page.md"]
    links = [(path, link) for path in paths for link in LINK.findall(text(path))]
    relative = [(path, link) for path, link in links if "://" not in link]
    assert len(relative) > 50
    wrong = [f"{path.relative_to(ROOT)}: {link}" for path, link in relative if broken(path, link)]
    assert wrong == []

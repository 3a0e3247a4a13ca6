"""Where links lead: files outside docs/ that pages link to are pages of the site, too."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from studies.pages import ROOT

DOCS = ROOT / "docs"
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")

# Written to be read, and links within them are followed.
WRITTEN = {
    ROOT / "CHANGELOG.md": "changelog.md",
    ROOT / "CONTRIBUTING.md": "contributing.md",
    ROOT / "SECURITY.md": "security.md",
    ROOT / "data" / "README.md": "data.md",
}
# The README has no page: its sections are parts of others.
README = ROOT / "README.md"
SECTIONS = {"what-the-numbers-mean": "concepts.md"}
SAME = {README: "index.md", DOCS / "integrations": "integrations/README.md"}
LANGUAGES = {".py": "python", ".yml": "yaml", ".yaml": "yaml", ".sh": "sh", ".toml": "toml"}


def targets(text: str, origin: Path) -> Iterator[Path]:
    """Yield the files and folders that a page links to."""
    for link in LINK.findall(FENCED.sub("", text)):
        if "://" not in link and not link.startswith(("#", "mailto:")):
            yield (origin.parent / link.partition("#")[0]).resolve()


def places(origins: Iterable[Path]) -> dict[Path, str]:
    """Return what outside docs/ has a page, and which."""
    found = {**WRITTEN, **SAME}
    for origin in origins:
        for target in targets(origin.read_text(encoding="utf-8"), origin):
            outside = target.is_dir() or not target.is_relative_to(DOCS)
            if target not in found and target.exists() and outside:
                found[target] = f"files/{target.relative_to(ROOT)}.md"
    return found


def rewritten(text: str, origin: Path, uri: str, known: Mapping[Path, str]) -> str:
    """Return a page whose links lead to pages of the site; `uri` is where the page itself is."""

    def follow(match: re.Match[str]) -> str:
        name, hash_, anchor = match[1].partition("#")
        if "://" in name or not name:
            return match[0]
        target = (origin.parent / name).resolve()
        if target == README and anchor in SECTIONS:
            place = SECTIONS[anchor]
        elif target in known:
            place = known[target]
        elif target.is_relative_to(DOCS):
            place = str(target.relative_to(DOCS))
        else:
            return match[0]
        return f"]({os.path.relpath(place, os.path.dirname(uri) or '.')}{hash_}{anchor})"

    parts = FENCED.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(follow, part) for part in parts)


def source(path: Path, uri: str, known: Mapping[Path, str]) -> str:
    """Return a page that shows a file, a folder's files or a notebook."""
    name = path.relative_to(ROOT)
    if path.suffix == ".ipynb":
        return rewritten(notebook(path), path, uri, known)
    if path.is_dir():
        inside = [one for one in sorted(path.iterdir()) if one.is_file()]
        # Figures of studies are in the site as they are.
        if path.is_relative_to(DOCS):
            shown = [f"- [{one.name}]({path.name}/{one.name})" for one in inside]
            return rewritten(f"# {name}\n\n" + "\n".join(shown) + "\n", path, uri, known)
        shown = [f"## {one.name}\n\n{fenced(one)}" for one in inside]
        return f"# {name}\n\n" + "\n\n".join(shown) + "\n"
    return f"# {name}\n\n{fenced(path)}\n"


def fenced(path: Path) -> str:
    """Return a file as code."""
    text = path.read_text(encoding="utf-8").rstrip("\n")
    return f"````{LANGUAGES.get(path.suffix, 'text')}\n{text}\n````"


def notebook(path: Path) -> str:
    """Return a notebook's cells, and what they printed and drew when they were last run."""
    made = [f"*The notebook `{path.relative_to(ROOT)}`.*"]
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            made.append(text)
            continue
        made.append(f"````python\n{text}\n````")
        made += [shown for output in cell["outputs"] for shown in outputs(output)]
    title = next(iter(re.findall(r"^# .*$", "\n".join(made), re.MULTILINE)), f"# {path.name}")
    body = "\n\n".join(made).replace(title, "", 1)
    return f"{title}\n\n{body}\n"


def outputs(output: dict[str, object]) -> Iterator[str]:
    """Yield what an output of a cell shows."""
    data = output.get("data")
    if isinstance(data, dict) and "image/png" in data:
        drawn = "".join(data["image/png"]).strip()
        yield f'<img alt="A figure" src="data:image/png;base64,{drawn}">'
    elif isinstance(data, dict) and "text/plain" in data:
        yield f"````text\n{''.join(data['text/plain'])}\n````"
    elif isinstance(output.get("text"), list):
        yield "````text\n" + "".join(output["text"]).rstrip("\n") + "\n````"  # type: ignore[arg-type]

"""A recipe: a program that begins with its question, and a section of the page."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.pages import ROOT, wrapped

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "examples" / "cookbook"
PAGE = ROOT / "docs" / "cookbook.md"
TEMPLATE = ROOT / "checks" / "cookbook" / "page.md"

# The order of the page. A new program is one line here.
ORDER = {
    "Measure": [
        "measure_a_classifier.py",
        "many_classes.py",
        "bins_mislead.py",
        "patients.py",
        "own_distance.rs",
    ],
    "Look closer": [
        "groups.py",
        "errors_that_features_show.py",
        "page_for_a_mail.py",
        "page_of_a_file.rs",
    ],
    "Decide": [
        "which_of_two_models.py",
        "gate_in_pytest.py",
        "gate.rs",
        "approve_a_model.py",
    ],
    "Correct": [
        "recalibrate_a_pipeline.py",
        "temperature_of_logits.py",
        "save_a_correction.py",
        "serve_corrected.rs",
    ],
    "In production": [
        "watch_a_stream.py",
        "measure_in_memory.rs",
        "billion_rows.py",
        "tally_in_threads.rs",
    ],
}


@dataclass(frozen=True)
class Recipe:
    """A program, which says in its first lines what it answers."""

    path: Path

    @property
    def is_rust(self) -> bool:
        """Whether it is compiled."""
        return self.path.suffix == ".rs"

    @property
    def parts(self) -> tuple[str, str, str]:
        """The question, what is said of it, and the code below both."""
        text = self.path.read_text(encoding="utf-8")
        if self.is_rust:
            lines = text.splitlines(keepends=True)
            head = [line for line in lines if line.startswith("//!")]
            about = "".join(line.removeprefix("//!").removeprefix(" ") for line in head)
            code = "".join(lines[len(head) :])
        else:
            about = ast.get_docstring(ast.parse(text)) or ""
            code = text.split('\n"""\n', 1)[1]
        question, _, rest = about.partition("\n\n")
        return question.strip(), " ".join(rest.split()), code.strip()

    @property
    def question(self) -> str:
        """What it answers."""
        return self.parts[0]

    @property
    def anchor(self) -> str:
        """The name of its section."""
        return re.sub(r"[^\w\- ]", "", self.question.lower()).replace(" ", "-")

    @property
    def command(self) -> str:
        """What to type in the project's folder."""
        if self.is_rust:
            return f"cargo run --package calipers --example {self.path.stem}"
        return f"python {self.path.relative_to(ROOT)}"

    def run(self) -> str:
        """Return what it prints, and its exit status if that is not 0."""
        command = [str(ROOT / "target" / "debug" / "examples" / self.path.stem)]
        if not self.is_rust:
            command = [sys.executable, str(self.path.relative_to(ROOT))]
        # pytest writes as wide as the terminal, and wider still where it believes to be in a build.
        own = {"CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "FORCE_COLOR", "PY_COLORS"}
        kept = {name: value for name, value in os.environ.items() if name not in own}
        kept.setdefault("PYTHONPATH", str(ROOT / "target" / "python"))
        settings = {**kept, "COLUMNS": "118", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            encoding="utf-8",
            cwd=ROOT,
            env=settings,
            timeout=120,
        )
        printed = "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())
        if not printed:
            raise RuntimeError(f"{self.path.name} prints nothing: {done.stderr}")
        if done.returncode:
            return f"{printed}\n\nexit status {done.returncode}"
        return printed

    def section(self, printed: str) -> str:
        """Return its section of the page."""
        question, about, code = self.parts
        name = self.path.relative_to(ROOT)
        language = "rust" if self.is_rust else "python"
        return (
            f"### {question}\n\n{wrapped(about)}\n```{language}\n{code}\n```\n\n"
            f"[`{self.command}`](../{name}) prints\n\n```text\n{printed}\n```\n"
        )

    def printed_on(self, page: str) -> str:
        """Return what the page says that it prints; nothing if it has no such section."""
        _, _, after = page.partition(f"### {self.question}\n")
        found = re.search(r"^```text\n(.*?)\n```$", after, re.MULTILINE | re.DOTALL)
        return found[1] if found else ""


RECIPES = [Recipe(FOLDER / name) for names in ORDER.values() for name in names]


def page(printed: dict[str, str]) -> str:
    """Return the page, of what each program prints by the program's name."""
    parts, contents = [TEMPLATE.read_text(encoding="utf-8")], []
    for heading, names in ORDER.items():
        own = [recipe for recipe in RECIPES if recipe.path.name in names]
        lines = [
            f"- [{recipe.question}](#{recipe.anchor}) ({'Rust' if recipe.is_rust else 'Python'})\n"
            for recipe in own
        ]
        contents.append(f"**{heading}**\n\n{''.join(lines)}")
        parts.append(f"## {heading}\n")
        parts += [recipe.section(printed[recipe.path.name]) for recipe in own]
    parts.insert(1, "\n".join(contents))
    return "\n".join(parts)

"""Pages show what happens: their blocks are run, and what is printed is what stands there.

Every block of every page and of the README is run here, or by a test that is named here, or is in
a short list with the reason why it is not run.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from checks.site import placeholders
from checks.site.program import command, printed
from studies.pages import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^\s*```", re.MULTILINE)

# All take less than a minute; a busy machine may take longer.
SECONDS = 300
# What is run by other tests, which hold that no block of these pages is left out.
INTEGRATIONS = sorted((DOCS / "integrations").glob("*.md"))
ELSEWHERE = {
    "docs/cookbook.md": "checks/cookbook/test_cookbook.py",
    **{f"docs/integrations/{page.name}": "checks/test_pages.py" for page in INTEGRATIONS},
}
# What is not run: how the block begins, and why.
NOT_RUN = {
    ("README.md", "make demo"): "builds calipers",
    ("README.md", "make test"): "is what runs this",
    ("README.md", "# Package and command"): "installs from a registry",
    ("docs/command_line.md", "# Once it is published"): "installs from a registry",
    (
        "docs/command_line.md",
        "cargo install",
    ): "asks stores elsewhere; checks/cloud has its own",
    ("docs/contest.md", "make study"): "takes hours, and predictions that are not at hand",
    ("docs/python.md", "pip install"): "installs from a registry",
    (
        "docs/python.md",
        "from tabicl",
    ): "downloads models; test_foundation.py runs small ones",
    ("docs/releasing.md", "make release"): "makes a release",
    ("docs/scale.md", "import calipers.spark"): "needs Java; python/tests/test_spark.py runs it",
    ("docs/web.md", "make web"): "builds the page; checks/web looks at it",
    ("docs/architecture.md", "calipers-cli"): "is a drawing",
}
# What pages take as given in Python: the names that a reader has.
GIVEN = {
    "README.md": """
from sklearn.linear_model import LogisticRegression
import numpy as np
X_test = np.random.default_rng(0).normal(size=(300, 2))
y_test = (X_test[:, 0] > 0).astype(int)
model = LogisticRegression().fit(X_test, y_test)
""",
    "docs/features.md": """
import calipers, pandas as pd
from sklearn.linear_model import LogisticRegression
table = pd.read_csv("predictions.csv")
X, y, p = table[["age", "income"]], table["label"], table["p_1"]
X_new, p_new = X, p
model = LogisticRegression(max_iter=1000).fit(X, y)
""",
    "docs/report.md": """
import calipers, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
_, ax = plt.subplots()
y_true, y_prob = calipers.simulate("binary-overconfident", 300, seed=0)
""",
    "docs/scale.md": """
import calipers
y_true, y_prob = calipers.simulate("binary-overconfident", 300, seed=0)
rows_in_all, key = 300, list(range(300))
""",
}


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the kinds and the texts of a page's blocks of code."""
    return [(kind, text) for _, kind, text in BLOCK.findall(page.read_text(encoding="utf-8"))]


def named(page: Path) -> str:
    """Return a page's path as the lists above have it."""
    return page.relative_to(ROOT).as_posix()


def to_run(page: Path) -> list[tuple[str, str]]:
    """Return the blocks of a page that are run here."""
    name = named(page)
    if name in ELSEWHERE:
        return []
    left_out = tuple(start for own, start in NOT_RUN if own == name)
    return [(kind, text) for kind, text in blocks(page) if not text.startswith(left_out or "\0")]


def doctests() -> set[Path]:
    """Return the pages whose examples with a prompt the Makefile runs."""
    found = set()
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in re.findall(r"--doctest-glob='\*\.md' (.*)", make):
        for name in line.split():
            place = ROOT / name
            found |= set(place.rglob("*.md")) if place.is_dir() else {place}
    return found


def typed(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what it is to print."""
    start, *parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    assert start == "", "a block begins with a command"
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return an environment in which the command is on the path, and the package is found."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "calipers").symlink_to(command())
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    package = str(ROOT / "target" / "python")
    # Threads of libraries that wait for each other take minutes on a busy machine.
    return {**os.environ, "PATH": path, "PYTHONPATH": package, "OMP_NUM_THREADS": "1"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Make a folder like a clone's, as far as commands look at it."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "data", folder / "data")
    return folder


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, settings: Mapping[str, str]) -> Path:
    """Make the files that pages have commands on."""
    folder = tmp_path_factory.mktemp("filled")
    placeholders.fill(folder)
    line = "calipers recalibrate fit predictions.csv --recalibrator affine -o model.json"
    subprocess.run(shlex.split(line), check=True, cwd=folder, env=settings, timeout=SECONDS)
    return folder


@pytest.fixture
def place(filled: Path, tmp_path: Path) -> Path:
    """Copy these files: commands write over them."""
    return shutil.copytree(filled, tmp_path / "filled")


def of(kind: str) -> list[Path]:
    """Return the pages that have blocks of a kind to be run here."""
    return [
        page
        for page in PAGES
        if any(own == kind and not text.startswith(">>> ") for own, text in to_run(page))
    ]


@pytest.mark.parametrize("page", of("console"), ids=named)
def test_commands_print_what_the_page_says(
    page: Path, clone: Path, settings: Mapping[str, str]
) -> None:
    status = 0
    for kind, block in to_run(page):
        for line, expected in typed(block) if kind == "console" else []:
            # So that the next line may ask how this one ended.
            script = ["sh", "-c", f"(exit {status}); {line}"]
            done = subprocess.run(
                script,
                check=False,
                cwd=clone,
                env=settings,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
            )
            assert done.stdout == expected, line
            status = done.returncode
            asked = line.startswith("echo $?")
            assert status == 0 or asked or f"{line}\n{expected}$ echo $?\n{status}\n" in block, line


@pytest.mark.parametrize("page", of("sh"), ids=named)
def test_commands_on_files_of_a_reader_end_well(
    page: Path, place: Path, settings: Mapping[str, str]
) -> None:
    for kind, block in to_run(page):
        for line in block.splitlines() if kind == "sh" else []:
            script = ["sh", "-c", line]
            done = subprocess.run(
                script, check=False, cwd=place, env=settings, capture_output=True, timeout=SECONDS
            )
            assert done.returncode == 0, (line, done.stderr.decode())


@pytest.mark.parametrize("page", of("python"), ids=named)
def test_programs_run_with_what_a_reader_has(
    page: Path, place: Path, settings: Mapping[str, str]
) -> None:
    for kind, block in to_run(page):
        if kind == "python" and not block.startswith(">>> "):
            script = [sys.executable, "-c", GIVEN[named(page)] + block]
            done = subprocess.run(
                script, check=False, cwd=place, env=settings, capture_output=True, timeout=SECONDS
            )
            assert done.returncode == 0, (block, done.stderr.decode())


def test_a_table_in_the_readme_is_what_the_command_prints() -> None:
    (table,) = (text for kind, text in to_run(ROOT / "README.md") if kind == "text")
    assert printed("estimate", "data/cells_lgbm.csv") == table


def test_the_rules_for_columns_are_what_the_command_prints() -> None:
    (rules,) = (text for kind, text in to_run(DOCS / "columns.md") if kind == "text")
    assert printed("columns").strip() == rules.strip()


def test_a_projects_options_are_taken(tmp_path: Path, settings: Mapping[str, str]) -> None:
    ((kind, text),) = to_run(DOCS / "config.md")
    assert kind == "toml"
    placeholders.project(tmp_path)
    (tmp_path / "calipers.toml").write_text(text, encoding="utf-8")
    for line in ("check", "report", "recalibrate fit predictions.parquet -o model.json"):
        words = ["calipers", *line.split()]
        done = subprocess.run(
            words, check=False, cwd=tmp_path, env=settings, capture_output=True, timeout=SECONDS
        )
        assert done.returncode == 0, (line, done.stderr.decode())
        assert "note: calipers.toml adds" in done.stderr.decode()
    for name in ("calibration.xml", "calibration.html", "model.json"):
        assert (tmp_path / name).exists()


def test_the_crate_is_named_as_it_is() -> None:
    (manifest,) = (text for kind, text in to_run(DOCS / "rust.md") if kind == "toml")
    asked = tomllib.loads(manifest)["dependencies"]
    ours = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert asked["ndarray"] == ours["dependencies"]["ndarray"]
    assert (ROOT.parent / ROOT.name / asked["calipers"]["path"].removeprefix("calipers/")).is_dir()
    # The programs of the page are examples of the crate's documentation, which cargo runs.
    head = (ROOT / "crates" / "calipers" / "src" / "lib.rs").read_text(encoding="utf-8")
    assert 'include_str!("../../../docs/rust.md")' in head


def test_what_is_to_be_cited_is_what_programs_are_told() -> None:
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    ((kind, text),) = to_run(DOCS / "cite.md")
    assert kind == "bibtex"
    paper = told["preferred-citation"]
    names = [f"{one['family-names']}, {one['given-names']}" for one in paper["authors"]]
    assert f"author  = {{{' and '.join(names)}}}" in text
    assert f"title   = {{{paper['title']}}}" in text.replace("{Lp}", "Lp")
    assert paper["identifiers"][0]["value"] in text
    assert f"year    = {{{paper['year']}}}" in text
    assert told["authors"][0]["name"] in text


def test_every_block_is_run_or_there_is_a_reason() -> None:
    known = doctests()
    # Kinds that are run wherever they are, and those that one page has.
    everywhere, once = {"console", "sh"}, {"README.md": {"text"}, "docs/columns.md": {"text"}}
    once |= {"docs/config.md": {"toml"}, "docs/rust.md": {"toml", "rust"}}
    once |= {"docs/cite.md": {"bibtex"}}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        # Fences that are not found would hide a block.
        if named(page) not in ELSEWHERE:
            assert len(FENCE.findall(text)) == 2 * len(blocks(page)), named(page)
        for kind, block in to_run(page):
            runs = kind in everywhere | once.get(named(page), set())
            if kind == "python":
                # A doctest without a prompt would test nothing.
                runs = page in known if block.startswith(">>> ") else named(page) in GIVEN
            assert runs, f"{named(page)}, {kind}: {block}"


def test_every_reason_is_for_a_block() -> None:
    for name, start in NOT_RUN:
        found = [text for _, text in blocks(ROOT / name) if text.startswith(start)]
        assert len(found) == 1, (name, start)
    for name, test in ELSEWHERE.items():
        assert (ROOT / test).exists(), name

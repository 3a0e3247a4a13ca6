"""Every block on the pages about other packages and builds is typed by a test."""

import re

import pytest

from checks.pages import all_blocks, blocks, pages
from studies.pages import ROOT

# What a test calls where it types the blocks of a page.
TYPED = re.compile(r'\b(examples_that_run|blocks)\("([\w-]+)"(?:, "(\w+)")?\)')


def typed() -> set[tuple[str, str]]:
    """Return the pages and languages that tests type."""
    found = set()
    for path in (ROOT / "checks").glob("*/test_*.py"):
        for function, page, language in TYPED.findall(path.read_text(encoding="utf-8")):
            known = {language} if function == "blocks" else {"python", "sh"}
            found |= {(page, one) for one in known}
    # Of scikit-learn, which is at hand, the tests of the Python package run the page.
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--doctest-glob='*.md' docs/python.md docs/integrations/scikit-learn.md" in make
    return found | {("scikit-learn", "python")}


def test_every_block_is_typed_by_a_test() -> None:
    shown = {(path.stem, language) for path in pages() for language, _ in all_blocks(path)}
    assert shown == typed() | {("scikit-learn", "sh")}


def test_scikit_learn_is_what_its_extra_brings() -> None:
    assert blocks("scikit-learn", "sh") == ["pip install 'calipers[sklearn]'\n"]
    assert re.search(
        r'^sklearn = \["scikit-learn', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE
    )


@pytest.mark.parametrize(
    "name", ["evaluate", "helm", "inspect", "lm-eval", "mlflow", "nannyml", "skore", "torchmetrics"]
)
def test_pages_say_which_versions_were_tried(name: str) -> None:
    pins = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    (pin,) = re.findall(rf"^(?:crfm-)?{name}(?:-ai)?==(\S+)$", pins, re.MULTILINE)
    (page,) = (path for path in pages() if path.stem == name)
    end = page.read_text(encoding="utf-8").split("\n\n")[-1]
    assert f"make integrations WHAT={name}" in end
    assert pin in end

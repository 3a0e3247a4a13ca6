"""What is to be cited is what there is."""

import tomllib

import yaml

from studies.pages import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PACKAGE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
PAGE = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")


def test_it_has_what_the_format_requires() -> None:
    # Citation File Format 1.2.0: these four, and of a reference these three.
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert CITATION["cff-version"] == "1.2.0"
    assert {"type", "title", "authors"} <= set(CITATION["preferred-citation"])


def test_it_is_of_this_version_and_these_authors() -> None:
    assert CITATION["version"] == PACKAGE["version"]
    assert [author["name"] for author in CITATION["authors"]] == PACKAGE["authors"]
    assert " OR ".join(CITATION["license"]) == PACKAGE["license"]


def test_the_paper_is_that_of_the_readme_and_of_the_page() -> None:
    paper = CITATION["preferred-citation"]
    *others, last = [author["family-names"] for author in paper["authors"]]
    assert f"{', '.join(others)} and {last}, *{paper['title']}*" in README
    assert paper["title"] in PAGE
    assert all(identifier["value"] in PAGE for identifier in paper["identifiers"])

"""Pages about other packages: what they show is run, and compared with what they say."""

import doctest

from studies.pages import ROOT


def examples_that_run(name: str) -> int:
    """Run the examples of a page in the current folder; return their number."""
    path = ROOT / "docs" / "integrations" / f"{name}.md"
    found = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert found.failed == 0
    return found.attempted

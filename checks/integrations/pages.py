"""Pages about other packages: what they show is run, and compared with what they say."""

import doctest
import re
from importlib.metadata import requires, version

from packaging.requirements import Requirement

from checks.pages import FOLDER, blocks

INSTALL = re.compile(r"pip install 'calipers\[(\w+)\]'\n")


def examples_that_run(name: str) -> int:
    """Run the examples of a page in the current folder; return their number."""
    what_is_installed_suffices(name)
    found = doctest.testfile(str(FOLDER / f"{name}.md"), module_relative=False, encoding="utf-8")
    assert found.failed == 0
    return found.attempted


def what_is_installed_suffices(name: str) -> None:
    """Hold that this environment is one that the page's first line would make."""
    line, *others = blocks(name, "sh")
    assert others == []
    extra = INSTALL.fullmatch(line)
    assert extra is not None, line
    asked = [Requirement(one) for one in requires("calipers") or []]
    added = [
        one for one in asked if one.marker is not None and one.marker.evaluate({"extra": extra[1]})
    ]
    assert added != []
    for one in added:
        assert version(one.name) in one.specifier, one

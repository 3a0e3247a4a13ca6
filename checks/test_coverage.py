"""Which lines `coverage_of_lines.py` counts, and how it names those that are left."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.coverage_of_lines import File, is_test_module, lines_for_tests

SOURCE = """\
pub fn kept() {}
impl Thing {
    #[cfg(test)]
    pub fn helper() {
        if true {
        }
    }
    pub fn also_kept() {}
}
#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod tests {
    fn it_holds() {}
}
pub fn last() {}
"""


def test_items_for_tests_are_left_out() -> None:
    left_out = lines_for_tests(SOURCE.splitlines())
    kept = [line for at, line in enumerate(SOURCE.splitlines(), start=1) if at not in left_out]
    assert kept == [
        "pub fn kept() {}",
        "impl Thing {",
        "    pub fn also_kept() {}",
        "}",
        "pub fn last() {}",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recalibrate/boost/oracle.rs", True),
        ("recalibrate/boost/tests.rs", True),
        ("recalibrate/stack/tests/kernel.rs", True),
        ("data/probs/tests.rs", True),
        ("data/probs/values.rs", False),
        ("recalibrate/stack/kernel.rs", False),
        ("lib.rs", False),
    ],
)
def test_modules_for_tests_are_known(name: str, expected: bool) -> None:
    assert is_test_module(Path(name)) is expected


def test_lines_left_are_named_as_ranges() -> None:
    # Lines 4 to 6 have no code; 3 and 7 did not run.
    file = File("a.rs", {1: True, 2: False, 3: False, 7: False, 8: True, 9: False})
    assert (file.covered, file.left()) == (2, "2-7 9")

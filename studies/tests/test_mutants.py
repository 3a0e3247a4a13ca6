"""The examples of how mutants are counted."""

import doctest

from studies.robustness import mutants


def test_the_examples_hold() -> None:
    found = doctest.testmod(mutants)
    assert found.attempted > 0
    assert found.failed == 0

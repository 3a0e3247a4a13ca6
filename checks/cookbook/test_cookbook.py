"""The cookbook's programs run, and the page shows them and what they print."""

import pytest

from checks.cookbook.recipes import FOLDER, PAGE, RECIPES, Recipe, page

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_program_is_on_the_page() -> None:
    programs = [path for path in FOLDER.iterdir() if path.suffix in (".py", ".rs")]
    assert sorted(programs) == sorted(recipe.path for recipe in RECIPES)


def test_the_page_is_made_of_the_programs() -> None:
    assert page({recipe.path.name: recipe.printed_on(TEXT) for recipe in RECIPES}) == TEXT


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.path.name)
def test_a_program_asks_and_answers_in_few_lines(recipe: Recipe) -> None:
    question, about, code = recipe.parts
    # What is on the page is all of it.
    head = recipe.path.read_text(encoding="utf-8").removesuffix(f"{code}\n").strip()
    if recipe.is_rust:
        assert all(line.startswith("//!") for line in head.splitlines())
    else:
        assert head.strip('"').count('"""') == 0 and head.endswith('"""')
    assert question.endswith("?")
    assert about.endswith(".")
    assert len(code.splitlines()) <= 60


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.path.name)
def test_a_program_prints_what_the_page_says(recipe: Recipe) -> None:
    assert recipe.run() == recipe.printed_on(TEXT)

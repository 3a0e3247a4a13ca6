"""Run every program of the cookbook, and write the page: `python -m checks.cookbook`."""

from checks.cookbook.recipes import PAGE, RECIPES, page


def main() -> None:
    """Write docs/cookbook.md."""
    PAGE.write_text(page({recipe.path.name: recipe.run() for recipe in RECIPES}), encoding="utf-8")
    print(f"{len(RECIPES)} recipes")


if __name__ == "__main__":
    main()

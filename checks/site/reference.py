"""What the reference is made of: what the program says of itself, and the package's names."""

import ast
import functools
import json
from collections.abc import Callable
from typing import Any

from checks.site import manual
from checks.site.program import printed
from studies.pages import ROOT

PACKAGE = ROOT / "python" / "calipers"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *cells])


@functools.cache
def commands() -> list[tuple[list[str], str]]:
    """Return every command, as it is typed, with what it does."""
    found = []
    for name, about in manual.commands(printed("man")):
        word = name.removeprefix("calipers-")
        found.append(([word], about))
        for longer, more in manual.commands(printed("man", word)):
            found.append(([word, longer.removeprefix(f"{name}-")], more))
    return found


def usage(words: list[str]) -> str:
    """Return how a command is called."""
    told = printed(*words, "-h").partition("Usage: ")[2]
    return " ".join(told.split("\n\n")[0].split())


def command_pages() -> dict[str, str]:
    """Return a page for every command."""
    return {
        f"reference/commands/{'-'.join(words)}.md": manual.page(
            " ".join(["calipers", *words]), usage(words), printed("man", *words)
        )
        for words, _ in commands()
    }


def command_list() -> str:
    """Return the commands, with links to their pages."""
    rows = [
        [f"[`calipers {' '.join(words)}`]({'-'.join(words)}.md)", about]
        for words, about in commands()
    ]
    return table(["command", "what it does"], rows)


def named(entry: dict[str, Any]) -> list[str]:
    """Return a line of a table: a name, and what it is."""
    return [f"`{entry['name']}`" if entry["name"] else "(none)", manual.escaped(entry["about"])]


def metrics() -> str:
    """Return what metrics are put together of."""
    found = json.loads(printed("metrics", "--format", "json"))
    made = []
    for name, value in found.items():
        if isinstance(value, list):
            made += [
                f"## {name.capitalize()}",
                table(["name", "what it is"], list(map(named, value))),
            ]
        else:
            made.append(f"`{value}`")
    return "\n\n".join(made)


def entries(command: str) -> str:
    """Return a section for everything that a command lists, with its parameters."""
    made = []
    for entry in json.loads(printed(command, "--format", "json")):
        made += [f"## `{entry['name']}`", f"{manual.escaped(entry['about'])}."]
        rows = [[*named(one), f"`{one['default']}`"] for one in entry["parameters"]]
        if rows:
            made.append(table(["parameter", "what it is", "default"], rows))
    return "\n\n".join(made)


@functools.cache
def schema_files() -> dict[str, str]:
    """Return the schemas, each as a file."""
    names = [line.split()[0] for line in printed("schema").splitlines()]
    return {f"reference/schemas/{name}.schema.json": printed("schema", name) for name in names}


def schemas() -> str:
    """Return a section for every schema, with what prints such JSON."""
    made = []
    for line in printed("schema").splitlines():
        name, about = line.split(maxsplit=1)
        path = f"schemas/{name}.schema.json"
        shown = schema_files()[f"reference/{path}"].replace("\n", "\n    ").rstrip()
        made += [
            f"## {name}",
            f"Of {manual.escaped(about)}: [{name}.schema.json]({path})",
            f'??? note "The schema"\n\n    ```json\n    {shown}\n    ```',
        ]
    return "\n\n".join(made)


def exported(path: str) -> list[str]:
    """Return what a module of the package offers, as its `__all__` says."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    raise ValueError(f"{path} has no __all__")


def python() -> str:
    """Return what mkdocstrings makes the page of the package of."""
    names = [f"calipers.{name}" for name in exported("__init__.py") if not name.startswith("_")]
    functions = [f"::: {name}" for name in names if name.islower()]
    classes = [f"::: {name}" for name in names if not name.islower()]
    return "\n\n".join(["## Functions", *functions, "## Classes", *classes])


MODULE = """# {module}

::: {module}
    options:
      members: false
      show_root_heading: false

{members}
"""


def module_pages() -> dict[str, str]:
    """Return a page for each module that works in another package."""
    pages = {}
    for path in sorted(PACKAGE.glob("[!_]*.py")):
        module = f"calipers.{path.stem}"
        members = "\n\n".join(f"::: {module}.{name}" for name in exported(path.name))
        pages[f"reference/python/{path.stem}.md"] = MODULE.format(module=module, members=members)
    return pages


PARTS: dict[str, Callable[[], str]] = {
    "commands": command_list,
    "metrics": metrics,
    "neighbours": functools.partial(entries, "neighbours"),
    "python": python,
    "recalibrators": functools.partial(entries, "recalibrators"),
    "schemas": schemas,
}
"""What pages ask for by `<!-- generated: ... -->`."""


def pages() -> dict[str, str]:
    """Return all that has no page in docs/: where it is in the site, and its text."""
    return {**command_pages(), **module_pages(), **schema_files()}

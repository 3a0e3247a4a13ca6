"""Pages of the manual, as `calipers man` prints them, in Markdown.

clap writes few of roff's requests; one that is not known here is an error, not a line that is lost.
"""

import html
import re
from collections.abc import Iterator

FONT = re.compile(r"\\f[BIR]")
PASSED = (".ie ", ".el ", ".TH ", ".br", ".PP")
# The usage stands above all, shorter than the synopsis of roff; the rest is said elsewhere.
LEFT_OUT = ("NAME", "SYNOPSIS", "VERSION", "SUBCOMMANDS")


def plain(line: str) -> str:
    """Return a line without fonts and escapes."""
    text = FONT.sub("", line).replace("\\*(Aq", "'").replace("\\-", "-").replace("\\(bu", "")
    text = text.replace("\\&", "").replace("\\.", ".").replace("\\e", "\\")
    return text


def sections(roff: str) -> Iterator[tuple[str, list[str]]]:
    """Split a page at its headings."""
    title, lines = "", list[str]()
    for line in roff.splitlines():
        if line.startswith(".SH "):
            yield title, lines
            title, lines = line[4:].strip('"'), []
        else:
            lines.append(line)
    yield title, lines


def options(lines: list[str]) -> list[tuple[str, str]]:
    """Return the names and the meanings of a section's options."""
    found: list[tuple[str, list[str], list[str]]] = []
    within = iter(lines)
    for line in within:
        if line == ".TP":
            found.append((plain(next(within)), [], []))
        elif line.startswith(".IP"):
            found[-1][2].append(plain(next(within)))
        elif line.startswith(PASSED) or line.startswith((".RS", ".RE", "\\fIPossible")) or not line:
            continue
        elif line.startswith("."):
            raise ValueError(f"a request that is not known: {line}")
        else:
            found[-1][1].append(plain(line))
    return [(name, meaning(text, values)) for name, text, values in found]


def meaning(text: list[str], values: list[str]) -> str:
    """Return a sentence, with the values that are possible."""
    listed = f"One of {', '.join(f'`{value}`' for value in values)}." if values else ""
    words = escaped(" ".join(text))
    return f"{words}. {listed}" if listed and words else words + listed


def escaped(text: str) -> str:
    """Return text in which nothing is markup but what stands in backquotes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_\[\]])", r"\\\1", html.escape(part, False))
        for part in parts
    )


def closing(lines: list[str]) -> str:
    """Return what ends a page: lines with an indent are code, and so is what is aligned."""
    blocks = "\n".join(plain(line) for line in lines if not line.startswith(".br")).split("\n\n")
    made = []
    for block in blocks:
        head, _, rest = block.partition("\n")
        if rest.startswith("  "):
            body = "\n".join(line.removeprefix("  ") for line in rest.splitlines())
            made.append(f"{escaped(head)}\n\n```text\n{body}\n```")
        elif re.search(r"\S {2,}\S", block):
            made.append(f"```text\n{block}\n```")
        else:
            made.append(escaped(block))
    return "\n\n".join(made)


def page(name: str, usage: str, roff: str) -> str:
    """Return the page of a command."""
    made = [f"# {name}"]
    for title, lines in sections(roff):
        if not title or title in LEFT_OUT:
            continue
        if title == "DESCRIPTION":
            made += [escaped(plain(line)) for line in lines if not line.startswith(".")]
            made.append(f"```text\n{usage}\n```")
        elif title in ("EXAMPLES", "NOTES"):
            made += [f"## {title.capitalize()}", closing(lines).removeprefix("Examples:").strip()]
        else:
            found = options(lines)
            # What a command is about comes before how; arguments are neither -o nor --option.
            arguments = [one for one in found if not one[0].startswith("-")]
            named = [one for one in found if one not in arguments]
            for head, group in (("Arguments", arguments), (title.capitalize(), named)):
                made += [f"## {head}"] if group else []
                made += [f"`{option}`\n:   {text}" for option, text in group]
    return "\n\n".join(made) + "\n"


def commands(roff: str) -> list[tuple[str, str]]:
    """Return the commands below one, with what each is for."""
    listed = dict(sections(roff)).get("SUBCOMMANDS", [])
    names = [(name.split("(")[0], text) for name, text in options(listed)]
    return [(name, text) for name, text in names if not name.endswith("-help")]

"""Markdown as Python-Markdown reads it, where that differs from how forges do."""

import re

CODE = re.compile(r"`[^`]*`")


def of_the_site(text: str) -> str:
    """Return a page in the site's dialect."""
    return lists(bars(text)).replace("<details>", '<details markdown="1">')


def lists(text: str) -> str:
    """Let lists go on after an empty line, for which four spaces are needed instead of two."""
    made, within = [], False
    for line in text.splitlines():
        begins = re.match(r"[-*] ", line) is not None
        within = begins or (within and (not line or line.startswith("  ")))
        made.append(f"  {line}" if within and not begins and line else line)
    return "\n".join(made) + "\n"


def bars(text: str) -> str:
    """Leave out the backslash before a bar in code, which only forges need in tables."""
    return re.sub(r"^ *\|.*", lambda row: CODE.sub(bare, row[0]), text, flags=re.MULTILINE)


def bare(code: re.Match[str]) -> str:
    """Return code without backslashes before bars."""
    return code[0].replace("\\|", "|")

"""The lines that tests run, by the parts of the core."""

from collections import Counter
from collections.abc import Sequence

from studies.pages import table

ALL = "**all**"
BESIDE = "files beside these"


def summary(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of the parts: a folder, or the files beside the folders."""
    lines: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for name, of_code, by_tests, *_ in rows:
        folder, _, rest = name.partition("/")
        for part in (f"`{folder}/`" if rest else BESIDE, ALL):
            lines[part] += int(of_code)
            run[part] += int(by_tests)
    parts = [*sorted(set(lines) - {BESIDE, ALL}), BESIDE, ALL]
    head = ("part of the core", "lines of code", "run by tests", "share", "lines left")
    return table(head, [[part, *counted(lines[part], run[part])] for part in parts])


def counted(lines: int, run: int) -> tuple[str, str, str, str]:
    """Return the figures of a part."""
    return f"{lines:,}", f"{run:,}", f"{run / lines:.1%}", str(lines - run)

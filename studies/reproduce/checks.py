"""What must hold of a run, full or quick."""

from pathlib import Path

from studies.pages import read
from studies.reproduce.agreement import compared
from studies.reproduce.points import CHANCE, LIMIT, Count, Point
from studies.reproduce.sides import TOLERANCE
from studies.reproduce.table1 import COLUMNS


def failures(output: Path) -> list[str]:
    """Return what does not hold, in words."""
    return [*of_sides(output), *of_points(output), *of_table(output)]


def of_sides(output: Path) -> list[str]:
    """Every cell of the table of over- and under-confidence is near the paper's."""
    return [
        f"{row['setting']} {row['metric']} {row['method']}: {row['mean']}, published "
        f"{row['published']}, allowed ±{TOLERANCE}"
        for row in read(output / "over_under.csv")
        if row["within"] != "true"
    ]


def of_points(output: Path) -> list[str]:
    """No more points than chance allows are further away than three standard errors."""
    count = Count.of(compared([Point.parse(row) for row in read(output / "synthetic.csv")]))
    if count.outside <= count.allowed:
        return []
    return [
        f"{count.outside} of {count.points} points lie outside {LIMIT:g} standard errors; "
        f"{count.expected:.1f} would by chance, more than {count.allowed} in {CHANCE:.1%} of runs"
    ]


def of_table(output: Path) -> list[str]:
    """Every row of Table 1 has all its cells, or says why not."""
    return [
        f"Table 1, {row['row']}, {row['source']}: a cell is empty, and the row does not say why"
        for row in read(output / "table1.csv")
        if not row["note"] and not all(row[f"{task}_{metric}"] for task, metric in COLUMNS)
    ]

"""The page, from what was measured."""

import statistics
from collections.abc import Iterable
from pathlib import Path

from studies.pages import Pages, Row, percent, read, table
from studies.stream.settings import THREADS

TEMPLATE = Path(__file__).parent / "page.md"


def median(rows: Iterable[Row], what: str) -> float:
    """Return the median of a column."""
    return statistics.median(float(row[what]) for row in rows)


def megabytes(value: float) -> str:
    """Return an amount of memory."""
    return f"{value:,.0f} MB"


def times(value: float) -> str:
    """Return a ratio."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


class Growth:
    """Medians by rows and tool."""

    def __init__(self, runs: list[Row]) -> None:
        """Take all runs."""
        self.runs = runs
        self.sizes = sorted({int(run["rows"]) for run in runs})
        # The last one of which no file is listed twice: there calipers is set beside DuckDB.
        self.reference = self.sizes[-2]

    def of(self, tool: str, rows: int, what: str) -> float:
        """Return the median of a tool at a size."""
        own = [run for run in self.runs if (run["tool"], int(run["rows"])) == (tool, rows)]
        return median(own, what)

    def ratio(self, rows: int) -> float:
        """Return how many times as long as DuckDB calipers takes."""
        return self.of("calipers", rows, "seconds") / self.of("duckdb", rows, "seconds")


def fields(folder: Path) -> dict[str, str]:
    """Return what the template asks for."""
    (about,) = read(folder / "about.csv")
    return {
        "threads": str(THREADS),
        "machine": about["machine"],
        "duckdb": about["duckdb"],
        **two_classes(Growth(read(folder / "growth.csv")), read(folder / "found.csv")),
        **many_classes(read(folder / "classes.csv"), read(folder / "classes_sizes.csv")[0]),
        **bits(read(folder / "bits.csv"), about),
    }


def two_classes(growth: Growth, found: list[Row]) -> dict[str, str]:
    """Return the fields about two classes."""
    learnt = {int(row["rows"]): int(row["sample"]) for row in found}
    last, reference = growth.sizes[-1], growth.reference
    lines = [
        [
            f"{rows:,}",
            f"{learnt[rows]:,}",
            times(growth.ratio(rows)),
            megabytes(growth.of("calipers", rows, "megabytes")),
            megabytes(growth.of("duckdb", rows, "megabytes")),
        ]
        for rows in growth.sizes
    ]
    values = [
        [f"{int(row['rows']):,}", *(f"{float(row[name]):.5f}" for name in ("l1", "lower", "ece"))]
        for row in found
    ]
    head = ["rows", "learnt from", "times DuckDB's time", "memory", "DuckDB's memory"]
    runs = {
        sum(run["tool"] == "calipers" and int(run["rows"]) == rows for run in growth.runs)
        for rows in growth.sizes
    }
    return {
        "growth": table(head, lines),
        "runs": " or ".join(map(str, sorted(runs))),
        "reference": f"{reference:,}",
        "ratio": times(growth.ratio(reference)),
        "memory": megabytes(growth.of("calipers", reference, "megabytes")),
        "largest": f"{last:,}",
        "largest_memory": megabytes(growth.of("calipers", last, "megabytes")),
        "growth_time": times(
            growth.of("calipers", last, "seconds") / growth.of("calipers", reference, "seconds")
        ),
        "truth": f"{float(found[0]['truth']):.5f}",
        "found": table(["rows", "l1", "lower 95%", "ECE of 15 bins"], values),
    }


def many_classes(steps: list[Row], sizes: Row) -> dict[str, str]:
    """Return the fields about many classes."""

    def of(step: str, what: str = "seconds") -> float:
        return median([row for row in steps if row["step"] == step], what)

    baseline, reading, tally, whole = map(of, ("baseline", "reading", "tally", "estimate"))
    # The plan is the first reading and the fit.
    fit = of("plan") - reading
    lines = [
        ["reading, and one log-softmax of each row, by pyarrow and NumPy", "1"],
        ["reading for the sample", times(reading / baseline)],
        ["reading again, and scoring (`tally`)", times(tally / baseline)],
        ["estimating the sample and fitting g to it", times(fit / baseline)],
        ["all of `estimate`", times(whole / baseline)],
    ]
    return {
        "classes": f"{int(sizes['classes']):,}",
        "classes_rows": f"{int(sizes['rows']):,}",
        "classes_files": sizes["files"],
        "steps": table(["step", "times as long"], lines),
        "beyond": times((reading + tally) / baseline),
        "fit_share": percent(fit / (reading + fit + tally)),
        "classes_memory": megabytes(of("estimate", "megabytes")),
    }


def distinct(lines: list[Row]) -> dict[str, int]:
    """Return how many different reports there are of each kind."""
    kinds = {line["kind"] for line in lines}
    return {kind: len({one["digest"] for one in lines if one["kind"] == kind}) for kind in kinds}


def bits(lines: list[Row], about: Row) -> dict[str, str]:
    """Return the fields about sets of bits."""
    sets = distinct(lines)
    files = listed(sorted({int(line["files"]) for line in lines}))
    threads = listed(sorted({int(line["threads"]) for line in lines}))
    more = ", ".join(f"{count} sets of bits of {kind}" for kind, count in sorted(sets.items()))
    return {
        "bits_rows": f"{int(about['parts_rows']):,}",
        "bits_files": files,
        "bits_threads": threads,
        "bits_runs": str(len(lines)),
        "bits_kinds": str(len(sets)),
        "bits": "one set of bits each" if set(sets.values()) == {1} else more,
    }


def listed(numbers: list[int]) -> str:
    """Return numbers as text has them."""
    *first, last = (f"{number:,}" for number in numbers)
    return f"{', '.join(first)} and {last}" if first else last


def write(pages: Pages, folder: Path) -> None:
    """Write the page beside the folder."""
    pages.page(folder.with_suffix(".md"), TEMPLATE, fields(folder))

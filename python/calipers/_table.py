"""A report for people: as text of at most 80 columns, and as HTML for notebooks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from calipers._report import Estimate, Report

WIDTH = 80
COLUMNS = {
    "value": "estimate",
    "stderr": "std. error",
    "lower": "lower",
    "p_value": "p_value",
    "in_sample": "in-sample",
}


def text(report: Report) -> str:
    """Return a heading, one line a metric, the groups, and the notes."""
    notes = report.notes
    table = lines(*_cells(report.estimates.values(), report.confidence))
    return "\n".join(
        [heading(report), "", *table, *_groups(report), *([""] if notes else []), *notes]
    )


def lines(header: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table as lines, the points of its numbers below each other."""
    padded = [_aligned(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    table = [
        header,
        *([row[0], *cells] for row, cells in zip(rows, zip(*padded, strict=True), strict=True)),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _groups(report: Report) -> list[str]:
    """Return the errors within groups, and of predictions recalibrated with the group known."""
    if report.groups is None or report.group_aware is None:
        return []
    told = sum(group.estimates is not None for group in report.groups.values())
    found = [
        "",
        f"Within groups; the bounds hold together with {_percent(report.confidence)} confidence, "
        "the p-values are",
        f"adjusted for {count(told, 'group')} by Holm's method.",
    ]
    for group in report.groups.values():
        head = f"{group.name}: {count(group.n, 'row')}"
        if group.estimates is None:
            found += ["", f"{head}, too few to say anything"]
        else:
            cells = _cells(group.estimates.values(), report.confidence)
            found += ["", head, *lines(*cells)]
    if report.group_aware:
        header = ["metric", "estimate", "std. error", f"lower {_percent(report.confidence)}"]
        rows = [
            [one.metric, *(decimal(number) for number in (one.value, one.stderr, one.lower))]
            for one in report.group_aware.values()
        ]
        found += ["", "All rows, recalibrated with the group known:", *lines(header, rows)]
    return found


def _percent(share: float) -> str:
    return f"{round(100 * share, 4):g}%"


def html(report: Report) -> str:
    """Return the same as HTML, with numbers aligned to the right."""
    from html import escape  # Here, because the import of calipers is to be quick.

    header, rows = _cells(report.estimates.values(), report.confidence)
    right = ' style="text-align: right"'
    head = "".join(
        f"<th{right if at else ''}>{escape(cell)}</th>" for at, cell in enumerate(header)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{right if at else ''}>{escape(cell)}</td>" for at, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    notes = "".join(f"<p><small>{escape(_unwrapped(note))}</small></p>" for note in report.notes)
    return (
        f"<div><p>{escape(heading(report))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
    )


def heading(report: Report) -> str:
    """Say what was measured and how, on one line if it fits."""
    parts = [
        count(report.n, "row"),
        f"{len(report.classes)} classes",
        f"recalibrator {report.recalibrator}",
        f"{report.folds} folds",
    ]
    if report.repeats != 1:
        parts.append(f"{report.repeats} repeats")
    wrapped = [parts[0]]
    for part in parts[1:]:
        # One more for the comma that may follow.
        if len(wrapped[-1]) + 2 + len(part) + 1 > WIDTH:
            wrapped[-1] += ","
            wrapped.append(f"  {part}")
        else:
            wrapped[-1] += f", {part}"
    return "\n".join(wrapped)


def notes(report: Report, remark: str | None) -> list[str]:
    """Say what a reader of the estimates should know about them."""
    found = [] if remark is None else [f"note: {remark}"]
    off = report.renormalised_rows
    if off:
        were = "was" if off == 1 else "were"
        found.append(f"note: {count(off, 'row')} did not sum to 1 and {were} renormalised")
    if report.unconverged_fits:
        fits = count(report.fits, "fit")
        found.append(f"note: {report.unconverged_fits:,} of {fits} stopped before they converged")
    if report.approximations:
        found.append("note: to bound the cost: " + ";\n      ".join(report.approximations))
    infinite = [one for one in report.estimates.values() if one.infinite_rows]
    for one in infinite:
        rows = count(one.infinite_rows, "row")
        give = "gives" if one.infinite_rows == 1 else "give"
        found.append(
            f"note: {one.metric} is infinite: {rows} {give} the observed class no probability"
        )
    if infinite:
        found.append("hint: log_floor=1e-12 lets no probability count as less than that")
    if any(-math.inf < one.value < 0 for one in report.estimates.values()):
        found.append(
            "note: an estimate below 0 means that no error was detected (estimates are\n"
            "      lower bounds in expectation, so they may fall below 0)"
        )
    level = 1 - report.confidence
    estimates = report.estimates.values()
    if any(
        one.lower <= 0 and one.p_value is not None and one.p_value <= level for one in estimates
    ):
        found.append(
            "note: a small p_value beside a lower bound of 0: the model is not calibrated,\n"
            "      but the rows are too few to say by how much"
        )
    if any(one.in_sample is not None for one in estimates):
        found.append(
            "note: in-sample estimates err upwards, as the others err downwards; they are no\n"
            "      upper confidence bounds"
        )
    return found


def count(number: int, what: str) -> str:
    """Return ``1 row``, ``2,019 rows``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def decimal(value: float) -> str:
    """Return four decimals, or two significant digits where four decimals would show fewer."""
    size = abs(value)
    if not math.isfinite(value):
        return str(value)
    if size >= 0.00095 or size == 0:
        return f"{value:.4f}"
    if size < 1e-6:
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        return f"{mantissa}e{int(exponent)}"
    # 0.00031 has its first digit in the fourth place: one more shows two.
    return f"{value:.{math.ceil(-math.log10(size)) + 1}f}"


def _cells(estimates: Collection[Estimate], confidence: float) -> tuple[list[str], list[list[str]]]:
    """Return the header and the cells, of columns that have anything to show."""
    shown = [name for name in COLUMNS if any(getattr(one, name) is not None for one in estimates)]
    rows = []
    for one in estimates:
        numbers = [getattr(one, name) for name in shown]
        rows.append([one.metric, *("" if value is None else decimal(value) for value in numbers)])
    names = {**COLUMNS, "lower": f"lower {_percent(confidence)}"}
    return ["metric", *(names[name] for name in shown)], rows


def _aligned(numbers: tuple[str, ...]) -> list[str]:
    """Pad numbers so that their points stand below each other."""

    def before(number: str) -> int:
        # What has no point, such as inf, starts where the digits do.
        point = number.find(".")
        return point if point >= 0 else number.startswith("-") + 1

    widest = max(map(before, numbers), default=0)
    return [" " * (widest - before(number)) + number for number in numbers]


def _unwrapped(note: str) -> str:
    return " ".join(note.split())

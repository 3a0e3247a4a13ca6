"""What `calipers check --format json` says, as a table in Markdown."""

from __future__ import annotations

from typing import Any

HEAD = ("rows", "metric", "limit", "estimate", "lower bound", "verdict")
VERDICTS = {"above": "❌ above the limit", "not above": "✅ not above", "undecided": "❔ undecided"}


def plain(text: str) -> str:
    """Return anyone's text as nothing but text: no markup, no cell of a table, no new line."""
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    kept = " .,-/=()"
    return "".join(
        letter if letter.isalnum() or letter in kept else f"&#{ord(letter)};" for letter in shown
    )


def number(value: float | str | None) -> str:
    """Return a number as tables of calipers show it; JSON writes infinity as a string."""
    return "" if value is None else value if isinstance(value, str) else f"{value:.4f}"


def rows(checks: dict[str, Any], report: dict[str, Any], of: str) -> list[tuple[str, ...]]:
    """Return a row for each limit."""
    given = report.get("given_features", {}).get("metrics", {})
    measured = {f"given-features-{metric}": found for metric, found in given.items()}
    measured |= report["metrics"]
    table = []
    for metric, check in checks.items():
        found = measured.get(metric, {})
        verdict = VERDICTS.get(check["verdict"], plain(check["verdict"]))
        if check.get("rows_to_tell"):
            verdict += f"; about {check['rows_to_tell']:,} rows would tell"
        numbers = (number(check["limit"]), number(found.get("value")), number(found.get("lower")))
        table.append((of, plain(metric), *numbers, verdict))
    return table


def markdown(outcome: dict[str, Any], files: list[str]) -> str:
    """Return a heading, the table, and what was measured."""
    report = outcome["report"]
    table = rows(outcome["checks"], report, "all")
    for name, checks in outcome.get("groups", {}).items():
        table += rows(checks, report["groups"][name], plain(name))
    verdict = "passed" if outcome["passed"] else "failed"
    lines = [f"### Calibration: {verdict}", "", f"| {' | '.join(HEAD)} |"]
    lines += ["| --- | --- | ---: | ---: | ---: | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in table]
    about = f"{report['n']:,} rows, {len(report['classes']):,} classes"
    bounds = f"bounds with {report['confidence'] * 100:g} % confidence"
    lines += ["", f"{', '.join(map(plain, files))}: {about}, {bounds}.", "", ""]
    return "\n".join(lines)

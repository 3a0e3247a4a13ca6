"""Reports that were saved as JSON."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from calipers import _calipers
from calipers._errors import InputError
from calipers._report import NUMBERS, Estimate, Report


def read_report(text: str) -> Report:
    """Return the report that was saved; to be seen, it is written anew."""
    try:
        saved = json.loads(text)
    except (TypeError, ValueError) as error:
        raise InputError(f"saved report: {error}") from None
    try:
        fields = _fields(saved)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else "it is no report"
        raise InputError(f"saved report: {reason}") from None
    report = Report({**fields, "texts": None})
    shown, html = _shown(report)
    report._written = {"json": text.strip(), "text": shown, "html": html}
    return report


def _fields(saved: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the extension's reports have, as far as JSON holds them."""
    names = ("n", "classes", "recalibrator", "folds", "repeats", "seed", "confidence")
    fields = {name: saved[name] for name in (*names, "renormalised_rows", "unconverged_fits")}
    fields["sample"] = saved.get("sample")
    fields["clusters"] = saved.get("clusters")
    fields["assume"] = saved.get("assume")
    fields["contradicted"] = saved.get("contradicted", False)
    fields["constant"] = saved.get("constant", False)
    fields["approximations"] = saved.get("approximations", [])
    fields["fits"] = None
    fields["notes"] = []
    fields["estimates"] = _estimates(saved["metrics"])
    fields["groups"] = None
    if "groups" in saved:
        fields["groups"] = {
            "groups": [
                (name, one["n"], None if one["metrics"] is None else _estimates(one["metrics"]))
                for name, one in saved["groups"].items()
            ],
            "aware": [
                (name, *(float(one[part]) for part in ("value", "stderr", "lower")))
                for name, one in saved["group_aware"].items()
            ],
            "confidence": float(saved["group_confidence"]),
        }
    fields["given_features"] = None
    if "given_features" in saved:
        fields["given_features"] = _given(saved["given_features"])
    return fields


def _given(saved: dict[str, Any]) -> dict[str, Any]:
    """Return what was found given features."""
    estimates = _estimates(saved["metrics"])
    for fields in estimates:
        fields["gain"] = _gain(saved["metrics"][fields["metric"]]["gain"])
    shares = [
        (share["features"], {metric: _gain(one) for metric, one in share["lost"].items()})
        for share in saved["shares"]
    ]
    return {**saved, "estimates": estimates, "shares": shares}


def _gain(saved: dict[str, Any]) -> tuple[float, ...]:
    return tuple(float(saved[name]) for name in ("value", "stderr", "lower"))


def _estimates(metrics: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the estimates; ``float`` reads what JSON has no numbers for, such as "inf"."""
    parts = ("loss", "miscalibration", "discrimination", "uncertainty")
    found = []
    for metric, one in metrics.items():
        decomposition = one.get("decomposition")
        fields: dict[str, Any] = {
            name: None if one.get(name) is None else float(one[name])
            for name in ("p_value", "in_sample", "upper", "best")
        }
        fields.update({name: float(one[name]) for name in ("value", "stderr", "lower")})
        around = one.get("interval")
        fields["interval"] = around and (float(around[0]), float(around[1]))
        fields["metric"] = metric
        fields["draws"] = one.get("draws")
        fields["decomposition"] = decomposition and tuple(decomposition[part] for part in parts)
        fields["infinite_rows"] = one.get("infinite_rows", 0)
        fields["scores"] = None
        found.append(fields)
    return found


def _shown(report: Report) -> tuple[str, str]:
    """Return the report as text and as HTML: a heading, and a line a metric and group."""
    heading = (
        f"{report.n:,} rows, {len(report.classes)} classes, recalibrator {report.recalibrator}, "
        f"{report.folds} folds"
    )
    if report.repeats != 1:
        heading += f", {report.repeats} repeats"
    # A test of the model, not of a metric, is said once.
    tested = _tested(list(report.values()))
    own = report.to_columns()
    columns: list[tuple[str, Any]] = [("metric", own["metric"])]
    if "group" in own:
        columns.insert(0, ("group", ["" if group is None else group for group in own["group"]]))
    lower = f"lower {round(100 * report.confidence, 4):g}%"
    titles = ("estimate", "std. error", lower, lower.replace("lower", "upper"), "best guess")
    around = ("from", "to")
    for title, name in zip((*titles, *around, "p_value", "in-sample"), NUMBERS, strict=True):
        if (title != "p_value" or "group" in own) and any(value is not None for value in own[name]):
            columns.append((title, own[name]))
    tables = [(heading, columns)]
    if report.group_aware:
        names = ["metric", *titles[:3]]
        aware = [list(values) for values in zip(*report.group_aware.values(), strict=True)]
        words = "All rows, recalibrated with the group known:"
        tables.append((words, list(zip(names, aware, strict=True))))
    tables += _shown_given(report, lower)
    drawn = [(words, *_calipers.table(columns)) for words, columns in tables]
    texts = [f"{words}\n\n{table}" for words, table, _ in drawn]
    parts = [f"<p>{escape(words)}</p>{table}" for words, _, table in drawn]
    if tested:
        texts.insert(1, "\n".join(tested))
        parts.insert(1, f"<p>{escape(' '.join(tested))}</p>")
    return "\n\n".join(texts), "".join(parts)


def _shown_given(report: Report, lower: str) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return the tables of what was found given features, each with words before it."""
    if report.given_features is None or report.segments is None:
        return []
    own = report.given_features.to_columns()
    titles = {"metric": "metric", "value": "estimate", "stderr": "std. error", "lower": lower}
    titles |= {"gain": "gain", "gain_lower": f"gain, {lower}"}
    names = ", ".join(report.given_features.features)
    columns = [(title, own[name]) for name, title in titles.items()]
    tables: list[tuple[str, list[tuple[str, Any]]]] = [(f"Given {names}:", columns)]
    if report.segments:
        shown = report.segments.to_columns()
        shown["bound"] = [
            f"at {'least' if one.above else 'most'} {one.bound:.4f}" for one in report.segments
        ]
        columns = [
            (title, shown[name])
            for name, title in (
                ("segment", "where"),
                ("class_name", "class"),
                ("predicted", "predicted"),
                ("observed", "observed"),
                ("bound", "it is"),
            )
        ]
        tables.append(("Off:", columns))
    return tables


def _tested(estimates: list[Estimate]) -> list[str]:
    """Return what the tests of the whole vector and of the top class found, in a sentence each."""
    found = []
    for top, what in ((False, "model"), (True, "top class")):
        own = [one for one in estimates if one.metric.startswith("top-") == top]
        one = next((one for one in own if None not in (one.p_value, one.draws)), None)
        if one is not None and one.p_value is not None and one.draws is not None:
            bound = "<= " if one.p_value <= (1 + 1e-9) / (one.draws + 1) else ""
            drawings = "1 drawing" if one.draws == 1 else f"{one.draws:,} drawings"
            found.append(
                f"p_value {bound}{one.p_value:.4f} ({drawings}): how often a calibrated {what} "
                "looks so odd"
            )
    return found

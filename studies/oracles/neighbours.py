"""Write neighbour_values.json: the neighbours' measures by their packages and by slow twins.

Where a package departs from the definition by more than `TOLERANCE`, its entry says which fields
do and why, and what it computes instead must be known (neighbour_quirks.py): a difference that is
not explained stops the script.
"""

import argparse
import contextlib
import importlib.metadata
import io
import json
import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from studies.oracles.neighbour_cases import Case, file_cases, tiny_cases
from studies.oracles.neighbour_measures import Measure, measures, twin
from studies.oracles.neighbour_twins import Result
from studies.pages import Pages

HERE = Path(__file__).parent
TOLERANCE = 1e-6
# Single precision, in sums of a thousand terms.
QUIRK_TOLERANCE = 5e-6
# A chi-square beyond this stems from a variance that is nothing but rounding.
LARGEST = 1e9
VERSIONS = ("numpy", "scipy", "scikit-learn", "pandas", "torch")
"""Beside those of the packages."""


def close(a: float, b: float, tolerance: float) -> bool:
    """Return whether two figures agree, relatively if they are large."""
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= tolerance * max(1.0, abs(a))


def differences(
    found: Result, true: Result, case: Case, measure: Measure, package: str
) -> dict[str, str]:
    """Return the reason for each field that differs, and insist that there is one."""
    from studies.oracles.neighbour_quirks import QUIRKS

    fields = [key for key in found if not close(found[key], true[key], TOLERANCE)]
    if not fields:
        return {}
    where = f"{package} {measure.text} on {case.name}: {found}, but {true}"
    if (package, measure.name) not in QUIRKS:
        raise ArithmeticError(f"not explained: {where}")
    reason, described = QUIRKS[package, measure.name]
    if described is not None:
        expected = described(case, measure)
        wrong = [key for key in fields if not close(found[key], expected[key], QUIRK_TOLERANCE)]
        if wrong:
            raise ArithmeticError(f"not as described: {where}; {expected}")
    return dict.fromkeys(fields, reason)


def plain(value: float) -> float | str | None:
    """Return what JSON can hold: infinity is a string, and what is not a number is null."""
    if isinstance(value, int):
        return value
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def entries(case: Case, measure: Measure) -> list[dict[str, Any]]:
    """Return the twin's entry, and that of each package that has the measure."""
    from studies.oracles.neighbour_packages import PACKAGES

    true = twin(case, measure)
    if LARGEST < true["value"] < math.inf:
        return []
    head = {"case": case.name, "measure": measure.text}
    rows = [head | {"package": "twin"} | {key: plain(value) for key, value in true.items()}]
    for package, run in PACKAGES.items():
        row: dict[str, Any] = head | {"package": package}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    found = run(case, measure)
            except Exception as error:  # Whatever a package raises is a finding.
                rows.append(row | {"error": f"{type(error).__name__}: {error}"[:120]})
                continue
            if found is None:
                continue
            reasons = differences(found, true, case, measure, package)
        row |= {key: plain(value) for key, value in found.items()}
        rows.append(row | ({"differs": reasons} if reasons else {}))
    return rows


def described(case: Case) -> dict[str, Any]:
    """Return the rows of a tiny case."""
    head: dict[str, Any] = {"case": case.name, "labels": case.labels.tolist()}
    if case.classes == 2:
        return head | {"ones": case.probs[:, 1].tolist()}
    return head | {"probs": case.probs.tolist()}


def lines(items: list[dict[str, Any]]) -> str:
    """Return a JSON list with an item a line."""
    return "[\n" + ",\n".join(json.dumps(item, allow_nan=False) for item in items) + "\n]"


def options(_: argparse.ArgumentParser) -> None:
    """Say that there are none."""


def run(asked: argparse.Namespace) -> int:
    """Compute, and write."""
    from studies.oracles.neighbour_packages import PACKAGES

    tiny = list(tiny_cases())
    rows: list[dict[str, Any]] = []
    for case in [*tiny, *file_cases()]:
        start = time.perf_counter()
        for measure in measures(case):
            rows += entries(case, measure)
        print(f"{case.name}: {time.perf_counter() - start:.1f} s", flush=True)
    versions = {name: importlib.metadata.version(name) for name in (*PACKAGES, *VERSIONS)}
    text = (
        f'{{"versions": {json.dumps(versions)},\n"cases": {lines([described(c) for c in tiny])},\n'
        f'"entries": {lines(rows)}}}\n'
    )
    pages = Pages(asked.check)
    pages.write(HERE / "neighbour_values.json", text)
    return pages.finish()

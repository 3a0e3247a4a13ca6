"""What is printed is what the command line prints, to the letter."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import Simulated, command

import calipers


def written(path: Path, data: Simulated, **columns: list[str]) -> None:
    """Write labels, probabilities and further columns as CSV, to the last bit."""
    labels, probs = data
    lines = [",".join(["label", *(f"p_{k}" for k in range(probs.shape[1])), *columns])]
    for row, (label, f) in enumerate(zip(labels, probs, strict=True)):
        words = [values[row] for values in columns.values()]
        lines.append(",".join([str(label), *map(repr, f.tolist()), *words]))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(name="odd", scope="module")
def _odd() -> Simulated:
    """Predictions of which there is much to say: a zero, sums that are off, few rows."""
    y, p = calipers.simulate("multiclass-calibrated-3", 200, seed=2)
    p = p * 1.0005
    p[0] = np.roll([1.0, 0.0, 0.0], (y[0] + 1) % 3)
    return y, p


def unnamed(printed: str) -> str:
    """Leave out the line that shows a file's columns, which arrays have not."""
    return re.sub(r"^p_0 -> .*\n", "", printed, count=1, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({}, []),
        (
            {"metrics": ["l1", "top-over-l2"], "recalibrator": "bins-mass", "repeats": 2},
            ["--metric=l1,top-over-l2", "--recalibrator=bins-mass", "--repeats=2"],
        ),
        (
            {"recalibrator": "logistic", "confidence": 0.999, "bracket": True},
            ["--recalibrator=logistic", "--confidence=0.999", "--bracket"],
        ),
        ({"recalibrator": "partition", "draws": 0}, ["--recalibrator=partition", "--draws=0"]),
    ],
)
def test_reports_but_for_the_file_s_name(
    settings: dict[str, Any], options: list[str], odd: Simulated, tmp_path: Path
) -> None:
    written(tmp_path / "a.csv", odd)
    printed = command("estimate", "a.csv", *options, folder=tmp_path)
    text = str(calipers.evaluate(*odd, **settings))
    # An option is named in each face's way.
    printed = printed.replace("--log-floor 1e-12", "log_floor=1e-12")
    assert "a.csv: " + text + "\n" == unnamed(printed)


def test_groups(binary: Simulated, tmp_path: Path) -> None:
    site = ["few" if row < 5 else ["north", "south"][row % 2] for row in range(len(binary[0]))]
    written(tmp_path / "a.csv", binary, site=site)
    printed = command("estimate", "a.csv", "--group", "site", folder=tmp_path)
    report = calipers.evaluate(*binary, groups=site)
    assert "a.csv: " + str(report) + "\n" == unnamed(printed)
    assert "few: 5 rows, too few to say anything" in printed
    # A notebook shows the groups, too.
    assert "few: 5 rows, too few to say anything" in report._repr_html_()


def test_comparisons(binary: Simulated, tmp_path: Path) -> None:
    labels, f = binary
    timid = 0.5 * f + 0.25
    written(tmp_path / "bold.csv", binary)
    written(tmp_path / "timid.csv", (labels, timid))
    for draws in (99, 0):
        printed = command(
            "compare", "bold.csv", "timid.csv", "--draws", str(draws), folder=tmp_path
        )
        found = calipers.compare(labels, {"bold.csv": f, "timid.csv": timid}, draws=draws)
        assert str(found) + "\n" == unnamed(printed)
    assert unnamed(printed).startswith(
        "A  bold.csv\nB  timid.csv\n\nl1  estimate  std. error  lower 95%\n"
    )


def test_measures_of_others_but_for_the_file_s_name(binary: Simulated, tmp_path: Path) -> None:
    written(tmp_path / "a.csv", binary)
    printed = command("neighbours", "a.csv", folder=tmp_path)
    assert "a.csv: " + str(calipers.neighbours(*binary)) + "\n" == printed

"""What the package brings along, and what it does not."""

import re
import subprocess
import sys
from importlib.metadata import version
from inspect import signature

import calipers
from calipers._evaluate import OF_SOURCES
from calipers._options import CONVERTERS

# What may be installed, and must not be imported with the package.
OPTIONAL = "dask duckdb joblib matplotlib pandas polars pyarrow pyspark scipy sklearn torch tqdm"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True, timeout=60
    )


def test_the_version_is_that_of_the_distribution() -> None:
    assert calipers.__version__ == version("calipers")


def test_every_option_has_a_converter() -> None:
    taken = {*signature(calipers.evaluate).parameters, *signature(calipers.neighbours).parameters}
    # The first two are data, the next two go with other options or beside them; columns are those
    # of sources. Whether class names were given goes with them.
    own = taken - {"y_true", "y_prob", "log_features", "progress", *OF_SOURCES}
    assert own == set(CONVERTERS) - {"given"}


def test_all_that_is_promised_is_there() -> None:
    assert set(calipers.__all__) == {
        *(
            "CalibrationCurve",
            "calibration_curve",
            "Comparison",
            "Decomposition",
            "Difference",
            "Distance",
            "Estimate",
            "Group",
        ),
        *("GroupAware", "InputError", "Measurement", "Measurements", "Monitor", "Recalibrator"),
        *("ReliabilityDisplay", "Report", "__version__", "calibration_error", "compare"),
        *("evaluate", "measures", "metrics", "neighbours", "recalibrators", "simulate"),
        *("Plan", "Tally", "candidates"),
        *("Condition", "FeatureGain", "FeatureShare", "GivenFeatures", "Segment", "Segments"),
    }
    for name in calipers.__all__:
        assert getattr(calipers, name) is not None


def test_nothing_optional_is_imported() -> None:
    found = run(
        "-c", f"import calipers, sys; print(*[m for m in '{OPTIONAL}'.split() if m in sys.modules])"
    )
    assert found.stdout.strip() == ""


def test_import_takes_less_than_that_of_numpy() -> None:
    def once() -> float:
        trace = run("-X", "importtime", "-c", "import numpy; import calipers").stderr
        line = r"^import time: +\d+ \| +(\d+) \| (numpy|calipers)$"
        taken = {name: int(time) for time, name in re.findall(line, trace, re.MULTILINE)}
        return taken["calipers"] / taken["numpy"]

    # A third of it on a quiet machine. The least of some: others may have held the processor.
    assert min(once() for _ in range(7)) < 1

"""The methods of the paper, by the names that calipers, the figures and the tables give them."""

from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path(__file__).parent / "published"
"""The paper's own figures."""

IN_SAMPLE = "isotonic-in-sample"
WIDTH, MASS = "binned-width", "binned-mass"
CELLS, FEWER_CELLS = "binned-cells-30", "binned-cells-15"
BINNED = (WIDTH, MASS, CELLS, FEWER_CELLS)
COLD = ("boost-cold", "boost-leafwise-cold")


@dataclass(frozen=True)
class Method:
    """One way to estimate a calibration error."""

    name: str
    """A recalibrator of calipers, or one of the names above."""
    label: str
    """The paper's name, and ours if there is no other."""
    figure: str | None = None
    """Its column in the published means of the synthetic figures."""
    table: str | None = None
    """Its row in the paper's Table 1."""


METHODS = (
    Method("auto", "auto"),
    Method("isotonic", "isotonic, cross-validated", "isotonic_cv", "Isotonic"),
    Method(IN_SAMPLE, "isotonic, in-sample", "isotonic_in_sample"),
    Method(WIDTH, "15 bins of equal width", "ece15"),
    Method(MASS, "15 bins of equal mass", "ece15"),
    Method(CELLS, "30 k-means cells", "ece15"),
    Method(FEWER_CELLS, "15 k-means cells", "ece15"),
    Method("boost", "WS CatBoost", "ws_catboost", "WS CatBoost (+SMS)"),
    Method("boost-leafwise", "WS LGBM", "ws_lgbm", "WS LGBM (+SMS)"),
    Method("boost-cold", "CatBoost", "catboost", "CatBoost (+SMS)"),
    Method("boost-leafwise-cold", "LightGBM", "lightgbm", "LightGBM (+SMS)"),
    Method("kernel", "Nadaraya-Watson", "kernel", "Nadaraya-Watson"),
    Method("partition", "PartitionWise", "partition", "PartitionWise"),
    Method("temperature", "temperature scaling", "temperature", "TS"),
    Method("sms", "SMS", "sms"),
)
BY_NAME = {method.name: method for method in METHODS}


def of_classes(classes: int) -> list[Method]:
    """Return the methods of a synthetic figure."""
    absent = (CELLS, FEWER_CELLS, "sms") if classes == 2 else (WIDTH, MASS)
    return [method for method in METHODS if method.name not in absent]


def of_table() -> list[Method]:
    """Return the methods that calipers has of Table 1, and `auto`."""
    return [method for method in METHODS if method.table or method.name == "auto"]

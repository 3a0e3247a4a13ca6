"""How much is measured."""

from dataclasses import dataclass
from pathlib import Path

THREADS = 2
"""What every program may use."""


@dataclass(frozen=True)
class Settings:
    """The sizes of one run of the study."""

    quick: bool
    rows: tuple[int, ...]
    """Rows of two classes, in ten files; of the last size each file is listed ten times."""
    sample: tuple[str, ...]
    """What `calipers estimate` is told beyond its defaults."""
    runs: int
    classes: int
    classes_rows: int
    classes_sample: tuple[str, ...]
    parts_rows: int
    parts_sample: int
    parts: tuple[int, ...]


FULL = Settings(
    quick=False,
    rows=(10**5, 10**6, 10**7, 10**8, 10**9),
    sample=(),
    runs=5,
    classes=1_000,
    classes_rows=200_000,
    classes_sample=("--memory", "2GB"),
    parts_rows=1_000_000,
    parts_sample=100_000,
    parts=(1, 7, 1_000),
)

QUICK = Settings(
    quick=True,
    rows=(10**5, 10**6),
    sample=("--sample", "20000"),
    runs=2,
    classes=40,
    classes_rows=6_000,
    classes_sample=("--sample", "1000"),
    parts_rows=100_000,
    parts_sample=10_000,
    parts=(1, 7, 50),
)


def two_classes(folder: Path, rows: int) -> Path:
    """Return where the files of so many rows of two classes are."""
    return folder / f"two-{rows}"


def many_classes(folder: Path, settings: Settings) -> Path:
    """Return where the files of logits are."""
    return folder / f"logits-{settings.classes}-{settings.classes_rows}"


def parts(folder: Path, settings: Settings, files: int) -> Path:
    """Return where the same rows are in so many files."""
    return folder / f"parts-{settings.parts_rows}-{files}"

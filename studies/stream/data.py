"""The data of the study, written in a process of its own: `python -m studies.stream.data FOLDER`.

What a process holds when it starts another counts in the other's peak memory, so that whoever
measures must not have held arrays.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats
from scipy.integrate import quad

from studies.stream.settings import FULL, QUICK, Settings, many_classes, parts, two_classes

# Predictions follow Beta(A, B), and labels have the probability sigmoid(SLOPE logit p + INTERCEPT).
A, B = 0.6, 1.2
SLOPE, INTERCEPT = 0.8, -0.1
FILES = 10
ROW_GROUP = 1_000_000


def truth(p: Any) -> Any:  # noqa: ANN401
    """Return the probability of class 1 that a prediction should have been."""
    return 1.0 / (1.0 + np.exp(-(SLOPE * np.log(p / (1.0 - p)) + INTERCEPT)))


def true_l1() -> float:
    """Return E|p - truth|, by quadrature between the points where the integrand is not smooth."""
    density = stats.beta(A, B).pdf
    turn = 1.0 / (1.0 + np.exp(-INTERCEPT / (1.0 - SLOPE)))
    pieces = [(0.0, turn), (turn, 1.0)]
    errors = (quad(lambda p: abs(p - truth(p)) * density(p), *piece)[0] for piece in pieces)
    return float(sum(errors))


def written(path: Path, rows: int) -> bool:
    """Say whether a file is there and whole."""
    return path.exists() and pq.read_metadata(path).num_rows == rows


def write(path: Path, table: Any, **how: Any) -> None:  # noqa: ANN401
    """Write a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    pq.write_table(table, unfinished, use_dictionary=False, **how)
    unfinished.rename(path)
    print(f"  {path} written", file=sys.stderr, flush=True)


def predictions(rows: int, seed: tuple[int, ...]) -> tuple[Any, Any]:
    """Draw labels and predictions of two classes."""
    random = np.random.default_rng(seed)
    p = random.beta(A, B, rows)
    # Of a prediction that rounds to 0 or 1, the logit is infinite and the truth is its limit.
    with np.errstate(divide="ignore"):
        y = (random.random(rows) < truth(p)).astype(np.int8)
    return y, p


def write_two_classes(folder: Path, rows: int) -> None:
    """Write ten files of a tenth of the rows each."""
    for number in range(FILES):
        path = two_classes(folder, rows) / f"part-{number}.parquet"
        if not written(path, rows // FILES):
            y, p = predictions(rows // FILES, (rows, number))
            write(path, pa.table({"y": y, "p": p}), row_group_size=ROW_GROUP)


def write_logits(folder: Path, settings: Settings) -> None:
    """Write ten files of logits in single precision, a column a class."""
    rows = settings.classes_rows // FILES
    for number in range(FILES):
        path = many_classes(folder, settings) / f"part-{number}.parquet"
        if written(path, rows):
            continue
        random = np.random.default_rng((settings.classes, number))
        logits = (2.0 * random.standard_normal((settings.classes, rows))).astype(np.float32)
        # The largest of logits with Gumbel's noise is a draw from their softmax.
        y = np.argmax(SLOPE * logits + random.gumbel(size=logits.shape), axis=0).astype(np.int16)
        columns = {f"c{number}": column for number, column in enumerate(logits)}
        write(path, pa.table({"y": y, **columns}))


def write_parts(folder: Path, settings: Settings, files: int) -> None:
    """Write the same rows in so many files of about one size, shuffled anew for each number."""
    rows = settings.parts_rows
    random = np.random.default_rng((rows, files))
    at = np.array_split(random.permutation(rows), files)
    paths = [parts(folder, settings, files) / f"part-{number}.parquet" for number in range(files)]
    if all(written(path, len(some)) for path, some in zip(paths, at, strict=True)):
        return
    y, p = predictions(rows, (rows,))
    columns = {
        "id": np.arange(rows),
        "y": y,
        "p": p,
        "w": np.random.default_rng(rows).exponential(size=rows),
        "site": np.arange(rows) % 11 % 4,
    }
    for path, some in zip(paths, at, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({name: column[some] for name, column in columns.items()}), path)
    print(f"  {paths[0].parent} written", file=sys.stderr, flush=True)


def main(folder: Path, what: str, settings: Settings) -> None:
    """Write what is not there yet; print the true error of two classes."""
    if what == "growth":
        # The files of the last size are those of the size before, each ten times.
        for rows in [rows for rows in settings.rows if rows <= 10**8]:
            write_two_classes(folder, rows)
        print(true_l1())
    elif what == "classes":
        write_logits(folder, settings)
    else:
        for files in settings.parts:
            write_parts(folder, settings, files)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], QUICK if "--quick" in sys.argv else FULL)

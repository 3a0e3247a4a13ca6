"""The plan of the contest: which rows are learnt from, which are judged, and by what.

Of a file at most 4,000 rows count, under the rules of `corpus.py`: the same for every model of a
dataset, without classes of fewer than 16 of them. A split shuffles them. The second half is judged,
whatever was learnt from; the first rows of the first half are learnt from.
"""

from dataclasses import dataclass

import numpy as np

from studies.corpus import Data, Floats, Ints, checksum, dataset

MOST_ROWS = 4000
SIZES = ("50", "100", "500", "half")
"""How many rows are learnt from."""
# Beyond this many classes a split takes all packages together up to a minute.
MOST_CLASSES_OF_TWO_SPLITS = 8
FLOOR = 1e-12
"""The least probability that the logarithm is taken of."""
HARM = 0.002
"""An increase of the log loss, in nats, that counts as harm."""


@dataclass(frozen=True)
class Losses:
    """What predictions cost on average."""

    log_loss: float
    brier: float
    """Summed over all classes, also over both of two."""
    accuracy: float


@dataclass(frozen=True)
class Split:
    """The rows of a file, as numbers."""

    learn: Ints
    judge: Ints

    def sizes(self) -> dict[str, Ints]:
        """Return the rows to learn from by size, as far as there are as many."""
        half = len(self.learn)
        rows = {size: half if size == "half" else int(size) for size in SIZES}
        return {size: self.learn[:count] for size, count in rows.items() if count <= half}


def splits(classes: int) -> range:
    """Return the numbers of the splits of a file."""
    return range(2 if classes <= MOST_CLASSES_OF_TWO_SPLITS else 1)


def split(data: Data, number: int) -> Split:
    """Return a split, the same for every model of a dataset."""
    rows = len(data.labels)
    draws = np.random.default_rng([checksum(dataset(data.pair)), number])
    order = draws.permutation(rows)
    return Split(order[: rows // 2], order[rows // 2 :])


def losses(probs: Floats, labels: Ints) -> Losses:
    """Return the mean losses; no floor but that of the logarithm."""
    hits = probs[np.arange(len(labels)), labels]
    squares = np.sum(probs**2, axis=1) - 2.0 * hits + 1.0
    return Losses(
        float(-np.log(np.maximum(hits, FLOOR)).mean()),
        float(squares.mean()),
        float(np.mean(probs.argmax(axis=1) == labels)),
    )

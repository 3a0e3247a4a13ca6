"""How often the test of calibration sees errors of twelve shapes, beside other tests.

Of two classes. For each distribution of predictions and each shape, labels are drawn from the
shape's truth, and the share of data sets that each test rejects at 5 % is printed; the first line
is that of calibrated labels. Hosmer and Lemeshow's, Spiegelhalter's, Kuiper's and the kernel test
are calipers' own neighbours, with the reference distributions that they are known by: where their
level is not 5 %, their power is not to be compared.
"""

import argparse
from collections.abc import Callable

import numpy as np

from studies.corpus import Floats, checksum

TESTS = ("hosmer-lemeshow", "spiegelhalter", "skce", "kuiper")
LEVEL = 0.05


def logit(p: Floats) -> Floats:
    """Return the log-odds."""
    return np.log(p / (1 - p))


def sigmoid(z: Floats) -> Floats:
    """Return the probability."""
    return 1 / (1 + np.exp(-z))


def bump(middle: float, width: float) -> Callable[[Floats], Floats]:
    """Return a bump of height 1."""
    return lambda p: np.exp(-0.5 * ((p - middle) / width) ** 2)


def twentieths(p: Floats) -> Floats:
    """Return an offset for each twentieth of the range."""
    offsets = np.random.default_rng(7).standard_normal(20)
    found: Floats = offsets[np.minimum((20 * p).astype(int), 19)]
    return found


# The truth for a prediction, given how large the error is; and how large it is at 1,000 rows.
SHAPES: dict[str, tuple[Callable[[Floats, float], Floats], float]] = {
    "calibrated": (lambda p, _: p, 0.0),
    "shift": (lambda p, a: sigmoid(logit(p) + a), 0.16),
    "over-confident": (lambda p, a: sigmoid((1 - a) * logit(p)), 0.13),
    "under-confident": (lambda p, a: sigmoid((1 + a) * logit(p)), 0.15),
    "bend": (lambda p, a: sigmoid(logit(p) + a * (logit(p) ** 2 / 3 - 1)), 0.12),
    "wave of 6 pi": (lambda p, a: p + a * np.sin(6 * np.pi * p), 0.05),
    "wave of 12 pi": (lambda p, a: p + a * np.sin(12 * np.pi * p), 0.055),
    "bump": (lambda p, a: p + a * bump(0.5, 0.1)(p), 0.07),
    "tiny bump": (lambda p, a: p + a * bump(0.5, 0.03)(p), 0.16),
    "step": (lambda p, a: p + a * (p > 0.7), 0.05),
    "two steps": (lambda p, a: p + a * ((p > 0.6) * 1.0 - (p < 0.4)), 0.045),
    "tail": (lambda p, a: p - a * (p > 0.95), 0.07),
    "offsets": (lambda p, a: p + a * twentieths(p), 0.045),
}

DISTRIBUTIONS = {"Beta(1, 1)": (1.0, 1.0), "Beta(.5, .5)": (0.5, 0.5), "Beta(2, 5)": (2.0, 5.0)}


def rejected(name: str, beta: tuple[float, float], rows: int, sets: int, draws: int) -> Floats:
    """Return the shares of data sets that calipers' test and the others reject."""
    import calipers  # Here, because the list of studies needs no package.

    truth, size = SHAPES[name]
    counts = np.zeros(1 + len(TESTS))
    for seed in range(sets):
        rng = np.random.default_rng([seed, checksum(name)])
        p = np.clip(rng.beta(*beta, rows), 1e-4, 1 - 1e-4)
        q = np.clip(truth(p, size * np.sqrt(1000 / rows)), 0, 1)
        y = (rng.random(rows) < q).astype(int)
        own = calipers.evaluate(y, p, "l1", "constant", draws=draws, seed=seed)["l1"].p_value
        others = calipers.neighbours(y, p, list(TESTS), draws=draws, seed=seed)
        found = [own, *(others[test].p_value for test in TESTS)]
        counts += [value is not None and value <= LEVEL for value in found]
    return counts / sets


def options(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--draws", type=int, default=199)


def run(asked: argparse.Namespace) -> int:
    """Simulate, and print a table for each distribution."""
    sets = 20 if asked.quick else asked.sets
    for title, beta in DISTRIBUTIONS.items():
        heads = "".join(f"{test[:12]:>14}" for test in ("calipers", *TESTS))
        print(f"\n{title}, {asked.rows} rows, {sets} data sets, rejected in %\n{'':16}{heads}")
        for name in SHAPES:
            shares = 100 * rejected(name, beta, asked.rows, sets, asked.draws)
            print(f"{name:16}" + "".join(f"{share:14.1f}" for share in shares), flush=True)
    return 0

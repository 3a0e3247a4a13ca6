"""Mean ranks over datasets, and how far apart they have to be to say something.

# Reference

J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7, 2006: ranks in section 3.2.2, the critical difference of Nemenyi's test there.
"""

import math

import numpy as np
from scipy import stats

from studies.corpus import Floats

LEVEL = 0.05


def by_block(values: Floats, blocks: list[str]) -> Floats:
    """Return the mean over the columns of each block, (entrants, blocks)."""
    names, numbers = np.unique(blocks, return_inverse=True)
    return np.stack([values[:, numbers == one].mean(axis=1) for one in range(len(names))], axis=1)


def mean_ranks(losses: Floats, blocks: list[str]) -> Floats:
    """Return the mean ranks of entrants, the least loss first, from losses (entrants, files).

    Entrants are ranked in every file, equals alike; the files of a block count as one.
    """
    ranks = stats.rankdata(losses, axis=0)
    return np.asarray(by_block(ranks, blocks).mean(axis=1))


def critical_difference(entrants: int, blocks: int, level: float = LEVEL) -> float:
    """Return the difference of mean ranks beyond which two entrants differ (Nemenyi)."""
    # The studentised range of so many means, over √2, with infinite degrees of freedom.
    quantile = float(stats.studentized_range.ppf(1.0 - level, entrants, np.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(entrants * (entrants + 1) / (6.0 * blocks))

"""What there is: recalibrators, metrics, simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calipers import _calipers
from calipers._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def recalibrators() -> dict[str, str]:
    """Return the names of the recalibrators, and what each is.

    Parameters follow a colon, as in ``"kernel:bandwidth=0.05"``; they are listed with the
    description.

    Returns
    -------
    dict of str to str
        The default comes first.

    Examples
    --------
    >>> import calipers
    >>> list(calipers.recalibrators())[:3]
    ['auto', 'bayes', 'stack']
    >>> print(calipers.recalibrators()["kernel"])
    mean of the labels nearby (Nadaraya-Watson, Gaussian); bandwidth=0.1
    """
    return dict(_calipers.recalibrators())


def measures() -> dict[str, str]:
    """Return the names of what :func:`calipers.neighbours` measures, and what each is.

    ``top-``, ``classwise-`` or ``marginal-`` may stand before a name, and parameters follow a
    colon, as in ``"top-ece:bins=20"``; they are listed with the description.

    Returns
    -------
    dict of str to str
        What there is.

    Examples
    --------
    >>> import calipers
    >>> print(calipers.measures()["debiased"])
    debiased binned L2 error (Kumar et al.); bins=15
    """
    return dict(_calipers.measures())


def metrics() -> dict[str, str]:
    """Return what the names of metrics are made of, and what each part means.

    A metric is ``[top-|classwise-][over-|under-]loss``: ``l1``, ``top-l2``, ``over-brier``.

    Returns
    -------
    dict of str to str
        The losses, then what can stand before them.

    Examples
    --------
    >>> import calipers
    >>> list(calipers.metrics())
    ['l<p>', 'linf', 'brier', 'log', 'top-', 'classwise-', 'over-', 'under-']
    """
    return dict(_calipers.metrics())


def simulate(name: str, n: int, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw predictions whose calibration error is known.

    Parameters
    ----------
    name : str
        The setting, such as ``"binary-overconfident"`` or ``"multiclass-calibrated-10"``; a wrong
        name is answered with the right ones.
    n : int
        How many rows to draw.
    seed : int, default 0
        The seed of the draws.

    Returns
    -------
    y_true : numpy.ndarray of shape (n,)
        The labels, positions of columns.
    y_prob : numpy.ndarray of shape (n, k)
        The probabilities.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("multiclass-overconfident-3", 100, seed=42)
    >>> y_true.shape, y_prob.shape
    ((100,), (100, 3))
    """
    if n < 1:
        raise InputError(f"n: {n} rows are nothing to draw")
    y_true, y_prob = _calipers.simulate(name, n, seed)
    return y_true.astype(np.int64), y_prob

"""Slow, obvious twins of the measures that other packages offer, each from its paper.

Every function takes the predictions and the labels and returns a `Result`: its `value`, and what
else belongs to it. Most know one probability `f` and one label `y` of 0 or 1 a row; those that end
in `_vector` know rows of probabilities and class numbers. Nothing here is quick.
"""

import itertools
import math

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp, xlogy

from studies.oracles.common import Floats, Ints

Result = dict[str, float]
"""The value of a measure under `value`, and its other fields."""

BANDWIDTHS = (*np.logspace(-5, -1, 15), 0.2, 0.4, 0.6, 0.8, 1.0)
KERNEL_FLOOR = 1e-6
SMOOTH_POINTS = 4000


# Bins


def width_bins(f: Floats, bins: int) -> list[Ints]:
    """Return the rows of each bin [b/bins, (b + 1)/bins), where the last bin holds 1 too.

    A border is a quotient, rounded once: 3/15 is the same number as the literal 0.2, as 3 * (1/15)
    is not.
    """
    borders = np.array([b / bins for b in range(1, bins)])
    numbers = np.searchsorted(borders, f, side="right")
    found = [np.flatnonzero(numbers == b) for b in range(bins)]
    return [rows for rows in found if rows.size]


def cut(f: Floats, cuts: list[int]) -> list[Ints]:
    """Return the rows of each bin, where a cut is the number of rows below it in rising order.

    A cut within a run of equal predictions moves to the run's end; cuts that then coincide are one.
    """
    order = np.argsort(f, kind="stable")
    ends = {int(np.searchsorted(f[order], f[order][c - 1], side="right")) for c in cuts if c > 0}
    bounds = sorted({0, len(f)} | ends)
    return [order[a:b] for a, b in itertools.pairwise(bounds)]


def mass_bins(f: Floats, bins: int) -> list[Ints]:
    """Return bins of equal mass, of which the first ones are larger by one if they must."""
    bins = min(bins, len(f))
    size, more = divmod(len(f), bins)
    return cut(f, [j * size + min(j, more) for j in range(1, bins)])


def error_of_bins(f: Floats, y: Ints, bins: list[Ints], p: float) -> float:
    """Return the p-norm over bins of the mean prediction less the mean label."""
    gaps = np.array([abs(f[rows].mean() - y[rows].mean()) for rows in bins])
    if math.isinf(p):
        return float(gaps.max())
    masses = np.array([rows.size for rows in bins]) / len(f)
    return float(np.sum(masses * gaps**p) ** (1.0 / p))


def ece(f: Floats, y: Ints, bins: int = 15, by: str = "width", p: float = 1.0) -> Result:
    """Return the binned calibration error."""
    found = width_bins(f, bins) if by == "width" else mass_bins(f, bins)
    return {"value": error_of_bins(f, y, found, p), "bins": len(found)}


def debiased(f: Floats, y: Ints, bins: int = 15) -> Result:
    """Return the debiased L2 error of Kumar, Liang and Ma (2019); bins of one row count nothing."""
    squared = 0.0
    for rows in mass_bins(f, bins):
        if rows.size > 1:
            rate = y[rows].mean()
            noise = rate * (1.0 - rate) / (rows.size - 1)
            squared += rows.size / len(f) * ((f[rows].mean() - rate) ** 2 - noise)
    return {"value": math.sqrt(max(0.0, squared)), "squared": float(squared)}


def rising(y: Ints, bins: list[Ints]) -> bool:
    """Return whether the rate of ones never falls from bin to bin, in whole numbers."""
    counts = [(int(y[rows].sum()), rows.size) for rows in bins]
    return all(s * m <= t * n for (s, n), (t, m) in itertools.pairwise(counts))


def sweep(f: Floats, y: Ints, p: float = 1.0) -> Result:
    """Return the error of the most bins of equal mass before the rates first fall somewhere.

    Roelofs, Cain, Shlens and Mozer (2022), algorithm 1.
    """
    best = cut(f, [])
    for bins in range(2, len(f) + 1):
        trial = mass_bins(f, bins)
        if not rising(y, trial):
            break
        best = trial
    return {"value": error_of_bins(f, y, best, p), "bins": len(best)}


# Kernels


def smooth_at(f: Floats, residuals: Floats, bandwidth: float) -> float:
    """Return the smooth calibration error at one bandwidth, by the midpoint rule.

    The Gaussian is reflected at 0 and at 1: a prediction f has images at 2m + f and 2m - f.
    """
    points = max(SMOOTH_POINTS, math.ceil(20.0 / bandwidth))
    middle = (np.arange(points) + 0.5) / points
    smoothed = np.zeros(points)
    reach = 9.0 * bandwidth  # where the Gaussian is 3e-18
    for m in range(-math.ceil(reach), math.ceil(reach) + 2):
        for images in (2 * m + f, 2 * m - f):
            near = (images > -reach) & (images < 1.0 + reach)
            distance = (middle[:, None] - images[near]) / bandwidth
            smoothed += np.exp(-(distance**2) / 2) @ residuals[near]
    scale = bandwidth * math.sqrt(2.0 * math.pi)
    return float(np.mean(np.abs(smoothed)) / scale)


def smooth(f: Floats, y: Ints) -> Result:
    """Return the smooth calibration error, which is its own bandwidth.

    Błasiok and Nakkiran (2024).
    """
    values, where = np.unique(f, return_inverse=True)
    residuals = np.bincount(where, f - y) / len(f)
    # The error never rises with the bandwidth: it is at most that of no bandwidth, up to rounding.
    high = float(np.abs(residuals).sum()) * (1.0 + 1e-9)
    if high < 1e-12:
        return {"value": 0.0, "bandwidth": 0.0}
    low = high / 2.0
    while smooth_at(values, residuals, low) <= low:
        low /= 2.0
    root = float(brentq(lambda s: smooth_at(values, residuals, s) - s, low, high, xtol=1e-12))
    return {"value": root, "bandwidth": root}


def beta_logs(f: Floats, bandwidth: float) -> Floats:
    """Return the log density at each row's prediction, of the kernel about each column's."""
    one = f / bandwidth + 1.0
    two = (1.0 - f) / bandwidth + 1.0
    constant = gammaln(one + two) - gammaln(one) - gammaln(two)
    log_one = np.log(np.maximum(f, KERNEL_FLOOR))
    log_two = np.log(np.maximum(1.0 - f, KERNEL_FLOOR))
    return np.asarray(constant + np.outer(log_one, one - 1.0) + np.outer(log_two, two - 1.0))


def dirichlet_logs(probs: Floats, bandwidth: float) -> Floats:
    """Return what `beta_logs` does, of whole vectors."""
    alpha = probs / bandwidth + 1.0
    constant = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
    return np.asarray(constant + np.log(np.maximum(probs, KERNEL_FLOOR)) @ (alpha - 1.0).T)


def others(logs: Floats) -> Floats:
    """Return the logs with nothing on the diagonal."""
    return np.where(np.eye(len(logs), dtype=bool), -np.inf, logs)


def likelihood(logs: Floats) -> float:
    """Return the log likelihood of each row under the mean of the other rows' kernels."""
    return float(np.sum(logsumexp(others(logs), axis=1) - math.log(len(logs) - 1)))


def kernel_error(probs: Floats, hits: Floats, p: float, bandwidth: float | None) -> Result:
    """Return the kernel estimate; `probs` and `hits` have one column, or one for each class."""
    alone = probs.shape[1] == 1

    def logs_at(h: float) -> Floats:
        return beta_logs(probs[:, 0], h) if alone else dirichlet_logs(probs, h)

    if bandwidth is None:
        bandwidth = max(BANDWIDTHS, key=lambda h: likelihood(logs_at(h)))
    logs = others(logs_at(bandwidth))
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    rates = weights @ hits / weights.sum(axis=1, keepdims=True)
    powers = np.sum(np.abs(rates - probs) ** p, axis=1)
    return {"value": float(powers.mean() ** (1.0 / p)), "bandwidth": float(bandwidth)}


def kernel(f: Floats, y: Ints, p: float = 1.0, bandwidth: float | None = None) -> Result:
    """Return the kernel estimate of one probability.

    Popordanoska, Sayer and Blaschko (2022); the bandwidth is the likeliest when each row is left
    out in turn.
    """
    return kernel_error(f[:, None], y[:, None].astype(np.float64), p, bandwidth)


def kernel_vector(
    probs: Floats, labels: Ints, p: float = 1.0, bandwidth: float | None = None
) -> Result:
    """Return the kernel estimate of whole vectors."""
    return kernel_error(probs, np.eye(probs.shape[1])[labels], p, bandwidth)


def skce(f: Floats, y: Ints, bandwidth: float = 1.0) -> Result:
    """Return the unbiased squared kernel calibration error of one probability.

    Widmann, Lindsten and Zachariah (2019).
    """
    weights = others_of(np.abs(f[:, None] - f), bandwidth)
    residuals = y - f
    value = residuals @ weights @ residuals
    found = {"value": float(value)}
    if len(f) <= 12:
        every = np.array(list(itertools.product((0, 1), repeat=len(f))))
        chances = np.prod(np.where(every == 1, f, 1.0 - f), axis=1)
        each = np.einsum("ri,ij,rj->r", every - f, weights, every - f)
        found["exact_p_value"] = float(chances[each >= value - 1e-12].sum())
    return found


def skce_vector(probs: Floats, labels: Ints, bandwidth: float = 1.0) -> Result:
    """Return the unbiased squared kernel calibration error of whole vectors."""
    n, k = probs.shape
    weights = others_of(np.linalg.norm(probs[:, None] - probs, axis=2), bandwidth)

    def value_of(some: Ints) -> float:
        residuals = np.eye(k)[some] - probs
        return float(np.sum(residuals * (weights @ residuals)))

    found = {"value": value_of(labels)}
    if k**n <= 10_000:
        every = [np.array(some) for some in itertools.product(range(k), repeat=n)]
        chances = [float(np.prod(probs[np.arange(n), some])) for some in every]
        large = [value_of(some) >= found["value"] - 1e-12 for some in every]
        found["exact_p_value"] = float(np.dot(chances, large))
    return found


def others_of(distances: Floats, bandwidth: float) -> Floats:
    """Return the kernel of each pair of distinct rows, over the number of such pairs."""
    weights = np.exp(-distances / bandwidth)
    np.fill_diagonal(weights, 0.0)
    n = len(distances)
    return np.asarray(weights / (n * (n - 1)))


# Isotonic regression


def isotonic(f: Floats, y: Ints) -> Floats:
    """Return each row's rate of ones, made to rise with the prediction by pooling."""
    values, where = np.unique(f, return_inverse=True)
    ones = np.bincount(where, y)
    rows = np.bincount(where)
    blocks: list[tuple[int, int, int]] = []
    for one, row in zip(ones.astype(int), rows, strict=True):
        block = (int(one), int(row), 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    rates = np.concatenate([np.full(width, one / row) for one, row, width in blocks])
    assert len(rates) == len(values)
    return np.asarray(rates[where])


def corp(f: Floats, y: Ints, score: str = "brier") -> Result:
    """Return the parts of the mean score, in the sample: miscalibration is the value.

    Dimitriadis, Gneiting and Jordan (2021).
    """

    def mean_score(g: Floats) -> float:
        if score == "brier":
            return float(np.mean((g - y) ** 2))
        return float(np.mean(-xlogy(y, g) - xlogy(1 - y, 1.0 - g)))

    whole = mean_score(f)
    best = mean_score(isotonic(f, y))
    constant = mean_score(np.full(len(f), y.mean()))
    return {
        "value": whole - best,
        "discrimination": constant - best,
        "uncertainty": constant,
        "score": whole,
    }


# Tests


def cumulative(f: Floats, y: Ints) -> tuple[Floats, float]:
    """Return the cumulative differences, with the first 0, and their scale.

    Arrieta-Ibarra, Gujral, Tannen, Tygert and Xu (2022). Rows of equal predictions are added at
    once, so that their order does not matter.
    """
    _, where = np.unique(f, return_inverse=True)
    steps = np.bincount(where, y - f) / len(f)
    scale = math.sqrt(float(np.sum(f * (1.0 - f)))) / len(f)
    return np.concatenate([[0.0], np.cumsum(steps)]), scale


def scaled(value: float, scale: float) -> float:
    """Return the value in units of its scale, where nothing over nothing is nothing."""
    if scale > 0.0:
        return value / scale
    return 0.0 if value == 0.0 else math.inf


def kolmogorov_smirnov_tail(x: float) -> float:
    """Return the probability that a Brownian path on [0, 1] leaves [-x, x].

    One series converges at once for small x, and the other for large x, without cancellation.
    """
    if x == 0.0:
        return 1.0
    if x < 1.0:
        within = math.fsum(
            (-1.0) ** j / (2 * j + 1) * math.exp(-(((2 * j + 1) * math.pi / x) ** 2) / 8)
            for j in range(50)
        )
        return 1.0 - 4.0 / math.pi * within
    return float(4.0 * sum((-1) ** j * stats.norm.sf((2 * j + 1) * x) for j in range(50)))


def kolmogorov_smirnov(f: Floats, y: Ints) -> Result:
    """Return the largest cumulative difference."""
    path, scale = cumulative(f, y)
    value = float(np.abs(path).max())
    x = scaled(value, scale)
    return {"value": value, "scaled": x, "p_value": kolmogorov_smirnov_tail(x)}


def kuiper_tail(x: float) -> float:
    """Return the probability that the range of a Brownian path on [0, 1] exceeds x (Feller)."""
    if x == 0.0:
        return 1.0
    if x < 1.5:
        halves = [(j + 0.5) * math.pi for j in range(50)]
        return 1.0 - sum((8 / x**2 + 2 / h**2) * math.exp(-2 * (h / x) ** 2) for h in halves)
    return float(8.0 * sum((-1) ** (j - 1) * j * stats.norm.sf(j * x) for j in range(1, 50)))


def kuiper(f: Floats, y: Ints) -> Result:
    """Return the range of the cumulative differences, of which the first is 0."""
    path, scale = cumulative(f, y)
    value = float(path.max() - path.min())
    x = scaled(value, scale)
    return {"value": value, "scaled": x, "p_value": kuiper_tail(x)}


def hosmer_lemeshow(f: Floats, y: Ints, bins: int = 10) -> Result:
    """Return the statistic of Hosmer and Lemeshow (1980), of held-out predictions.

    A bin where all predictions are 0, or all 1, has no variance and counts only if contradicted.
    """
    value, freedom = 0.0, 0
    for rows in mass_bins(f, bins):
        mean = f[rows].mean()
        gap = y[rows].sum() - f[rows].sum()
        variance = rows.size * mean * (1.0 - mean)
        if variance > 0.0:
            value += float(gap**2 / variance)
            freedom += 1
        elif gap != 0.0:
            value = math.inf
    tail = float(stats.chi2.sf(value, freedom)) if freedom else float(value == 0.0)
    return {"value": value, "degrees": freedom, "p_value": tail}


def spiegelhalter(f: Floats, y: Ints) -> Result:
    """Return Spiegelhalter's (1986) z, and its probability on both sides."""
    top = float(np.sum((y - f) * (1.0 - 2.0 * f)))
    z = scaled(top, math.sqrt(float(np.sum((1.0 - 2.0 * f) ** 2 * f * (1.0 - f)))))
    return {"value": z, "p_value": float(2.0 * stats.norm.sf(abs(z)))}


def logistic(y: Ints, columns: Floats, offset: Floats) -> tuple[Floats, float]:
    """Return the likeliest coefficients by Newton's method, and their log likelihood."""

    def log_likelihood(at: Floats) -> float:
        logits = offset + columns @ at
        return float(np.sum(y * logits - np.logaddexp(0.0, logits)))

    at = np.zeros(columns.shape[1])
    for _ in range(200):
        rates = 1.0 / (1.0 + np.exp(-(offset + columns @ at)))
        gradient = columns.T @ (y - rates)
        if np.abs(gradient).max() < 1e-10 * len(y):
            return at, log_likelihood(at)
        hessian = (columns * (rates * (1.0 - rates))[:, None]).T @ columns
        step = np.linalg.solve(hessian, gradient)
        while log_likelihood(at + step) < log_likelihood(at) - 1e-9:
            step = step / 2.0
        at = at + step
    raise ArithmeticError("the likelihood has no maximum")


def separable(logits: Floats, y: Ints) -> bool:
    """Return whether one threshold parts the labels, or nothing can be learnt at all."""
    ones, zeros = logits[y == 1], logits[y == 0]
    if not ones.size or not zeros.size or np.ptp(logits) == 0.0:
        return True
    return bool(ones.min() >= zeros.max() or ones.max() <= zeros.min())


def cox(f: Floats, y: Ints) -> Result:
    """Return Cox's (1958) slope, intercept, and the likelihood ratio against 1 and 0.

    A prediction of 0 or 1 that came true is as likely under every rising map, and drops out; where
    one did not, or no finite slope is the likeliest, the fields are not a number.
    """
    sure = (f == 0.0) | (f == 1.0)
    found = dict.fromkeys(("value", "intercept", "in_the_large", "p_value"), math.nan)
    if np.any(y[sure] != f[sure]):
        return found
    f, y = f[~sure], y[~sure]
    logits = np.log(f) - np.log1p(-f)
    if y.size and 0 < y.sum() < y.size:
        constant, _ = logistic(y, np.ones((len(y), 1)), logits)
        found["in_the_large"] = float(constant[0])
    if y.size and not separable(logits, y):
        both, best = logistic(y, np.column_stack([np.ones(len(y)), logits]), np.zeros(len(y)))
        as_given = float(np.sum(y * logits - np.logaddexp(0.0, logits)))
        found["intercept"], found["value"] = (float(one) for one in both)
        found["p_value"] = float(stats.chi2.sf(2.0 * (best - as_given), 2))
    return found

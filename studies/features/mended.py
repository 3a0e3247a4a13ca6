"""Real classifiers corrected given their features: scores on rows that nobody has seen.

Of each table a third trains a classifier, the next third fits the correction of its predictions,
and the last third is scored: log loss, Brier score, and MCGrad's own error. Each split is made
anew; all methods have the same.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studies.corpus import Floats, Ints, checksum
from studies.features import ours, peer
from studies.features.planted import Table
from studies.features.tables import SOURCES, Source
from studies.pages import Row
from studies.results import Bar, Results

MODELS = ("logistic", "forest", "boosted")
SCORES = ("log", "brier", "mce", "mce_sigma")
LEAST = 1e-4
"""What classifiers and corrections may say: a forest's zeros have no log loss."""


@dataclass(frozen=True)
class Plan:
    """What is corrected."""

    sources: tuple[Source, ...] = SOURCES
    models: tuple[str, ...] = MODELS
    splits: int = 3


QUICK = Plan(SOURCES[-1:], MODELS[:1], 1)


def model(name: str, features: Table) -> Any:  # noqa: ANN401
    """Return a classifier of a table."""
    import lightgbm
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    if name == "boosted":
        return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)
    words = list(features.select_dtypes("category").columns)
    numbers = [column for column in features.columns if column not in words]
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", min_frequency=20), words),
        (StandardScaler(), numbers),
    )
    if name == "forest":
        forest = RandomForestClassifier(200, min_samples_leaf=3, n_jobs=1, random_state=0)
        return make_pipeline(coded, forest)
    return make_pipeline(coded, LogisticRegression(max_iter=1000))


def clipped(p: Floats) -> Floats:
    """Return predictions that are neither 0 nor 1."""
    found: Floats = np.clip(p, LEAST, 1 - LEAST)
    return found


@dataclass(frozen=True)
class Part:
    """Some rows of a table, with a classifier's predictions."""

    features: Table
    y: Ints
    p: Floats

    def scores(self, p: Floats) -> Row:
        """Return the scores of other predictions of them."""
        log = -np.log(np.where(self.y == 1, p, 1 - p)).mean()
        found = peer.multicalibration(self.features, self.y, p)
        values = (log, ((p - self.y) ** 2).mean(), found.mce, found.mce_sigma)
        return {name: repr(float(value)) for name, value in zip(SCORES, values, strict=True)}


def parts(source: Source, name: str, split: int) -> tuple[Part, Part]:
    """Train on a third, and return the others."""
    features, y = source.load()
    order = np.random.default_rng([split, checksum(source.name)]).permutation(len(y))
    train, fit, test = np.array_split(order, 3)
    trained = model(name, features).fit(features.iloc[train], y[train])
    first, second = (
        Part(rows, y[some], clipped(trained.predict_proba(rows)[:, 1]))
        for some in (fit, test)
        for rows in [features.iloc[some].reset_index(drop=True)]
    )
    return first, second


def by_nobody(fit: Part, test: Part) -> Floats:
    """Return predictions as they are."""
    return test.p


def by_mcgrad(fit: Part, test: Part) -> Floats:
    """Return predictions that MCGrad corrected."""
    return peer.Correction(fit.features, fit.y, fit.p).predict(test.features, test.p)


def by_calipers(fit: Part, test: Part) -> Floats:
    """Return predictions that calipers corrected."""
    return ours.Correction(fit.features, fit.y, fit.p).predict(test.features, test.p)


METHODS: dict[str, tuple[Callable[[], str], Callable[[Part, Part], Floats]]] = {
    "before": (peer.name, by_nobody),
    "mcgrad": (peer.name, by_mcgrad),
    "calipers": (ours.name, by_calipers),
}


def kept(folder: Path, methods: Iterable[str]) -> Results:
    """Open what methods have found."""
    programs = {METHODS[method][0]() for method in methods}
    about = ("table", "model", "split", "method")
    return Results(folder / "mended_raw.csv", programs, about, (*SCORES, "rows", "seconds"))


def measure(plan: Plan, methods: list[str], folder: Path) -> None:
    """Find what is not there yet."""
    results = kept(folder, methods)
    jobs = [
        (source, name, split)
        for source in plan.sources
        for name in plan.models
        for split in range(plan.splits)
    ]
    bar = Bar("mended", len(jobs))
    for source, name, split in jobs:
        about = (source.name, name, str(split))
        missing = [method for method in methods if (*about, method) not in results.rows]
        if missing:
            fit, test = parts(source, name, split)
            for method in missing:
                row = dict(zip(results.about, (*about, method), strict=True))
                results.add({**row, **scored(method, fit, test)})
        bar.step(" ".join(about))


def scored(method: str, fit: Part, test: Part) -> Row:
    """Correct the predictions of rows, and score them."""
    program, correct = METHODS[method]
    start = time.perf_counter()
    p = clipped(correct(fit, test))
    seconds = time.perf_counter() - start
    more = {"rows": str(len(test.y)), "seconds": f"{seconds:.3f}", "program": program()}
    return {**test.scores(p), **more}


def summary(plan: Plan, methods: list[str], folder: Path) -> Iterator[dict[str, object]]:
    """Yield a line for each table and classifier: means over splits."""
    results = kept(folder, methods)
    for source in plan.sources:
        for name in plan.models:
            line: dict[str, object] = {"table": source.name, "model": name}
            for method in methods:
                about = [(source.name, name, str(split), method) for split in range(plan.splits)]
                rows = [results.rows[key] for key in about if key in results.rows]
                line["rows"] = int(rows[0]["rows"]) if rows else None
                for score in SCORES:
                    values = [float(row[score]) for row in rows]
                    line[f"{score}_{method}"] = float(np.mean(values)) if values else None
            yield line


def show(lines: Iterable[dict[str, object]], methods: list[str]) -> None:
    """Print what corrections change: log loss and Brier score times 10,000, and MCGrad's error."""
    corrected = methods[1:]
    heads = [f"{score}, {method}" for score in ("log", "brier") for method in corrected]
    sigmas = [f"sigma, {method}" for method in methods]
    print(f"{'':26}{'rows':>7}" + "".join(f"{head:>18}" for head in (*heads, *sigmas)))
    wins = dict.fromkeys(heads, 0)
    for line in lines:
        if any(value is None for value in line.values()):
            continue
        number = {name: float(str(value)) for name, value in line.items() if "_" in name}
        changes = [
            1e4 * (number[f"{score}_{method}"] - number[f"{score}_before"])
            for score in ("log", "brier")
            for method in corrected
        ]
        for head, change in zip(heads, changes, strict=True):
            wins[head] += change < 0
        found = [number[f"mce_sigma_{method}"] for method in methods]
        texts = [*(f"{change:+.1f}" for change in changes), *(f"{one:.2f}" for one in found)]
        title = f"{line['table']}, {line['model']}"
        print(f"{title:26}{line['rows']!s:>7}" + "".join(f"{text:>18}" for text in texts))
    print(f"{'better than before':33}" + "".join(f"{wins[head]:>18}" for head in heads))

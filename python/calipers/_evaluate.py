"""Calibration errors of predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from calipers import _calipers
from calipers._arrays import as_scores, name_of, number_of_columns
from calipers._distance import Distance
from calipers._errors import InputError
from calipers._labels import as_labels
from calipers._options import as_settings
from calipers._plot import Source
from calipers._progress import watched
from calipers._report import Estimate, Report

# Rows in the sample of a source of few classes unless another number is asked for.
SAMPLE = 1_000_000

# What only sources have: columns.
OF_SOURCES = ("label", "probs", "logits", "weight", "group", "key")


def evaluate(
    y_true: Any,
    y_prob: Any = None,
    metrics: str | Distance | Iterable[str | Distance] | None = None,
    recalibrator: Any = "auto",
    folds: Any = 5,
    repeats: int = 1,
    seed: int = 0,
    sample_weight: Any = None,
    groups: Any = None,
    class_names: Sequence[Any] | None = None,
    from_logits: bool = False,
    binary: Literal["scalar", "vector", "confidence"] = "scalar",
    log_floor: float | None = None,
    *,
    cluster: Any = None,
    time: Any = None,
    features: Any = None,
    confidence: float = 0.95,
    draws: int | None = None,
    test: Literal["score", "refit"] = "score",
    bracket: bool = False,
    best: bool = True,
    assume: Literal["monotone"] | None = None,
    log_features: bool = False,
    threads: int | None = None,
    progress: bool | Callable[[int, int], object] = False,
    label: str | None = None,
    probs: str | Sequence[str] | None = None,
    logits: str | Sequence[str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    key: str | None = None,
    sample: int | None = None,
) -> Report:
    """Estimate calibration errors.

    Parameters
    ----------
    y_true : array of shape (n,), or one-hot of shape (n, k); or a source
        The observed classes: their names, or the positions of their columns, or truths.
        Where the columns have no names, words are the classes in sorted order, as scikit-learn's
        ``classes_``. Of one-hot labels, the class is that of the row's 1.

        Without ``y_prob`` it is a source of labels and predictions, which may be larger than
        memory: the path of a file or a directory, a pattern such as ``"day=*/*.parquet"``, or
        several of them, read as the command line does; a dataset or table of pyarrow, a LazyFrame
        or DataFrame of polars, a relation of DuckDB, a DataFrame of pandas or Spark, or anything
        else with ``__arrow_c_stream__`` that can be read twice.
    y_prob : array of shape (n,), (n, 1) or (n, k), optional
        The probabilities, one column a class; a single column is that of class 1. NumPy's arrays
        of single and double precision are not copied, whatever their layout; tables of pandas,
        polars and Arrow name the classes by their columns.
    metrics : str, Distance, or several of them, default ("l1", "l2", "brier", "log")
        What to measure; :func:`calipers.metrics` says what there is. Of two classes "l2" is the
        same number as "l1", and is left out unless it is asked for.
    recalibrator : str, classifier or Recalibrator, default "auto"
        What learns the truth from the predictions: a name of :func:`calipers.recalibrators`,
        with parameters after a colon as in ``"kernel:bandwidth=0.05"``, or any scikit-learn
        classifier, of which a copy is fitted in each fold.
    folds : int, array of shape (n,), splitter or splits, default 5
        The number of shuffled folds, or the fold of each row; or a splitter of scikit-learn's kind
        or its (train, test) splits, if every row is held out once. Splitters that need groups are
        given ``groups``; stratified ones are refused.
    repeats : int, default 1
        How often to draw the folds; the estimates are averaged.
    seed : int, default 0
        The seed of everything random. The same seed gives the same bits on any number of threads.
    sample_weight : array of shape (n,), optional
        The rows' weights; only their ratios matter.
    groups : array of shape (n,), optional
        The group of each row, by numbers, words, intervals, or whatever else can be a key: the
        errors within groups are added.
    class_names : sequence, optional
        The classes' names, in the order of the columns.
    from_logits : bool, default False
        Whether ``y_prob`` holds logits; a single column is the logit of class 1. A logit of -inf
        is a probability of 0.
    binary : {"scalar", "vector", "confidence"}, default "scalar"
        Whether the error of two classes is that of class 1, or that of both columns. With
        "confidence" it is that of class 1, where `y_prob` is how sure something was and `y_true`
        whether it was right: over-confident is what is too high, also below 1/2.
    log_floor : float, optional
        Let no probability count as less than this in the log metrics, which a zero makes infinite.
    cluster : array of shape (n,), optional
        Which rows belong together, such as those of one patient, and may share their fate: folds
        keep them together, and standard errors, bounds and p-values are those of the clusters.
    time : array of shape (n,), optional
        When each row was, by numbers or dates, where neighbours may share their fate: folds are
        pieces of time, and stretches of it are clusters.
    features : table or array of shape (n, d), optional
        What else is known of each row: the errors given that are added, as ``given_features`` and
        ``segments`` of the report. Numbers, truths (0 and 1) and categories, which are words or
        what pandas, polars and Arrow call categories; values may be missing. A table of pandas,
        polars or Arrow, a mapping of names to columns, or an array, whose columns are called x0,
        x1 and so on. All rows are learnt from.
    confidence : float, default 0.95
        The confidence of the lower bounds.
    draws : int, optional
        How often labels are drawn from the predictions for the p-values; 0 for none. By default
        999 times, and fewer for much data.
    test : {"score", "refit"}, default "score"
        Where the test behind the p-values looks: at simple functions of the prediction, or where
        the recalibrator does, which is then fitted to every drawing (99 by default).
    bracket : bool, default False
        Whether to add the in-sample estimates, which err upwards as the others err downwards.
    best : bool, default True
        Whether to add a best guess of each error with an interval, which err to either side. It is
        made with the recalibrator "auto", of arrays that do not belong together, as long as n times
        k is no more than 4 million; it takes about as long again as the estimate.
    assume : {"monotone"}, optional
        Adds upper confidence bounds, which hold if the truth never falls as the prediction rises:
        of two classes, and of "top-" and "classwise-" metrics.
    log_features : bool, default False
        Whether a classifier is given ln f as further features beside f.
    threads : int, optional
        How many threads to use; as many as there are cores by default. A classifier is run by the
        calling thread alone, and decides itself.
    progress : bool or callable, default False
        Whether to show a bar (tqdm's, if it is installed); or a function to call with the number
        of fits that are done and the number of fits in all.
    label : str, optional
        Of a source: the column of labels.
    probs : str or sequence of str, optional
        Of a source: the columns of the probabilities, one a class or one for class 1; or one column
        of lists.
    logits : str or sequence of str, optional
        The same, of logits.
    weight, group : str, optional
        Of a source: the columns of weights and groups. Groups are reported by their names as words.
    key : str, optional
        Of a source: a column of whole numbers or texts that are the row's own. It decides which
        rows are in the sample, and with it the report is the same to the last bit in any order
        and parts, in any engine. Without it, rows are numbered in the order in which they come.
    sample : int, optional
        How many rows are estimated by cross-fitting at the most. What is learnt from them scores
        all others, whose own scores are not kept. By default 1,000,000, and of more than 20
        classes as many as have about 21 million probabilities, but all rows of arrays whose folds
        are given; ``len(y_true)`` learns from all.

    Returns
    -------
    Report
        The estimates by the metrics' names.

    Raises
    ------
    InputError
        If something in the input is wrong; the message names the row, the column and the value.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> report = calipers.evaluate(y_true, y_prob, metrics=["l1", "brier"], recalibrator="isotonic")
    >>> f"{report['l1'].value:.3f} ± {report['l1'].stderr:.3f}"
    '0.126 ± 0.014'

    A model that is right on the whole, and wrong about everyone:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, region = rng.uniform(0.2, 0.8, 4000), rng.choice(["north", "south"], 4000)
    >>> y = rng.uniform(size=4000) < p + np.where(region == "south", 0.15, -0.15)
    >>> report = calipers.evaluate(y, p, metrics="l1", features={"region": region})
    >>> report["l1"].lower, report.given_features["l1"].lower > 0.1
    (0.0, True)
    >>> [str(segment) for segment in report.segments if segment.above]
    ['region = south']

    A scikit-learn classifier as recalibrator:

    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> g = HistGradientBoostingClassifier(max_depth=3, learning_rate=0.05)
    >>> report = calipers.evaluate(y_true, y_prob, metrics="l1", recalibrator=g)
    >>> 0.10 < report["l1"].value < 0.17
    True

    A table that need not fit in memory:

    >>> import pyarrow
    >>> table = pyarrow.table({"y": y_true, "p": y_prob[:, 1], "id": range(2000)})
    >>> report = calipers.evaluate(table, label="y", probs="p", key="id", sample=1000)
    >>> report.n, report.sample
    (2000, 1000)
    """
    given = locals()
    if y_prob is None:
        from calipers._sources import evaluate_source

        return evaluate_source(y_true, given)
    refuse_own(given)
    scores, columns = as_scores(y_prob)
    source = as_source(y_true, scores, columns, given)
    _refuse_sample(source)
    if progress is False:
        return Report(_calipers.evaluate(source.labels, scores, source.settings), source)
    with watched(progress) as watcher:
        fields = _calipers.evaluate(source.labels, scores, {**source.settings, "progress": watcher})
    return Report(fields, source)


def _refuse_sample(source: Source) -> None:
    """Refuse to learn from some of the rows where there are features."""
    sample, rows = source.settings["sample"], len(source.scores)
    if source.settings["features"] is not None and sample is not None and sample < rows:
        raise InputError("sample: where there are features, all rows are learnt from")


def as_source(
    y_true: Any, scores: Any, columns: list[str] | None, given: Mapping[str, Any]
) -> Source:
    """Bring labels and options into the shape that the extension takes."""
    settings = as_settings(given, scores, columns)
    names = settings["class_names"]
    labels, settings["class_names"] = as_labels(y_true, number_of_columns(scores), names)
    if columns is not None:
        settings["origin"] = (name_of(y_true), columns)
    return Source(labels, scores, settings)


def completed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with those of :func:`evaluate` that were not given."""
    from inspect import signature  # Here, because the import of calipers is to be quick.

    bound = signature(evaluate).bind(None, None, **options)
    bound.apply_defaults()
    refuse_own(bound.arguments)
    if bound.arguments["sample"] is not None:
        raise InputError("sample: of evaluate alone; here all rows are looked at")
    return bound.arguments


def refuse_own(given: Mapping[str, Any]) -> None:
    """Refuse the options of sources where arrays are given."""
    for name in OF_SOURCES:
        if given[name] is not None:
            raise InputError(f"{name}: names a column of a source, and arrays have none")


def check_options(options: Mapping[str, Any]) -> None:
    """Raise an error unless the options make sense before there are rows."""
    given = completed(options)
    # What folds come to depends on the rows.
    _calipers.check_settings(as_settings({**given, "folds": 2}, np.empty((0, 2)), None))


def calibration_error(
    y_true: Any, y_prob: Any, metric: str | Distance = "l1", **options: Any
) -> Estimate:
    """Estimate one calibration error.

    Parameters
    ----------
    y_true : array of shape (n,)
        The observed classes.
    y_prob : array of shape (n,), (n, 1) or (n, k)
        The probabilities, one column a class; a single column is that of class 1.
    metric : str or Distance, default "l1"
        What to measure.
    **options
        Those of :func:`calipers.evaluate`. With ``features`` it is the error given the prediction
        and the features.

    Returns
    -------
    Estimate
        A number with a standard error; ``float`` of it is the number.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> error = calipers.calibration_error(y_true, y_prob)
    >>> 0.10 < float(error) < 0.17
    True
    """
    if not isinstance(metric, (str, Distance)):
        raise InputError(f"metric: {metric!r}; expected a name or a Distance")
    report = evaluate(y_true, y_prob, metrics=metric, **options)
    given = report.given_features
    return next(iter((report.estimates if given is None else given.estimates).values()))

"""Calibration inside scikit-learn: scorers, and a classifier that recalibrates another one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, column_or_1d, get_tags, indexable
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calipers._arrays import as_weights
from calipers._distance import Distance
from calipers._errors import InputError
from calipers._evaluate import calibration_error, check_options
from calipers._features import Features, as_features, some_features
from calipers._names import PREFIX, listed_metrics, metric_of_name, name_of_metric
from calipers._recalibrator import Recalibrator
from calipers._routing import Routed

__all__ = ["RecalibratedClassifier", "get_scorer", "scorer", "scorer_names"]


def scorer(metric: str | Distance = "l1", **options: Any) -> Scorer:
    """Return a scorer for ``scoring=``: minus the calibration error, so that greater is better.

    A classifier that predicts the class frequencies whatever it sees is calibrated, and scores
    best: select models by a proper score, and use this one beside it, or among models that are
    equally accurate.

    Parameters
    ----------
    metric : str or Distance, default "l1"
        The calibration error to estimate.
    **options
        Those of :func:`calipers.evaluate`, except for the class names and the weights.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``.

    Raises
    ------
    InputError
        If there is no such metric or recalibrator, or an option makes no sense: scikit-learn would
        make NaN of what goes wrong in a fold.

    Examples
    --------
    >>> from calipers.sklearn import scorer
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(1000, random_state=0)
    >>> search = GridSearchCV(
    ...     GaussianNB(),
    ...     {"var_smoothing": [1e-9, 1.0]},
    ...     scoring={"log_loss": "neg_log_loss", "l1": scorer("l1")},
    ...     refit="log_loss",
    ... ).fit(X, y)
    >>> bool((search.cv_results_["mean_test_l1"] < 0.02).all())
    True
    """
    for taken in {"class_names", "metrics", "sample_weight"} & options.keys():
        raise InputError(f"{taken}: a scorer has it from elsewhere")
    if options.get("features") is not None:
        raise InputError("features: of so many rows; a scorer is given others each time")
    check_options({"metrics": metric, **options})
    return Scorer(metric, options)


def get_scorer(name: str, **options: Any) -> Any:
    """Return the scorer of a name, as a file of settings has it.

    scikit-learn has no way to add names to those of its own ``get_scorer``, but for a private
    table, which is left alone: what one package writes there, any other may overwrite. So
    ``scoring="calipers_l1"`` is nothing that scikit-learn knows, and
    ``scoring=get_scorer("calipers_l1")`` is.

    Parameters
    ----------
    name : str
        ``calipers_`` and a metric with underscores for hyphens, as in ``"calipers_top_l1"``;
        :func:`scorer_names` lists them, and any other ``l<p>`` will do. Or a name of scikit-learn.
    **options
        Those of :func:`scorer`; scikit-learn's scorers have none.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``: of calipers, minus the error.

    Raises
    ------
    InputError
        If there is no such scorer.

    Examples
    --------
    >>> from calipers.sklearn import get_scorer
    >>> get_scorer("calipers_top_l1", recalibrator="isotonic")
    scorer('top-l1', recalibrator='isotonic')
    >>> get_scorer("neg_log_loss")
    make_scorer(log_loss, greater_is_better=False, response_method='predict_proba')
    """
    if name.startswith(PREFIX):
        return scorer(metric_of_name(name), **options)
    from sklearn.metrics import get_scorer as sklearn_scorer

    for option in options:
        raise InputError(f"{option}: {name!r} is a scorer of scikit-learn, which has no options")
    try:
        return sklearn_scorer(name)
    except ValueError:
        known = "calipers.sklearn.scorer_names() and sklearn.metrics.get_scorer_names() list them"
        raise InputError(f"there is no scorer {name!r}; {known}") from None


def scorer_names() -> list[str]:
    """Return the names of calipers' scorers for :func:`get_scorer`.

    Returns
    -------
    list of str
        Those of l1, l2 and the other losses; ``l<p>`` has one for any p.

    Examples
    --------
    >>> from calipers.sklearn import scorer_names
    >>> scorer_names()[:5]
    ['calipers_l1', 'calipers_l2', 'calipers_linf', 'calipers_brier', 'calipers_log']
    """
    return [name_of_metric(metric) for metric in listed_metrics()]


class Scorer(Routed):
    """Minus a calibration error, as scikit-learn's scorers are called."""

    def __init__(self, metric: str | Distance, options: dict[str, Any]) -> None:
        self.metric = metric
        self.options = options

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
    ) -> float:
        """Score a fitted classifier on samples that it has not seen."""
        return -float(
            calibration_error(
                y,
                estimator.predict_proba(X),
                self.metric,
                class_names=estimator.classes_,
                sample_weight=sample_weight,
                **self.options,
            )
        )

    def score(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Do the same by the name under which weights are routed."""
        return self(estimator, X, y, sample_weight)

    def __repr__(self) -> str:
        """Show how it was made."""
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"scorer({self.metric!r}{options})"


class RecalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities are corrected: a peer of ``CalibratedClassifierCV``.

    The classifier predicts every sample by a copy that was fitted without it; the recalibrator
    learns from these predictions; then the classifier is fitted to all samples.

    Parameters
    ----------
    estimator : classifier
        What predicts: by ``predict_proba``, or else by ``decision_function``, whose values are
        taken as logits.
    recalibrator : str, classifier or Recalibrator, default "auto"
        What corrects: anything that :class:`calipers.Recalibrator` takes.
    cv : int, splitter, iterable or "prefit", default 5
        How to hold samples out, as in ``cross_val_predict``; ``"prefit"`` takes an estimator that
        has been fitted to other samples, and learns from its predictions alone.
    features : "all", sequence of str or int, or None, default None
        The columns of ``X``, by name or position, that the recalibrator is given beside the
        predictions, as ``features`` of :meth:`calipers.Recalibrator.fit`: what the classifier has
        got wrong about some of the samples is then corrected for them.

    Attributes
    ----------
    classes_ : numpy.ndarray of shape (k,)
        The classes.
    estimator_ : classifier
        The classifier, fitted to all samples.
    recalibrator_ : Recalibrator
        The map from its predictions to corrected ones.

    Examples
    --------
    >>> from calipers.sklearn import RecalibratedClassifier
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(2000, n_informative=5, n_redundant=10, random_state=0)
    >>> plain = GaussianNB().fit(X[:1000], y[:1000])
    >>> corrected = RecalibratedClassifier(GaussianNB()).fit(X[:1000], y[:1000])
    >>> from calipers import calibration_error
    >>> before = calibration_error(y[1000:], plain.predict_proba(X[1000:]))
    >>> after = calibration_error(y[1000:], corrected.predict_proba(X[1000:]))
    >>> float(after) < float(before) / 2
    True
    """

    def __init__(
        self, estimator: Any, recalibrator: Any = "auto", *, cv: Any = 5, features: Any = None
    ) -> None:
        self.estimator = estimator
        self.recalibrator = recalibrator
        self.cv = cv
        self.features = features

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> RecalibratedClassifier:
        """Fit both.

        Parameters
        ----------
        X : array of shape (n, features)
            The samples, as the estimator takes them.
        y : array of shape (n,)
            The observed classes.
        sample_weight : array of shape (n,), optional
            The rows' weights, for both.
        groups : array of shape (n,), optional
            The group of each row, for splitters that keep groups together.

        Returns
        -------
        RecalibratedClassifier
            Itself.
        """
        if y is None:
            raise InputError("y: requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        sample_weight = as_weights(sample_weight)
        # Rows have to be taken out: lists and sparse matrices of any format are made ready for it.
        (X,) = indexable(X)
        known = self._known(X)
        if self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            self.classes_: NDArray[Any] = self.estimator.classes_
            held_out = _scores(self.estimator, X)
        else:
            self.classes_ = np.unique(labels)
            held_out = self._held_out(X, labels, sample_weight, groups)
            self.estimator_ = _fitted(self.estimator, X, labels, sample_weight)
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        recalibrator = self.recalibrator
        if not isinstance(recalibrator, Recalibrator):
            recalibrator = Recalibrator(recalibrator)
        self.recalibrator_ = clone(recalibrator).set_params(
            class_names=self.classes_, from_logits=not hasattr(self.estimator_, "predict_proba")
        )
        self.recalibrator_.fit(held_out, labels, sample_weight=sample_weight, features=known)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return corrected probabilities, one column a class."""
        check_is_fitted(self)
        corrected: NDArray[np.float64] = self.recalibrator_.predict_proba(
            _scores(self.estimator_, X), features=self._known(X)
        )
        return corrected

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, by the corrected probabilities."""
        best = self.predict_proba(X).argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[best]
        return predicted

    def __sklearn_tags__(self) -> Any:
        """Describe it to scikit-learn: what it takes is what the estimator takes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    def _known(self, X: Any) -> Features | None:
        """Return the columns that the recalibrator is given."""
        if self.features is None:
            return None
        if isinstance(self.features, str):
            if self.features != "all":
                raise InputError(f"features: {self.features!r}; expected 'all', or a list")
            return as_features(X)
        return some_features(X, self.features)

    def _held_out(
        self,
        X: Any,
        labels: NDArray[Any],
        weights: Any,
        groups: Any,
    ) -> NDArray[np.float64]:
        """Predict every row by a copy that was fitted without it."""
        cv = check_cv(self.cv, labels, classifier=True)
        scores: NDArray[np.float64] | None = None
        seen = np.zeros(len(labels), dtype=int)
        for train, test in cv.split(X, labels, groups):
            part = None if weights is None else weights[train]
            model = _fitted(self.estimator, _safe_indexing(X, train), labels[train], part)
            found = _scores(model, _safe_indexing(X, test))
            if len(model.classes_) != len(self.classes_):
                found = self._spread(found, model)
            if scores is None:
                scores = np.zeros((len(labels), *found.shape[1:]))
            scores[test] = found
            seen[test] += 1
        if scores is None or (seen != 1).any():
            raise InputError("cv: every sample must be held out once")
        return scores

    def _spread(self, found: NDArray[Any], model: Any) -> NDArray[np.float64]:
        """Give a class that was missing in training probability 0."""
        if not hasattr(model, "predict_proba"):
            raise InputError("cv: a class is missing in a training fold; use fewer folds")
        scores = np.zeros((len(found), len(self.classes_)))
        scores[:, np.searchsorted(self.classes_, model.classes_)] = found
        return scores


def _fitted(estimator: Any, X: Any, y: Any, weights: Any) -> Any:
    """Return a fitted copy."""
    model = clone(estimator)
    if weights is not None and has_fit_parameter(model, "sample_weight"):
        return model.fit(X, y, sample_weight=weights)
    return model.fit(X, y)


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    """Return probabilities, or else the values of the decision function."""
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    return np.asarray(getattr(model, method)(X))

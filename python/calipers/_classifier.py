"""Any scikit-learn classifier as a recalibrator."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# What logarithms are floored at: the floor of the recalibrators that see ln f (docs/method.md).
LOG_FLOOR = 1e-6


def as_learner(recalibrator: Any, log_features: bool) -> str | ClassifierRecalibrator:
    """Return a name, or a classifier that the extension can run."""
    if hasattr(recalibrator, "as_learner"):  # A calipers.Recalibrator.
        learner: str | ClassifierRecalibrator = recalibrator.as_learner()
        return learner
    if isinstance(recalibrator, str):
        if log_features:
            raise InputError(f"log_features: {recalibrator} is no classifier, and needs none")
        return recalibrator
    return ClassifierRecalibrator(recalibrator, log_features)


class ClassifierRecalibrator:
    """Learns g with a classifier whose features are the probabilities f.

    Parameters
    ----------
    classifier : object
        It has ``fit(X, y)`` and ``predict_proba(X)``; a copy is fitted, it stays as it is.
    log_features : bool
        Whether ln f, floored at 1e-6, is given as further features beside f.
    """

    def __init__(self, classifier: Any, log_features: bool) -> None:
        for method in ("fit", "predict_proba"):
            if not callable(getattr(classifier, method, None)):
                raise InputError(
                    f"recalibrator: a {type(classifier).__name__} has no {method}(); expected a "
                    "name or a classifier",
                    value=classifier,
                )
        if isinstance(classifier, type):
            raise InputError(
                f"recalibrator: the class {classifier.__name__}; expected an instance of it",
                value=classifier,
            )
        self.classifier = classifier
        self.log_features = log_features
        self.name = type(classifier).__name__

    def fit(
        self, f: Floats, labels: NDArray[np.uint32], weights: Floats, seed: int
    ) -> FittedClassifier:
        """Fit a copy of the classifier to some rows."""
        # Some classifiers insist on labels without gaps, such as a missing class leaves.
        classes, packed = np.unique(labels, return_inverse=True)
        # As many unweighted rows as carry the same information.
        rows = float(weights.sum() ** 2 / (weights**2).sum())
        if len(classes) == 1:
            # Classifiers refuse to learn from one class; there is only one thing to learn.
            return FittedClassifier(None, classes, f.shape[1], rows, self.log_features)
        model = _copied(self.classifier, seed)
        options = _fit_options(model, weights)
        model.fit(features(f, self.log_features), packed.astype(np.int64), **options)
        return FittedClassifier(model, classes, f.shape[1], rows, self.log_features)


class FittedClassifier:
    """A classifier that has learnt g, from rows in which a class may be missing."""

    def __init__(
        self,
        model: Any,
        classes: NDArray[np.uint32],
        count: int,
        rows: float,
        log_features: bool,
    ) -> None:
        self.model = model
        self.classes = classes
        self.count = count
        self.rows = rows
        self.log_features = log_features

    def predict(self, f: Floats) -> Floats:
        """Predict the probabilities of all classes."""
        g = np.zeros((len(f), self.count))
        if self.model is None:
            g[:, self.classes] = 1.0
        else:
            packed = getattr(self.model, "classes_", np.arange(len(self.classes)))
            found = self.classes[np.asarray(packed).astype(np.int64)]
            g[:, found] = self._predicted(f, len(found))
            # Single precision sums to 1 to seven digits only.
            g /= g.sum(axis=1, keepdims=True)
        if len(self.classes) < self.count:
            # Not seen in so many rows does not mean impossible: as the frequencies among the
            # built-in recalibrators do, move 1/(n + 1) of the mass to the uniform distribution.
            share = 1.0 / (self.rows + 1)
            g = (1.0 - share) * g + share / self.count
        return g

    def _predicted(self, f: Floats, columns: int) -> Floats:
        """Return what the classifier predicts, checked."""
        predicted = np.asarray(self.model.predict_proba(features(f, self.log_features)))
        if predicted.shape != (len(f), columns):
            fault = f"an array of shape {predicted.shape}, expected {(len(f), columns)}"
        elif not np.isfinite(predicted).all():
            fault = "a number that is not finite"
        elif (predicted < 0).any() or not (predicted > 0).any(axis=1).all():
            fault = "numbers that are no probabilities"
        else:
            return predicted
        raise InputError(f"recalibrator: {type(self.model).__name__} predicted {fault}")


def features(f: Floats, log_features: bool) -> Floats:
    """Return what a classifier sees of f."""
    return np.hstack([f, np.log(np.maximum(f, LOG_FLOOR))]) if log_features else f


def _copied(classifier: Any, seed: int) -> Any:
    """Return an unfitted copy in which everything random that was left open follows the seed."""
    try:
        from sklearn.base import clone
    except ImportError:
        from copy import deepcopy

        model = deepcopy(classifier)
    else:
        model = clone(classifier, safe=hasattr(classifier, "get_params"))
    if hasattr(model, "get_params") and hasattr(model, "set_params"):
        unset = [
            name
            for name, value in model.get_params().items()
            if name.rpartition("__")[2] == "random_state" and value is None
        ]
        if unset:
            model.set_params(**dict.fromkeys(unset, seed % 2**32))
    return model


def _fit_options(model: Any, weights: Floats) -> dict[str, Floats]:
    """Return the weights under the name that the classifier has for them, if they differ."""
    if (weights == weights[0]).all():
        return {}
    steps = getattr(model, "steps", None)
    name, last = ("sample_weight", model)
    if steps:  # A pipeline hands them to the step whose name they carry.
        name, last = f"{steps[-1][0]}__sample_weight", steps[-1][1]
    parameters = inspect.signature(last.fit).parameters.values()
    if not any(one.name == "sample_weight" or one.kind is one.VAR_KEYWORD for one in parameters):
        raise InputError(f"sample_weight: {type(last).__name__} takes no weights")
    return {name: weights}

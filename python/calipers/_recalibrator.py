"""A recalibrator to keep: fitted once, then applied to new predictions."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers import _calipers
from calipers._arrays import as_scores, as_weights, as_whole, classes_of, number_of_columns
from calipers._classifier import ClassifierRecalibrator, as_learner
from calipers._errors import InputError
from calipers._features import Features, as_features, refuse_other_rows
from calipers._labels import as_names, read
from calipers._routing import RoutedFeatures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Recalibrator(RoutedFeatures):
    """Learns what probabilities mean, and corrects them.

    It is a scikit-learn classifier whose features are the probabilities of another one.
    scikit-learn itself is not needed. What else is known of each row may be given to :meth:`fit` as
    ``features``, and then to the methods that predict: probabilities are corrected by that, too,
    as far as held-out rows show that it helps.

    Parameters
    ----------
    recalibrator : str or classifier, default "auto"
        A name of :func:`calipers.recalibrators`, or any scikit-learn classifier, of which a copy
        is fitted.
    log_features : bool, default False
        Whether a classifier is given ln f as further features beside f.
    class_names : sequence, optional
        The classes, in the order of the columns. Without it, labels are positions of columns, or
        as many different words as there are columns, in sorted order; tables name the classes by
        their columns.
    from_logits : bool, default False
        Whether the features are logits.
    preserve : {"ranking", "accuracy"}, optional
        What recalibration must not change: of two classes the order of rows, of more the order of
        the classes in each row; or the largest class of each row. ``order_cost_`` says what that
        costs.
    seed : int, default 0
        The seed of recalibrators that draw at random.
    threads : int, optional
        How many threads to use; as many as there are cores by default.

    Attributes
    ----------
    classes_ : numpy.ndarray of shape (k,)
        The classes, in the order of the columns.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : numpy.ndarray of shape (k,)
        The columns' names, if they have names.
    extra_features_ : list of str
        The names of the features that it was fitted to beside the probabilities.
    order_cost_ : dict
        With ``preserve``: by how much the mean log loss and Brier score of the rows that it was
        fitted to are larger than without, as ``{"log": ..., "brier": ...}``.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 4000, seed=0)
    >>> g = calipers.Recalibrator("logistic").fit(y_prob[:2000], y_true[:2000])
    >>> before = calipers.calibration_error(y_true[2000:], y_prob[2000:])
    >>> after = calipers.calibration_error(y_true[2000:], g.predict_proba(y_prob[2000:]))
    >>> float(before) > 0.1, float(after) < 0.02
    (True, True)

    With features:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, region = rng.uniform(0.2, 0.8, 2000), rng.choice(["north", "south"], 2000)
    >>> y = rng.uniform(size=2000) < p + np.where(region == "south", 0.15, -0.15)
    >>> g = calipers.Recalibrator().fit(p, y, features={"region": region})
    >>> north, south = g.predict_proba([0.5, 0.5], features={"region": ["north", "south"]})[:, 1]
    >>> bool(0.3 < north < 0.4), bool(0.6 < south < 0.7)
    (True, True)
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        recalibrator: Any = "auto",
        *,
        log_features: bool = False,
        class_names: Sequence[Any] | None = None,
        from_logits: bool = False,
        preserve: str | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.recalibrator = recalibrator
        self.log_features = log_features
        self.class_names = class_names
        self.from_logits = from_logits
        self.preserve = preserve
        self.seed = seed
        self.threads = threads

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, features: Any = None
    ) -> Recalibrator:
        """Learn from predictions and what was observed.

        Parameters
        ----------
        X : array of shape (n,), (n, 1) or (n, k)
            The probabilities, one column a class; a single column is that of class 1.
        y : array of shape (n,)
            The observed classes.
        sample_weight : array of shape (n,), optional
            The rows' weights; only their ratios matter.
        features : table or array of shape (n, d), optional
            What else is known of each row, as in :func:`calipers.evaluate`.

        Returns
        -------
        Recalibrator
            Itself.
        """
        if y is None:
            raise InputError("y: requires y to be passed, but the target y is None")
        scores, names = as_scores(X, "X")
        columns = number_of_columns(scores)
        if columns == 0:
            raise InputError(
                f"Found array with 0 feature(s) (shape={scores.shape}) while a minimum of 1 is "
                "required."
            )
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            warnings.warn(_column_vector(), stacklevel=2)
        labels = read(y, columns, self.class_names, classes_of(names))
        learner = self.as_learner()
        weights = as_weights(sample_weight)
        known = as_features(features)
        refuse_other_rows(known, len(scores))
        threads = 0 if self.threads is None else as_whole(self.threads, "threads")
        seed = as_whole(self.seed, "seed")
        if known is not None:
            self._refuse_features(learner)
        if isinstance(learner, str):
            self._model: Any = _calipers.fit_model(
                learner,
                _as_order(self.preserve),
                scores,
                labels.codes,
                weights,
                known,
                seed,
                bool(self.from_logits),
                threads,
            )
        elif self.preserve is not None:
            raise InputError(
                "preserve: only recalibrators of calipers.recalibrators() keep an order"
            )
        else:
            self._model = _fit_classifier(learner, scores, labels.codes, weights, seed, self)
        self.classes_: NDArray[Any] = labels.classes
        self.n_features_in_ = columns
        if _column_names(X) is not None:
            self.feature_names_in_ = _column_names(X)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    @property
    def order_cost_(self) -> dict[str, float]:
        """What keeping the order costs on the rows that it was fitted to."""
        kept = getattr(getattr(self, "_model", None), "kept_order", None)
        if kept is None:
            raise AttributeError("order_cost_: it was not fitted with preserve")
        return {"log": kept[1], "brier": kept[2]}

    @property
    def extra_features_(self) -> list[str]:
        """The names of the features that it was fitted to beside the probabilities."""
        model = getattr(self, "_model", None)
        if model is None:
            raise AttributeError("extra_features_: it has not been fitted")
        return model.features if isinstance(model, _calipers.Model) else []

    def predict_proba(self, X: Any, *, features: Any = None) -> NDArray[np.float64]:
        """Correct probabilities.

        Parameters
        ----------
        X : array of shape (n,), (n, 1) or (n, k)
            The probabilities of as many columns as in :meth:`fit`.
        features : table or array of shape (n, d), optional
            What else is known of each row, if :meth:`fit` was given that: columns of the same
            names, in any order. Categories that it has not seen are like none in particular.

        Returns
        -------
        numpy.ndarray of shape (n, k)
            One column a class.
        """
        if not self.__sklearn_is_fitted__():
            raise _not_fitted(self)
        scores, _ = as_scores(X, "X")
        self._check_columns(X, number_of_columns(scores))
        known = self._check_features(features, len(scores))
        if isinstance(self._model, _calipers.Model):
            threads = 0 if self.threads is None else as_whole(self.threads, "threads")
            return self._model.predict(scores, known, bool(self.from_logits), threads)
        f = _calipers.check_probabilities(scores, bool(self.from_logits))
        predicted: NDArray[np.float64] = self._model.predict(f)
        return predicted

    def predict(self, X: Any, *, features: Any = None) -> NDArray[Any]:
        """Return the most probable class of each row, by the corrected probabilities."""
        best = self.predict_proba(X, features=features).argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[best]
        return predicted

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, features: Any = None) -> float:
        """Return the accuracy of :meth:`predict`."""
        right = self.predict(X, features=features) == np.asarray(y)
        return float(np.average(right, weights=as_weights(sample_weight)))

    def save(self, path: Any) -> None:
        """Write the fitted model to a file, which :meth:`load` and the command line read.

        ``calipers recalibrate apply MODEL FILE`` corrects a file of predictions with it.

        Parameters
        ----------
        path : str or path
            The file to write; it is replaced whole, or not at all.

        Raises
        ------
        InputError
            If it was fitted with a classifier from elsewhere: pickle that instead.
        """
        if not self.__sklearn_is_fitted__():
            raise _not_fitted(self)
        if not isinstance(self._model, _calipers.Model):
            raise InputError(
                "recalibrator: only those of calipers.recalibrators() can be saved to a file; "
                "pickle one that holds a classifier"
            )
        columns = getattr(self, "feature_names_in_", None)
        about = {
            "recalibrator": self.recalibrator,
            "classes": as_names(self.classes_.tolist(), None),
            "labels": _KINDS.get(self.classes_.dtype.kind, "str"),
            "columns": None if columns is None else list(columns),
            "features": self.n_features_in_,
            "logits": bool(self.from_logits),
        }
        _calipers.write_file(path, self._model.to_json(about) + "\n")

    @classmethod
    def load(cls, path: Any) -> Recalibrator:
        """Read a model that :meth:`save` or ``calipers recalibrate fit`` wrote.

        Parameters
        ----------
        path : str or path
            The file to read.

        Returns
        -------
        Recalibrator
            Fitted; it predicts the same bits as the one that was saved.
        """
        import os

        with open(os.fspath(path), encoding="utf-8") as file:
            model, about = _calipers.Model.load(file.read())
        if about["classes"] is None:
            raise InputError("saved model: it does not say what its classes are called")
        loaded = cls(
            about["recalibrator"] or "auto",
            from_logits=about["logits"],
            preserve=None if model.kept_order is None else model.kept_order[0],
        )
        loaded._model = model
        loaded.classes_ = _as_classes(about["classes"], about["labels"])
        loaded.n_features_in_ = about["features"] or len(loaded.classes_)
        if about["columns"] is not None:
            loaded.feature_names_in_ = np.asarray(about["columns"], dtype=object)
        return loaded

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; those of a classifier, too, if ``deep``."""
        params = {name: getattr(self, name) for name in _PARAMETERS}
        inner = self.recalibrator
        if deep and hasattr(inner, "get_params") and not isinstance(inner, type):
            nested = inner.get_params()
            params.update({f"recalibrator__{name}": value for name, value in nested.items()})
        return params

    def set_params(self, **params: Any) -> Recalibrator:
        """Set parameters; ``recalibrator__name`` is the parameter of a classifier."""
        nested = {}
        for name, value in params.items():
            head, _, tail = name.partition("__")
            if head not in _PARAMETERS or (tail and head != "recalibrator"):
                raise InputError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                    f"{list(_PARAMETERS)}."
                )
            if tail:
                nested[tail] = value
            else:
                setattr(self, name, value)
        if nested:
            self.recalibrator.set_params(**nested)
        return self

    def __repr__(self) -> str:
        """Show the parameters that differ from their defaults."""
        shown = [
            f"{name}={getattr(self, name)!r}"
            for name, default in _PARAMETERS.items()
            if getattr(self, name) is not default and getattr(self, name) != default
        ]
        return f"Recalibrator({', '.join(shown)})"

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether it has been fitted."""
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        """Describe it to scikit-learn."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(),
        )

    def as_learner(self) -> str | ClassifierRecalibrator:
        """Return what :func:`calipers.evaluate` is to use."""
        return as_learner(self.recalibrator, self.log_features)

    def _refuse_features(self, learner: Any) -> None:
        """Refuse features where they cannot be learnt from."""
        if not isinstance(learner, str):
            raise InputError(
                "features: only recalibrators of calipers.recalibrators() learn from them; give a "
                "classifier of your own its features itself"
            )
        if self.preserve is not None:
            raise InputError(
                "preserve: rows of one prediction and different features are moved apart, so that "
                "no order can be kept"
            )

    def _check_features(self, features: Any, rows: int) -> Features | None:
        """Return the features, if they are given where they are needed, and only there."""
        learnt = self.extra_features_
        if features is None and learnt:
            raise InputError(f"features: it was fitted with {', '.join(learnt)}; none were given")
        if features is not None and not learnt:
            raise InputError("features: it was fitted without any")
        known = as_features(features)
        refuse_other_rows(known, rows)
        return known

    def _check_columns(self, X: Any, columns: int) -> None:
        """Compare the columns with those of the fit, in scikit-learn's words."""
        if columns != self.n_features_in_:
            advice = " Reshape your data if it is one sample." if np.ndim(X) == 1 else ""
            raise InputError(
                f"X has {columns} features, but Recalibrator is expecting {self.n_features_in_} "
                f"features as input.{advice}"
            )
        before, now = getattr(self, "feature_names_in_", None), _column_names(X)
        if before is None and now is not None:
            warnings.warn(
                "X has feature names, but Recalibrator was fitted without feature names",
                stacklevel=3,
            )
        elif before is not None and now is None:
            warnings.warn(
                "X does not have valid feature names, but Recalibrator was fitted with feature "
                "names",
                stacklevel=3,
            )
        elif before is not None and now is not None and list(before) != list(now):
            raise InputError(_different_names(list(before), list(now)))


def _fit_classifier(
    learner: ClassifierRecalibrator,
    scores: Any,
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    seed: int,
    owner: Recalibrator,
) -> Any:
    """Fit a classifier to rows that have been checked."""
    f = _calipers.check_probabilities(scores, bool(owner.from_logits))
    if len(codes) != len(f):
        raise InputError(f"labels: expected {len(f)}, found {len(codes)}")
    if weights is None:
        weights = np.ones(len(f))
    _calipers.check_weights(weights, len(f))
    used = weights > 0
    weights = weights[used] / weights[used].mean()
    return learner.fit(f[used], codes[used], weights, seed)


# What the types of NumPy's arrays are called in a saved model; all others are words.
_KINDS = {"i": "int", "u": "int", "b": "bool"}


def _as_classes(names: list[str], kind: str | None) -> NDArray[Any]:
    """Return classes as labels have them: as the model says, or else as their names look."""
    if kind is None and all(name.lstrip("-").isdecimal() for name in names):
        kind = "int"
    if kind is None and set(names) == {"false", "true"}:
        kind = "bool"
    if kind == "int":
        return np.asarray([int(name) for name in names])
    if kind == "bool":
        return np.asarray([name == "true" for name in names])
    return np.asarray(names)


def _column_names(X: Any) -> NDArray[Any] | None:
    """Return the names of a table's columns, if all of them are words."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(list(names), dtype=object)


def _different_names(before: list[str], now: list[str]) -> str:
    """Say how the names of columns differ, in the words that scikit-learn's users know."""
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(set(now) - set(before))
    missing = sorted(set(before) - set(now))
    if unseen:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {one}\n" for one in unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n"
        message += "".join(f"- {one}\n" for one in missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _column_vector() -> Warning:
    """Return scikit-learn's warning about labels in a matrix of one column, if it is there."""
    message = "A column-vector y was passed when a 1d array was expected."
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return UserWarning(message)
    warning: Warning = DataConversionWarning(message)
    return warning


def _not_fitted(owner: Recalibrator) -> Exception:
    """Return scikit-learn's exception if it is there, so that its users can catch it."""
    message = (
        f"This {type(owner).__name__} instance is not fitted yet. Call 'fit' with appropriate "
        "arguments before using this estimator."
    )
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return InputError(message)
    error: Exception = NotFittedError(message)
    return error


def _as_order(preserve: Any) -> str | None:
    """Return the order to keep, if it is one."""
    if preserve in (None, "ranking", "accuracy"):
        order: str | None = preserve
        return order
    raise InputError(f"preserve: expected 'ranking', 'accuracy' or None, found {preserve!r}")


_PARAMETERS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(Recalibrator.__init__).parameters.items()
    if name != "self"
}

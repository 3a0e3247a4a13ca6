"""Recalibrators of other packages, each as its own documentation calls it, with its defaults.

What an object takes and returns is made alike here, and nothing else: probabilities of all classes
go in and come out.
"""

import contextlib
import tempfile
from collections.abc import Callable

import betacal
import netcal.binning
import netcal.scaling
import numpy as np
from probmetrics import calibrators
from probmetrics.classifiers import WS_CatboostClassifier
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from venn_abers import VennAbersCalibrator

from studies.contest.entrants import Calibrator
from studies.corpus import Floats, Ints
from studies.speed.probmetrics_run import keep_to_one_thread

Make = Callable[[int], Calibrator]
"""Makes an object for so many classes."""


def both(second: Floats) -> Floats:
    """Return two columns from that of class 1."""
    return np.column_stack([1.0 - second, second])


class Betacal:
    """Beta calibration: one column, and `predict`."""

    def __init__(self) -> None:
        """Take its defaults."""
        self.map = betacal.BetaCalibration()

    def fit(self, probs: Floats, labels: Ints) -> None:
        """Learn from the column of class 1."""
        self.map.fit(probs[:, 1:], labels)

    def predict_proba(self, probs: Floats) -> Floats:
        """Map that column."""
        return both(np.ravel(self.map.predict(probs[:, 1:])))


class Netcal:
    """A map of netcal: one column for two classes, and `transform`."""

    def __init__(self, calibrator: object) -> None:
        """Take what netcal made."""
        self.map = calibrator

    def fit(self, probs: Floats, labels: Ints) -> None:
        """Learn; netcal draws in places, so that what it draws is fixed."""
        np.random.seed(0)
        self.map.fit(probs[:, 1] if probs.shape[1] == 2 else probs, labels)

    def predict_proba(self, probs: Floats) -> Floats:
        """Map one column, or all of them."""
        found = self.map.transform(probs[:, 1] if probs.shape[1] == 2 else probs)
        return both(np.ravel(found)) if probs.shape[1] == 2 else found


class VennAbers:
    """Inductive Venn-Abers prediction, which learns when it predicts."""

    def fit(self, probs: Floats, labels: Ints) -> None:
        """Keep the rows."""
        self.rows = probs, labels

    def predict_proba(self, probs: Floats) -> Floats:
        """Learn and predict; of many classes one against all others, as CalArena enters it."""
        known, labels = self.rows
        return VennAbersCalibrator().predict_proba(
            p_cal=known, y_cal=labels, p_test=probs, va_type="one_vs_all"
        )


class CatBoost(WS_CatboostClassifier):
    """Boosted trees started at f, then logistic; CatBoost writes where it runs."""

    def fit(self, probs: Floats, labels: Ints) -> "CatBoost":
        """Learn, in a folder that is thrown away."""
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            return super().fit(probs, labels)


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose features are the probabilities that it predicts."""

    def __init__(self, classes: int = 2) -> None:
        """Know the number of classes."""
        self.classes = classes
        self.classes_ = np.arange(classes)

    def fit(self, *_: object) -> "Given":
        """Learn nothing."""
        return self

    def predict(self, probs: Floats) -> Ints:
        """Return the most probable class."""
        return probs.argmax(axis=1)

    def predict_proba(self, probs: Floats) -> Floats:
        """Return what was given."""
        return probs


def sklearn(method: str) -> Make:
    """Return how a map of `CalibratedClassifierCV` is made around a frozen classifier."""

    def make(classes: int) -> Calibrator:
        return CalibratedClassifierCV(FrozenEstimator(Given(classes)), method=method)

    return make


def one_versus_rest(make: Callable[[], Calibrator]) -> Make:
    """Return how a map of two classes is made for more, as probmetrics does it."""

    def both_ways(classes: int) -> Calibrator:
        return make() if classes == 2 else calibrators.MulticlassOneVsRestCalibrator(make())

    return both_ways


def netcal_map(make: Callable[[], object]) -> Make:
    """Return how a map of netcal is made."""
    return lambda _: Netcal(make())


def probmetrics(name: str) -> Make:
    """Return how probmetrics' factory makes a map."""
    return lambda _: calibrators.get_calibrator(name)


MAKE: dict[str, Make] = {
    "probmetrics-temp-scaling": probmetrics("temp-scaling"),
    "probmetrics-ts-mix": probmetrics("ts-mix"),
    "probmetrics-ets": lambda _: calibrators.ETSCalibrator(),
    "probmetrics-logistic": probmetrics("logistic"),
    "probmetrics-quadratic": probmetrics("quadratic-scaling"),
    "probmetrics-svs": probmetrics("svs"),
    "probmetrics-cir": one_versus_rest(calibrators.CenteredIsotonicRegressionCalibrator),
    "probmetrics-spline": lambda _: calibrators.MLISplineCalibrator(),
    "probmetrics-kernel": lambda _: calibrators.KernelCalibrator(),
    "probmetrics-ws-catboost": lambda _: CatBoost(),
    "netcal-temperature": netcal_map(netcal.scaling.TemperatureScaling),
    "netcal-logistic": netcal_map(netcal.scaling.LogisticCalibration),
    "netcal-beta": netcal_map(netcal.scaling.BetaCalibration),
    "netcal-histogram": netcal_map(netcal.binning.HistogramBinning),
    "netcal-bbq": netcal_map(netcal.binning.BBQ),
    "netcal-enir": netcal_map(netcal.binning.ENIR),
    "venn-abers": lambda _: VennAbers(),
    "sklearn-sigmoid": sklearn("sigmoid"),
    "sklearn-isotonic": sklearn("isotonic"),
    "sklearn-temperature": sklearn("temperature"),
    "betacal": lambda _: Betacal(),
}

keep_to_one_thread()

"""Recalibrators of calipers in NannyML, which corrects predictions before it estimates from them.

Once this is imported, ``CBPE(calibration="calipers", ...)`` will do as well as an object.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from nannyml.calibration import Calibrator, CalibratorFactory
from numpy.typing import NDArray

from calipers._recalibrator import Recalibrator

__all__ = ["RecalibratorCalibrator"]


@CalibratorFactory.register("calipers")  # type: ignore[untyped-decorator, unused-ignore]
class RecalibratorCalibrator(Calibrator):  # type: ignore[misc]
    """A calibrator for ``CBPE(calibrator=...)``.

    NannyML fits one to the scores of each of several classes, which it takes one by one.

    Parameters
    ----------
    recalibrator : str, classifier or Recalibrator, default "auto"
        What corrects: anything that :class:`calipers.Recalibrator` takes.
    **options
        Further parameters of :class:`calipers.Recalibrator`, such as ``preserve="ranking"``.

    Examples
    --------
    >>> import calipers
    >>> from calipers.nannyml import RecalibratorCalibrator
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> calibrator = RecalibratorCalibrator("logistic")
    >>> calibrator.fit(y_prob[:, 1], y_true)
    >>> corrected = calibrator.calibrate(y_prob[:, 1])
    >>> calipers.calibration_error(y_true, corrected).lower < 0.01
    True
    """

    def __init__(self, recalibrator: Any = "auto", **options: Any) -> None:
        if isinstance(recalibrator, Recalibrator):
            self._recalibrator = deepcopy(recalibrator).set_params(**options)
        else:
            self._recalibrator = Recalibrator(recalibrator, **options)

    def fit(self, y_pred_proba: Any, y_true: Any, *args: Any, **kwargs: Any) -> None:
        """Learn from scores of class 1, and the classes that were observed, 0 or 1."""
        self._recalibrator.fit(np.asarray(y_pred_proba, dtype=float), np.asarray(y_true))

    def calibrate(self, y_pred_proba: Any, *args: Any, **kwargs: Any) -> NDArray[np.float64]:
        """Return corrected scores of class 1."""
        scores = np.asarray(y_pred_proba, dtype=float)
        corrected: NDArray[np.float64] = self._recalibrator.predict_proba(scores)[:, 1]
        return corrected

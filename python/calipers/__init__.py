"""How far a classifier's probabilities are from the truth.

>>> import calipers
>>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
>>> report = calipers.evaluate(y_true, y_prob)
>>> 0.10 < report["l1"].value < 0.17
True

``calibration_error`` gives one number, ``evaluate`` a report, ``calibration_curve`` where the error
is, ``compare`` the differences of several models, ``neighbours`` what other measures of calibration
say, ``Recalibrator`` corrects probabilities, ``Monitor`` watches over them as rows arrive; ``Plan``
and ``Tally`` evaluate more rows than fit in memory, on one machine or many;
``metrics``, ``recalibrators`` and ``measures`` say what there is. ``calipers.sklearn`` holds what
works inside scikit-learn: a scorer and a classifier that recalibrates another one;
``calipers.spark`` evaluates a DataFrame of Spark where it is.
"""

from calipers._calipers import __version__
from calipers._compare import Comparison, Difference, compare
from calipers._distance import Distance
from calipers._errors import InputError
from calipers._evaluate import calibration_error, evaluate
from calipers._given import (
    Condition,
    FeatureGain,
    FeatureShare,
    GivenFeatures,
    Segment,
    Segments,
)
from calipers._lists import measures, metrics, recalibrators, simulate
from calipers._monitor import Monitor
from calipers._neighbours import Measurement, Measurements, neighbours
from calipers._plot import CalibrationCurve, ReliabilityDisplay, calibration_curve
from calipers._recalibrator import Recalibrator
from calipers._report import Decomposition, Estimate, Group, GroupAware, Report
from calipers._stream import Plan, Tally, candidates

__all__ = [
    "CalibrationCurve",
    "Comparison",
    "Condition",
    "Decomposition",
    "Difference",
    "Distance",
    "Estimate",
    "FeatureGain",
    "FeatureShare",
    "GivenFeatures",
    "Group",
    "GroupAware",
    "InputError",
    "Measurement",
    "Measurements",
    "Monitor",
    "Plan",
    "Recalibrator",
    "ReliabilityDisplay",
    "Report",
    "Segment",
    "Segments",
    "Tally",
    "__version__",
    "calibration_curve",
    "calibration_error",
    "candidates",
    "compare",
    "evaluate",
    "measures",
    "metrics",
    "neighbours",
    "recalibrators",
    "simulate",
]

"""Calibration errors as a metric of Hugging Face's evaluate.

``evaluate.load(calipers.huggingface.__file__)`` copies this file, as it does with every metric, and
makes one of the class in it.
"""

from __future__ import annotations

from typing import Any

import evaluate
from datasets import Features, Sequence, Value

import calipers
from calipers._names import named_numbers

__all__ = ["CalibrationError"]

DESCRIPTION = """
How far predicted probabilities are from the truth: calibration errors, estimated by cross-fitted
recalibrators, with lower confidence bounds.
"""

INPUTS = """
Args:
    predictions: probabilities, one a class, or one number for class 1.
    references: the observed classes, as whole numbers or as words.
    **options: those of calipers.evaluate, such as metrics=["l1", "top-l1"].
Returns:
    calipers_l1, calipers_l1_lower and so on for each metric.
"""

CITATION = """
Berta, Braun, Holzmueller, Bach and Jordan: A Variational Estimator for Lp Calibration Errors
"""


class CalibrationError(evaluate.Metric):  # type: ignore[misc]
    """What :func:`evaluate.load` makes of this file."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            # Words would be taken for numbers, and numbers cannot be words: numbers come first.
            features=[
                Features({"predictions": predicted, "references": Value(observed)})
                for predicted in (Sequence(Value("float64")), Value("float64"))
                for observed in ("int64", "string")
            ],
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, float]:
        return named_numbers(calipers.evaluate(references, predictions, **options))

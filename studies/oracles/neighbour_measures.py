"""Measures as they are written, such as `top-ece:bins=10,p=2`, and their values by the twins."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.oracles import neighbour_twins as twins
from studies.oracles.neighbour_cases import Case
from studies.oracles.neighbour_twins import Result

TWINS: dict[str, Callable[..., Result]] = {
    "ece": twins.ece,
    "debiased": twins.debiased,
    "sweep": twins.sweep,
    "smooth": twins.smooth,
    "kernel": twins.kernel,
    "skce": twins.skce,
    "corp": twins.corp,
    "kuiper": twins.kuiper,
    "kolmogorov-smirnov": twins.kolmogorov_smirnov,
    "hosmer-lemeshow": twins.hosmer_lemeshow,
    "spiegelhalter": twins.spiegelhalter,
    "cox": twins.cox,
}
VECTOR_TWINS: dict[str, Callable[..., Result]] = {
    "kernel": twins.kernel_vector,
    "skce": twins.skce_vector,
}
SCOPES = ("top", "classwise", "marginal")
TESTS = ("kuiper", "kolmogorov-smirnov", "hosmer-lemeshow", "spiegelhalter", "cox")

PLAIN = (
    "ece",
    "ece:bins=10",
    "ece:p=2",
    "ece:p=inf",
    "ece:by=mass",
    "ece:bins=10,by=mass,p=2",
    "debiased",
    "debiased:bins=10",
    "sweep",
    "sweep:p=2",
    "smooth",
    "kernel",
    "kernel:p=2",
    "kernel:bandwidth=0.05",
    "skce",
    "skce:bandwidth=0.1",
    "corp",
    "corp:score=log",
    *TESTS,
    "hosmer-lemeshow:bins=5",
)
OF_EACH_CLASS = ("ece", "ece:p=2", "ece:by=mass", "debiased", "sweep", "smooth", "kernel", "skce")
VECTOR = ("kernel", "kernel:p=2", "kernel:bandwidth=0.1", "skce", "skce:bandwidth=0.1")


@dataclass(frozen=True)
class Measure:
    """A measure and its parameters."""

    text: str
    scope: str
    name: str
    params: dict[str, Any]

    @classmethod
    def read(cls, text: str) -> "Measure":
        """Read a measure."""
        head, _, tail = text.partition(":")
        first, _, rest = head.partition("-")
        scope, name = (first, rest) if first in SCOPES else ("", head)
        params: dict[str, Any] = {}
        for item in tail.split(",") if tail else ():
            key, _, value = item.partition("=")
            kind = {"bins": int, "by": str, "score": str}.get(key, float)
            params[key] = kind(value)
        return cls(text, scope, name, params)

    def power(self) -> float:
        """Return the power that errors of classes are averaged in."""
        return 2.0 if self.name == "debiased" else float(self.params.get("p", 1.0))


def measures(case: Case) -> list[Measure]:
    """Return what is measured on a case."""
    if case.classes == 2:
        texts = [*PLAIN, *(f"top-{name}" for name in ("ece", "debiased", "smooth", "kuiper"))]
    else:
        texts = [
            *VECTOR,
            *(f"top-{text}" for text in PLAIN),
            *(f"classwise-{text}" for text in (*OF_EACH_CLASS, "corp")),
            *(f"marginal-{text}" for text in ("ece:p=2", "ece:by=mass,p=2", "debiased")),
            "marginal-kernel:p=2",
        ]
    return [Measure.read(text) for text in texts]


def of_classes(measure: Measure, each: list[Result]) -> Result:
    """Return the mean over classes, or the mean of powers if it is marginal."""
    if measure.scope == "classwise":
        kept = ("value", "discrimination", "uncertainty", "score")
        return {key: float(np.mean([one[key] for one in each])) for key in kept if key in each[0]}
    if measure.name == "debiased":
        squared = float(np.mean([one["squared"] for one in each]))
        return {"value": math.sqrt(max(0.0, squared)), "squared": squared}
    p = measure.power()
    return {"value": float(np.mean([one["value"] ** p for one in each]) ** (1.0 / p))}


def twin(case: Case, measure: Measure) -> Result:
    """Return the twin's fields."""
    if not measure.scope and case.classes > 2:
        return VECTOR_TWINS[measure.name](case.probs, case.labels, **measure.params)
    each = [TWINS[measure.name](f, y, **measure.params) for f, y in case.scope(measure.scope)]
    return of_classes(measure, each) if measure.scope in ("classwise", "marginal") else each[0]

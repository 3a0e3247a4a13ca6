"""Calibration in the reports of skore: a metric, and a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from skore import Check, CheckNotApplicable

from calipers._distance import Distance
from calipers._errors import InputError
from calipers._evaluate import check_options, evaluate
from calipers._limits import as_limits
from calipers._names import name_of_metric
from calipers.sklearn import Scorer, scorer

__all__ = ["CalibrationCheck", "metric"]

# The options that depend on the rows.
OF_DATA = {
    *("class_names", "metrics", "sample_weight"),
    *("groups", "cluster", "time", "features"),
}


def metric(name: str | Distance = "l1", **options: Any) -> Error:
    """Return a metric for ``report.metrics.add(..., greater_is_better=False)``.

    Parameters
    ----------
    name : str or Distance, default "l1"
        The calibration error to estimate.
    **options
        Those of :func:`calipers.sklearn.scorer`.

    Returns
    -------
    callable
        ``metric(estimator, X, y)``: the error, called ``calipers_l1``.

    Examples
    --------
    >>> from calipers.skore import metric
    >>> metric("top-l1").__name__
    'calipers_top_l1'
    """
    made = scorer(name, **options)
    return Error(made.metric, made.options)


class Error(Scorer):
    """A calibration error: what a scorer has the negative of."""

    def __init__(self, metric: str | Distance, options: dict[str, Any]) -> None:
        super().__init__(metric, options)
        # skore calls a metric by the name of its function.
        self.__name__ = name_of_metric(metric if isinstance(metric, str) else metric.name)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Measure a fitted classifier on samples that it has not seen."""
        return -super().__call__(estimator, X, y, sample_weight)


class CalibrationCheck(Check):  # type: ignore[misc]
    """A check for ``report.checks.add``: whether an error is shown to be above its limit.

    As with ``calipers check``, only what the data show is an issue: a lower confidence bound above
    the limit. The models of a cross-validation are looked at one by one, each on the samples that
    were held out, with bounds that hold together.

    Parameters
    ----------
    max : dict of str to float
        The limits of metrics, as in ``{"l1": 0.02}``.
    **options
        Those of :func:`calipers.evaluate` that are not of single rows.

    Examples
    --------
    >>> from calipers.skore import CalibrationCheck
    >>> CalibrationCheck({"l1": 0.02}).title
    'Miscalibrated probabilities'
    """

    code = "CALIPERS"
    title = "Miscalibrated probabilities"
    report_types: ClassVar[list[str]] = ["estimator", "cross-validation"]
    docs_url = None
    severity = "issue"

    def __init__(self, max: Mapping[str, float], **options: Any) -> None:
        for taken in OF_DATA & options.keys():
            raise InputError(f"{taken}: a check is given rows by its report")
        self.max = as_limits(max)
        if not self.max:
            raise InputError("max: there are no limits; expected some, as in {'l1': 0.02}")
        # A limit is held against the bound, which needs neither the guess nor the p-value.
        self.options = {"best": False, "draws": 0, **options, "metrics": list(self.max)}
        check_options(self.options)

    def check_function(self, report: Any) -> str | None:
        """Hold the errors of a report against the limits."""
        if report.ml_task not in ("binary-classification", "multiclass-classification"):
            raise CheckNotApplicable(f"ML task is {report.ml_task}: there are no probabilities.")
        parts = getattr(report, "reports_", [report])
        found = []
        for place, part in enumerate(parts):
            where = f"split {place}: " if len(parts) > 1 else ""
            found += [where + line for line in self._above(part, len(parts))]
        return f"{'; '.join(found)}." if found else None

    def _above(self, report: Any, parts: int) -> Iterator[str]:
        """Iterate over what is shown to be above its limit, in words."""
        model = report.estimator_
        if not hasattr(model, "predict_proba"):
            raise CheckNotApplicable(f"{report.estimator_name_} has no predict_proba.")
        if report.X_test is None or report.y_test is None:
            raise CheckNotApplicable("Test data is unavailable.")
        confidence = self.options.get("confidence", 0.95)
        found = evaluate(
            report.y_test,
            model.predict_proba(report.X_test),
            **{**self.options, "confidence": 1 - (1 - confidence) / parts},
            class_names=model.classes_,
        )
        for (name, limit), one in zip(self.max.items(), found.values(), strict=True):
            if one.lower > limit:
                yield (
                    f"{name} is at least {one.lower:.4f} with {confidence:.0%} confidence, "
                    f"above the limit of {limit}"
                )

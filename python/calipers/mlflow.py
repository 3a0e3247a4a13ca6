"""Calibration errors in MLflow: an evaluator of classifiers, ``evaluators="calipers"``.

MLflow finds it by the entry point of the package. What it logs are metrics with their lower bounds,
the report as JSON, and the page of ``report.save_html``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from inspect import currentframe, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mlflow
import numpy as np
from mlflow.models import EvaluationArtifact, EvaluationResult, MetricThreshold
from mlflow.models.evaluation import ModelEvaluator
from mlflow.models.evaluation.artifacts import JsonEvaluationArtifact

from calipers._errors import InputError
from calipers._evaluate import OF_SOURCES, evaluate
from calipers._limits import as_limits
from calipers._names import PREFIX, name_of_metric, named_numbers
from calipers._report import Estimate, Report

__all__ = ["CalibrationEvaluator", "thresholds"]

# Settings that are one value a row, or the name of a column.
OF_ROWS = ("sample_weight", "groups", "cluster", "time")

# The settings of MLflow's own evaluators that mean the same here, and those that tell classes.
SYNONYMS = {"sample_weights": "sample_weight"}
THEIRS = ("label_list", "pos_label")

# Those that mean nothing here: without evaluators=, MLflow hands all evaluators the same settings.
OTHERS = {
    *("average", "col_mapping", "eval_results_mode", "eval_results_path", "ignore_exceptions"),
    *("log_explainer", "log_model_explainability", "max_classes_for_multiclass_roc_pr"),
    *("log_metrics_with_dataset_info", "explainability_algorithm", "explainability_nsamples"),
    *("explainability_kernel_link", "retriever_k"),
    *("calibration_classifier_name", "calibration_n_bins"),
}

# The settings of this evaluator, and the options of calipers.evaluate that it has no use for.
OWN = ("max", "metric_prefix", "probs")
UNUSED = {"y_true", "y_prob", *OF_SOURCES}

GIVEN = "given-features-"

PAGE, JSON = "calipers_report.html", "calipers_report.json"

LOG = logging.getLogger(__name__)


class PageArtifact(EvaluationArtifact):  # type: ignore[misc]
    """A page of HTML."""

    def _save(self, output_artifact_path: str) -> None:
        Path(output_artifact_path).write_text(self._content, encoding="utf-8")

    def _load_content_from_file(self, local_artifact_path: str) -> str:
        return Path(local_artifact_path).read_text(encoding="utf-8")


class CalibrationEvaluator(ModelEvaluator):  # type: ignore[misc]
    """What ``mlflow.models.evaluate(..., evaluators="calipers")`` runs.

    ``evaluator_config`` may hold the options of :func:`calipers.evaluate`, of which
    ``sample_weight``, ``groups``, ``cluster`` and ``time`` may be names of columns of the data, and
    ``features`` a list of them; and

    probs : str or list of str
        The columns of probabilities in the data, or in what the model returns.
    max : dict of str to float
        Limits, as those of ``calipers check``: without ``metrics``, these errors alone are
        measured. ``calipers_limits_exceeded`` says how many lower bounds are above theirs, within
        groups, too.
    metric_prefix : str
        What the names of the metrics and artifacts begin with; with a slash, artifacts are in a
        folder.
    pos_label
        The class that a single column is of.
    label_list : list
        The classes, which columns without names are of in sorted order.

    Where calipers was not asked for, because ``evaluators`` was not given, nothing of this stops an
    evaluation: what is not understood is left out, with a warning.
    """

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Any, **kwargs: Any) -> bool:
        """Tell whether it is about a classifier."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        model_type: str,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any] | None,
        model: Any = None,
        predictions: str | None = None,
        **kwargs: Any,
    ) -> EvaluationResult | None:
        """Estimate, and log what was found.

        Returns
        -------
        EvaluationResult or None
            The metrics and artifacts; None, with a warning, if there are no probabilities, or if
            something is wrong and calipers was not asked for.
        """
        asked = _is_asked_for(evaluator_config)
        try:
            config = _settings(evaluator_config or {}, asked)
            limits = as_limits(config.pop("max", {}))
            prefix = config.pop("metric_prefix", None) or ""
            report = _measured(config, limits, dataset, model, predictions)
            metrics = {} if report is None else _metrics(report, limits)
        except InputError as error:
            if asked:
                raise
            LOG.warning("calipers: nothing is measured: %s", error)
            return None
        if report is None:
            # No error: MLflow runs every evaluator that is installed unless some are named.
            LOG.warning(
                "calipers: there are no probabilities to measure: the model, or the column of "
                "predictions, has classes; log the model with pyfunc_predict_fn='predict_proba', "
                "or name columns of probabilities: evaluator_config={'probs': [...]}"
            )
            return None
        metrics = {prefix + name: value for name, value in metrics.items()}
        mlflow.log_metrics(metrics, run_id=run_id)
        return EvaluationResult(metrics, _artifacts(report, run_id, prefix), run_id)


def thresholds(max: Mapping[str, float], metric_prefix: str = "") -> dict[str, MetricThreshold]:
    """Return limits as MLflow has them: lower bounds may not be above.

    Parameters
    ----------
    max : dict of str to float
        The limits of metrics, as in ``{"l1": 0.02}``.
    metric_prefix : str, default ""
        That of the evaluation.

    Returns
    -------
    dict of str to mlflow.models.MetricThreshold
        For ``mlflow.validate_evaluation_results``, which raises an exception if the data show
        that an error is above its limit.

    Examples
    --------
    >>> from calipers.mlflow import thresholds
    >>> {name: one.threshold for name, one in thresholds({"top-l1": 0.02}).items()}
    {'calipers_top_l1_lower': 0.02}
    """
    return {
        f"{metric_prefix}{name_of_metric(name)}_lower": MetricThreshold(
            threshold=limit, greater_is_better=False
        )
        for name, limit in as_limits(max).items()
    }


def _is_asked_for(config: Any) -> bool:
    """Tell whether this evaluator was named, or settings are its own.

    MLflow does not say. But what it runs are the evaluators that were named, or all there are, and
    then those without settings of their own have the same, which are anyone's.
    """
    frame = currentframe()
    while frame is not None:
        if frame.f_code.co_name == "_evaluate" and "evaluators" in frame.f_locals:
            run = frame.f_locals["evaluators"]
            return len(run) == 1 or (
                bool(config) and sum(other.config is config for other in run) == 1
            )
        frame = frame.f_back
    return True


def _settings(given: Mapping[str, Any], asked: bool) -> dict[str, Any]:
    """Return the settings that are meant for this evaluator; what nobody knows is refused.

    Or left out, where it may be for somebody else.
    """
    known = {*signature(evaluate).parameters, *OWN, *THEIRS} - (UNUSED - set(OWN))
    config = {}
    for name, value in given.items():
        if name in OTHERS:
            continue
        own = SYNONYMS.get(name, name)
        if own not in known:
            listed = ", ".join(sorted(known))
            text = f"evaluator_config: there is no setting {name!r}, but {listed}"
            if asked:
                raise InputError(text)
            LOG.warning("calipers: left out: %s", text)
        elif value is not None:
            config[own] = value
    return config


def _measured(
    config: dict[str, Any],
    limits: Mapping[str, float],
    dataset: Any,
    model: Any,
    predictions: str | None,
) -> Report | None:
    """Estimate; None if there are no probabilities."""
    names = config.pop("probs", None)
    y_prob, classes = _probabilities(dataset, model, names or predictions)
    theirs = {name: config.pop(name, None) for name in THEIRS}
    labels = dataset.labels_data
    if y_prob is None or (not config.get("from_logits") and _are_classes(y_prob, labels, theirs)):
        return None
    if classes is not None:
        config["class_names"] = _of_model(classes, config.get("class_names"), theirs["label_list"])
    elif not _is_named(y_prob, labels):
        found = _of_columns(np.shape(y_prob), **theirs)
        if found is not None:
            config.setdefault("class_names", found)
    if limits:
        given = config.get("metrics", ())
        asked = [given] if isinstance(given, str) else [*given]
        limited = [name.removeprefix(GIVEN) for name in limits]
        config["metrics"] = list(dict.fromkeys([*asked, *limited]))
    return evaluate(labels, y_prob, **_columns(config, dataset.features_data))


def _are_classes(y_prob: Any, labels: Any, theirs: Mapping[str, Any]) -> bool:
    """Tell whether a single column has labels: those that are numbers are predicted as such."""
    known, values = np.asarray(labels), np.asarray(y_prob)
    if known.dtype.kind not in "biuf" or values.dtype.kind != "f" or values.size != len(values):
        return False
    also = [] if theirs["label_list"] is None else theirs["label_list"]
    return bool((values % 1 == 0).all() and np.isin(values, np.union1d(known, also)).all())


def _of_model(classes: Any, class_names: Any, label_list: Any) -> Any:
    """Return the classes of a model's columns, in the order that only the model knows."""
    if label_list is not None and set(label_list) != set(classes):
        given, own = (np.asarray(some).tolist() for some in (label_list, classes))
        raise InputError(f"label_list: {given} are not the classes of the model, {own}")
    # Other names for the same columns.
    renamed = class_names is not None and set(class_names) != set(classes)
    return class_names if renamed else classes


def _is_named(y_prob: Any, labels: Any) -> bool:
    """Tell whether columns are named after classes; a single one may have any other name."""
    names = list(getattr(y_prob, "columns", ()))
    if len(names) == 1:
        return str(names[0]).rpartition("_")[2] in map(str, np.asarray(labels).tolist())
    return bool(names) and all(isinstance(name, str) for name in names)


def _of_columns(shape: tuple[int, ...], label_list: Any, pos_label: Any) -> Any:
    """Return the classes of columns without names, as MLflow has them."""
    if pos_label is not None and (len(shape) == 1 or shape[1] == 1):
        return [pos_label]
    return None if label_list is None else np.sort(np.asarray(label_list))


def _probabilities(dataset: Any, model: Any, names: Any) -> tuple[Any, Any]:
    """Return the probabilities and the classes of their columns, as far as they are known."""
    if model is not None:
        raw = _raw(model)
        if hasattr(raw, "predict_proba"):
            return raw.predict_proba(_inputs(raw, dataset)), getattr(raw, "classes_", None)
        found = model.predict(dataset.features_data)
        return _matrix(found if names is None else _taken(found, names)), None
    if names is not None:
        return _matrix(_taken(dataset.features_data, names)), None
    if dataset.has_predictions:
        return _matrix(dataset.predictions_data), None
    raise InputError(
        "there are no predictions: name their column, predictions='p', or several, "
        "evaluator_config={'probs': ['p_cat', 'p_dog']}"
    )


def _raw(model: Any) -> Any:
    """Return the model that MLflow wraps, if there is one."""
    try:
        return model.get_raw_model()
    except (AttributeError, NotImplementedError):
        return None


def _inputs(raw: Any, dataset: Any) -> Any:
    """Return what the model learnt from: weights, groups and the like may stand beside it."""
    data, names = dataset.features_data, getattr(raw, "feature_names_in_", None)
    if names is None or not hasattr(data, "columns") or not set(names) <= set(data.columns):
        return data
    return data[list(names)]


def _matrix(found: Any) -> Any:
    """Return the probabilities of a table, of rows or of lists; None if they are classes."""
    if hasattr(found, "columns"):
        only = len(found.columns) == 1
        return None if only and _matrix(np.asarray(found)[:, 0]) is None else found
    values = np.asarray(found)
    if values.dtype == object and len(values) and np.ndim(values[0]) == 1:
        values = np.array([np.asarray(row, dtype=float) for row in values])
    return values if np.issubdtype(values.dtype, np.floating) else None


def _columns(config: dict[str, Any], data: Any) -> dict[str, Any]:
    """Put columns of the data in the place of their names."""
    for name in OF_ROWS:
        if isinstance(config.get(name), str):
            config[name] = _taken(data, config[name])
    features = config.get("features")
    if isinstance(features, (list, tuple)) and all(isinstance(one, str) for one in features):
        config["features"] = _taken(data, list(features))
    return config


def _taken(data: Any, names: str | list[str]) -> Any:
    """Return columns of a table."""
    there = list(getattr(data, "columns", ()))
    for name in [names] if isinstance(names, str) else names:
        if name not in there:
            listed = ", ".join(map(repr, there)) or "there are no names"
            raise InputError(f"there is no column {name!r} to be had here, but {listed}")
    return data[names if isinstance(names, str) else list(names)]


def _estimates(report: Report) -> dict[str, Estimate]:
    """Return the errors, also those given features, by their names."""
    found = dict(report.items())
    if report.given_features is not None:
        found |= {GIVEN + name: one for name, one in report.given_features.estimates.items()}
    return found


def _metrics(report: Report, limits: Mapping[str, float]) -> dict[str, float]:
    """Return everything that is logged."""
    metrics = named_numbers(_estimates(report))
    if limits:
        above = [lower > limits[name] for name, lower in _held(report, limits)]
        metrics[f"{PREFIX}limits_exceeded"] = float(sum(above))
    return metrics


def _held(report: Report, limits: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Iterate over the lower bounds that are held against limits, those of groups, too."""
    found = _estimates(report)
    for name in limits:
        if name not in found:
            raise InputError(f"max: {name}: was not measured, but {', '.join(found)}")
        yield name, found[name].lower
        for group in (report.groups or {}).values():
            if group.estimates is not None and name in group.estimates:
                yield name, group.estimates[name].lower


def _artifacts(report: Report, run_id: str, prefix: str) -> dict[str, EvaluationArtifact]:
    """Log the page and the report, and return both."""
    where, slash, start = prefix.rpartition("/")
    with TemporaryDirectory() as folder:
        page, text = Path(folder) / f"{start}{PAGE}", Path(folder) / f"{start}{JSON}"
        about = mlflow.get_run(run_id).info
        report.save_html(page, about.run_name or run_id)
        text.write_text(report.to_json(), encoding="utf-8")
        for path in (page, text):
            mlflow.log_artifact(str(path), where or None, run_id=run_id)
        address = f"{about.artifact_uri}/{where}{slash}"
        shown = PageArtifact(f"{address}{page.name}", page.read_text(encoding="utf-8"))
        kept = JsonEvaluationArtifact(f"{address}{text.name}", report.to_dict())
        return {f"{prefix}{PAGE}": shown, f"{prefix}{JSON}": kept}

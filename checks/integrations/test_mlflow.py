"""The evaluator in MLflow itself, which keeps what it is told in a database of this machine."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mlflow
import numpy as np
import pandas as pd
import pytest
from mlflow.exceptions import MlflowException
from mlflow.models import EvaluationResult, MetricThreshold
from mlflow.models.evaluation import list_evaluators
from mlflow.models.evaluation.validation import ModelValidationFailedException
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import calipers
from calipers.mlflow import thresholds
from checks.integrations.pages import examples_that_run

X, Y = make_classification(
    1500, n_classes=3, n_informative=6, n_redundant=10, class_sep=0.7, random_state=0
)
WORDS = np.array(["ant", "bee", "cow"])
TABLE = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
TRAIN, TEST = TABLE[:700], TABLE[700:].assign(y=WORDS[Y[700:]], weight=1.0 + (X[700:, 0] > 0))


@pytest.fixture(autouse=True)
def run(tmp_path: Path) -> Iterator[mlflow.ActiveRun]:
    """Start a run in a store of its own."""
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.create_experiment("trial", artifact_location=f"file://{tmp_path}/artifacts")
    mlflow.set_experiment("trial")
    with mlflow.start_run() as run:
        yield run


@pytest.fixture
def binary() -> pd.DataFrame:
    y, p = calipers.simulate("binary-overconfident", 2000, seed=0)
    sites = np.where(np.arange(len(y)) % 2 == 0, "north", "south")
    return pd.DataFrame({"y": y, "p": p[:, 1], "weight": 1.0 + 9 * y, "site": sites})


def evaluated(data: pd.DataFrame, model: object = None, **settings: object) -> EvaluationResult:
    predictions = settings.pop("predictions", None)
    return mlflow.models.evaluate(
        model,
        data,
        targets="y",
        predictions=predictions,
        model_type="classifier",
        evaluators="calipers",
        evaluator_config=settings,
    )


def test_mlflow_finds_it_by_itself() -> None:
    assert "calipers" in list_evaluators()


def test_it_is_found_where_it_is_imported_first() -> None:
    # Its import is what makes MLflow look for evaluators, and it must have ended by then.
    code = """
import calipers.mlflow
from mlflow.models.evaluation import list_evaluators
print("calipers" in list_evaluators())
"""
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert found.stdout.strip() == "True"


def test_a_column_of_predictions(binary: pd.DataFrame, run: mlflow.ActiveRun) -> None:
    result = evaluated(binary, predictions="p")
    report = calipers.evaluate(binary["y"], binary["p"])
    expected = {}
    for name, one in report.items():
        expected |= {
            f"calipers_{name}": one.value,
            f"calipers_{name}_stderr": one.stderr,
            f"calipers_{name}_lower": one.lower,
            f"calipers_{name}_best": one.best,
            f"calipers_{name}_interval_low": one.interval_low,
            f"calipers_{name}_interval_high": one.interval_high,
            f"calipers_{name}_p_value": one.p_value,
        }
    assert result.metrics == expected
    assert mlflow.get_run(run.info.run_id).data.metrics == expected


def test_runs_are_found_by_their_bounds(binary: pd.DataFrame, run: mlflow.ActiveRun) -> None:
    # By the older name of the function, which is still there.
    result = mlflow.evaluate(
        data=binary,
        targets="y",
        predictions="p",
        model_type="classifier",
        evaluators="calipers",
        evaluator_config={"metrics": "top-l1"},
    )
    lower = result.metrics["calipers_top_l1_lower"]
    for limit, expected in ((lower - 0.001, [run.info.run_id]), (lower + 0.001, [])):
        filtered = f"metrics.calipers_top_l1_lower > {limit}"
        found = mlflow.search_runs(filter_string=filtered, output_format="list")
        assert [one.info.run_id for one in found] == expected


def test_the_page_and_the_report_are_artifacts(
    binary: pd.DataFrame, run: mlflow.ActiveRun, tmp_path: Path
) -> None:
    result = evaluated(binary, predictions="p", metrics="l1", seed=3)
    report = calipers.evaluate(binary["y"].to_numpy(), binary["p"].to_numpy(), "l1", seed=3)
    address = f"runs:/{run.info.run_id}/calipers_report"
    page = Path(mlflow.artifacts.download_artifacts(f"{address}.html")).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert f"{report['l1'].value:.4f}" in page
    # It is called what MLflow calls the run, which is what one looks for among many.
    assert f"<bdi>{run.info.run_name}</bdi>" in page
    assert page == result.artifacts["calipers_report.html"].content
    text = mlflow.artifacts.load_text(f"{address}.json")
    assert text == report.to_json()
    # What was found can be kept beside MLflow, too.
    result.save(tmp_path / "kept")
    again = EvaluationResult.load(tmp_path / "kept")
    assert again.metrics == result.metrics
    assert again.artifacts["calipers_report.html"].content == page
    assert again.artifacts["calipers_report.json"].content == report.to_dict()


def test_a_logged_model_is_asked_for_probabilities() -> None:
    model = GaussianNB().fit(TRAIN, WORDS[Y[:700]])
    logged = mlflow.sklearn.log_model(model, name="model", pip_requirements=[])
    result = evaluated(TEST, logged.model_uri, metrics=["l1", "top-l1"], sample_weight="weight")
    report = calipers.evaluate(
        TEST["y"],
        model.predict_proba(TEST[TRAIN.columns]),
        ["l1", "top-l1"],
        class_names=model.classes_,
        sample_weight=TEST["weight"],
    )
    assert result.metrics["calipers_l1_lower"] == report["l1"].lower
    assert result.metrics["calipers_top_l1"] == report["top-l1"].value
    kept = mlflow.get_logged_model(logged.model_id).metrics
    assert {one.key: one.value for one in kept} == result.metrics


def test_a_function_or_a_wrapped_model_returns_probabilities() -> None:
    model = GaussianNB().fit(TRAIN, WORDS[Y[:700]])
    expected = calipers.calibration_error(TEST["y"], model.predict_proba(TEST[TRAIN.columns]))
    data = TEST.drop(columns="weight")

    def table(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame(model.predict_proba(rows), columns=["p_ant", "p_bee", "p_cow"])

    assert evaluated(data, table, metrics="l1").metrics["calipers_l1"] == expected.value
    # More columns than those of probabilities: they are named.
    result = evaluated(
        data,
        lambda rows: table(rows).assign(class_=model.predict(rows)),
        metrics="l1",
        probs=["p_ant", "p_bee", "p_cow"],
    )
    assert result.metrics["calipers_l1"] == expected.value

    class Wrapped(mlflow.pyfunc.PythonModel):
        def predict(
            self, context: object, model_input: pd.DataFrame, params: dict | None = None
        ) -> np.ndarray:
            return model.predict_proba(model_input)

    logged = mlflow.pyfunc.log_model(name="wrapped", python_model=Wrapped(), pip_requirements=[])
    result = evaluated(data, logged.model_uri, metrics="l1", label_list=list(WORDS))
    assert result.metrics["calipers_l1"] == expected.value


def test_columns_of_predictions_and_a_column_of_lists() -> None:
    found = GaussianNB().fit(TRAIN, WORDS[Y[:700]]).predict_proba(TEST[TRAIN.columns])
    expected = calipers.calibration_error(TEST["y"], found)
    columns = [f"p_{word}" for word in WORDS]
    data = pd.DataFrame(found, columns=columns).assign(y=TEST["y"].to_numpy(), p=list(found))
    several = evaluated(data, metrics="l1", probs=columns)
    lists = evaluated(data, metrics="l1", predictions="p")
    assert several.metrics["calipers_l1"] == lists.metrics["calipers_l1"] == expected.value


def test_columns_of_the_data_by_name(binary: pd.DataFrame) -> None:
    result = evaluated(
        binary,
        predictions="p",
        metrics="l1",
        sample_weight="weight",
        groups="site",
        features=["site"],
    )
    report = calipers.evaluate(
        binary["y"].to_numpy(),
        binary["p"].to_numpy(),
        "l1",
        sample_weight=binary["weight"],
        groups=binary["site"],
        features=binary[["site"]],
    )
    assert result.metrics["calipers_l1_lower"] == report["l1"].lower
    given = report.given_features["l1"]
    assert result.metrics["calipers_given_features_l1_lower"] == given.lower
    assert result.artifacts["calipers_report.json"].content == report.to_dict()


@pytest.mark.parametrize(
    ("limit", "passes"), [(0.05, False), (0.115, True), (0.2, True)], ids=["low", "open", "high"]
)
def test_limits_are_those_of_check(binary: pd.DataFrame, limit: float, passes: bool) -> None:
    limits = {"l1": limit}
    result = evaluated(binary, predictions="p", max=limits)
    # Only what the data show counts: the estimate may be above, as it is in the second case.
    assert result.metrics["calipers_l1"] > 0.115
    assert result.metrics["calipers_limits_exceeded"] == float(not passes)
    assert (result.metrics["calipers_l1_lower"] <= limit) == passes
    assert "calipers_brier" not in result.metrics
    counted = {"calipers_limits_exceeded": MetricThreshold(threshold=0, greater_is_better=False)}
    for held in (thresholds(limits), counted):
        if passes:
            mlflow.validate_evaluation_results(held, result)
        else:
            with pytest.raises(ModelValidationFailedException, match="calipers_l"):
                mlflow.validate_evaluation_results(held, result)


def test_groups_are_held_to_the_limits_too(binary: pd.DataFrame) -> None:
    # One site gets what is calibrated: the whole stays below a limit, and the other does not.
    north = binary["site"] == "north"
    labels = np.random.default_rng(0).uniform(size=len(binary)) < binary["p"]
    data = binary.assign(y=np.where(north, labels, binary["y"]).astype(int))
    whole = evaluated(data, predictions="p", max={"l1": 0.07}).metrics
    held = evaluated(data, predictions="p", max={"l1": 0.07}, groups="site").metrics
    assert whole["calipers_limits_exceeded"] == 0
    assert held["calipers_limits_exceeded"] == 1


def test_two_evaluations_in_a_run(binary: pd.DataFrame, run: mlflow.ActiveRun) -> None:
    for prefix in ("train_", "test_"):
        result = evaluated(binary, predictions="p", metrics="l1", metric_prefix=prefix)
        mlflow.validate_evaluation_results(thresholds({"l1": 0.2}, prefix), result)
    logged = mlflow.get_run(run.info.run_id).data.metrics
    assert logged["train_calipers_l1"] == logged["test_calipers_l1"]
    names = {one.path for one in mlflow.artifacts.list_artifacts(run_id=run.info.run_id)}
    assert {"train_calipers_report.html", "test_calipers_report.html"} <= names


def test_a_prefix_may_be_a_folder(
    binary: pd.DataFrame, run: mlflow.ActiveRun, tmp_path: Path
) -> None:
    result = evaluated(binary, predictions="p", metrics="l1", metric_prefix="val/late_")
    assert result.metrics["val/late_calipers_l1"] > 0.1
    text = mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/val/late_calipers_report.html")
    page = result.artifacts["val/late_calipers_report.html"]
    assert text == page.content
    result.save(tmp_path / "kept")
    again = EvaluationResult.load(tmp_path / "kept")
    assert again.artifacts["val/late_calipers_report.html"].content == text


def test_it_runs_beside_mlflows_own_where_no_evaluator_is_named() -> None:
    model = GaussianNB().fit(TRAIN, WORDS[Y[:700]])
    logged = mlflow.sklearn.log_model(model, name="model", pip_requirements=[])
    result = mlflow.models.evaluate(
        logged.model_uri,
        TEST.drop(columns="weight"),
        targets="y",
        model_type="classifier",
        evaluator_config={"log_model_explainability": False, "average": "macro"},
    )
    assert {"accuracy_score", "log_loss", "calipers_l1", "calipers_l1_lower"} <= set(result.metrics)


def unnamed(data: pd.DataFrame, **settings: object) -> EvaluationResult:
    """Evaluate with whatever is installed, and settings that are for any of it."""
    classes = settings.pop("classes", None)
    model = GaussianNB().fit(TRAIN, WORDS[Y[:700]] if classes is None else classes)
    logged = mlflow.sklearn.log_model(model, name="model", pip_requirements=[])
    return mlflow.models.evaluate(
        logged.model_uri,
        data,
        targets="y",
        model_type="classifier",
        evaluator_config={"log_model_explainability": False, **settings},
    )


def test_settings_of_others_stop_nothing(caplog: pytest.LogCaptureFixture) -> None:
    two = (Y > 0).astype(int)
    data = TABLE[700:].assign(y=two[700:])
    others = {"pos_label": 1, "retriever_k": 3, "calibration_n_bins": 5}
    with caplog.at_level(logging.WARNING, logger="calipers"):
        plain = unnamed(data, classes=two[:700], **others)
        assert "calipers" not in caplog.text
        # Of an evaluator that is not here.
        found = unnamed(data, classes=two[:700], colour="red")
    assert "left out: evaluator_config: there is no setting 'colour'" in caplog.text
    for name in ("accuracy_score", "calipers_l1"):
        assert found.metrics[name] == plain.metrics[name]


def test_what_is_wrong_stops_nothing_where_nobody_asked(caplog: pytest.LogCaptureFixture) -> None:
    data = TEST.drop(columns="weight")
    with caplog.at_level(logging.WARNING, logger="calipers"):
        result = unnamed(data, folds=1)
    assert "nothing is measured: " in caplog.text
    assert "accuracy_score" in result.metrics
    assert "calipers_l1" not in result.metrics


def test_settings_under_its_name_are_its_own(binary: pd.DataFrame) -> None:
    with pytest.raises(calipers.InputError, match="there is no setting 'colour'"):
        mlflow.models.evaluate(
            data=binary.assign(p=binary["p"].round()),
            targets="y",
            predictions="p",
            model_type="classifier",
            evaluator_config={
                "default": {"log_model_explainability": False},
                "calipers": {"colour": "red"},
            },
        )


@pytest.mark.parametrize("order", [["ant", "bee", "cow"], ["cow", "ant", "bee"]])
def test_a_list_of_labels_swaps_nothing(order: list[str]) -> None:
    model = GaussianNB().fit(TRAIN, WORDS[Y[:700]])
    found = model.predict_proba(TEST[TRAIN.columns])
    expected = calipers.calibration_error(TEST["y"], found, class_names=WORDS).value
    data = TEST.drop(columns="weight")
    logged = mlflow.sklearn.log_model(model, name="model", pip_requirements=[])
    for one in (logged.model_uri, lambda rows: found):
        result = evaluated(data, one, metrics="l1", label_list=order)
        assert result.metrics["calipers_l1"] == expected
    # Columns may have names, which say their order.
    table = pd.DataFrame(found[:, ::-1], columns=WORDS[::-1])
    turned = calipers.calibration_error(TEST["y"].to_numpy(), table)
    result = evaluated(data, lambda rows: table, metrics="l1", label_list=order)
    assert result.metrics["calipers_l1"] == turned.value
    result = evaluated(data, logged.model_uri, metrics="l1", class_names=order)
    assert result.metrics["calipers_l1"] == expected
    with pytest.raises(calipers.InputError, match=r"label_list: \['ant', 'dog'\] are not the"):
        evaluated(data, logged.model_uri, metrics="l1", label_list=["ant", "dog"])


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_a_single_column_is_of_the_positive_label(binary: pd.DataFrame, positive: str) -> None:
    data = binary.assign(y=np.where(binary["y"] == 1, "yes", "no"))
    other = "no" if positive == "yes" else "yes"
    expected = calipers.calibration_error(
        data["y"].to_numpy(), binary["p"].to_numpy(), class_names=[other, positive]
    ).value
    for settings in ({"predictions": "p"}, {"probs": ["p"]}):
        result = evaluated(data, metrics="l1", pos_label=positive, **settings)
        assert result.metrics["calipers_l1"] == expected
    # What is called after a class is of that class.
    named = evaluated(
        data.rename(columns={"p": f"p_{other}"}).assign(p_other=0.5),
        metrics="l1",
        pos_label=positive,
        probs=[f"p_{other}"],
    )
    assert named.metrics["calipers_l1"] != expected


@pytest.mark.parametrize("of_model", [False, True])
def test_classes_may_be_whole_numbers(of_model: bool, caplog: pytest.LogCaptureFixture) -> None:
    classes = Y[700:].astype(float)
    data = TABLE[700:].assign(y=Y[700:])
    settings = {"data": data.assign(found=classes), "predictions": "found"}
    if of_model:
        settings = {"data": data, "model": lambda rows: classes}
    with caplog.at_level(logging.WARNING, logger="calipers"):
        result = mlflow.models.evaluate(
            **settings,
            targets="y",
            model_type="classifier",
            evaluator_config={"log_model_explainability": False},
        )
    assert "there are no probabilities to measure" in caplog.text
    assert "accuracy_score" in result.metrics
    assert not [name for name in result.metrics if "calipers" in name]
    for column in (classes, WORDS[Y[700:]]):
        table = pd.DataFrame({"class": column})
        with pytest.raises(MlflowException, match="could not be evaluated"):
            evaluated(data, lambda rows, table=table: table)


def test_classes_are_no_probabilities_and_stop_nobody_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = LinearSVC().fit(TRAIN, WORDS[Y[:700]])
    logged = mlflow.sklearn.log_model(model, name="model", pip_requirements=[])
    data = TEST.drop(columns="weight")
    with caplog.at_level(logging.WARNING):
        result = mlflow.models.evaluate(
            logged.model_uri,
            data,
            targets="y",
            model_type="classifier",
            evaluator_config={"log_model_explainability": False},
        )
    assert "accuracy_score" in result.metrics
    assert not [name for name in result.metrics if "calipers" in name]
    assert "there are no probabilities to measure" in caplog.text
    with pytest.raises(MlflowException, match="could not be evaluated"):
        evaluated(data, logged.model_uri)


def test_an_infinite_error_is_logged(run: mlflow.ActiveRun) -> None:
    data = pd.DataFrame({"y": [0, 1] * 50, "p": [0.0, 0.5] * 49 + [1.0, 0.0]})
    result = evaluated(data, predictions="p", metrics=["brier", "log"])
    assert result.metrics["calipers_log"] == float("inf")
    # The store has no infinity, but its largest number.
    assert mlflow.get_run(run.info.run_id).data.metrics["calipers_log"] > 1e308


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"recalibrater": "isotonic"}, "there is no setting 'recalibrater', but .*recalibrator"),
        ({"label": "y"}, "there is no setting 'label'"),
        ({"max": {"l1": "low"}}, "max: l1: 'low' is not a number"),
        ({"max": {"l1": -1}}, "max: l1: -1 is not a number of at least 0"),
        ({"max": 0.02}, "max: 0.02; expected limits by metrics"),
        ({"max": {"ece": 0.02}}, 'unknown metric "ece"'),
        ({"max": {"l1.0": 0.02}}, "max: l1.0: was not measured, but l1"),
        ({"max": {"given-features-l1": 0.02}}, "max: given-features-l1: was not measured"),
        ({"sample_weight": "weights"}, "there is no column 'weights' .*'weight'"),
        ({"probs": ["p", "q"]}, "there is no column 'p' "),
    ],
)
def test_what_is_wrong_is_said(binary: pd.DataFrame, settings: dict, message: str) -> None:
    with pytest.raises(calipers.InputError, match=message):
        evaluated(binary, predictions="p", **settings)


def test_what_is_wrong_with_a_row_is_said(binary: pd.DataFrame) -> None:
    binary.loc[7, "p"] = 1.5
    with pytest.raises(calipers.InputError, match=r"1\.5") as raised:
        evaluated(binary, predictions="p")
    assert raised.value.row == 7


def test_data_without_predictions(binary: pd.DataFrame) -> None:
    with pytest.raises(calipers.InputError, match="there are no predictions: name their column"):
        evaluated(binary)


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The examples have MLflow where it is without settings, and write to the folder they run in.
    mlflow.end_run()
    mlflow.set_tracking_uri(None)
    monkeypatch.chdir(tmp_path)
    assert examples_that_run("mlflow") > 10

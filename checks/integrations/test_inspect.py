"""The metric in Inspect itself, which runs tasks with a model that says what it is told."""

import json
import math
import os
import random
import subprocess
import zipfile
from pathlib import Path

import pytest
from inspect_ai import Epochs, Task, eval, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import Metric, Score, Scorer, Target, accuracy, metric, scorer
from inspect_ai.scorer._metric import metric_create
from inspect_ai.solver import TaskState

import calipers
from calipers.inspect import calibration_error
from checks.integrations.pages import examples_that_run
from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "debug" / "calipers"))


@pytest.fixture(autouse=True)
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no tokens be counted: the table of them would be fetched from the network."""

    async def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(MockLLM, "_ensure_default_usage", nothing)


def answers(count: int, seed: int = 0, least: float = 0.5) -> list[tuple[float, bool]]:
    """Draw how sure a model is, and whether it is right: less often than it thinks."""
    chance = random.Random(seed)
    sure = [round(least + (1 - least) * chance.random(), 2) for _ in range(count)]
    return [(one, chance.random() < 0.1 + 0.7 * one) for one in sure]


def run(
    said: list[tuple[object, object]], folder: Path, *metrics: Metric, epochs: int = 1
) -> EvalLog:
    """Run a task whose model says how sure it is, and whether it will be right."""

    @scorer(metrics=[accuracy(), *metrics])
    def sure() -> Scorer:
        async def judge(state: TaskState, target: Target) -> Score:
            found = json.loads(state.output.completion)
            value = {True: "C", False: "I"}.get(found["right"], found["right"])
            metadata = {} if found["sure"] is None else {"confidence": found["sure"]}
            return Score(value=value, metadata=metadata)

        return judge

    texts = [json.dumps({"sure": one, "right": right}) for one, right in said]
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in texts]
    rows = len(said) // epochs
    task = Task(
        dataset=[Sample(id=row + 1, input=f"question {row}", target="yes") for row in range(rows)],
        scorer=sure(),
        epochs=Epochs(epochs, "mean") if epochs > 1 else None,
        name="trial",
    )
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = eval(task, model=model, display="none", log_dir=str(folder), max_samples=1)
    return log


def told(log: EvalLog) -> dict[str, float]:
    assert log.status == "success", log.error
    return {
        name: one.value
        for scores in log.results.scores
        for name, one in scores.metrics.items()
        if name.startswith("calipers_")
    }


def test_it_measures_confidences(tmp_path: Path) -> None:
    said = answers(300)
    log = run(said, tmp_path, calibration_error(["l1", "over-l1"], recalibrator="isotonic"))
    report = calipers.evaluate(
        [right for _, right in said],
        [sure for sure, _ in said],
        ["l1", "over-l1"],
        recalibrator="isotonic",
        binary="confidence",
    )
    assert report["l1"].lower > 0.05
    expected = {"calipers_left_out": 0.0}
    for name, one in (("calipers_l1", report["l1"]), ("calipers_over_l1", report["over-l1"])):
        expected |= {name: one.value, f"{name}_stderr": one.stderr}
        expected |= {f"{name}_lower": one.lower, f"{name}_p_value": one.p_value}
    assert told(log) == expected
    # What the file says is what was found.
    assert told(read_eval_log(log.location)) == expected


def test_epochs_of_a_sample_belong_together(tmp_path: Path) -> None:
    # Every sample four times, with the same answer: no more is known than of one epoch.
    said = answers(80)
    log = run(said * 4, tmp_path, calibration_error(), epochs=4)
    rows = [(sample.id, sample.scores["sure"]) for sample in log.samples]
    assert len(rows) == 320
    report = calipers.evaluate(
        [one.value == "C" for _, one in rows],
        [one.metadata["confidence"] for _, one in rows],
        "l1",
        cluster=[str(sample) for sample, _ in rows],
    )
    assert report.clusters == 80
    found = told(log)
    assert found["calipers_l1"] == report["l1"].value
    assert found["calipers_l1_lower"] == report["l1"].lower


def test_samples_without_a_confidence_are_left_out_and_counted(tmp_path: Path) -> None:
    said = answers(60)
    log = run([*said, (None, False), (None, True)], tmp_path, calibration_error())
    expected = calipers.calibration_error([right for _, right in said], [one for one, _ in said])
    assert told(log)["calipers_left_out"] == 2
    assert told(log)["calipers_l1"] == expected.value


def test_unscored_samples_do_not_count(tmp_path: Path) -> None:
    said = answers(60)
    log = run([*said, (0.9, math.nan)], tmp_path, calibration_error())
    expected = calipers.calibration_error([right for _, right in said], [one for one, _ in said])
    assert told(log)["calipers_l1"] == expected.value
    assert log.results.scores[-1].unscored_samples == 1


def test_a_low_limit_stops_nothing(tmp_path: Path) -> None:
    found = told(run(answers(3), tmp_path, calibration_error()))
    assert found.pop("calipers_left_out") == 0
    assert len(found) == 4
    assert all(math.isnan(value) for value in found.values())


def test_a_confidence_is_found_elsewhere(tmp_path: Path) -> None:
    said = answers(60)
    by_function = calibration_error(confidence=lambda one: 1 - one.score.metadata["confidence"])
    log = run(said, tmp_path, by_function)
    expected = calipers.calibration_error(
        [right for _, right in said], [1 - one for one, _ in said]
    )
    assert told(log)["calipers_l1"] == expected.value


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1.5, True), "sample 61: confidence 1.5 is no number from 0 to 1"),
        (("high", True), "sample 61: confidence 'high' is no number from 0 to 1"),
        ((0.5, "P"), "sample 61: score 'P' is neither right nor wrong"),
        ((0.5, 0.3), "sample 61: score 0.3 is neither right nor wrong"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, row: tuple[object, object], message: str) -> None:
    log = run([*answers(60), row], tmp_path, calibration_error())
    assert log.status == "error"
    assert message in log.error.message
    # The answers, which may have cost money, are in the log.
    assert len(read_eval_log(log.location).samples) == 61


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "ece"}, 'unknown metric "ece"'),
        ({"recalibrator": "isotonics"}, "isotonics"),
        ({"cluster": [1, 2]}, "cluster: of so many rows"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_runs(options: dict, message: str) -> None:
    with pytest.raises(calipers.InputError, match=message):
        calibration_error(**options)


def test_inspect_finds_it_by_its_name() -> None:
    made = metric_create("calipers/calibration_error", metrics="brier")
    assert made([]) | {"calipers_left_out": 0} == made([])
    assert "calipers_brier_lower" in made([])


def test_a_log_is_scored_again(tmp_path: Path) -> None:
    said = answers(60)
    log = run(said, tmp_path)
    assert told(log) == {}

    @metric
    def none_of_ours() -> Metric:
        return lambda scores: 0.0

    @scorer(metrics=[none_of_ours(), calibration_error()])
    def later() -> Scorer:
        async def judge(state: TaskState, target: Target) -> Score:
            found = json.loads(state.output.completion)
            return Score(value=found["right"], metadata={"confidence": found["sure"]})

        return judge

    again = score(log, later(), action="append", display="none")
    expected = calipers.calibration_error([right for _, right in said], [one for one, _ in said])
    assert told(again)["calipers_l1"] == expected.value


def test_a_log_is_an_archive_of_json(tmp_path: Path) -> None:
    # What docs/integrations/inspect.md and other readers of logs count on.
    log = run(answers(20), tmp_path, calibration_error())
    with zipfile.ZipFile(log.location) as archive:
        names = archive.namelist()
    assert "header.json" in names
    assert sum(name.startswith("samples/") for name in names) == 20


@pytest.mark.parametrize("epochs", [1, 2])
def test_the_command_reads_what_was_logged(tmp_path: Path, epochs: int) -> None:
    said = [*answers(200), *[(0.9, math.nan)] * epochs]
    log = run(said, tmp_path, epochs=epochs)
    rows = sorted((one.id, one.epoch, one.scores["sure"]) for one in log.samples)
    scored = [row for row in rows if row[2].value in ("C", "I")]
    report = calipers.evaluate(
        [one.value == "C" for *_, one in scored],
        [one.metadata["confidence"] for *_, one in scored],
        ["l1", "over-l1"],
        cluster=[str(sample) for sample, *_ in scored] if epochs > 1 else None,
        binary="confidence",
    )
    command = [COMMAND, "inspect", str(tmp_path), "--metric", "l1,over-l1", "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    found = json.loads(done.stdout)
    own = found["models"]["mockllm/model"]
    assert (own["n"], found["neither_right_nor_wrong"]) == (200, epochs)
    for name in ("l1", "over-l1"):
        assert own["metrics"][name]["value"] == report[name].value
        assert own["metrics"][name]["lower"] == report[name].lower


def test_too_sure_is_what_the_command_says_it_is(tmp_path: Path) -> None:
    # Below 1/2, "over-l1" of a class is about probabilities that are too low.
    said = [(0.4, row % 5 == 0) for row in range(300)] + answers(100, least=0.1)
    log = run(said, tmp_path, calibration_error(["over-l1", "under-l1"]))
    command = [COMMAND, "inspect", str(tmp_path), "--metric", "over-l1,under-l1"]
    done = subprocess.run(
        [*command, "--format", "json"], check=True, capture_output=True, text=True, timeout=300
    )
    metrics = json.loads(done.stdout)["models"]["mockllm/model"]["metrics"]
    found = told(log)
    assert found["calipers_over_l1_lower"] > 0.05
    assert found["calipers_under_l1_lower"] == 0
    for name in ("over-l1", "under-l1"):
        ours = f"calipers_{name.replace('-', '_')}"
        assert found[ours] == metrics[name]["value"]
        assert found[f"{ours}_lower"] == metrics[name]["lower"]


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert examples_that_run("inspect") > 10

"""What the harness for language models writes, and what `calipers lm-eval` makes of it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calipers
from checks.integrations.lm_eval_runs import QUIET, TASKS, run, write_tasks
from checks.pages import blocks
from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "debug" / "calipers"))
MODELS = ("org/first", "org/second")
METRICS = ("top-l1", "l1", "brier")

# Where one option is right, and the line says which.
CHOSEN = ("four_options", "some_options", "options_by_word", "mutual_information")


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run two models on all tasks; return the folder that the harness wrote to."""
    folder = tmp_path_factory.mktemp("lm_eval")
    write_tasks(folder / "tasks")
    for seed, model in enumerate(MODELS):
        run(folder / "tasks", folder / "output", list(TASKS), model, seed)
    return folder / "output"


def measured(*arguments: object) -> dict[str, Any]:
    command = [COMMAND, "lm-eval", *map(str, arguments), "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout)


def samples(output: Path, model: str, task: str) -> list[dict[str, Any]]:
    """Read what the harness kept of a task, in the order of the questions."""
    (path,) = (output / model.replace("/", "__")).glob(f"samples_{task}_2*.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(lines, key=lambda line: line["doc_id"])


def loglikelihoods(lines: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the right options, and the log-likelihoods, -inf where there is no option.

    Which option is right is asked of the question itself, of which the command knows nothing.
    """
    most = max(len(line["doc"]["choices"]) for line in lines)
    found = np.full((len(lines), most), -np.inf)
    for row, line in zip(found, lines, strict=True):
        count = len(line["doc"]["choices"])
        row[:count] = [float(one) for one, _ in line["filtered_resps"][:count]]
        # The harness judges in the same way.
        assert line["acc"] == float(row.argmax() == line["doc"]["answer"])
    return np.array([line["doc"]["answer"] for line in lines]), found


def softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("task", CHOSEN)
def test_the_numbers_are_those_of_python(output: Path, task: str) -> None:
    found = measured(output, "--task", task, "--metric", ",".join(METRICS))
    assert set(found["models"]) == set(MODELS)
    for model in MODELS:
        y, logits = loglikelihoods(samples(output, model, task))
        names = range(logits.shape[1])
        expected = calipers.evaluate(y, logits, METRICS, class_names=names, from_logits=True)
        told = found["models"][model]
        assert told["n"] == len(y) == (100 if task == "four_options" else 60)
        for name in METRICS:
            assert told["metrics"][name]["value"] == expected[name].value
            assert told["metrics"][name]["lower"] == expected[name].lower


@pytest.mark.parametrize("task", CHOSEN)
def test_the_numbers_are_those_of_a_softmax(output: Path, task: str) -> None:
    # By a smooth map: trees, which `auto` has for several classes, may split elsewhere where
    # the last bit of a probability is another.
    smooth = {"recalibrator": "temperature"}
    options = ["--metric", ",".join(METRICS), "--recalibrator", smooth["recalibrator"]]
    found = measured(output, "--task", task, *options)
    for model in MODELS:
        y, logits = loglikelihoods(samples(output, model, task))
        names = range(logits.shape[1])
        expected = calipers.evaluate(y, softmax(logits), METRICS, class_names=names, **smooth)
        for name in METRICS:
            told = found["models"][model]["metrics"][name]["value"]
            # Sums of 100 rows, whose probabilities may differ in the last bit.
            assert told == pytest.approx(expected[name].value, abs=1e-12)


def test_what_cannot_be_measured_is_named(output: Path) -> None:
    found = measured(output / "org__first")
    assert set(found["models"]) == {"org/first"}
    assert set(found["models"]["org/first"]["groups"]) == set(CHOSEN)
    assert {one["task"] for one in found["left_out"]} == set(TASKS) - set(CHOSEN)


def test_two_models_are_compared_on_the_same_questions(output: Path) -> None:
    found = measured(output, "--task", "four_options,some_options", "--metric", "top-l1")
    assert found["shared"] == 160
    (difference,) = found["differences"]
    first, second = (found["models"][model]["metrics"]["top-l1"]["value"] for model in MODELS)
    assert difference["value"] == pytest.approx(first - second, abs=1e-12)


def test_a_page_is_written(output: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    measured(output, "--task", "four_options", "-o", page)
    assert all(model in page.read_text(encoding="utf-8") for model in MODELS)


def test_the_harness_writes_what_is_read(output: Path) -> None:
    # What the reader counts on: where this fails, another version writes another format.
    (results,) = (output / "org__first").glob("results_*.json")
    found = json.loads(results.read_text(encoding="utf-8"))
    assert found["model_name"] == "org/first"
    assert found["configs"]["four_options"]["output_type"] == "multiple_choice"
    lines = samples(output, "org/first", "four_options")
    assert [line["doc_id"] for line in lines] == list(range(100))
    for line in lines:
        assert line["filter"] == "none"
        assert int(line["target"]) == line["doc"]["answer"]
        assert [greedy for _, greedy in line["filtered_resps"]] == ["False"] * 4
    assert len(samples(output, "org/first", "mutual_information")[0]["filtered_resps"]) == 8
    # A question once for each filter.
    assert len(samples(output, "org/first", "written_answer")) == 120


def test_the_page(tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "calipers").symlink_to(Path(COMMAND).resolve())
    places = [str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    settings = {**os.environ, **QUIET, "HF_HOME": str(tmp_path / "cache")}
    settings["PATH"] = os.pathsep.join(places)
    (block,) = blocks("lm-eval", "sh")
    asked, measured = block.splitlines()

    def typed(line: str) -> str:
        command = ["sh", "-ec", line]
        done = subprocess.run(
            command, cwd=tmp_path, env=settings, check=True, capture_output=True, text=True
        )
        return done.stdout

    # As the page has it, but for a model and tasks that are here.
    for seed, model in enumerate(("org/first-model", "org/second-model")):
        line = asked.replace("--model hf", "--model dummy").replace("org/model", model)
        line = line.replace("arc_easy,mmlu", "four_options,some_options")
        typed(f"{line} --include_path tasks --seed {seed}")
    (shown,) = blocks("lm-eval", "text")
    assert shown in typed(f"{measured} --metric top-l1")

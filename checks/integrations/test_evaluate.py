"""The metric of Hugging Face's evaluate, without a network."""

import json
import socket
from pathlib import Path

import evaluate
import numpy as np
import pytest

import calipers
from calipers import huggingface
from checks.integrations.pages import examples_that_run


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody speak to another machine."""

    def refused(*_: object) -> None:
        pytest.fail("something looked for another machine")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def metric() -> evaluate.EvaluationModule:
    return evaluate.load(huggingface.__file__)


def expected(
    y_true: np.ndarray, y_prob: np.ndarray, metrics: list[str], **options: object
) -> dict[str, float]:
    found = {}
    for name, one in calipers.evaluate(y_true, y_prob, metrics, **options).items():
        own = f"calipers_{name.replace('-', '_')}"
        found |= {
            own: one.value,
            f"{own}_stderr": one.stderr,
            f"{own}_lower": one.lower,
            f"{own}_best": one.best,
            f"{own}_interval_low": one.interval_low,
            f"{own}_interval_high": one.interval_high,
            f"{own}_p_value": one.p_value,
        }
    return found


@pytest.mark.parametrize("words", [False, True], ids=["numbers", "words"])
@pytest.mark.parametrize("columns", ["one", "all"])
def test_two_classes(metric: evaluate.EvaluationModule, columns: str, words: bool) -> None:
    y, p = calipers.simulate("binary-overconfident", 1000, seed=0)
    given = p if columns == "all" else p[:, 1]
    labels = np.array(["no", "yes"])[y] if words else y
    found = metric.compute(predictions=given, references=labels, metrics=["l1", "brier"])
    assert found == expected(y, p, ["l1", "brier"])


def test_many_classes_a_batch_at_a_time(metric: evaluate.EvaluationModule) -> None:
    y, p = calipers.simulate("multiclass-overconfident-3", 600, seed=0)
    for start in range(0, len(y), 100):
        part = slice(start, start + 100)
        metric.add_batch(predictions=p[part], references=y[part])
    assert metric.compute(metrics=["top-l1"], seed=3) == expected(y, p, ["top-l1"], seed=3)


def test_options_are_those_of_calipers(metric: evaluate.EvaluationModule) -> None:
    y, p = calipers.simulate("multiclass-overconfident-3", 600, seed=0)
    options = {"from_logits": True, "sample_weight": 1.0 + y, "class_names": ["a", "b", "c"]}
    logits = np.log(p) + 1
    found = metric.compute(predictions=logits, references=y, metrics=["l1"], **options)
    assert found == expected(y, logits, ["l1"], **options)


def test_what_is_found_can_be_saved(metric: evaluate.EvaluationModule, tmp_path: Path) -> None:
    y, p = calipers.simulate("binary-overconfident", 500, seed=0)
    found = metric.compute(predictions=p, references=y)
    evaluate.save(tmp_path, **found)
    (path,) = tmp_path.glob("*.json")
    kept = json.loads(path.read_text())
    assert found.items() <= kept.items()


def test_what_is_wrong_is_said(metric: evaluate.EvaluationModule) -> None:
    with pytest.raises(calipers.InputError, match=r"1\.5") as raised:
        metric.compute(predictions=[0.5] * 9 + [1.5], references=[0, 1] * 5)
    assert raised.value.row == 9
    with pytest.raises(calipers.InputError, match='unknown metric "ece"'):
        metric.compute(predictions=[0.5] * 10, references=[0, 1] * 5, metrics="ece")


def test_the_page() -> None:
    assert examples_that_run("evaluate") > 5

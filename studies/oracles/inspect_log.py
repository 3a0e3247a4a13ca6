"""Writes a log of Inspect, `crates/calipers-cli/tests/inspect/log.eval`.

Written with inspect-ai 0.3.285. Where that package is installed: `python
studies/oracles/inspect_log.py`. The log has the hour and random names within; what is measured of
it stays the same.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

LOG = Path(__file__).parents[2] / "crates" / "calipers-cli" / "tests" / "inspect" / "log.eval"
EPOCHS = 2


@scorer(metrics=[accuracy()])
def sure() -> Scorer:
    """Score what the model says of itself: whether it is right, and how sure it is."""

    async def judge(state: TaskState, target: Target) -> Score:
        said = json.loads(state.output.completion)
        value = {1: "C", 0: "I"}.get(said["right"], float("nan"))
        return Score(value=value, metadata={"confidence": said["sure"]})

    return judge


async def uncounted(*_: object) -> None:
    """Count no tokens: the table of them would be fetched from the network."""


def main() -> None:
    """Run ten questions twice; the last answer is scored as neither right nor wrong."""
    MockLLM._ensure_default_usage = uncounted
    rows = range(10 * EPOCHS)
    said = [{"sure": (50 + row * 7 % 50) / 100, "right": int(row % 3 > 0)} for row in rows]
    said[-1]["right"] = -1
    outputs = [ModelOutput.from_content("mockllm/model", json.dumps(one)) for one in said]
    task = Task(
        dataset=[Sample(id=row + 1, input=f"question {row}", target="yes") for row in range(10)],
        scorer=sure(),
        epochs=Epochs(EPOCHS, "mean"),
        name="sums",
    )
    model = get_model("mockllm/model", custom_outputs=[], memoize=False)
    model.api.outputs = iter(outputs)
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(task, model=model, display="none", log_dir=folder, max_samples=1)
        assert log.status == "success", log.error
        LOG.parent.mkdir(exist_ok=True)
        shutil.copy(log.location, LOG)


if __name__ == "__main__":
    main()

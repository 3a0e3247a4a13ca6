"""Runs of the language-model harness on tasks of our own, without a network or a real model.

The harness's dummy model draws log-likelihoods at random. They know nothing of the answers, so the
answers are drawn beforehand and the model is found wanting: all that is needed of the files is that
the harness has written them.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

QUIET = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

# Answers as positions; as positions among choices whose number differs; as words; several right at
# once; with the log-likelihoods of the choices alone; as beginnings to be told apart by one ending,
# where no position of the answer is written; as text, and by two filters; as one text.
TASKS = {
    "four_options": """
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}, {metric: brier_score}]
""",
    "some_options": """
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
""",
    "options_by_word": """
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: "{{choices[answer]}}"
metric_list: [{metric: acc}]
""",
    "several_right": """
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: answers
metric_list: [{metric: acc}]
""",
    "mutual_information": """
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_mutual_info}]
""",
    "one_ending": """
output_type: multiple_choice
doc_to_text: answer
doc_to_choice: "{{choices}}"
doc_to_target: "has that number"
metric_list: [{metric: acc}]
""",
    "written_answer": """
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{choices[answer]}}"
generation_kwargs: {until: ["."], do_sample: false}
filter_list:
  - name: strict
    filter: [{function: take_first}]
  - name: lowercase
    filter: [{function: lowercase}, {function: take_first}]
metric_list: [{metric: exact_match}]
""",
    "one_text": """
output_type: loglikelihood
doc_to_text: "{{question}}"
doc_to_target: "{{choices[answer]}}"
metric_list: [{metric: perplexity}, {metric: acc}]
""",
}


def write_tasks(folder: Path) -> None:
    """Write the tasks and their questions, each as the harness wants it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, task in TASKS.items():
        chance = random.Random(name)
        data = folder / f"{name}.jsonl"
        count = 100 if name == "four_options" else 60
        data.write_text("".join(_question(chance, name, row) for row in range(count)))
        (folder / f"{name}.yaml").write_text(
            f"task: {name}\ndataset_path: json\ndataset_kwargs:\n  data_files:\n    test: {data}\n"
            f"test_split: test\n{task.strip()}\nmetadata: {{version: 1.0}}\n"
        )


def run(folder: Path, output: Path, tasks: list[str], model: str, seed: int) -> None:
    """Run the harness's dummy model under a name, and keep what it has written in a folder."""
    options = {
        "--model": "dummy",
        "--model_args": f"pretrained={model}",
        "--include_path": folder,
        "--tasks": ",".join(tasks),
        "--output_path": output,
        "--seed": seed,
    }
    words = [str(word) for option in options.items() for word in option]
    subprocess.run(
        [sys.executable, "-m", "lm_eval", *words, "--log_samples"],
        env={**os.environ, **QUIET, "HF_HOME": str(folder / "cache")},
        check=True,
        capture_output=True,
        text=True,
    )


def _question(chance: random.Random, task: str, row: int) -> str:
    """Return a line: a question, its choices, and which of them are right."""
    count = 4 if task in ("four_options", "mutual_information") else chance.randint(2, 5)
    choices = [f"{word} {row}" for word in ("red", "green", "blue", "yellow", "violet")[:count]]
    right = sorted(chance.sample(range(count), 2))
    question = {"question": f"Which colour has number {row}?", "choices": choices}
    return json.dumps({**question, "answer": chance.randrange(count), "answers": right}) + "\n"

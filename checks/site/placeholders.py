"""The files that pages have commands on, such as predictions.csv: small ones, for the tests."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from studies.pages import ROOT

ROWS = 400


def binary(rows: int, seed: int) -> pd.DataFrame:
    """Return predictions of two classes that are calibrated, with what else is known of a row."""
    random = np.random.default_rng(seed)
    p = random.beta(0.5, 0.5, rows)
    return pd.DataFrame(
        {
            "label": (random.random(rows) < p).astype(int),
            "p_0": 1 - p,
            "p_1": p,
            "age": random.integers(18, 80, rows),
            "region": random.choice(["north", "south"], rows),
            "income": random.integers(100, 900, rows),
            "site": random.choice(["a", "b"], rows),
            "patient": [f"patient {row % (rows // 4)}" for row in range(rows)],
            "request_id": [f"{seed}-{row}" for row in range(rows)],
        }
    )


def classes(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and logits of many classes that are calibrated."""
    random = np.random.default_rng(k)
    logits = random.normal(size=(ROWS, k))
    noise = random.gumbel(size=logits.shape)
    return np.argmax(logits + noise, axis=1), logits


def fill(place: Path) -> None:
    """Make the files."""
    shutil.copytree(ROOT / "data", place / "data")
    table = binary(2 * ROWS, 0)
    table.to_csv(place / "predictions.csv", index=False)
    table.to_parquet(place / "predictions.parquet")
    for seed, name in enumerate(("loans", "log", "validation", "test"), 1):
        binary(ROWS, seed).to_csv(place / f"{name}.csv", index=False)
    several(place)
    parts(place)
    many_classes(place)
    language_models(place)


def several(place: Path) -> None:
    """Make files of several models."""
    table = binary(ROWS, 6)
    (place / "models").mkdir()
    for name in ("old.csv", "new.csv", "models/first.csv", "models/second.csv"):
        table.to_csv(place / name, index=False)
    both = {f"p_{model}_{c}": table[f"p_{c}"] for model in ("old", "new") for c in (0, 1)}
    pd.DataFrame({"label": table["label"], **both}).to_csv(place / "all.csv", index=False)
    answers = {"conf": table["p_1"], "correct": table["label"]}
    pd.DataFrame(answers).to_csv(place / "answers.csv", index=False)
    pets = {"animal": table["label"].map({0: "cat", 1: "dog"})}
    pets |= {"p_cat": table["p_0"], "p_dog": table["p_1"]}
    pd.DataFrame(pets).to_parquet(place / "pets.parquet")


def parts(place: Path) -> None:
    """Make files that are parts of a table."""
    for number in (1, 2, 3):
        folder = place / "logs" / f"day={number}"
        folder.mkdir(parents=True)
        binary(ROWS, 10 + number).to_parquet(folder / "all.parquet")
    (place / "more").mkdir()
    binary(ROWS, 30).assign(day=4).to_csv(place / "more" / "rows.csv", index=False)
    with gzip.open(place / "more.csv.gz", "wt") as file:
        binary(ROWS, 31).assign(day=5).to_csv(file, index=False)


def many_classes(place: Path) -> None:
    """Make files of more than two classes."""
    labels, logits = classes(3)
    np.savez(place / "logits.npz", logits=logits, labels=labels)
    labels, logits = classes(10)
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    table = pd.DataFrame(probs, columns=[f"p_{c}" for c in range(10)])
    table.insert(0, "label", labels)
    table.to_csv(place / "ten_classes.csv", index=False)


def language_models(place: Path) -> None:
    """Make what lm-evaluation-harness, Inspect and HELM leave behind."""
    labels, logits = classes(4)
    lines = [
        {
            "doc_id": row,
            "target": str(label),
            "filtered_resps": [[str(value), "False"] for value in logits[row]],
            "filter": "none",
            "metrics": ["acc"],
            "acc": float(label == np.argmax(logits[row])),
        }
        for row, label in enumerate(labels)
    ]
    folder = place / "results" / "org__model"
    folder.mkdir(parents=True)
    name = "samples_arc_easy_2026-01-31T12-00-00.123456.jsonl"
    (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    rows = list(zip(*(binary(ROWS, 40)[name].tolist() for name in ("p_1", "label")), strict=True))
    known = [{"confidence": sure} for sure, _ in rows]
    samples = [
        {"id": row, "epoch": 1, "scores": {"sure": {"value": bool(right), "metadata": known[row]}}}
        for row, (_, right) in enumerate(rows)
    ]
    run = {"task": "one", "model": "org/model", "created": "2026-01-31"}
    log = json.dumps({"eval": run, "samples": samples})
    (place / "answers").mkdir()
    (place / "answers" / "one.json").write_text(log)

    folder = place / "benchmark_output" / "runs" / "suite" / "one:model=org_model"
    folder.mkdir(parents=True)
    (folder / "run_spec.json").write_text(json.dumps({"name": "one:model=org_model"}))
    stats = [
        {
            "instance_id": f"id{row}",
            "stats": [
                {"name": {"name": name}, "mean": value}
                for name, value in (("logprob", -1), ("max_prob", sure), ("exact_match", right))
            ],
        }
        for row, (sure, right) in enumerate(rows)
    ]
    (folder / "per_instance_stats.json").write_text(json.dumps(stats))


def project(place: Path) -> None:
    """Make the files that the project's own options are about."""
    table = binary(ROWS, 50)
    said = {"outcome": table["label"].map({0: "no", 1: "yes"})}
    said |= {"p_no": table["p_0"], "p_yes": table["p_1"]}
    said |= {"patient": table["patient"], "site": table["site"]}
    pd.DataFrame(said).to_parquet(place / "predictions.parquet")

"""Every JSON that the command prints is what its schema says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "debug" / "calipers"))
NAMES = (
    "estimate",
    "check",
    "certify",
    "compare",
    "lm-eval",
    "answers",
    "monitor",
    "neighbours",
    "neighbours-list",
    "metrics",
    "recalibrators",
)
QUICK = ("--recalibrator", "temperature")
RUNS = {
    "plain": ("estimate", "estimate two.csv"),
    "bracket": ("estimate", "estimate two.csv --bracket --assume monotone"),
    "no draws": ("estimate", "estimate two.csv --draws 0 --best none"),
    "group": ("estimate", "estimate two.csv --group site --metric l1"),
    "weight": ("estimate", "estimate two.csv --weight weight"),
    "cluster": ("estimate", "estimate two.csv --cluster patient"),
    "time": ("estimate", "estimate two.csv --time id"),
    "folds": ("estimate", "estimate two.csv --fold-column fold"),
    "features": ("estimate", "estimate two.csv --features site,id,patient --metric l1"),
    "infinite": ("estimate", "estimate impossible.csv --metric log,l1"),
    "scopes": ("estimate", "estimate three.csv --metric l1,top-l1,top-over-l1,classwise-brier"),
    "logits": ("estimate", "estimate logits.csv --logits a,b,c --label label"),
    "stream": ("estimate", "estimate two.csv --sample 100 --key id"),
    "several": ("estimate", "estimate two.csv again.csv"),
    "auto": ("estimate", "estimate two.csv --recalibrator auto"),
    "check": ("check", "check two.csv --max l1=0.02,brier=1"),
    "failed": ("check", "check wrong.csv --max l1=0.01"),
    "check groups": ("check", "check two.csv --max l1=0.5 --group site"),
    "check features": ("check", "check two.csv --max given-features-l1=0.5 --features id,site"),
    "certify": ("certify", "certify two.csv --max l1=0.9"),
    "not certified": ("certify", "certify two.csv --max l1=0.0001"),
    "compare": ("compare", "compare two.csv wrong.csv"),
    "compare held": ("compare", "compare two.csv wrong.csv --max-worse l1=0.5 --group site"),
    "leaderboard": ("compare", "compare two.csv wrong.csv --leaderboard --draws 0"),
    "answers": ("answers", "inspect logs --metric l1,over-l1"),
    "questions": ("lm-eval", "lm-eval runs"),
    "measures": ("neighbours", "neighbours two.csv"),
    "measures of three": ("neighbours", "neighbours three.csv"),
    "measures of a sample": ("neighbours", "neighbours two.csv --sample 100"),
    "list of measures": ("neighbours-list", "neighbours"),
    "metrics": ("metrics", "metrics"),
    "recalibrators": ("recalibrators", "recalibrators"),
}


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = str(Path(COMMAND).resolve())
    return subprocess.run(
        [program, *words], cwd=place, capture_output=True, text=True, timeout=300, check=False
    )


def schema(name: str) -> dict[str, Any]:
    ran = run(ROOT, "schema", name)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make files of predictions of every kind."""
    place = tmp_path_factory.mktemp("schemas")
    chance = np.random.default_rng(0)
    rows = 300
    p = chance.uniform(0.01, 0.99, rows)
    label = (chance.uniform(size=rows) < p).astype(int)
    header = "label,p_0,p_1,weight,site,patient,fold,id"
    known = [
        f"{1 + row % 3},{'north' if row % 2 else 'south'},{row // 3},{row % 4},{row}"
        for row in range(rows)
    ]

    def write(name: str, probs: np.ndarray) -> None:
        lines = [f"{label[row]},{1 - probs[row]},{probs[row]},{known[row]}" for row in range(rows)]
        (place / name).write_text("\n".join([header, *lines]) + "\n")

    write("two.csv", p)
    write("again.csv", p)
    write("wrong.csv", p**4)
    write("impossible.csv", np.where(np.arange(rows) == 0, 1.0 - label, p))
    raw = chance.normal(size=(rows, 3))
    three = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    drawn = [int(chance.choice(3, p=one)) for one in three]
    for name, header, values in (
        ("three.csv", "label,p_0,p_1,p_2", three),
        ("logits.csv", "label,a,b,c", raw),
    ):
        lines = [
            f"{one},{','.join(str(value) for value in row)}"
            for one, row in zip(drawn, values, strict=True)
        ]
        (place / name).write_text("\n".join([header, *lines]) + "\n")
    answers(place / "logs")
    questions(place / "runs")
    return place


def answers(folder: Path) -> None:
    """Write a log of Inspect for each of two models, one of which has a task that is left out."""
    folder.mkdir()
    for model, task in (("one", "sums"), ("two", "sums"), ("two", "silent")):
        about = {} if task == "silent" else {"confidence": 0.75}
        scores = [{"sure": {"value": "CIC"[row % 3], "metadata": about}} for row in range(60)]
        samples = [{"id": row, "epoch": 1, "scores": one} for row, one in enumerate(scores)]
        log = {"eval": {"task": task, "model": model, "created": ""}, "samples": samples}
        (folder / f"{model}-{task}.json").write_text(json.dumps(log))


def questions(folder: Path) -> None:
    """Write what lm-evaluation-harness leaves of two models, and of a task that is left out."""
    for model in ("one", "two"):
        (folder / model).mkdir(parents=True)
        for task in ("arc", "written"):
            resps = [["-1.5", "False"], ["-0.5", "False"]] if task == "arc" else ["word"]
            # The second option is the more probable one: the harness says whether it was right.
            lines = [
                {
                    "doc_id": row,
                    "target": str(row % 3 % 2),
                    "filtered_resps": resps,
                    "filter": "none",
                    "metrics": ["acc"],
                    "acc": float(row % 3 % 2),
                }
                for row in range(60)
            ]
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / model / f"samples_{task}_2026-01-31.jsonl").write_text(text)


def objects(part: object) -> list[dict[str, Any]]:
    """Return all objects within a schema, itself too."""
    if isinstance(part, list):
        return [one for item in part for one in objects(item)]
    if isinstance(part, dict):
        return [part, *(one for item in part.values() for one in objects(item))]
    return []


def test_the_list_has_every_name() -> None:
    listed = run(ROOT, "schema").stdout.splitlines()
    assert tuple(line.split()[0] for line in listed) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_closed_described_and_numbered(name: str) -> None:
    own = schema(name)
    jsonschema.Draft202012Validator.check_schema(own)
    assert own["$id"] == f"urn:calipers:schema:{name}:1"
    for part in objects(own):
        if part.get("type") == "object":
            assert "additionalProperties" in part, part
        properties = part.get("properties")
        for key, value in properties.items() if isinstance(properties, dict) else ():
            described = value if "description" in value else own["$defs"][value["$ref"][8:]]
            assert described["description"].endswith("."), (name, key)


@pytest.mark.parametrize("about", RUNS)
def test_what_is_printed_is_what_the_schema_says(place: Path, about: str) -> None:
    name, line = RUNS[about]
    words = line.split()
    fits = words[0] in ("estimate", "check", "certify", "compare", "inspect", "lm-eval")
    quick = QUICK if fits and "--recalibrator" not in words else ()
    ran = run(place, *words, *quick, "--format", "json")
    assert ran.returncode in (0, 1), ran.stderr
    jsonschema.validate(json.loads(ran.stdout), schema(name), jsonschema.Draft202012Validator)


def test_a_line_of_a_monitor_is_what_its_schema_says(place: Path) -> None:
    for file, rows in (("two.csv", 300), ("impossible.csv", 600)):
        ran = run(place, "monitor", file, "--state", "monitor.json", "--format", "jsonl")
        assert ran.returncode in (0, 1), ran.stderr
        told = json.loads(ran.stdout)
        assert told["rows"] == rows
        jsonschema.validate(told, schema("monitor"), jsonschema.Draft202012Validator)


def test_a_schema_refuses_what_is_not_in_it(place: Path) -> None:
    ran = run(place, "estimate", "two.csv", *QUICK, "--format", "json")
    report = json.loads(ran.stdout)
    report["new"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, schema("estimate"), jsonschema.Draft202012Validator)


def test_a_misspelt_name_is_an_error() -> None:
    ran = run(ROOT, "schema", "estimat")
    assert ran.returncode == 2
    assert 'unknown schema "estimat"' in ran.stderr
    assert "estimate" in ran.stderr.splitlines()[-1]


def test_what_many_machines_finish_is_an_estimate(place: Path) -> None:
    for line in (
        "plan two.csv --key id --sample 100 --recalibrator temperature -o all.plan",
        "tally all.plan two.csv -o all.tally",
    ):
        ran = run(place, *line.split())
        assert ran.returncode == 0, ran.stderr
    ran = run(place, "finish", "all.plan", "all.tally", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["sample"] == 100
    jsonschema.validate(report, schema("estimate"), jsonschema.Draft202012Validator)

"""Pages are written if they changed, and only then; studies are found by their names."""

import importlib
from pathlib import Path

import pytest

from studies.__main__ import STUDIES, Study
from studies.pages import ROOT, Pages, digits, read, table, wrapped


def test_paragraphs_are_wrapped_and_tables_and_code_are_not() -> None:
    long = "word " * 40
    wide = "| " + long + "|"
    text = wrapped(f"{long}\n\n- {long}\n- two\n\n{wide}\n")
    paragraph, items, same = text.rstrip("\n").split("\n\n")
    assert all(len(line) <= 118 for line in (paragraph + "\n" + items).splitlines())
    assert items.splitlines()[1].startswith("  word")
    assert same == wide
    code = "```\ncalipers metrics\ncalipers simulate\n```\n"
    assert wrapped(code) == code


def test_what_is_there_already_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "page.md"
    pages = Pages()
    pages.write(path, "one\n")
    assert pages.changed == [path]
    again = Pages()
    again.write(path, "one\n")
    assert again.changed == []
    assert again.finish() == 0


def test_a_check_writes_nothing_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"
    pages = Pages(check=True)
    pages.write(path, "one\n")
    assert not path.exists()
    assert pages.finish() == 1
    assert "page.md is not what the study gives" in capsys.readouterr().out


def test_records_read_back(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    Pages().records(path, [{"a": 1, "b": 1.0 / 3.0, "c": None}, {"c": "x", "b": 2.0, "a": 0}])
    rows = [{"a": "1", "b": "0.333333", "c": ""}, {"a": "0", "b": "2", "c": "x"}]
    assert read(path) == rows
    assert digits(1234567.0) == "1.23457e+06"
    assert table(["a"], [["1"]]) == "| a |\n| --- |\n| 1 |"


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_study_is_there(study: Study) -> None:
    module = importlib.import_module(f"studies.{study.module}")
    assert module.__doc__
    assert callable(module.options)
    assert callable(module.run)
    assert (ROOT / "requirements" / f"{study.needs}.txt").exists()


def test_make_knows_which_environment_a_study_needs() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    (peers,) = [
        line.split(" := ")[1].split() for line in lines if line.startswith("STUDY_PEERS :=")
    ]
    assert sorted(peers) == sorted(study.name for study in STUDIES if study.needs == "peers")

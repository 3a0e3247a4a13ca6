"""The page on many rows says what was measured."""

from pathlib import Path

from studies.pages import Pages, read
from studies.stream import page
from studies.stream.run import KEPT


def runs(rows: int, tool: str, *seconds: float) -> list[dict[str, str]]:
    return [
        {"rows": str(rows), "tool": tool, "seconds": str(one), "megabytes": str(10 * one)}
        for one in seconds
    ]


def test_ratios_are_those_of_medians() -> None:
    measured = runs(10, "calipers", 9.0, 3.0, 4.0) + runs(10, "duckdb", 1.0, 2.0, 8.0)
    growth = page.Growth(measured + runs(100, "calipers", 6.0) + runs(100, "duckdb", 1.0))
    assert (growth.sizes, growth.reference) == ([10, 100], 10)
    assert growth.ratio(10) == 2.0
    assert growth.of("calipers", 10, "megabytes") == 40.0


def test_two_sets_of_bits_are_said() -> None:
    line = {"kind": "plain", "files": "1", "threads": "1", "digest": "a"}
    about = {"parts_rows": "1000"}
    assert page.bits([line, {**line, "files": "7"}], about)["bits"] == "one set of bits each"
    other = page.bits([line, {**line, "digest": "b"}], about)
    assert other["bits"] == "2 sets of bits of plain"


def test_the_page_is_filled_from_what_is_kept(tmp_path: Path) -> None:
    pages = Pages()
    folder = tmp_path / "scale"
    folder.mkdir()
    for path in KEPT.glob("*.csv"):
        (folder / path.name).write_bytes(path.read_bytes())
    page.write(pages, folder)
    text = folder.with_suffix(".md").read_text(encoding="utf-8")
    assert "{" not in text
    assert all(f"| {int(row['rows']):,} |" in text for row in read(folder / "growth.csv"))

"""calipers in a browser: the command line's numbers, errors in words, no request to anybody."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from checks.browser.conftest import start
from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "release" / "calipers"))
CELLS = ROOT / "data" / "cells_lgbm.csv"
DIGITS = ROOT / "data" / "mnist5k_lr.csv"

# The system's logarithm and exponential, and those within WebAssembly, differ in the last bit of
# about one in ten numbers; what is computed from thousands of them, by a few times as much.
LAST_BITS = 1e-12

# Longer than a file of two rows takes: what did not come by then does not come.
MOMENT = 1.5

# What is promised.
MOST_SECONDS = 1.0
MOST_BYTES = 3_000_000

DONE = """
    const hidden = (id) => document.getElementById(id).hidden;
    return !(hidden("result") && hidden("fault"));
"""
ROWS = "return [...document.querySelector('table').tBodies[0].rows].map((row) => row.innerText)"
DROP = """
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(arguments[1]), (letter) => letter.charCodeAt(0));
    data.items.add(new File([bytes], arguments[0]));
    const how = { dataTransfer: data, bubbles: true, cancelable: true };
    document.getElementById("drop").dispatchEvent(new DragEvent("drop", how));
"""
# Files of these names and texts, dropped together.
DROP_ALL = """
    const data = new DataTransfer();
    for (const [name, text] of arguments[0]) data.items.add(new File([text], name));
    const how = { dataTransfer: data, bubbles: true, cancelable: true };
    document.getElementById("drop").dispatchEvent(new DragEvent("drop", how));
"""
# From now on, a file of this name is read when the page is told so: as slowly as if it were large.
HOLD = """
    const read = Blob.prototype.arrayBuffer;
    const name = arguments[0];
    const told = new Promise((resolve) => { window.release = resolve; });
    Blob.prototype.arrayBuffer = async function () {
        const found = await read.call(this);
        if (this.name === name) await told;
        return found;
    };
"""
# What the policy says of a request to somebody else.
ASK = """
    addEventListener("securitypolicyviolation", (event) => tell(event.effectiveDirective));
    fetch("http://127.0.0.1:9/").then(() => tell("asked"), () => {});
"""


def run(*arguments: str) -> str:
    found = subprocess.run([COMMAND, *arguments], check=True, capture_output=True, timeout=120)
    return found.stdout.decode()


def shown(browser: webdriver.Chrome, identifier: str) -> str:
    return browser.find_element(By.ID, identifier).text


def wait(browser: webdriver.Chrome) -> None:
    """Wait until there is a result, or an error."""
    finished = WebDriverWait(browser, 60, poll_frequency=0.02)
    finished.until(lambda own: own.execute_script(DONE))


def choose(browser: webdriver.Chrome, address: str, path: Path) -> None:
    """Open the page, and choose a file."""
    browser.get(address)
    browser.find_element(By.ID, "file").send_keys(str(path))
    wait(browser)


def drop(browser: webdriver.Chrome, path: Path) -> None:
    """Drop a file on the page, as a hand would."""
    browser.execute_script(DROP, path.name, base64.b64encode(path.read_bytes()).decode())
    wait(browser)


def downloaded(browser: webdriver.Chrome, identifier: str, name: str, place: Path) -> str:
    """Click a link, and return what it downloads."""
    how = {"behavior": "allow", "downloadPath": str(place)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", how)
    browser.find_element(By.ID, identifier).click()
    file = place / name
    WebDriverWait(browser, 20).until(lambda _: file.exists() and file.stat().st_size > 0)
    return file.read_text(encoding="utf-8")


def compare(found: object, expected: object, place: str = "") -> float:
    """Compare JSON but for the last bits of numbers; return the largest relative difference."""
    assert type(found) is type(expected), place
    if isinstance(expected, dict) and isinstance(found, dict):
        assert list(found) == list(expected), place
        return max(compare(found[key], one, f"{place}.{key}") for key, one in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        assert len(found) == len(expected), place
        pairs = enumerate(zip(found, expected, strict=True))
        return max((compare(*pair, f"{place}[{at}]") for at, pair in pairs), default=0)
    if isinstance(expected, float) and isinstance(found, float):
        assert found == pytest.approx(expected, rel=LAST_BITS), place
        return 0 if found == expected else abs(found - expected) / abs(expected)
    assert found == expected, place
    return 0


@pytest.mark.parametrize("path", [CELLS, DIGITS], ids=lambda path: path.stem)
def test_the_numbers_are_those_of_the_command_line(
    browser: webdriver.Chrome,
    address: str,
    path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    expected = json.loads(run("estimate", str(path), "--format", "json"))
    report = tmp_path / "report.html"
    run("report", str(path), "-o", str(report))
    browser.get(report.as_uri())
    rows = browser.execute_script(ROWS)
    verdict = browser.find_element(By.CLASS_NAME, "verdict").text

    choose(browser, address, path)
    found = json.loads(downloaded(browser, "json", f"{path.stem}.json", tmp_path))
    furthest = compare(found, expected)
    with capsys.disabled():
        print(f"\n{path.name}: numbers differ by {furthest:.1e} of themselves at the most")
    # The table has the digits of the report that the command writes.
    assert browser.execute_script(ROWS) == rows
    assert browser.find_element(By.CLASS_NAME, "verdict").text == verdict
    heads = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "thead th")]
    assert heads == ["metric", "estimate", "std. error", "lower 95%", "best guess", "90% interval"]
    estimates = dict(row.split("\t")[:2] for row in rows)
    assert set(expected["metrics"]) <= set(estimates)
    for metric, one in expected["metrics"].items():
        # Four decimals.
        assert float(estimates[metric]) == pytest.approx(one["value"], abs=5.1e-5)
    assert "p_value" in shown(browser, "shown")
    drawn = browser.find_element(By.CSS_SELECTOR, "#shown svg.figure")
    assert drawn.rect["width"] > 250
    assert "truth" in (drawn.get_attribute("outerHTML") or "")

    page = tmp_path / f"{path.stem}.html"
    assert "in a browser" in downloaded(browser, "page", page.name, tmp_path)
    browser.get(page.as_uri())
    assert browser.execute_script(ROWS) == rows


def test_two_thousand_rows_take_less_than_a_second(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # A browser that has never seen the page: one that has keeps what it compiled.
    browser = start()
    try:
        choose(browser, address, CELLS)
        words = shown(browser, "doing")
    finally:
        browser.quit()
    assert words.startswith("measured in ")
    seconds = float(words.split()[2])
    with capsys.disabled():
        print(f"\n2,019 rows, in a browser that was just started: {seconds:.2f} s")
    assert seconds < MOST_SECONDS


def test_what_is_loaded_is_small(dist: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = len(gzip.compress((dist / "calipers.wasm").read_bytes()))
    with capsys.disabled():
        print(f"\nthe module takes {size / 1e6:.2f} MB in gzip")
    assert size < MOST_BYTES


def test_nothing_is_asked_of_anybody_else(browser: webdriver.Chrome, address: str) -> None:
    for kind in ("performance", "browser"):
        browser.get_log(kind)
    choose(browser, address, CELLS)
    browser.find_element(By.ID, "sample").click()
    wait(browser)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [one["params"] for one in events if one["method"] == "Network.requestWillBeSent"]
    asked = {one["request"]["url"] for one in sent}
    assert {"calipers.wasm", "app.js"} <= {one.rsplit("/", 1)[1] for one in asked}
    assert {one for one in asked if not one.startswith((address, f"blob:{address}"))} == set()
    assert browser.get_log("browser") == []


def test_nothing_may_be_asked_of_anybody_else(browser: webdriver.Chrome, address: str) -> None:
    browser.get(address)
    page = f"const tell = arguments[0]; {ASK}"
    assert browser.execute_async_script(page) == "connect-src"
    # What measures is started in the same way, and bound by the same policy.
    worker = f"""
        const source = new Blob([`const tell = postMessage; {ASK}`]);
        const worker = new Worker(URL.createObjectURL(source));
        worker.onmessage = (event) => arguments[0](event.data);
    """
    assert browser.execute_async_script(worker) == "connect-src"
    browser.get_log("browser")


def test_a_file_may_be_dropped_or_be_the_sample(browser: webdriver.Chrome, address: str) -> None:
    browser.get(address)
    drop(browser, DIGITS)
    assert shown(browser, "understood").startswith("mnist5k_lr.csv: ")
    browser.find_element(By.ID, "sample").click()
    found = WebDriverWait(browser, 60)
    found.until(lambda own: shown(own, "understood").startswith("cells_lgbm.csv: "))
    assert shown(browser, "understood").endswith("p_PS -> P(PS), p_WS -> P(WS); labels: label")


def test_a_file_may_come_while_another_is_measured(browser: webdriver.Chrome, address: str) -> None:
    browser.get(address)
    browser.execute_script(DROP, DIGITS.name, base64.b64encode(DIGITS.read_bytes()).decode())
    drop(browser, CELLS)
    assert shown(browser, "understood").startswith("cells_lgbm.csv: ")


def test_a_file_that_is_read_slowly_is_not_shown_as_the_next_one(
    browser: webdriver.Chrome, address: str
) -> None:
    browser.get(address)
    browser.execute_script(HOLD, "big.csv")
    browser.execute_script(DROP_ALL, [["big.csv", "label,p_cat,p_dog\ncat,0.75,high\n"]])
    assert shown(browser, "doing") == "reading big.csv"
    drop(browser, CELLS)
    expected = shown(browser, "understood")
    assert expected == "cells_lgbm.csv: p_PS -> P(PS), p_WS -> P(WS); labels: label"
    browser.execute_script("release()")
    time.sleep(MOMENT)
    assert shown(browser, "understood") == expected
    assert shown(browser, "doing").startswith("measured in ")
    assert not browser.find_element(By.ID, "fault").is_displayed()
    for identifier, name in (("page", "cells_lgbm.html"), ("json", "cells_lgbm.json")):
        link = browser.find_element(By.ID, identifier)
        assert link.get_attribute("download") == name


def test_a_sample_that_comes_late_does_not_replace_a_file(
    browser: webdriver.Chrome, address: str
) -> None:
    browser.get(address)
    encoded = base64.b64encode(DIGITS.read_bytes()).decode()
    browser.execute_script(
        f"document.getElementById('sample').click(); {DROP}", DIGITS.name, encoded
    )
    wait(browser)
    time.sleep(MOMENT)
    assert shown(browser, "understood").startswith("mnist5k_lr.csv: ")


def test_the_same_file_may_be_chosen_again(
    browser: webdriver.Chrome, address: str, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("label,p_cat,p_dog\ncat,0.75,high\n")
    choose(browser, address, table)
    assert "line 2" in shown(browser, "message")
    table.write_bytes(CELLS.read_bytes())
    browser.find_element(By.ID, "file").send_keys(str(table))
    finished = WebDriverWait(browser, 60)
    finished.until(lambda own: shown(own, "understood").startswith("table.csv: p_PS"))


def test_of_several_files_the_first_is_measured_and_the_page_says_so(
    browser: webdriver.Chrome, address: str
) -> None:
    browser.get(address)
    files = [[CELLS.name, CELLS.read_text()], ["other.csv", ""], ["third.csv", ""]]
    browser.execute_script(DROP_ALL, files)
    wait(browser)
    assert shown(browser, "understood").startswith("cells_lgbm.csv: ")
    words = shown(browser, "doing")
    assert words.startswith("measured in ")
    assert words.endswith(" s; the first of 3 files: one is measured at a time")
    drop(browser, CELLS)
    assert shown(browser, "doing").endswith(" s")


def test_what_keeps_the_page_from_starting_is_said(
    browser: webdriver.Chrome, address: str, dist: Path
) -> None:
    # From a disk, no script runs: what the page says is what its file says.
    browser.get((dist / "index.html").as_uri())
    assert "python3 -m http.server" in shown(browser, "doing")
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*calipers.wasm"]})
    try:
        browser.get(address)
        wait(browser)
        assert shown(browser, "doing") == ""
        assert shown(browser, "head") == "This page could not start"
        assert shown(browser, "message").startswith("calipers.wasm: ")
        # A file does not change what is wrong.
        drop(browser, CELLS)
        assert shown(browser, "head") == "This page could not start"
    finally:
        browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        browser.get_log("browser")


def test_the_page_is_named_and_leads_to_the_site(browser: webdriver.Chrome, address: str) -> None:
    browser.get(address)
    assert browser.title.startswith("calipers")
    link = browser.find_element(By.CSS_SELECTOR, "h1 a")
    assert link.text == "calipers"
    # The page is in a folder of the site.
    assert link.get_dom_attribute("href") == "../index.html"


def test_what_is_wrong_is_said_with_its_place(
    browser: webdriver.Chrome, address: str, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("label,p_cat,p_dog\ncat,0.75,0.25\ndog,0.5,high\n")
    choose(browser, address, bad)
    assert shown(browser, "message") == (
        'bad.csv, line 3, column p_dog: probability "high" is not a number'
    )
    other = tmp_path / "table.parquet"
    other.write_bytes(b"PAR1")
    drop(browser, other)
    assert shown(browser, "message") == "table.parquet: no Parquet files are read in a browser"
    assert "CSV" in shown(browser, "hint")
    # The next file is measured as if nothing had been.
    drop(browser, CELLS)
    assert not browser.find_element(By.ID, "fault").is_displayed()
    assert browser.find_element(By.CSS_SELECTOR, "#shown table").is_displayed()


def test_columns_are_chosen_where_they_are_ambiguous(
    browser: webdriver.Chrome, address: str, tmp_path: Path
) -> None:
    rows = [line.split(",") for line in CELLS.read_text().splitlines()[1:]]
    table = tmp_path / "ambiguous.csv"
    lines = [f"{label},{label == 'WS':d},{ws}" for label, _, ws in rows]
    table.write_text("\n".join(["target,y,score", *lines]) + "\n")
    choose(browser, address, table)
    assert shown(browser, "message") == (
        "ambiguous.csv: target or y may be the column of what was observed"
    )
    assert shown(browser, "hint") == "hint: --label names the right one"
    Select(browser.find_element(By.ID, "label")).select_by_value("target")
    browser.find_element(By.CSS_SELECTOR, "#boxes input[value=score]").click()
    positive = Select(browser.find_element(By.ID, "positive"))
    assert [one.text for one in positive.options][1:] == ["PS", "WS"]
    positive.select_by_value("WS")
    browser.find_element(By.CSS_SELECTOR, "#choice button").click()
    WebDriverWait(browser, 60).until(lambda own: shown(own, "understood") != "")
    assert "score -> P(WS)" in shown(browser, "understood")
    flags = ["--label", "target", "--probs", "score", "--positive-class", "WS"]
    expected = json.loads(run("estimate", str(table), *flags, "--format", "json"))
    row = browser.find_element(By.CSS_SELECTOR, "#shown tbody tr").text.split()
    assert row[:2] == ["l1", f"{expected['metrics']['l1']['value']:.4f}"]
    # What was chosen stays chosen.
    positive = Select(browser.find_element(By.ID, "positive"))
    assert positive.first_selected_option.get_attribute("value") == "WS"


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_wider_than_the_screen(
    browser: webdriver.Chrome, address: str, width: int
) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    choose(browser, address, DIGITS)
    browser.find_element(By.TAG_NAME, "summary").click()
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

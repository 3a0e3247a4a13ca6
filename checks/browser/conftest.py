"""Pages, made by the command line, and a browser to look at them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from selenium import webdriver

from studies.pages import ROOT

COMMAND = os.environ.get("CALIPERS_COMMAND", str(ROOT / "target" / "debug" / "calipers"))
PAGES = ("binary", "ten", "thousand", "grouped", "comparison")
HOSTILE = '<script>document.title="taken"</script>"\'&'


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Make one page of each kind."""
    place = tmp_path_factory.mktemp("pages")
    cells, digits = ROOT / "data" / "cells_lgbm.csv", ROOT / "data" / "mnist5k_lr.csv"
    chance = np.random.default_rng(0)
    raw = chance.normal(size=(2000, 1000))
    probs = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    names = np.array([f"{HOSTILE} {number}" for number in range(1000)])
    np.savez(
        place / "thousand.npz", probs=probs, labels=chance.integers(1000, size=2000), classes=names
    )
    header, *rows = cells.read_text().splitlines()
    sites = [HOSTILE, "\u202e\u05e9\u05dc\u05d5\u05dd", "x" * 10_000]
    quoted = ['"' + site.replace('"', '""') + '"' for site in sites]
    lines = [f"{row},{quoted[number % 3]}" for number, row in enumerate(rows)]
    (place / "grouped.csv").write_text("\n".join([f"{header},site", *lines]) + "\n")
    other = place / f"{HOSTILE.replace('/', '')}.csv"
    shutil.copy(cells, other)
    inputs: dict[str, list[str]] = {
        "binary": [str(cells)],
        "ten": [str(digits)],
        "thousand": [str(place / "thousand.npz"), "--recalibrator", "temperature"],
        "grouped": [str(place / "grouped.csv"), "--group", "site"],
        "comparison": [str(cells), str(other)],
    }
    made = {}
    for name, arguments in inputs.items():
        made[name] = place / f"{name}.html"
        command = [COMMAND, "report", *arguments, "-o", str(made[name])]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    return made


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    """Start a browser without a window, which writes down what pages ask for and complain about."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()

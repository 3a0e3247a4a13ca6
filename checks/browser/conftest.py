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
PAGES = ("binary", "ten", "thousand", "grouped", "comparison", "features")
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
    write_features(place / "features.csv")
    inputs: dict[str, list[str]] = {
        "binary": [str(cells)],
        "ten": [str(digits)],
        "thousand": [str(place / "thousand.npz"), "--recalibrator", "temperature"],
        "grouped": [str(place / "grouped.csv"), "--group", "site"],
        "comparison": [str(cells), str(other)],
        "features": [str(place / "features.csv"), "--features", "age,income,noise,region"],
    }
    made = {}
    for name, arguments in inputs.items():
        made[name] = place / f"{name}.html"
        command = [COMMAND, "report", *arguments, "-o", str(made[name])]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    return made


def write_features(path: Path) -> None:
    """Write rows of which more happens than f says for some, and less for others."""
    chance = np.random.default_rng(1)
    prob, age = chance.uniform(0.2, 0.8, 4000), chance.uniform(20, 80, 4000)
    noise = chance.random(4000)
    south = chance.random(4000) < 0.5
    factor = np.where(south & (age > 55), 4, np.where(~south & (age < 45), 0.25, 1))
    odds = factor * prob / (1 - prob)
    labels = (chance.random(4000) < odds / (1 + odds)).astype(int)
    region = np.where(south, '"' + HOSTILE.replace('"', '""') + '"', "north")
    columns = zip(prob, labels, age, age + chance.random(4000), noise, region, strict=True)
    lines = [f"{p:.4f},{y},{a:.2f},{i:.2f},{n:.3f},{r}" for p, y, a, i, n, r in columns]
    path.write_text("\n".join(["prob,label,age,income,noise,region", *lines]) + "\n")


def start() -> webdriver.Chrome:
    """Start a browser without a window, which writes down what pages ask for and complain about."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    """Start a browser for all tests."""
    driver = start()
    yield driver
    driver.quit()

"""The pages in a browser: quiet, harmless, usable, and as wide as the screen."""

import json
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from checks.browser.conftest import PAGES

Pages = dict[str, Path]
MOST_BYTES = 1_500_000


def visit(browser: webdriver.Chrome, page: Path, width: int = 1440, theme: str = "light") -> None:
    """Open a page on a screen of some width, for someone who prefers light or dark."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(page.as_uri())


def find(browser: webdriver.Chrome, selector: str) -> WebElement:
    """Return the first element of a selector."""
    return browser.find_element(By.CSS_SELECTOR, selector)


def paper(browser: webdriver.Chrome) -> str:
    """Return the colour of the background."""
    return str(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_quiet_and_asks_for_nothing(
    browser: webdriver.Chrome, pages: Pages, name: str
) -> None:
    browser.get_log("browser"), browser.get_log("performance")
    visit(browser, pages[name])
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [one["params"] for one in events if one["method"] == "Network.requestWillBeSent"]
    assert [one["request"]["url"] for one in sent] == [pages[name].as_uri()]
    assert browser.title.startswith("Calibration of ")
    assert pages[name].stat().st_size < MOST_BYTES


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_screen(
    browser: webdriver.Chrome, pages: Pages, name: str, width: int
) -> None:
    visit(browser, pages[name], width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    # What is wider has a box of its own that scrolls.
    wide = browser.execute_script(
        "return [...document.querySelectorAll('main *')].filter(one =>"
        " one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.scroll'))"
        ".map(one => one.outerHTML.slice(0, 80))"
    )
    assert wide == []


def test_tables_are_sorted_by_mouse_and_by_keys(browser: webdriver.Chrome, pages: Pages) -> None:
    visit(browser, pages["thousand"])
    table = next(
        one
        for one in browser.find_elements(By.CSS_SELECTOR, "table")
        if one.text.startswith("class")
    )
    head = table.find_elements(By.CSS_SELECTOR, "thead th")[4]

    def column() -> list[float]:
        script = (
            "return [...arguments[0].tBodies[0].rows].map(row => Number(row.cells[4].dataset.v))"
        )
        return list(browser.execute_script(script, table))

    button = head.find_element(By.CSS_SELECTOR, "button")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column() == sorted(column(), reverse=True)
    button.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    assert column() == sorted(column())
    assert len(column()) == 1000


def test_dark_is_asked_for_or_chosen(browser: webdriver.Chrome, pages: Pages) -> None:
    visit(browser, pages["binary"], theme="light")
    light = paper(browser)
    visit(browser, pages["binary"], theme="dark")
    dark = paper(browser)
    assert light != dark
    button = find(browser, "#theme")
    assert button.text == "Light"
    button.click()
    assert (paper(browser), button.text) == (light, "Dark")
    button.send_keys(Keys.SPACE)
    assert (paper(browser), button.text) == (dark, "Light")


def test_layers_are_shown_on_request(browser: webdriver.Chrome, pages: Pages) -> None:
    visit(browser, pages["binary"])
    button, points = find(browser, "button[data-layer]"), find(browser, "svg g.points")
    assert not points.is_displayed()
    button.click()
    assert points.is_displayed()
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert not points.is_displayed()


def test_values_are_read_by_mouse_and_by_keys(browser: webdriver.Chrome, pages: Pages) -> None:
    visit(browser, pages["binary"])
    figure = find(browser, "figure[data-figure]")
    svg = figure.find_element(By.CSS_SELECTOR, "svg")
    output = figure.find_element(By.CSS_SELECTOR, "output")
    assert output.text == ""
    ActionChains(browser).move_to_element(svg).perform()
    assert output.text.startswith("f = 0.4") and " g = 0." in output.text, output.text
    before = output.text
    svg.send_keys(Keys.END)
    assert output.text.startswith("f = 1:")
    svg.send_keys(Keys.ARROW_LEFT)
    assert output.text.startswith("f = 0.98:") and output.text != before
    # The value is the one of the figure's data.
    data = json.loads(figure.find_element(By.CSS_SELECTOR, "script").get_attribute("textContent"))
    layers = [layer for panel in data["panels"] for layer in panel["layers"]]
    line = next(layer["mark"] for layer in layers if layer["role"] == "truth")
    nearest = min(range(len(line["x"])), key=lambda at: abs(line["x"][at] - 0.98))
    shown = float(output.text.split("g = ")[1].split()[0])
    assert abs(shown - line["y"][nearest]) <= 5.1e-4  # Three digits are shown.


@pytest.mark.parametrize("name", ["binary", "features"])
def test_numbers_are_copied(browser: webdriver.Chrome, pages: Pages, name: str) -> None:
    visit(browser, pages[name])
    for button in browser.find_elements(By.CSS_SELECTOR, "button[data-copy]"):
        if not button.is_displayed():
            continue  # It belongs to a segment that is not chosen.
        browser.execute_script("delete document.documentElement.dataset.copied")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        assert int(find(browser, "html").get_attribute("data-copied") or 0) > 100


def figures_of_segments(browser: webdriver.Chrome) -> list[WebElement]:
    """Return the figures that are shown beside the table of segments."""
    found = browser.find_elements(By.CSS_SELECTOR, ".chosen figure")
    return [one for one in found if one.is_displayed()]


@pytest.mark.parametrize("width", [390, 1440])
def test_a_segment_is_chosen_by_mouse_and_by_keys(
    browser: webdriver.Chrome, pages: Pages, width: int
) -> None:
    visit(browser, pages["features"], width)
    table = find(browser, "table.segments")

    def chosen() -> str:
        """Return the words of the segment that is chosen, which are those of the one figure."""
        (row,) = [one for one in table.find_elements(By.CSS_SELECTOR, "tr.picked")]
        assert row.find_element(By.CSS_SELECTOR, "input").is_selected()
        (figure,) = figures_of_segments(browser)
        words = figure.find_element(By.CSS_SELECTOR, "h3").text
        assert words == row.find_element(By.CSS_SELECTOR, "label").text
        return words

    labels = table.find_elements(By.CSS_SELECTOR, "label")
    names = [label.text for label in labels]
    assert len(names) >= 2 and chosen() == names[0]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", table)
    labels[1].click()
    assert chosen() == names[1]
    table.find_element(By.CSS_SELECTOR, "tbody td:nth-child(2)").click()
    assert chosen() == names[0]
    radio = labels[0].find_element(By.CSS_SELECTOR, "input")
    radio.send_keys(Keys.ARROW_DOWN)
    assert chosen() == names[1]
    browser.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert chosen() == names[0]
    # Sorting moves the rows and leaves the choice; keys follow the order that is seen.
    head = table.find_elements(By.CSS_SELECTOR, "thead th")[5]
    head.find_element(By.CSS_SELECTOR, "button").send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "descending" and chosen() == names[0]
    order = [label.text for label in table.find_elements(By.CSS_SELECTOR, "label")]
    radio.send_keys(Keys.ARROW_DOWN)
    assert chosen() == order[(order.index(names[0]) + 1) % len(order)]
    # Both curves are read at once.
    (figure,) = figures_of_segments(browser)
    figure.find_element(By.CSS_SELECTOR, "svg").send_keys(Keys.ARROW_RIGHT)
    said = figure.find_element(By.CSS_SELECTOR, "output").text
    assert "the segment = 0." in said and "all other rows = 0." in said, said


def test_bars_of_features_stand_on_one_foot(browser: webdriver.Chrome, pages: Pages) -> None:
    visit(browser, pages["features"], 390)
    table = find(browser, "table.bars")
    rows = table.find_elements(By.CSS_SELECTOR, "tbody tr")
    assert {row.text.split("\n")[0].split(" 0.")[0] for row in rows} >= {"age + income", "region"}
    feet = {round(one.rect["x"]) for one in table.find_elements(By.CSS_SELECTOR, ".foot")}
    assert len(feet) == 1
    # The longest bar belongs to the largest number.
    widths = [one.rect["width"] for one in table.find_elements(By.CSS_SELECTOR, ".lost")]
    values = [
        float(row.find_elements(By.CSS_SELECTOR, "td")[1].get_attribute("data-v") or 0)
        for row in rows
    ]
    assert widths.index(max(widths)) == values.index(max(values)) == 0


def test_every_segment_has_its_figure_without_scripts(
    browser: webdriver.Chrome, pages: Pages
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visit(browser, pages["features"])
        choices = browser.find_elements(By.CSS_SELECTOR, "table.segments input")
        assert len(figures_of_segments(browser)) == len(choices) >= 2
        assert not any(one.is_displayed() for one in choices)
        assert "What the features know" in find(browser, "main").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_everything_is_there_without_scripts(browser: webdriver.Chrome, pages: Pages) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visit(browser, pages["ten"])
        text = find(browser, "main").text
        for words in ("shown", "Errors", "Reliability", "Classes", "What was run"):
            assert words in text
        assert not find(browser, "#theme").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize(
    ("name", "kinds"), [("binary", {"button", "svg"}), ("features", {"button", "svg", "input"})]
)
def test_every_control_can_be_reached_and_seen(
    browser: webdriver.Chrome, pages: Pages, name: str, kinds: set[str]
) -> None:
    visit(browser, pages[name])
    body = find(browser, "body")
    body.send_keys(Keys.TAB)
    reached = set()
    for _ in range(80):
        active = browser.switch_to.active_element
        if active.tag_name == "body":
            break
        reached.add(active.tag_name)
        outline = browser.execute_script(
            "return getComputedStyle(document.activeElement).outlineStyle"
        )
        assert outline != "none"
        active.send_keys(Keys.TAB)
    assert kinds <= reached

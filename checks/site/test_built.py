"""The site as it was built: nothing is asked for elsewhere, and it works from disk."""

import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from checks.site import reference
from studies.pages import ROOT

SITE = ROOT / "target" / "site"
# Links that a reader may follow; everything else is fetched by a browser on its own.
FOLLOWED = {"a"}
# Made for a server, at its root.
APART = {"404.html"}


class Links(HTMLParser):
    """What a page links to or fetches, and the names of its parts."""

    def __init__(self, path: Path) -> None:
        """Read a page."""
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.names: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag's links and names."""
        for name, value in attrs:
            if name in ("src", "href", "srcset", "data", "poster") and value:
                self.found.append((tag, value))
            elif name in ("id", "name") and value:
                self.names.add(value)


@pytest.fixture(scope="session")
def pages() -> dict[Path, Links]:
    found = {path: Links(path) for path in sorted(SITE.rglob("*.html")) if path.name not in APART}
    assert len(found) > 60, "make site"
    return found


def test_no_page_fetches_anything_from_elsewhere(pages: dict[Path, Links]) -> None:
    fetched = [
        f"{path.relative_to(SITE)}: {tag} {link}"
        for path, page in pages.items()
        for tag, link in page.found
        if tag not in FOLLOWED and re.match(r"(https?:)?//", link)
    ]
    assert fetched == []
    for path in SITE.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text), path


def test_every_link_leads_somewhere_on_disk(pages: dict[Path, Links]) -> None:
    wrong = []
    for path, page in pages.items():
        for _, link in page.found:
            name, anchor = urldefrag(link)
            if re.match(r"\w+:|//", name):
                continue
            target = (path.parent / unquote(name)).resolve() if name else path
            known = pages[target].names if target in pages else None
            if not target.is_file() or (anchor and known and unquote(anchor) not in known):
                wrong.append(f"{path.relative_to(SITE)}: {link}")
    assert wrong == []


def test_the_reference_holds_every_command_and_name() -> None:
    for words, _ in reference.commands():
        text = (SITE / f"reference/commands/{'-'.join(words)}.html").read_text(encoding="utf-8")
        assert "<dt>" in text, words
    page = Links(SITE / "reference" / "python" / "index.html")
    names = {f"calipers.{name}" for name in reference.exported("__init__.py")}
    assert names - page.names == {"calipers.__version__"}


def test_no_markdown_is_left_as_it_was_written(pages: dict[Path, Links]) -> None:
    for path in pages:
        text = path.read_text(encoding="utf-8")
        body = re.sub(r"<(pre|code|script)\b.*?</\1>", "", text, flags=re.DOTALL)
        # Tables, links, emphasis, and the places of what is filled in.
        left = re.search(
            r"\| --- \||\]\([\w./#-]+\)|\*\*\w[^<*]*\*\*|<!-- (README|generated)", body
        )
        assert left is None, (path.relative_to(SITE), left)


def test_no_role_of_a_docstring_is_left(pages: dict[Path, Links]) -> None:
    for path in (SITE / "reference").rglob("*.html"):
        assert not re.search(r":(func|class|meth):", path.read_text(encoding="utf-8")), path


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    """Start a browser without a window, that writes down what pages ask for."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


def test_the_search_finds_from_disk_and_asks_nobody(browser: webdriver.Chrome) -> None:
    browser.get((SITE / "index.html").as_uri())
    assert browser.find_elements(By.CSS_SELECTOR, "figure.live svg path.truth")
    browser.execute_script("document.querySelector('[data-md-toggle=search]').click()")
    browser.find_element(By.CSS_SELECTOR, "input.md-search__input").send_keys("multicalibration")
    WebDriverWait(browser, 20).until(
        lambda page: page.find_elements(By.CSS_SELECTOR, ".md-search-result__item a[href]")
    )
    found = browser.find_elements(By.CSS_SELECTOR, ".md-search-result__item a[href]")
    assert any("features.html" in (link.get_attribute("href") or "") for link in found)
    asked = re.findall(r'"url":"(https?:[^"]*)"', str(browser.get_log("performance")))
    assert asked == []
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []

"""What mkdocs calls while it builds: pages are generated, links rewritten, figures drawn."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from checks.site import dialect, links, reference
from checks.site.program import printed
from studies.pages import ROOT

DATA = "data/cells_lgbm.csv"
# The page that measures in the browser, if it was built.
WEB = ROOT / "web" / "dist"

PART = re.compile(r"<!-- (figure|(?:README|generated): .*) -->")
ROLE = re.compile(r":(?:func|class|meth|mod|attr):<code>~?([\w.]+)</code>")
# A drawing that is a paragraph of its own, and no link yet.
FIGURE = re.compile(r'(?<=<p>)(<img [^>]*src="([^"]+\.svg)"[^>]*>)(?=</p>)')
# What is said of `**options` that may be left out.
NOTHING = re.compile(r",\s*default:\s*<code>\{\}</code>\s*\)")
# In the units that drawings have.
WIDE = 500
CAPTION = (
    "Drawn when this page was built, from what ships with calipers. "
    '<a href="site/report.html">Open the whole page</a>: there, numbers are read by mouse or keys.'
)

# Pages that need the room.
HIDDEN = {"index.md": ["navigation", "toc"], "packages.md": ["toc"]}

# What is outside docs/ and has a page: found once, when the build begins.
known: dict[Path, str] = {}


def section(nav: list[Any], name: str) -> list[Any]:
    """Return a section of the navigation."""
    return next(entry[name] for entry in nav if isinstance(entry, dict) and name in entry)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put pages that are generated, or may be there, into the navigation."""
    nav: list[Any] = config.nav  # type: ignore[assignment]
    generated = reference.pages()
    for entry in section(nav, "Reference"):
        for pages in entry.values():
            if isinstance(pages, list):
                folder = pages[0].removesuffix("index.md")
                pages += [uri for uri in generated if uri.startswith(folder)]
    if (ROOT / "docs" / "cookbook.md").exists():
        section(nav, "Guide").insert(-2, {"Cookbook": "cookbook.md"})
    if (WEB / "index.html").exists():
        nav.insert(2, {"Try it in the browser": "web/index.html"})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is generated, and what pages link to outside docs/."""
    written = [Path(file.abs_src_path or "") for file in files if file.is_documentation_page()]
    known.update(links.places([*written, *links.WRITTEN]))
    made = {**reference.pages(), "site/report.html": printed("report", DATA, "-o", "-")}
    for path, uri in known.items():
        if path in links.WRITTEN:
            made[uri] = links.rewritten(path.read_text(encoding="utf-8"), path, uri, known)
        elif uri.startswith("files/"):
            made[uri] = links.source(path, uri, known)
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    for path in WEB.rglob("*"):
        if path.is_file():
            uri = f"web/{path.relative_to(WEB).as_posix()}"
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the links of a page of docs/, and fill in its parts."""
    if page.file.generated_by is not None:
        return markdown
    uri = page.file.src_uri
    page.meta["hide"] = HIDDEN.get(uri, [])
    text = links.rewritten(markdown, ROOT / "docs" / uri, uri, known)
    return PART.sub(lambda match: part(match[1], uri), dialect.of_the_site(text))


def part(name: str, uri: str) -> str:
    """Return what a page has a comment in the place of."""
    kind, _, rest = name.partition(": ")
    if kind == "generated":
        return reference.PARTS[rest]()
    return of_readme(rest, uri) if kind == "README" else figure()


def of_readme(heading: str, uri: str) -> str:
    """Return a section of the README, with links as they are from a page."""
    text = links.README.read_text(encoding="utf-8")
    body = text.split(f"\n## {heading}\n")[1].split("\n## ")[0].strip()
    return links.rewritten(body, links.README, uri, known)


def wide(path: Path) -> bool:
    """Tell whether a figure is too wide to be read on a small screen."""
    width = re.search(r'<svg[^>]* width="([\d.]+)', path.read_text(encoding="utf-8"))
    return width is not None and float(width[1]) > WIDE


def figure() -> str:
    """Return the reliability diagram of what ships with calipers, with the colours of the site."""
    drawn = printed("plot", "reliability", DATA, "-o", "-").replace("\n", " ")
    bare = re.sub(r'<style>.*?</style>|<rect class="paper"[^>]*/>', "", drawn)
    return f'<figure class="live">{bare}<figcaption>{CAPTION}</figcaption></figure>'


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the roles of docstrings into links, and figures into links to their files."""

    def link(match: re.Match[str]) -> str:
        code = f"<code>{match[1]}</code>"
        return f'<a href="#{match[1]}">{code}</a>' if f'id="{match[1]}"' in html else code

    def opened(match: re.Match[str]) -> str:
        path = (ROOT / "docs" / page.file.src_uri).parent / match[2]
        return f'<a class="figure" href="{match[2]}">{match[1]}</a>' if wide(path) else match[1]

    html = FIGURE.sub(opened, NOTHING.sub(")", ROLE.sub(link, html)))
    # Its tables grey what was not found.
    return f'<div class="packages">{html}</div>' if page.file.src_uri == "packages.md" else html

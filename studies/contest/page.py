"""The page: `page.md`, with every number and every verdict filled in from the entrants' files."""

from pathlib import Path

from studies.contest import alone, parts, sentences
from studies.contest.entrants import PACKAGES, PEERS, TASKS, UNCALIBRATED
from studies.contest.protocol import SIZES
from studies.contest.sentences import AUTO, TITLES, rows
from studies.contest.summary import Contest, Standing
from studies.pages import ROOT, Pages, percent, table

TEMPLATE = Path(__file__).parent / "page.md"
REQUIREMENTS = ROOT / "requirements" / "peers.txt"
HEAD = ["", "log loss", "Brier", "harm", "worst", "rank, log loss", "rank, Brier", "failed", "s"]


def write(pages: Pages, path: Path, contests: list[Contest], clean: set[str]) -> None:
    """Write the page; `clean` are the files where f is never 0."""
    names = {name for contest in contests for name in contest.names} - {UNCALIBRATED}
    fields = {
        "images": path.stem,
        "ours": str(len(names - PEERS.keys())),
        "peers": str(len(names & PEERS.keys())),
        "versions": versions(),
        "count": sentences.count(contests),
        "verdicts": "\n".join(map(sentences.item, contests)),
        "parts": parts.lines(contests),
        "parts_summary": parts.summary(contests),
        "alone": alone.lines(contests, clean),
        "alone_count": alone.counts(contests, clean),
        **{f"files_{task}": files(contests, task) for task in TASKS},
        **{f"overview_{task}": overview(contests, task) for task in TASKS},
        **{f"tables_{task}": tables(contests, task) for task in TASKS},
    }
    pages.page(path, TEMPLATE, fields)


def versions() -> str:
    """Return the packages with the versions that are asked for."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    return ", ".join(f"{name} {pinned[name]}" for name in PACKAGES.values())


def files(contests: list[Contest], task: str) -> str:
    """Say how many files there are."""
    most = max((one for one in contests if one.task == task), key=lambda one: len(one.files))
    return f"{len(most.files)} files of {len(set(most.datasets))} datasets"


def shown(name: str) -> str:
    """Return a name as tables have it: `auto` stands out, peers are in italics."""
    if name in PEERS:
        return f"*{name}*"
    return f"**`{name}`**" if name == AUTO else name if name == UNCALIBRATED else f"`{name}`"


def overview(contests: list[Contest], task: str) -> str:
    """Return mean ranks of the log loss and shares of harm, by size."""
    own = {contest.size: contest for contest in contests if contest.task == task}
    names = [line.name for line in own[SIZES[-1]].standings]
    ranks = {
        name: [contest.of(name).ranks["log_loss"] for contest in own.values()] for name in names
    }
    lines = []
    for name in sorted(names, key=lambda name: sum(ranks[name])):
        harms = [percent(contest.of(name).harm) for contest in own.values()]
        lines.append([shown(name), *(f"{rank:.1f}" for rank in ranks[name]), *harms])
    critical = [f"{contest.critical:.1f}" for contest in own.values()]
    lines.append(["*critical difference*", *critical, *("" for _ in own)])
    heads = [f"{what}, {size}" for what in ("rank", "harm") for size in own]
    return table(["", *heads], lines)


def line(one: Standing) -> list[str]:
    """Return the cells of an entrant."""
    changes = [f"{one.changes[loss]:+.4f}" for loss in ("log_loss", "brier")]
    ranks = [f"{one.ranks[loss]:.1f}" for loss in ("log_loss", "brier")]
    failed = percent(one.failed) if one.failed else ""
    harm = [percent(one.harm), f"{one.worst:+.3f}"]
    return [shown(one.name), *changes, *harm, *ranks, failed, f"{one.seconds:.2g}"]


def tables(contests: list[Contest], task: str) -> str:
    """Return the full tables of a task, folded."""
    found = []
    for contest in contests:
        if contest.task == task:
            about = f"{TITLES[task]}, {rows(contest.size)}: {files([contest], task)}"
            lines = [line(one) for one in contest.standings]
            found += [
                f"<details><summary>{about}</summary>",
                table(HEAD, lines),
                "</details>",
            ]
    return "\n\n".join(found)

"""`auto` among other packages alone, on all files and on those in which f is never 0."""

from collections.abc import Iterator

from studies.contest import sentences
from studies.contest.entrants import PEERS, UNCALIBRATED
from studies.contest.sentences import AUTO, TITLES, ahead, best_peer, by_change, by_rank
from studies.contest.summary import Contest
from studies.pages import percent, table

NAMES = {AUTO, UNCALIBRATED, *PEERS}
HEAD = [
    "",
    "n_cal",
    "files",
    "place",
    "rank",
    "best of others",
    "critical difference",
    "behind by more",
    "change in log loss",
    "largest of others",
    "harm",
]


def line(contest: Contest) -> list[str]:
    """Return the cells of a task and a size."""
    rank, change = by_rank("log_loss"), by_change("log_loss")
    own, peer, largest = contest.of(AUTO), best_peer(contest, rank), best_peer(contest, change)
    peers = [one for one in contest.standings if one.name in PEERS]
    beyond = sum(rank(one) - rank(own) > contest.critical for one in peers)
    return [
        TITLES[contest.task],
        contest.size,
        str(len(contest.files)),
        f"{len(ahead(contest, rank)) + 1} of {len(contest.names)}",
        f"{rank(own):.1f}",
        f"*{peer.name}*, {rank(peer):.1f}",
        f"{contest.critical:.1f}",
        f"{beyond} of {len(peers)}",
        f"{change(own):+.4f}",
        f"*{largest.name}*, {change(largest):+.4f}",
        percent(own.harm),
    ]


def groups(contests: list[Contest], clean: set[str]) -> Iterator[tuple[str, list[Contest]]]:
    """Yield both groups of files."""
    yield "All files", [one.only(one.files, NAMES) for one in contests]
    yield "Files without a 0", [one.only(clean, NAMES) for one in contests]


def lines(contests: list[Contest], clean: set[str]) -> str:
    """Return a table for each group of files."""
    return "\n\n".join(
        f"{title}:\n\n{table(HEAD, [line(one) for one in own])}"
        for title, own in groups(contests, clean)
    )


def counts(contests: list[Contest], clean: set[str]) -> str:
    """Count how often `auto` is first of those."""
    both = groups(contests, clean)
    return "\n".join(f"- *{title}.* {sentences.count(own)}" for title, own in both)

"""Where `auto` is first, where it is not, and who is ahead of it: said by the numbers."""

from collections.abc import Callable

from studies.contest.entrants import PEERS, TASKS, UNCALIBRATED
from studies.contest.summary import Contest, Standing
from studies.pages import percent

AUTO = "auto"
TITLES = dict(zip(TASKS, ("Two classes", "Many classes"), strict=True))
LOSS_NAMES = {"log_loss": "log loss", "brier": "Brier score"}
# More than these are counted, not named.
MOST_NAMES = 6

Measure = Callable[[Standing], float]


def rows(size: str) -> str:
    """Return how many rows were learnt from, in words."""
    return "half of the rows" if size == "half" else f"{size} rows"


def place(contest: Contest, measure: Measure) -> int:
    """Return the place of `auto`: one more than those who have less."""
    return 1 + len(ahead(contest, measure))


def ahead(contest: Contest, measure: Measure) -> list[Standing]:
    """Return those who have less than `auto`, the least first."""
    own = measure(contest.of(AUTO))
    return sorted((line for line in contest.standings if measure(line) < own), key=measure)


def best_peer(contest: Contest, measure: Measure) -> Standing:
    """Return the best of other packages."""
    return min((line for line in contest.standings if line.name in PEERS), key=measure)


def by_rank(loss: str) -> Measure:
    """Return the mean rank of a loss."""
    return lambda line: line.ranks[loss]


def by_change(loss: str) -> Measure:
    """Return the mean change of a loss."""
    return lambda line: line.changes[loss]


def listed(lines: list[Standing], measure: Measure, form: str) -> str:
    """Name entrants with what was measured."""
    named = [f"`{line.name}` ({measure(line):{form}})" for line in lines[:MOST_NAMES]]
    named += [f"{len(lines) - MOST_NAMES} more"] if len(lines) > MOST_NAMES else []
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def verdict(contest: Contest, loss: str) -> str:
    """Say where `auto` stands by the mean rank of a loss."""
    measure = by_rank(loss)
    own, peer, before = contest.of(AUTO), best_peer(contest, measure), ahead(contest, measure)
    of = f"of {len(contest.names)} by the {LOSS_NAMES[loss]} (mean rank {measure(own):.1f})"
    others = f"the best of other packages is `{peer.name}` ({measure(peer):.1f})"
    gap = abs(measure(own) - measure(before[0] if before else peer))
    by = f"{'more' if gap > contest.critical else 'less'} than the critical difference"
    if not before:
        return f"`auto` is first {of}; {others}, behind by {by} ({contest.critical:.1f})."
    behind = f"behind {listed(before, measure, '.1f')}, by {by} ({contest.critical:.1f})"
    rest = "" if peer in before else f"; {others}"
    return f"`auto` is number {len(before) + 1} {of}, {behind}{rest}."


def changed(contest: Contest) -> str:
    """Say what `auto` changes in the log loss, and who changes more."""
    measure = by_change("log_loss")
    own, before = measure(contest.of(AUTO)), ahead(contest, measure)
    harm = f"it harms {percent(contest.of(AUTO).harm)} of the splits{least_harm(contest)}"
    text = f"On average it changes the log loss by {own:+.4f}"
    if before:
        return f"{text} (most by {listed(before[:1], measure, '+.4f')}), and {harm}."
    return f"{text}, which is the most, and {harm}."


def least_harm(contest: Contest) -> str:
    """Name who harms least, if that is not `auto`."""
    others = [line for line in contest.standings if line.name != UNCALIBRATED]
    least = min(others, key=lambda line: line.harm)
    if least.harm >= contest.of(AUTO).harm:
        return ", the least of all"
    return f" (least: `{least.name}`, {percent(least.harm)})"


def item(contest: Contest) -> str:
    """Say all of a task and a size."""
    said = [verdict(contest, "log_loss"), verdict(contest, "brier"), changed(contest)]
    return f"- *{TITLES[contest.task]}, {rows(contest.size)}*: " + " ".join(said)


def count(contests: list[Contest]) -> str:
    """Count how often `auto` is first, and how often a package is ahead of it."""
    found = []
    for loss, name in LOSS_NAMES.items():
        measure = by_rank(loss)
        first = sum(place(contest, measure) == 1 for contest in contests)
        beaten = [
            contest
            for contest in contests
            if any(line.name in PEERS for line in ahead(contest, measure))
        ]
        found.append(
            f"By the mean rank of the {name}, `auto` is first in {first} of {len(contests)} "
            f"contests, and some other package is ahead of it in {len(beaten)}."
        )
    return " ".join(found)

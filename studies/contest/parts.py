"""`auto` on the datasets that its choices were made on, and on the others."""

from collections.abc import Iterator

from studies.contest.sentences import AUTO, TITLES, ahead, by_rank, listed
from studies.contest.summary import Contest
from studies.corpus import PARTS, dataset, part
from studies.pages import percent, table

# What `docs/choices.md` says the members of the stack were chosen on, before there were two parts.
FIRST_NINE = (
    "segment",
    "storms",
    "contraceptive",
    "happiness",
    "yogurt",
    "soybean",
    "abalone_rings",
    "penbased",
    "splice",
)
# One parameter, and nothing to choose: says whether datasets are harder.
YARDSTICK = "temperature"
HEAD = [
    "",
    "n_cal",
    "datasets",
    "number",
    "harm",
    f"harm of `{YARDSTICK}`",
    "change in log loss",
    "rank",
    "ahead of it",
]


def groups(contest: Contest) -> Iterator[tuple[str, Contest]]:
    """Yield both parts, and what is left of the second without the first nine."""
    for name in PARTS:
        own = contest.only([file for file in contest.files if part(file) == name])
        yield name, own
    never = [file for file in own.files if dataset(file) not in FIRST_NINE]
    if never and len(never) < len(own.files):
        yield "odd, never chosen on", own.only(never)


def line(name: str, contest: Contest) -> list[str]:
    """Return the cells of a group."""
    auto, rank = contest.of(AUTO), by_rank("log_loss")
    before = ahead(contest, rank)
    return [
        TITLES[contest.task],
        contest.size,
        name,
        str(len(set(contest.datasets))),
        percent(auto.harm),
        percent(contest.of(YARDSTICK).harm),
        f"{auto.changes['log_loss']:+.4f}",
        f"{rank(auto):.1f}",
        listed(before, rank, ".1f") if before else "",
    ]


def lines(contests: list[Contest]) -> str:
    """Return the table."""
    return table(HEAD, [line(*group) for contest in contests for group in groups(contest)])


def summary(contests: list[Contest]) -> str:
    """Say how the parts differ."""
    both = [[own for _, own in groups(contest)][:2] for contest in contests]
    auto = [(even.of(AUTO), odd.of(AUTO)) for even, odd in both]
    yardstick = [(even.of(YARDSTICK), odd.of(YARDSTICK)) for even, odd in both]
    harm, ranks, other = (
        sum(first < second for first, second in pairs)
        for pairs in (
            [(even.harm, odd.harm) for even, odd in auto],
            [(even.ranks["log_loss"], odd.ranks["log_loss"]) for even, odd in auto],
            [(even.harm, odd.harm) for even, odd in yardstick],
        )
    )
    return (
        f"`auto` harms more on the odd datasets than on the even ones in {harm} of {len(both)} "
        f"contests (`{YARDSTICK}`, with nothing to choose, in {other}), and has the worse mean "
        f"rank there in {ranks}."
    )

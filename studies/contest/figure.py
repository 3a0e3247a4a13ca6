"""The figure: how often an entrant harms against its mean rank, a panel a task and size."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from studies.contest.entrants import PEERS, TASKS, UNCALIBRATED
from studies.contest.protocol import SIZES
from studies.contest.sentences import AUTO, TITLES, best_peer, by_rank, rows
from studies.contest.summary import Contest
from studies.figures import BLACK, GREEN, GREY, ORANGE, STYLE, save
from studies.pages import Pages

KINDS = {
    "auto": (GREEN, "D", 34),
    "calipers": (GREEN, "o", 14),
    "other packages": (ORANGE, "o", 14),
    "uncalibrated": (BLACK, "x", 24),
}


def kind(name: str) -> str:
    """Return what an entrant is drawn as."""
    if name in (AUTO, UNCALIBRATED):
        return name
    return "other packages" if name in PEERS else "calipers"


def panel(axes: Any, contest: Contest) -> None:  # noqa: ANN401
    """Draw one task and size: the best is at the lower left."""
    rank = by_rank("log_loss")
    for line in contest.standings:
        colour, marker, size = KINDS[kind(line.name)]
        axes.scatter(rank(line), line.harm, s=size, c=colour, marker=marker, lw=1.0)
    auto, peer = contest.of(AUTO), best_peer(contest, rank)
    ring = {"s": 60, "facecolors": "none", "edgecolors": ORANGE, "lw": 1.2}
    axes.scatter(rank(peer), peer.harm, **ring)
    axes.text(0.04, 0.92, f"ringed: {peer.name}", transform=axes.transAxes, color=ORANGE)
    # What is beyond the bar differs from `auto` at 5 %.
    height = -0.06
    axes.plot([rank(auto), rank(auto) + contest.critical], [height] * 2, color=GREY, linewidth=2.0)
    axes.set_ylim(-0.1, 1.02)
    axes.set_xlim(0.0, len(contest.names) + 1.0)
    axes.set_title(f"{TITLES[contest.task]}, {rows(contest.size)}")


def draw(pages: Pages, path: Path, contests: list[Contest]) -> None:
    """Draw all."""
    with mpl.rc_context(STYLE):
        figure: Any = Figure(figsize=(12.4, 6.2), layout="constrained")
        grid = figure.subplots(len(TASKS), len(SIZES), squeeze=False, sharey=True)
        for contest in contests:
            panel(grid[TASKS.index(contest.task)][SIZES.index(contest.size)], contest)
        for row in grid:
            row[0].set_ylabel("share of harm")
        for axes in grid[-1]:
            axes.set_xlabel("mean rank of the log loss")
        for name, (colour, marker, size) in KINDS.items():
            grid[0][0].scatter([], [], s=size, c=colour, marker=marker, label=name)
        grid[0][0].plot([], [], color=GREY, linewidth=2.0, label="critical difference from auto")
        figure.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
        save(pages, path, figure)

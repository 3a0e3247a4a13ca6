"""Score recalibrators on a folder of real predictions, beside the figures of other packages.

Every recalibrator gives a lower bound of the calibration error, so whichever recovers more is
better. What the folder holds, and the protocol, are described in `corpus.py`. For every file, seed
and recalibrator the estimates are computed once and appended to a CSV file: a run that was stopped
goes on where it was. Then two tables are printed, of the files with two classes and of those with
more:

- The paper's statistic: for each file the mean over seeds, clipped at 0, as a percentage of the
  largest of all methods listed; averaged over the files where the largest l1 (two classes) or l2
  (more) is above 0.02.
- The mean difference to a reference method, in units of 0.001, over all files, with a standard
  error that takes the files of one dataset as dependent.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from studies import corpus
from studies.corpus import DECIDES, METRICS, Floats, Means, Scored, averages, dataset, statistic
from studies.pages import ROOT, Row
from studies.program import Program


def peers(asked: argparse.Namespace) -> Iterator[Row]:
    """Read the figures of other packages; a method named as one of ours is marked."""
    for row in corpus.peers(asked.peers, asked.seeds):
        mark = " (peer)" if row["method"] in asked.methods else ""
        yield {**row, "method": row["method"] + mark}


def clustered(differences: Floats, names: list[str]) -> tuple[Floats, Floats]:
    """Return the mean over files, and its standard error clustered by dataset."""
    mean = differences.mean(axis=0)
    groups = np.unique(names, return_inverse=True)[1]
    sums = np.zeros((groups.max() + 1, differences.shape[1]))
    np.add.at(sums, groups, differences - mean)
    spread = np.sum(sums**2, axis=0) * len(sums) / max(len(sums) - 1, 1)
    return mean, np.sqrt(spread) / len(differences)


def show(task: str, means: Means, pairs: list[str], reference: str) -> None:
    """Print the table of one task."""
    names = [dataset(pair) for pair in pairs]
    percent, counted = statistic(means, task)
    title = "Two classes" if task == "binary" else "More classes"
    print(f"\n{title}: {len(pairs)} files of {len(set(names))} datasets")
    print(f"{'':24}% of the largest ({counted} files)   difference to {reference}, 0.001")
    heads = "".join(f"{name:>7}" for name in METRICS)
    print(f"{'method':24}{heads}   " + "".join(f"{name:>16}" for name in METRICS))
    for method in sorted(means, key=lambda name: -float(np.sum(percent[name]))):
        line = f"{method[:23]:24}" + "".join(f"{value:7.1f}" for value in percent[method])
        if reference in means and method != reference:
            mean, error = clustered(means[method] - means[reference], names)
            both = zip(1e3 * mean, 1e3 * error, strict=True)
            line += "   " + "".join(f"{a:+9.2f} ±{b:5.2f}" for a, b in both)
        print(line)


def options(parser: argparse.ArgumentParser) -> None:
    """Say what may be asked for."""
    shared = ROOT.parent / "shared"
    add = parser.add_argument
    add("methods", nargs="*", default=["auto"], help="recalibrators of calipers")
    add("--folder", type=Path, default=shared / "corpus", help="where the NPZ files are")
    figures = shared / "reference" / "peers_dev.csv"
    add("--peers", type=Path, default=figures, help="figures of other packages; may be absent")
    add("--reference", default="ws_catboost", help="the method that differences are taken to")
    add("--seeds", type=int, nargs="+", default=[0, 1, 2], help="seeds of the folds")
    add("--rows", type=int, default=corpus.MOST_ROWS, help="the most rows of a file")
    add("--task", choices=DECIDES, help="only files with two classes, or with more")
    parts = "only datasets whose name has an even (to choose on) or odd (to confirm on) CRC-32"
    add("--part", choices=corpus.PARTS, help=parts)
    results = ROOT / "target" / "scores.csv"
    add("--results", type=Path, default=results, help="the file to append to")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="how many files at a time")
    add("--program", type=Path, help="a program to score instead of building one")


def run(asked: argparse.Namespace) -> None:
    """Compute, then print."""
    paths = corpus.paths(asked.folder)
    if not paths:
        sys.exit(f"error: there is no NPZ file in {asked.folder}")
    if asked.part:
        paths = [path for path in paths if corpus.part(path.stem) == asked.part]
    files = [corpus.read(path, asked.rows) for path in paths]
    files = [data for data in files if data.probs.shape[1] > 1]
    files = [data for data in files if asked.task in (None, data.task)]
    program = Program.find(asked.program)
    results = corpus.results(asked.results, program)
    scored = Scored(files, asked.seeds, asked.methods)
    rows = scored.compute(program, results, asked.jobs, "score")
    if asked.peers.exists():
        rows += peers(asked)
    for task in DECIDES:
        pairs = [data.pair for data in files if data.task == task]
        if pairs:
            show(task, averages(rows, pairs), pairs, asked.reference)

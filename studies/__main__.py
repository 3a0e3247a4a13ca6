"""The studies, each run in the same way.

python -m studies                                   what there is
python -m studies NAME [--quick] [--check] ...      run one; --help says what else it takes

--quick does a part in minutes and writes beneath target; --check writes nothing, and fails if what
the study gives is not what is there.
"""

import argparse
import importlib
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Study:
    """A line of the list."""

    name: str
    about: str
    module: str
    """Has `options`, which takes a parser, and `run`, which takes what was asked for."""
    quick: bool = False
    check: bool = False
    needs: str = "studies"
    """The file of requirements/ that it needs."""


STUDIES = (
    Study(
        "reproduce",
        "the paper's figures and tables again, and docs/reproduction.md (an hour)",
        "reproduce.run",
        quick=True,
        check=True,
    ),
    Study(
        "leafwise",
        "why WS LGBM departs from the paper where it does (minutes)",
        "reproduce.leafwise",
        check=True,
    ),
    Study(
        "neighbours",
        "other measures where the truth is known, and docs/neighbours.md",
        "neighbours.run",
        quick=True,
        check=True,
    ),
    Study(
        "neighbours-speed",
        "other measures timed beside the packages that they come from",
        "neighbours.timing",
        needs="peers",
    ),
    Study(
        "recovery",
        "how much error recalibrators recover on a folder of real predictions",
        "recovery.score",
    ),
    Study(
        "contest",
        "recalibrators beside those of other packages, and docs/contest.md",
        "contest.run",
        check=True,
        needs="peers",
    ),
    Study(
        "coverage",
        "how often lower bounds are above the truth, and tests reject",
        "coverage.run",
        quick=True,
    ),
    Study(
        "guess",
        "how far best guesses and upper bounds are from a known truth",
        "coverage.guess",
        quick=True,
    ),
    Study(
        "shapes",
        "how often the test of calibration sees errors of twelve shapes, beside other tests",
        "coverage.shapes",
        quick=True,
    ),
    Study(
        "features",
        "errors given features beside MCGrad's: planted segments, real corrections, time",
        "features.run",
        quick=True,
        needs="mcgrad",
    ),
    Study(
        "comparison",
        "what compare claims of two models, and docs/comparison.md",
        "coverage.comparison",
        check=True,
    ),
    Study(
        "robustness",
        "docs/robustness.md, from the tables that the next four and others wrote",
        "robustness.page",
        check=True,
    ),
    Study("fuzz", "every fuzz target for a while, as it was built", "robustness.fuzz"),
    Study("load", "thousands of estimates at once in Rust and Python (minutes)", "robustness.load"),
    Study("properties", "every property on many more cases (an hour)", "robustness.properties"),
    Study("mutants", "the faults put into the core that its tests notice", "robustness.mutants"),
    Study(
        "stream",
        "a billion rows: time and memory beside DuckDB's 15-bin ECE, growth from 10^5 to 10^9 "
        "rows, and docs/scale.md",
        "stream.run",
        quick=True,
        check=True,
    ),
    Study("million-rows", "a million rows read and estimated: time, memory", "speed.million_rows"),
    Study("growth", "how time grows with rows and with classes (minutes)", "speed.growth"),
    Study(
        "python-overhead",
        "what the Python package costs beside the computation",
        "speed.python_overhead",
    ),
    Study(
        "probmetrics-speed",
        "calipers timed beside probmetrics (downloads 3 GB)",
        "speed.against_probmetrics",
        quick=True,
    ),
    Study(
        "spark-speed",
        "Spark timed beside calipers' own streaming of the same files",
        "speed.spark",
        needs="spark",
    ),
    Study(
        "oracles",
        "estimates by NumPy, SciPy and scikit-learn (two minutes)",
        "oracles.generate",
        check=True,
    ),
    Study(
        "oracles-boost",
        "trees that CatBoost and LightGBM grow (seconds)",
        "oracles.boost",
        check=True,
    ),
    Study(
        "oracles-probmetrics",
        "estimates of probmetrics",
        "oracles.peer",
        check=True,
        needs="peers",
    ),
    Study(
        "oracles-neighbours",
        "other packages' measures, and slow twins (five minutes)",
        "oracles.neighbours",
        check=True,
        needs="peers",
    ),
    Study("oracles-data", "the oracles' data, cut out of a corpus", "oracles.subset"),
)


class Help(argparse.RawDescriptionHelpFormatter):
    """Shows the defaults that say something."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        """Return the help of an option."""
        if action.default in (None, False, argparse.SUPPRESS):
            return action.help
        return f"{action.help} (default: %(default)s)"


def listed() -> str:
    """Return the list."""
    flags = {study.name: study.quick * " --quick" + study.check * " --check" for study in STUDIES}
    width = max(len(study.name + flags[study.name]) for study in STUDIES)
    lines = [f"  {study.name + flags[study.name]:{width}}  {study.about}" for study in STUDIES]
    return f"{__doc__}\n" + "\n".join(lines)


def main() -> int:
    """Run the study that was named."""
    name, *words = sys.argv[1:] or ["--help"]
    if name in ("--help", "-h"):
        print(listed())
        return 0
    study = next((study for study in STUDIES if study.name == name), None)
    if study is None:
        names = ", ".join(study.name for study in STUDIES)
        print(f"error: there is no study {name!r}; there are {names}", file=sys.stderr)
        return 2
    try:
        module = importlib.import_module(f"studies.{study.module}")
        parser = argparse.ArgumentParser(
            prog=f"python -m studies {name}", description=module.__doc__, formatter_class=Help
        )
        if study.quick:
            parser.add_argument("--quick", action="store_true", help="a part, in minutes")
        if study.check:
            text = "write nothing; fail if a file is not what the study gives"
            parser.add_argument("--check", action="store_true", help=text)
        module.options(parser)
        return int(module.run(parser.parse_args(words)) or 0)
    except ModuleNotFoundError as error:
        if (error.name or "studies").split(".")[0] == "studies":
            raise
        print(
            f"error: {name} needs {error.name}, which is not installed: make study NAME={name} "
            f"installs requirements/{study.needs}.txt",
            file=sys.stderr,
        )
        return 2


if __name__ == "__main__":
    sys.exit(main())

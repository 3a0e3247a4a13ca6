"""Calibration errors of a Dask DataFrame, which may be larger than the memory of any machine.

Rows are picked where they are (`candidates`), a plan is made of those (`Plan.fit`), every partition
is tallied where it is (`Plan.tally`), and the sum of the tallies is the report: the same to the
last bit for any partitions. Run as a program, this evaluates predictions that are too confident.
"""

from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd

import calipers


def evaluate(
    frame: dd.DataFrame, label: str, probs: list[str], key: str, sample: int, **options: object
) -> calipers.Report:
    """Estimate calibration errors; the key is a column of numbers or texts that are a row's own."""
    parts = frame[[label, *probs, key]].to_delayed()
    seed = options.get("seed", 0)

    @dask.delayed
    def survey(part: pd.DataFrame) -> tuple[int, list[Any]]:
        return len(part), part[label].unique().tolist()

    @dask.delayed
    def pick(part: pd.DataFrame, total: int) -> pd.DataFrame:
        return part[calipers.candidates(part[key], total=total, sample=sample, seed=seed)]

    @dask.delayed
    def tally(part: pd.DataFrame, plan: calipers.Plan) -> calipers.Tally:
        return plan.tally(part[label], part[probs], key=part[key], threads=1)

    counts, labels = zip(*dask.compute(*map(survey, parts)), strict=True)
    picked = pd.concat(dask.compute(*(pick(part, sum(counts)) for part in parts)))
    plan = calipers.Plan.fit(
        picked[label],
        picked[probs],
        key=picked[key],
        sample=sample,
        labels=sorted(set().union(*labels)),  # A partition, and the sample, may lack some.
        **options,
    )
    return plan.finish(sum(dask.compute(*(tally(part, plan) for part in parts))))


def main() -> None:
    """Evaluate a hundred thousand rows in ten partitions."""
    labels, probs = calipers.simulate("binary-overconfident", 100_000, seed=0)
    rows = pd.DataFrame({"y": labels, "p0": probs[:, 0], "p1": probs[:, 1], "id": range(100_000)})
    frame = dd.from_pandas(rows, npartitions=10)
    print(evaluate(frame, label="y", probs=["p0", "p1"], key="id", sample=10_000))


if __name__ == "__main__":
    main()

"""Calibration errors of a dataset of Ray Data, which may be larger than the memory of any machine.

Rows are picked where they are (`candidates`), a plan is made of those (`Plan.fit`), every block is
tallied where it is (`Plan.tally`), and the sum of the tallies is the report: the same to the last
bit for any blocks. Run as a program, this evaluates predictions that are too confident.
"""

import pandas as pd
import ray.data

import calipers


def evaluate(
    dataset: ray.data.Dataset,
    label: str,
    probs: list[str],
    key: str,
    sample: int,
    **options: object,
) -> calipers.Report:
    """Estimate calibration errors; the key is a column of numbers or texts that are a row's own."""
    rows = dataset.select_columns([label, *probs, key])
    total, seed = rows.count(), options.get("seed", 0)

    def pick(block: pd.DataFrame) -> pd.DataFrame:
        return block[calipers.candidates(block[key], total=total, sample=sample, seed=seed)]

    picked = rows.map_batches(pick, batch_format="pandas").to_pandas(limit=None)
    plan = calipers.Plan.fit(
        picked[label],
        picked[probs],
        key=picked[key],
        sample=sample,
        labels=sorted(rows.unique(label)),  # A block, and the sample, may lack some.
        **options,
    )

    def tally(block: pd.DataFrame) -> pd.DataFrame:
        found = plan.tally(block[label], block[probs], key=block[key], threads=1)
        return pd.DataFrame({"tally": [found.to_bytes()]})

    tallies = rows.map_batches(tally, batch_format="pandas", batch_size=None).take_all()
    return plan.finish(sum(calipers.Tally.from_bytes(one["tally"]) for one in tallies))


def main() -> None:
    """Evaluate a hundred thousand rows in ten blocks."""
    labels, probs = calipers.simulate("binary-overconfident", 100_000, seed=0)
    rows = pd.DataFrame({"y": labels, "p0": probs[:, 0], "p1": probs[:, 1], "id": range(100_000)})
    dataset = ray.data.from_pandas(rows).repartition(10)
    print(evaluate(dataset, label="y", probs=["p0", "p1"], key="id", sample=10_000))


if __name__ == "__main__":
    main()

"""Writes the folder of a Hugging Face dataset, `crates/calipers-files/tests/dataset`.

Written with datasets 5.2.0 (`Dataset.save_to_disk`). Where that package is installed:
`python studies/oracles/hf_dataset.py`.
"""

from pathlib import Path

from datasets import ClassLabel, Dataset, Features, List, Value

FOLDER = Path(__file__).parents[2] / "crates" / "calipers-files" / "tests" / "dataset"


def main() -> None:
    """Six rows in two files: a list of probabilities, and labels that have names."""
    probs = [[0.75, 0.25], [0.5, 0.5], [0.125, 0.875], [1.0, 0.0], [0.25, 0.75], [0.625, 0.375]]
    features = Features(
        {"probs": List(Value("float64")), "label": ClassLabel(names=["spam", "ham"])}
    )
    rows = {"probs": probs, "label": [0, 1, 1, 0, 1, 0]}
    Dataset.from_dict(rows, features=features).save_to_disk(FOLDER, num_shards=2)


if __name__ == "__main__":
    main()

"""How do I measure a billion logged predictions that lie in many files?

Go through the shards twice, one at a time and wherever they are. The first time `candidates` picks
a sample, of which a `Plan` is made; the second time each shard becomes a small `Tally`. They add up
to a report of all rows, the same to the last bit in any order.
"""

import numpy as np

import calipers

SHARDS, ROWS, SAMPLE = 20, 10_000, 20_000


def shard(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stand for a file of a log: a key that is the row's own, labels, probabilities."""
    y_true, y_prob = calipers.simulate("binary-overconfident", ROWS, seed=number)
    return np.arange(number * ROWS, (number + 1) * ROWS), y_true, y_prob[:, 1]


picked = []
for number in range(SHARDS):
    key, y_true, p = shard(number)
    mask = calipers.candidates(key, total=SHARDS * ROWS, sample=SAMPLE)
    picked.append((key[mask], y_true[mask], p[mask]))
key, y_true, p = map(np.concatenate, zip(*picked, strict=True))
plan = calipers.Plan.fit(y_true, p, key=key, sample=SAMPLE, metrics="l1")

# Anywhere, in any order: what is sent back is bytes.
sent = []
for number in reversed(range(SHARDS)):
    key, y_true, p = shard(number)
    sent.append(plan.tally(y_true, p, key=key).to_bytes())
print(f"{SHARDS} tallies of {np.mean([len(data) for data in sent]) / 1000:.0f} kB each")
tallies = [calipers.Tally.from_bytes(data) for data in sent]
report = plan.finish(sum(tallies))
print(report)
# Shards that were lost or sent twice show by their rows of the sample, if they have any.
print(f"\nevery row, once: {report.n == SHARDS * ROWS}")

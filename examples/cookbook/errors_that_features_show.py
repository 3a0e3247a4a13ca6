"""Who is my model wrong about?

Give what else is known of each row as `features`. The error given the prediction and the features
cannot cancel between people, and segments say in words who it is: they are looked for in some rows
and measured in others.
"""

import pandas as pd

import calipers

rows = pd.read_csv("data/credit_features.csv")
features = rows.drop(columns=["label", "p_bad"])
report = calipers.evaluate(rows["label"], rows["p_bad"], "l1", features=features)

alone, given = report["l1"], report.given_features["l1"]
print(f"Given the prediction alone the error is at least {alone.lower:.3f},")
print(f"given {', '.join(features)} too at least {given.lower:.3f}.")

worth = report.given_features.shares[0]
print(f"Worth most: {' and '.join(worth.features)}.")
for segment in report.segments:
    side = "at least" if segment.above else "at most"
    print(f"  {segment}: predicted {segment.predicted:.0%}, it is {side} {segment.bound:.0%}")

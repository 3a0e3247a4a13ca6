"""Is the model as well calibrated for every group of people?

Give the group of each row. The lower bounds of all groups hold together, so that the worst one may
be named; and errors that cancel between groups, and cannot be seen on the whole, are found.
"""

import pandas as pd

import calipers

rows = pd.read_csv("data/credit_features.csv")
report = calipers.evaluate(rows["label"], rows["p_bad"], "l1", groups=rows["records"])

print(f"all         off by {report['l1'].value:.3f}, at least {report['l1'].lower:.3f}")
for name, group in report.groups.items():
    l1 = group["l1"]
    print(f"records {name:3} off by {l1.value:.3f}, at least {l1.lower:.3f}, {group.n:,} rows")

aware = report.group_aware["l1"]
print(f"Whoever knows the group finds {aware.value:.3f}, at least {aware.lower:.3f}.")
worst = max(report.groups.values(), key=lambda group: group["l1"].lower)
rows_of = rows[rows["records"] == worst.name]
said, seen = rows_of["p_bad"].mean(), (rows_of["label"] == "bad").mean()
print(f"Worst: records = {worst.name}. It says that {said:.0%} default, and {seen:.0%} do.")

"""How do I show that a model is well enough calibrated?

That nothing was found proves nothing: with few rows nothing ever is. An upper bound proves it, if
the truth never falls as the prediction rises (`assume="monotone"`), and it takes rows: here are
calibrated models, and what may be said of each.
"""

import calipers

LIMIT = 0.1

for rows in (100, 1000, 10_000):
    y_true, y_prob = calipers.simulate("binary-calibrated", rows, seed=1)
    l1 = calipers.calibration_error(y_true, y_prob, assume="monotone")
    if l1.upper is None:
        print(f"{rows:6,} rows: the truth falls as the prediction rises")
        continue
    verdict = "approved" if l1.upper <= LIMIT else "not shown to be within the limit"
    bounds = f"between {l1.lower:.2f} and {l1.upper:.2f}"
    print(f"{rows:6,} rows: found {l1.value:+.3f}, {bounds}: {verdict}")

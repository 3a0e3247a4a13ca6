"""Why is my ECE never zero?

Binned ECE counts the chance of each bin's labels as error, so that a model without any error has
one: the more bins and the fewer rows, the more. The estimate of calipers is no more than 0 there,
up to chance.
"""

import numpy as np

import calipers

MODELS = 100

print(f"Calibrated models, whose error is 0; means of {MODELS}.")
print("  rows  ECE, 15 bins  ECE, 100 bins  estimate  lower bound above 0")
for rows in (500, 2000, 8000):
    found = []
    for seed in range(MODELS):
        y_true, y_prob = calipers.simulate("binary-calibrated", rows, seed=seed)
        binned = calipers.neighbours(y_true, y_prob, ["ece:bins=15", "ece:bins=100"], draws=0)
        l1 = calipers.calibration_error(y_true, y_prob, best=False, draws=0)
        found.append([*map(float, binned), l1.value, l1.lower > 0])
    few, many, estimate, shown = np.mean(found, axis=0)
    print(f"{rows:6,}  {few:12.3f}  {many:13.3f}  {estimate:8.3f}  {shown:19.0%}")

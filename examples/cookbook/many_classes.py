"""What does calibration mean with ten classes?

Three things: whether the model's confidence in its own choice is right (`top-`), whether each
class's probability is right (`classwise-`), and whether the whole vector is. The last implies the
others, and a model can look good by one and not by the next.
"""

import pandas as pd

import calipers

rows = pd.read_csv("data/mnist5k_lr.csv")
y_true, y_prob = rows["label"], rows.drop(columns="label")

QUESTIONS = {
    "top-l1": "the confidence in the chosen digit",
    "top-over-l1": "of that: where it is too sure",
    "top-under-l1": "of that: where it is not sure enough",
    "classwise-l1": "the probability of a digit, mean over digits",
    "l1": "the whole vector, summed over digits",
    "l2": "the whole vector, its length",
}
report = calipers.evaluate(y_true, y_prob, QUESTIONS, best=False)
print("metric        error  at least  of what")
for metric, error in report.items():
    print(f"{metric:12}  {error:.3f}     {error.lower:.3f}  {QUESTIONS[metric]}")

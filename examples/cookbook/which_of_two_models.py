"""Which of two models is better calibrated, and when may I not say?

Compare them on the same rows: what makes a row hard for both cancels. A verdict is a sentence that
holds with 95 % confidence, and with few rows the sentence is that nothing is shown.
"""

import pandas as pd

import calipers

rows = pd.read_csv("data/cells_lgbm.csv")
# One column is the probability of the second class in sorted order: PS, WS.
y_true, y_prob = rows["label"], rows["p_WS"].to_numpy()

# The second model is the first one, corrected by what the first thousand rows say.
correction = calipers.Recalibrator("logistic").fit(y_prob[:1000], y_true[:1000])
fresh_true, fresh_prob = y_true[1000:], y_prob[1000:]
models = {"lightgbm": fresh_prob, "corrected": correction.predict_proba(fresh_prob)[:, 1]}

for count in (100, len(fresh_true)):
    some = {name: probabilities[:count] for name, probabilities in models.items()}
    print(f"{count:,} rows")
    print(calipers.compare(fresh_true[:count], some, metrics="l1"))
    print()

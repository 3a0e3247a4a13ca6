"""How do I fit a correction once, and use it elsewhere?

Save a fitted `Recalibrator` as JSON: Python, Rust and the command line load the same file, and
predict the same bits. Measure it on rows that it was not fitted to.
"""

import tempfile
from pathlib import Path

import pandas as pd

import calipers

rows = pd.read_csv("data/cells_lgbm.csv")
y_true, y_prob = rows["label"], rows[["p_PS", "p_WS"]]
fitted = calipers.Recalibrator("temperature").fit(y_prob[::2], y_true[::2])

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "correction.json"
    fitted.save(path)
    loaded = calipers.Recalibrator.load(path)
    print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB, classes {loaded.classes_.tolist()}")

held_true, held_prob = y_true[1::2], y_prob[1::2]
corrected = loaded.predict_proba(held_prob)
print(f"the same bits: {(corrected == fitted.predict_proba(held_prob)).all()}")
for name, probabilities in (("before", held_prob), ("after", corrected)):
    brier = calipers.evaluate(held_true, probabilities, "brier")["brier"]
    parts = brier.decomposition
    print(f"{name:6}  Brier score {parts.loss:.4f}, of which calibration {brier.value:.4f}")

"""My rows are several visits of the same patients: does that matter?

It does: rows that share their fate are fewer than they seem, and bounds that take them for
independent claim too much. Say which belong together (`cluster=`). These predictions are
calibrated: every bound above 0 is wrong, and 5 % of them may be.
"""

import numpy as np

import calipers

STUDIES, PATIENTS, VISITS = 100, 100, 10


def study(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw patients who are the same at all visits, and chances that are right on the whole."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(PATIENTS), VISITS)
    chance = rng.uniform(size=PATIENTS * VISITS)
    frailty = rng.uniform(size=PATIENTS)
    return frailty[patient] < chance, chance, patient


wrong = {"as if independent": 0, "by patient": 0}
for seed in range(STUDIES):
    y_true, y_prob, patient = study(seed)
    for name, cluster in (("as if independent", None), ("by patient", patient)):
        l1 = calipers.calibration_error(y_true, y_prob, cluster=cluster, best=False, draws=0)
        wrong[name] += l1.lower > 0
for name, count in wrong.items():
    print(f"{name}: {count} of {STUDIES} bounds claim an error that is not there")

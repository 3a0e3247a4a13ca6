"""The recalibrators of calipers as CalArena wants them: objects with `fit` and `predict_proba`.

CalArena (https://github.com/probkit/CalArena) hands over NumPy arrays: of two classes one column,
the probabilities of class 1, or both; of more a column for each. Predictions have a column for each
class. `docs/contest.md` says how to enter them there. Run as a program, this shows one on
predictions that are too confident.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

import calipers

Floats = NDArray[np.float64]


class CalipersCalibrator:
    """A recalibrator of calipers, by name; one thread, since CalArena times with one."""

    def __init__(self, name: str = "auto") -> None:
        """Take the name of a recalibrator."""
        self.name = name

    def fit(self, p_cal: Floats, y_cal: NDArray[np.int64]) -> None:
        """Learn from probabilities and labels; a class without a row is a class all the same."""
        probs = both(p_cal)
        classes = range(probs.shape[1])
        self.map_ = calipers.Recalibrator(self.name, class_names=classes, threads=1)
        self.map_.fit(probs, y_cal)

    def predict_proba(self, p_test: Floats) -> Floats:
        """Return corrected probabilities, of two classes both."""
        return self.map_.predict_proba(both(p_test))


def both(probs: Floats) -> Floats:
    """Return a column for each class, rows that sum to 1 beyond single precision."""
    wide = np.asarray(probs, dtype=np.float64).reshape(len(probs), -1)
    if wide.shape[1] == 1:
        return np.hstack([1.0 - wide, wide])
    return wide / wide.sum(axis=1, keepdims=True)


CALIBRATORS = {
    f"calipers-{name}": partial(CalipersCalibrator, name) for name in calipers.recalibrators()
}


def main() -> None:
    """Correct predictions of two classes, and print the log loss before and after."""
    labels, probs = calipers.simulate("binary-overconfident", 4000, seed=0)
    calibrator = CALIBRATORS["calipers-auto"]()
    calibrator.fit(probs[:2000, 1], labels[:2000])
    after = calibrator.predict_proba(probs[2000:, 1])
    for name, own in (("before", probs[2000:]), ("after", after)):
        hits = own[np.arange(2000), labels[2000:]]
        print(f"{name}: log loss {-np.log(hits).mean():.4f}")


if __name__ == "__main__":
    main()

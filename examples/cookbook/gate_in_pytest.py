"""How do I stop a badly calibrated model in my tests?

Assert on the lower bound: a test that fails has then shown, with 95 % confidence, that the error is
above the limit. An assertion on the estimate would fail by chance, the more often the fewer rows.
"""

import sys

import pandas as pd
import pytest

import calipers

LIMITS = {"l1": 0.05, "under-l1": 0.02}


@pytest.mark.parametrize("metric", LIMITS)
def test_calibration(metric: str) -> None:
    """Predictions that were kept aside are not shown to be off by more than the limit."""
    rows = pd.read_csv("data/cells_lgbm.csv")
    error = calipers.calibration_error(rows["label"], rows[["p_PS", "p_WS"]], metric)
    assert error.lower <= LIMITS[metric], f"{metric} is at least {error.lower:.3f}"


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-qq", "--tb=no", "-p", "no:cacheprovider"]))

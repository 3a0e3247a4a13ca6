"""TabICL and TabPFN as recalibrators: the paper's TabICLv2 and RealTabPFN-2.5.

Their weights are downloaded by the packages, or given as a file. Here a small model with random
weights is written to such a file: everything but the weights is the real thing. Whatever g is, the
estimate stays a lower bound of the error.
"""

from pathlib import Path

import numpy as np
import pytest

import calipers

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore")]


def tabicl(path: Path):
    library = pytest.importorskip("tabicl")
    from tabicl._model.tabicl import TabICL

    torch.manual_seed(0)
    # The heads have eight dimensions each.
    config = {"embed_dim": 32, "col_num_blocks": 1, "row_num_blocks": 1, "icl_num_blocks": 1}
    config |= {"col_nhead": 4, "row_nhead": 4, "icl_nhead": 4, "col_num_inds": 16}
    torch.save({"config": config, "state_dict": TabICL(**config).state_dict()}, path)
    return library.TabICLClassifier(
        n_estimators=2, model_path=path, allow_auto_download=False, device="cpu"
    )


def tabpfn(path: Path):
    library = pytest.importorskip("tabpfn")
    from tabpfn.architectures import ARCHITECTURES

    architecture = ARCHITECTURES["tabpfn_v2_5"]
    settings = {"emsize": 48, "nlayers": 2, "nhead": 3, "max_num_classes": 10, "num_buckets": 0}
    torch.manual_seed(0)
    config, _ = architecture.parse_config(settings)
    state = architecture.get_architecture(config).state_dict()
    torch.save({"config": settings, "state_dict": state, "architecture_name": "tabpfn_v2_5"}, path)
    return library.TabPFNClassifier(n_estimators=2, model_path=path, device="cpu")


@pytest.mark.parametrize("make", [tabicl, tabpfn])
@pytest.mark.parametrize("setting", ["binary-overconfident", "multiclass-overconfident-3"])
def test_foundation_models(make, setting: str, tmp_path: Path) -> None:
    model = make(tmp_path / "random.ckpt")
    y, p = calipers.simulate(setting, 200, seed=0)
    report = calipers.evaluate(y, p, metrics=["l1", "brier", "log"], recalibrator=model, folds=2)
    assert report.recalibrator == type(model).__name__
    known = calipers.evaluate(y, p, metrics=["l1", "brier", "log"], recalibrator="temperature")
    for metric in report:
        assert np.isfinite(report[metric].value)
        # A lower bound: above what a map of the right family finds only by chance.
        assert report[metric].value < known[metric].value + 3 * report[metric].stderr
    again = calipers.evaluate(y, p, metrics=["l1", "brier", "log"], recalibrator=model, folds=2)
    assert again.to_json() == report.to_json()
    logs = calipers.evaluate(y, p, metrics="l1", recalibrator=model, folds=2, log_features=True)
    assert np.isfinite(logs["l1"].value)


@pytest.mark.parametrize("make", [tabicl, tabpfn])
def test_a_class_that_is_missing_in_a_fold(make, tmp_path: Path) -> None:
    model = make(tmp_path / "random.ckpt")
    y, p = calipers.simulate("multiclass-overconfident-3", 150, seed=0)
    folds = np.arange(150) // 75
    keep = (y != 1) | (folds == 1)
    report = calipers.evaluate(y[keep], p[keep], recalibrator=model, folds=folds[keep])
    assert np.isfinite(report["log"].value)
    g = calipers.Recalibrator(model).fit(p, y)
    np.testing.assert_allclose(g.predict_proba(p).sum(axis=1), 1, rtol=0, atol=1e-9)

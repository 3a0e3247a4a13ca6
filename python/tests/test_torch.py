"""Tensors on the CPU; run where torch is, by `make long WHAT=foundation`."""

import numpy as np
import pytest
from common import Simulated

import calipers
from calipers._arrays import as_scores

torch = pytest.importorskip("torch")


def test_tensors_are_not_copied(multiclass: Simulated) -> None:
    y, p = multiclass
    tensor = torch.tensor(p, requires_grad=True)
    scores, _ = as_scores(tensor)
    assert np.shares_memory(scores, tensor.detach().numpy())
    report = calipers.evaluate(torch.tensor(y), tensor)
    assert report.to_json() == calipers.evaluate(y, p).to_json()


def test_logits_and_short_floats(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    logits = torch.tensor(np.log(p))
    # The softmax of a logarithm rounds a few last bits.
    assert calipers.evaluate(y, logits, from_logits=True)["l1"].value == pytest.approx(
        calipers.evaluate(y, p)["l1"].value, abs=1e-12
    )
    y2, p2 = binary
    coarse = torch.tensor(p2[:, 1]).to(torch.bfloat16)
    report = calipers.evaluate(torch.tensor(y2), coarse)
    assert report.to_json() == calipers.evaluate(y2, coarse.float().numpy()).to_json()


def test_tensors_elsewhere_are_refused(multiclass: Simulated) -> None:
    y, p = multiclass
    with pytest.raises(calipers.InputError, match=r"a tensor on meta: pass its cpu\(\)"):
        calipers.evaluate(y, torch.tensor(p, device="meta"))

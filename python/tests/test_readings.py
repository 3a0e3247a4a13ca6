"""Columns and labels, however they are named and ordered: one number, or an error.

The rules have their own tests (`crates/calipers-files/tests/readings.rs`); here are the forms that
labels and tables have in Python.
"""

import numpy as np
import pandas as pd
import pytest
from common import Simulated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calipers

WORDS = ["fox", "cat", "ant", "dog", "emu", "bee"]
# How columns are called, and how labels are written, by the class.
FAMILIES = {
    "numbers": (lambda k: f"p_{k}", lambda k: k),
    "bare numbers": (lambda k: k, lambda k: k),
    "whole floats": (lambda k: f"class {k}", float),
    "from 1": (lambda k: f"P({k + 1})", lambda k: k + 1),
    "text numbers": (lambda k: f"proba{k}", str),
    "words": (lambda k: f"p_{WORDS[k]}", lambda k: WORDS[k]),
    "capitals": (lambda k: WORDS[k].upper(), lambda k: WORDS[k]),
    "truths": (bool, bool),
    "yes and no": (lambda k: f"prob_{['no', 'yes'][k]}", lambda k: k),
}


def value(y, p, **options) -> float:
    report = calipers.evaluate(y, p, "l1", recalibrator="temperature", draws=0, **options)
    return report["l1"].value


@settings(
    deadline=None, max_examples=200, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_any_order_gives_one_number_or_an_error(data) -> None:
    family = data.draw(st.sampled_from(sorted(FAMILIES)))
    column, label = FAMILIES[family]
    k = 2 if family in ("truths", "yes and no") else data.draw(st.integers(2, 6))
    order = data.draw(st.permutations(range(k)))
    dropped = data.draw(st.sets(st.integers(0, k - 1), max_size=k - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = rng.dirichlet(np.ones(k), 60)
    y = rng.integers(0, k, 60)
    kept = ~np.isin(y, list(dropped))
    y, p = y[kept], p[kept]
    if len(y) < 10:
        return
    expected = value(y, p, class_names=list(range(k)))
    frame = pd.DataFrame(p[:, order], columns=[column(at) for at in order])
    labels = [label(at) for at in y]
    forms = [labels, np.asarray(labels), pd.Series(labels), pd.Categorical(labels)]
    form = data.draw(st.sampled_from(range(len(forms))))
    try:
        found = value(forms[form], frame)
    except calipers.InputError:
        # What is named is read; bare numbers in their order are no names, and may be in doubt.
        assert family == "bare numbers" and order == sorted(order)
        return
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_model_may_have_columns_of_its_own(binary: Simulated) -> None:
    y, p = binary
    plain = calipers.compare(y, {"a": p, "b": p[:, ::-1]}, metrics="l1")
    frames = {
        "a": pd.Series(p[:, 1], name="score of a"),
        "b": pd.DataFrame({"p1": p[:, 0], "p0": p[:, 1]}),
    }
    found = calipers.compare(y, frames, metrics="l1")
    assert found["a"]["l1"].value == plain["a"]["l1"].value
    assert found["b"]["l1"].value == plain["b"]["l1"].value
    assert "A: score of a -> P(1); labels: y_true\n" in str(found)
    assert "B: p1 -> P(1), p0 -> P(0); labels: y_true\n" in str(found)
    with pytest.raises(calipers.InputError, match="the label is"):
        calipers.compare(y, {"a": p, "b": pd.DataFrame(p, columns=["no", "yes"])})


def test_what_was_understood_is_shown(binary: Simulated) -> None:
    y, p = binary
    y = pd.Series(np.where(y == 1, "Benign", "Malignant"), name="diagnosis")
    report = calipers.evaluate(y, pd.Series(p[:, 1], name="p_benign"), "l1")
    assert "\np_benign -> P(Benign); labels: diagnosis\n" in str(report)
    assert report.to_dict()["columns"] == {
        "labels": "diagnosis",
        "probabilities": {"p_benign": "Benign"},
    }
    assert "columns" not in calipers.evaluate(y, p[:, 1]).to_dict()


def test_names_that_are_given_say_the_order(binary: Simulated) -> None:
    y, p = binary
    with pytest.raises(calipers.InputError, match="two ways"):
        calipers.evaluate(y, pd.DataFrame(p, columns=["p_dog", "p_cat"]))
    assert value(y, p, class_names=["dog", "cat"]) == value(y, p)


def test_texts_of_numbers_have_two_orders() -> None:
    y, p = calipers.simulate("multiclass-overconfident-10", 200, seed=0)
    p = np.column_stack([p, np.zeros(len(p))])
    with pytest.raises(calipers.InputError, match="10 may come after 9"):
        calipers.evaluate([str(label) for label in y], p)
    assert value(y.astype(str), p, class_names=range(11)) == value(y, p)

"""What holds for every input, through the Python door.

The mathematics behind it has its own properties (`crates/calipers/tests/main/properties`), over
many more cases.
"""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import calipers

# A busy machine is no counter-example.
ready = settings(
    deadline=None, max_examples=60, derandomize=True, suppress_health_check=list(HealthCheck)
)
QUICK = ["identity", "constant", "isotonic", "temperature", "bins-mass", "partition"]
# Every recalibrator, with so few cases that the slow ones, which grow hundreds of trees, take
# seconds.
few = settings(ready, max_examples=5)
every = pytest.mark.parametrize("name", calipers.recalibrators())
METRICS = ["l1", "l1.5", "linf", "brier", "log", "top-l1", "top-over-brier", "classwise-l2"]


@st.composite
def predictions(draw, classes=None):
    """Draw labels and probabilities, with ties, zeros and ones among them."""
    k = classes or draw(st.integers(2, 5))
    n = draw(st.integers(5, 40))
    counts = draw(
        hnp.arrays(np.int64, (n, k), elements=st.integers(0, 6), fill=st.nothing())
    ).astype(float)
    counts[counts.sum(axis=1) == 0] = 1
    labels = draw(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1)))
    # Without a 0 they could be counted from 1, which is refused.
    labels[0] = 0
    return labels, counts / counts.sum(axis=1, keepdims=True)


@ready
@given(predictions(), st.sampled_from(QUICK), st.integers(0, 2**63))
def test_every_prediction_is_measured(drawn, name: str, seed: int) -> None:
    y, p = drawn
    metrics = ("l1", "l2", "brier", "log")
    report = calipers.evaluate(y, p, metrics, recalibrator=name, seed=seed)
    for metric in ("l1", "l2", "brier"):
        one = report[metric]
        assert np.isfinite(one.scores).all()
        assert one.value == pytest.approx(one.scores.mean(), abs=1e-12)
        # No norm of a difference of two points of the simplex is larger than its L1 norm, 2.
        assert abs(one.value) <= 2
    zeros = p[np.arange(len(y)), y] == 0
    assert (report["log"].value == np.inf) == (zeros.any() and name != "identity")


@ready
@given(predictions(2), st.sampled_from(QUICK), st.integers(0, 10))
def test_over_and_under_confidence_add_up(drawn, name: str, seed: int) -> None:
    report = calipers.evaluate(*drawn, ["l1", "over-l1", "under-l1"], name, seed=seed)
    total = report["over-l1"].value + report["under-l1"].value
    assert total == pytest.approx(report["l1"].value, abs=1e-12)


@every
@few
@given(drawn=predictions(), random=st.randoms())
def test_the_order_of_rows_does_not_matter(name: str, drawn, random) -> None:
    y, p = drawn
    folds = np.arange(len(y)) % 3
    order = list(range(len(y)))
    random.shuffle(order)
    # Norms jump where g meets f, which the last bit of g decides; these do not.
    smooth = ["brier", "top-brier"]
    one = calipers.evaluate(y, p, smooth, name, folds, draws=0)
    other = calipers.evaluate(y[order], p[order], smooth, name, folds[order], draws=0)
    for metric in smooth:
        assert other[metric].scores == pytest.approx(one[metric].scores[order], abs=1e-6)


@every
@few
@given(learnt=predictions(3), asked=predictions(3))
def test_recalibrated_predictions_are_on_the_simplex_and_survive(name: str, learnt, asked) -> None:
    (y, p), (_, q) = learnt, asked
    fitted = calipers.Recalibrator(name, class_names=[0, 1, 2]).fit(p, y)
    g = fitted.predict_proba(q)
    assert g.shape == q.shape
    assert (g >= 0).all()
    np.testing.assert_allclose(g.sum(axis=1), 1, rtol=0, atol=1e-12)
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        np.testing.assert_array_equal(again.predict_proba(q), g)


@every
@few
@given(drawn=predictions(), seed=st.integers(0, 2**63))
def test_threads_and_another_run_give_the_same_digits(name: str, drawn, seed: int) -> None:
    y, p = drawn
    one, *others = (
        calipers.evaluate(y, p, METRICS, name, seed=seed, draws=9, threads=threads).to_json()
        for threads in (1, 2, 5)
    )
    assert all(other == one for other in others)


@every
@few
@given(drawn=predictions(), power=st.integers(-200, 200), data=st.data())
def test_scaling_the_weights_changes_no_digit(name: str, drawn, power: int, data) -> None:
    y, p = drawn
    weights = data.draw(hnp.arrays(np.float64, len(y), elements=st.floats(0.01, 100)))
    one, other = (
        calipers.evaluate(y, p, METRICS, name, sample_weight=w, draws=9).to_json()
        for w in (weights, np.ldexp(weights, power))
    )
    assert one == other


@ready
@given(predictions())
def test_a_g_that_is_f_finds_nothing(drawn) -> None:
    report = calipers.evaluate(*drawn, METRICS, "identity", draws=0)
    for metric in METRICS:
        assert report[metric].value == 0
        assert (report[metric].scores == 0).all()


numbers = hnp.arrays(
    st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.uint64, np.bool_]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6),
)
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.tuples(st.integers()),
)


@settings(ready, max_examples=300)
@given(
    st.one_of(numbers, st.lists(anything, max_size=6)),
    st.one_of(numbers, st.lists(anything, max_size=6)),
)
def test_anything_else_is_refused_with_a_reason(y, p) -> None:
    try:
        report = calipers.evaluate(y, p, folds=2)
    except calipers.InputError as error:
        assert str(error)
    else:
        assert report.n == len(y)


@settings(ready, max_examples=300)
@given(st.lists(anything, min_size=4, max_size=4), st.sampled_from([1, 2, 3]))
def test_any_labels_are_read_or_refused(y, columns: int) -> None:
    p = np.full((4, columns), 1 / max(columns, 2))
    try:
        report = calipers.evaluate(y, p, "l1", "constant", folds=2)
    except calipers.InputError as error:
        assert str(error)
    else:
        assert len(report.classes) == max(columns, 2)


@ready
@given(
    hnp.arrays(np.float64, st.tuples(st.integers(4, 8), st.integers(1, 4)), elements=st.floats()),
    st.booleans(),
)
def test_any_numbers_are_measured_or_refused(p, logits: bool) -> None:
    y = np.arange(len(p)) % max(p.shape[1], 2)
    finite = np.isfinite(p)
    if logits:  # One that is minus infinity is fine where another class is possible.
        readable = (finite | (p == -np.inf)).all() and (finite.any(axis=1).all() or p.shape[1] == 1)
    else:
        readable = finite.all()
    try:
        report = calipers.evaluate(y, p, ["l1", "log"], "identity", 2, from_logits=logits)
    except calipers.InputError as error:
        assert not (logits and readable)
        assert error.row is not None
    else:
        assert readable
        assert report["l1"].value == 0


@ready
@given(predictions(), st.sampled_from(["float32", "float64"]), st.sampled_from("CF"), st.data())
def test_views_of_any_strides_are_read_right(drawn, dtype: str, order: str, data) -> None:
    y, p = drawn
    p = p.astype(dtype)
    n, k = p.shape
    steps = data.draw(st.tuples(st.sampled_from([1, 2, -1, -3]), st.sampled_from([1, 2, -1])))
    big = np.zeros((n * abs(steps[0]), k * abs(steps[1])), dtype=dtype, order=order)
    view = big[:: steps[0], :: steps[1]][:n, :k]
    assume(view.shape == p.shape)
    view[...] = p
    one = calipers.evaluate(y, view, ["l1", "brier"], "isotonic")
    other = calipers.evaluate(y, np.ascontiguousarray(p), ["l1", "brier"], "isotonic")
    assert one.to_json() == other.to_json()

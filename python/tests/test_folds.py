"""Folds as scikit-learn's users have them: splitters and lists of splits."""

import numpy as np
import pytest
from common import Simulated
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

import calipers


def value(data: Simulated, **options) -> float:
    return calipers.calibration_error(*data, recalibrator="isotonic", draws=0, **options).value


def test_a_splitter_is_its_folds(binary: Simulated) -> None:
    rows = np.zeros((600, 1))
    ids = np.repeat(np.arange(5), 120)
    assert value(binary, folds=KFold(5)) == value(binary, folds=ids)
    shuffled = KFold(4, shuffle=True, random_state=3)
    splits = list(shuffled.split(rows))
    for test, (_, fold) in enumerate(splits):
        ids[fold] = test
    expected = value(binary, folds=ids)
    masks = [(ids != fold, ids == fold) for fold in range(4)]
    lists = [(train.tolist(), test.tolist()) for train, test in splits]
    for form in (shuffled, splits, shuffled.split(rows), masks, lists, PredefinedSplit(ids)):
        assert value(binary, folds=form) == expected
    report = calipers.evaluate(*binary, metrics="l1", recalibrator="isotonic", folds=shuffled)
    assert report.folds == 4
    found = calipers.compare(
        binary[0], {"a": binary[1], "b": binary[1][:, ::-1]}, metrics="l1", folds=shuffled
    )
    assert found["a"].folds == 4


def test_splitters_of_groups_have_those_of_the_evaluation(binary: Simulated) -> None:
    groups = np.arange(600) % 6
    ids = np.empty(600, dtype=int)
    for fold, (_, test) in enumerate(GroupKFold(3).split(np.zeros((600, 1)), groups=groups)):
        ids[test] = fold
    report = calipers.evaluate(*binary, metrics="l1", folds=GroupKFold(3), groups=groups)
    assert report["l1"].value == calipers.calibration_error(*binary, folds=ids).value
    assert list(report.groups) == list(range(6))
    assert calipers.evaluate(*binary, "l1", folds=LeaveOneGroupOut(), groups=groups).folds == 6
    with pytest.raises(calipers.InputError, match=r"GroupKFold: .*groups=") as caught:
        calipers.evaluate(*binary, folds=GroupKFold(3))
    assert isinstance(caught.value.value, GroupKFold)


@pytest.mark.parametrize(
    "splitter", [StratifiedKFold(5), StratifiedGroupKFold(5), RepeatedStratifiedKFold()]
)
def test_stratified_folds_are_refused_with_the_reason(splitter, binary: Simulated) -> None:
    name = type(splitter).__name__
    with pytest.raises(calipers.InputError, match=f"folds: {name} deals rows by their labels.*no "):
        calipers.evaluate(*binary, folds=splitter)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (ShuffleSplit(5, test_size=0.2, random_state=0), "row 2 is held out 0 times"),
        (RepeatedKFold(n_splits=5, n_repeats=2), "row 0 is held out 2 times.*repeats="),
        (TimeSeriesSplit(5), "split 0 does not train on all rows"),
        ([(range(300), range(300, 600))], "row 0 is held out 0 times"),
        ([(range(300), range(200, 600)), (range(300, 600), range(300))], "split 0 does not train"),
        ([(range(300, 600), range(300)), (range(300), range(300, 601))], "there are 600 rows"),
        ([(["a"], ["b"])], "expected numbers of rows"),
        (KFold(601), "KFold: Cannot have number of splits"),
    ],
)
def test_splits_that_are_no_folds(folds, message: str, binary: Simulated) -> None:
    with pytest.raises(calipers.InputError, match=message):
        calipers.evaluate(*binary, folds=folds)


def test_a_splitter_is_not_shown_the_labels(binary: Simulated) -> None:
    class Curious:
        def split(self, X, y, groups=None):
            np.bincount(y)
            yield np.arange(len(X)), np.arange(0)

    with pytest.raises(calipers.InputError, match="folds: Curious: "):
        calipers.evaluate(*binary, folds=Curious())

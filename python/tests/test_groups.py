"""Groups of any type: found under what they were given as."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from common import Simulated

import calipers


def groups_of(data: Simulated, groups) -> dict:
    report = calipers.evaluate(*data, "l1", "isotonic", groups=groups, draws=0)
    for name, group in report.groups.items():
        assert group.name == name
    return report.groups


def test_keys_are_as_they_were_given(binary: Simulated) -> None:
    which = np.arange(600) % 2
    expected = [group["l1"].value for group in groups_of(binary, which).values()]
    dates = [datetime.date(2024, 1, 1), datetime.date(2024, 2, 1)]
    days = np.array(dates, dtype="datetime64[D]")
    stamps = pd.Series(pd.to_datetime(dates))
    for given, keys in [
        (which, [0, 1]),
        (which + 0.5, [0.5, 1.5]),
        (which == 1, [False, True]),
        (np.array(["a", "b"])[which], ["a", "b"]),
        (pd.Series(which), [0, 1]),
        (pd.Series(which, dtype="Int64"), [0, 1]),
        (pl.Series(which), [0, 1]),
        (pd.Categorical(which), [0, 1]),
        (pd.Series([("a", 1), ("b", 2)])[which], [("a", 1), ("b", 2)]),
        ([dates[one] for one in which], dates),
        (days[which], list(days)),
        (stamps[which], list(stamps)),
    ]:
        found = groups_of(binary, given)
        assert list(found) == keys
        assert [type(key) for key in found] == [type(key) for key in keys]
        assert [group["l1"].value for group in found.values()] == expected


def test_intervals_are_names(binary: Simulated) -> None:
    age = np.random.default_rng(0).uniform(20, 80, 600)
    for cut in (pd.cut(age, [0, 40, 60, 100]), pd.cut(pd.Series(age), [0, 40, 60, 100])):
        found = groups_of(binary, cut)
        assert set(found) == {pd.Interval(0, 40), pd.Interval(40, 60), pd.Interval(60, 100)}
        assert found[pd.Interval(40, 60)].n == ((age > 40) & (age <= 60)).sum()
    report = calipers.evaluate(*binary, "l1", groups=pd.cut(age, [0, 40, 100]))
    assert "(0, 40]: " in str(report)
    assert report.to_frame()["group"].tolist()[1:] == list(report.groups)
    found = calipers.compare(
        binary[0], {"a": binary[1], "b": binary[1]}, metrics="l1", groups=age > 40
    )
    assert set(found["a"].groups) == {False, True}


@pytest.mark.parametrize(
    "missing",
    [
        pd.cut(pd.Series([1.0, 2, 30] * 200), [0, 10]),
        pd.Series([1, 2, pd.NA] * 200, dtype="Int64"),
        pd.Series(["a", "b", pd.NA] * 200, dtype="string"),
        pd.to_datetime(pd.Series(["2024-01-01", "2024-02-01", None] * 200)),
        np.array(["2024-01-01", "2024-02-01", "NaT"] * 200, dtype="datetime64[D]"),
        [1.0, 2.0, float("nan")] * 200,
    ],
    ids=["intervals", "numbers", "words", "stamps", "dates", "NaN"],
)
def test_a_missing_group_is_named(missing, binary: Simulated) -> None:
    with pytest.raises(calipers.InputError, match="row 2: the group is missing") as caught:
        calipers.evaluate(*binary, groups=missing)
    assert caught.value.row == 2


def test_groups_that_could_not_be_told_apart_are_refused(binary: Simulated) -> None:
    with pytest.raises(calipers.InputError, match="row 1: the groups 1 and '1' have the same name"):
        calipers.evaluate(*binary, groups=np.array([1, "1"] * 300, dtype=object))
    lists = np.empty(600, dtype=object)
    lists[:] = [[1], [2]] * 300
    with pytest.raises(calipers.InputError, match="row 0: a group cannot be of type list"):
        calipers.evaluate(*binary, groups=lists)

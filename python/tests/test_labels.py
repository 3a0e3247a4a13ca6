"""Labels of every kind, by the rules that the command line has."""

import numpy as np
import pandas as pd
import pytest
from common import Simulated

import calipers


def value(y, p, **options) -> float:
    return calipers.calibration_error(y, p, recalibrator="isotonic", **options).value


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "<U3", "S3", object],
)
def test_positions_of_any_type(dtype: str, multiclass: Simulated) -> None:
    y, p = multiclass
    report = calipers.evaluate(y.astype(dtype), p, recalibrator="isotonic")
    assert report["l1"].value == value(y, p)
    assert report.classes == ["0", "1", "2"]
    assert report.notes == []


def test_words_without_names_are_sorted_as_classifiers_do(multiclass: Simulated) -> None:
    y, p = multiclass
    words = np.array(["ant", "bee", "cow"])[y]
    categories = pd.Categorical(words)
    forms = (words, words.astype(object), words.tolist(), categories, pd.Series(categories))
    for labels in forms:
        report = calipers.evaluate(labels, p, recalibrator="isotonic")
        assert report["l1"].value == value(y, p)
        assert report.classes == ["ant", "bee", "cow"]
        assert "in sorted order" in report.notes[0]


def test_numbers_without_names_are_sorted_where_there_is_one_a_column(
    multiclass: Simulated,
) -> None:
    y, p = multiclass
    for numbers in ([1, 2, 3], [-1, 0, 1], [9, 10, 11], [0.5, 1.5, 2.5]):
        report = calipers.evaluate(np.array(numbers)[y], p, recalibrator="isotonic")
        assert report["l1"].value == value(y, p)
        assert report.classes == [str(number) for number in numbers]
        assert "in sorted order" in report.notes[0]


def test_class_names_say_which_column_is_which(multiclass: Simulated) -> None:
    y, p = multiclass
    names = ["zebra", "yak", "ant"]
    words = np.array(names)[y]
    report = calipers.evaluate(words, p, class_names=names, recalibrator="isotonic")
    assert (report["l1"].value, report.classes) == (value(y, p), names)
    # A class that never occurs is no problem when it has a name.
    some = y != 2
    report = calipers.evaluate(words[some], p[some], class_names=names, recalibrator="constant")
    assert report.classes == names
    assert value(y + 1, p, class_names=[1, 2, 3]) == value(y, p)
    assert value(2 - y, p[:, ::-1], class_names=[0, 1, 2]) == pytest.approx(value(y, p))
    assert value(y, p, class_names=["2", "1", "0"]) == value(2 - y, p)


@pytest.mark.parametrize("columns", [1, 2])
def test_truths(columns: int, binary: Simulated) -> None:
    y, p = binary
    p = p[:, 1] if columns == 1 else p
    expected = value(y, p)
    truth = y.astype(bool)
    for labels in (truth, truth.tolist(), truth.astype(object), pd.Series(truth, dtype="boolean")):
        assert value(labels, p) == expected
    assert value(truth, p, class_names=[False, True]) == expected
    assert value(truth, p, class_names=["no", "yes"]) == expected
    if columns == 2:
        assert value(~truth, p, class_names=[True, False]) == expected


def test_any_two_labels_go_with_one_column(binary: Simulated) -> None:
    y, p = binary
    expected = value(y, p[:, 1])
    for pair in ([-1, 1], ["no", "yes"], [1, 2], [0.5, 1.5], ["10", "9"], [9, 10]):
        report = calipers.evaluate(np.array(pair)[y], p[:, 1], recalibrator="isotonic")
        assert report["l1"].value == expected
        assert report.classes == [str(one) for one in pair]
        # Nobody has to be told that yes is 1.
        said = report.notes[0] if report.notes else ""
        assert said.startswith(f"note: labels: class 1 is {pair[1]}") == (pair != ["no", "yes"])
    named = pd.Series(p[:, 1], name="no")
    flipped = np.array(["yes", "no"])[y]
    assert value(flipped, named) == expected


@pytest.mark.parametrize(
    ("y_true", "message", "row", "found"),
    [
        ([0, 3, 3], 'row 1: label "3" is none of the classes 0, 1, 2; class_names', 1, "3"),
        ([0, -1, 0], 'row 1: label "-1" is none', 1, "-1"),
        ([0, 0.5, 0], 'row 1: label "0.5" is none', 1, "0.5"),
        (["a", "b", "b"], 'row 0: label "a" is none', 0, "a"),
        ([0, float("nan"), 1], "row 1: the label is missing", 1, None),
        (["a", None, "b"], "row 1: the label is missing", 1, None),
        (["a", "", "b"], "row 1: the label is missing", 1, None),
        (pd.array([0, pd.NA, 1], dtype="Int64"), "row 1: the label is missing", 1, None),
        ([0, (1, 2), 1], "row 1: a label cannot be of type tuple", 1, (1, 2)),
        ([0, 10**30, 0], 'label "1000000000000000000000000000000" is none', 1, str(10**30)),
        (["a", "\ud800", "b"], "row 1: the label is no valid text", 1, "\ud800"),
        (np.zeros((3, 2)), r"y_true: an array of shape \(3, 2\)", None, None),
        (np.array([1j, 0, 0]), "labels of type complex128", None, None),
        ([0, 1], "labels: expected 3, found 2", None, None),
    ],
)
def test_what_is_wrong_is_named(y_true, message: str, row, found) -> None:
    with pytest.raises(calipers.InputError, match=message) as caught:
        calipers.evaluate(y_true, np.full((3, 3), 1 / 3), folds=2)
    assert (caught.value.row, caught.value.value) == (row, found)


def test_one_hot_labels(binary: Simulated, multiclass: Simulated) -> None:
    y, p = multiclass
    hot = np.eye(3)[y]
    expected = value(y, p)
    for form in (hot, hot.astype(int), hot.astype(bool), hot.tolist(), pd.DataFrame(hot)):
        assert value(form, p) == expected
    # A class that never occurs has its column.
    some = y != 2
    assert value(hot[some], p[some]) == value(y[some], p[some])
    # Positions count where the probabilities alone have names, also if these are numbers.
    assert value(hot, pd.DataFrame(p, columns=["2", "1", "0"])) == expected
    assert value(hot, p, class_names=["2", "1", "0"]) == expected
    y2, p2 = binary
    for scores in (p2, p2[:, 1], pd.Series(p2[:, 1], name="score")):
        assert value(np.eye(2)[y2], scores) == value(y2, scores)
    # Elsewhere, too.
    others = [calipers.neighbours(labels, p, "top-ece").to_json() for labels in (hot, y)]
    assert others[0] == others[1]
    models = {"a": p, "b": p[:, [1, 0, 2]]}
    found = calipers.compare(hot, models, metrics="l1").to_json()
    assert found == calipers.compare(y, models, metrics="l1").to_json()
    g = calipers.Recalibrator("temperature").fit(p, hot)
    assert g.classes_.tolist() == [0, 1, 2]
    plain = calipers.Recalibrator("temperature").fit(p, y)
    np.testing.assert_array_equal(g.predict_proba(p), plain.predict_proba(p))


def test_one_hot_columns_go_by_name_where_both_have_names(multiclass: Simulated) -> None:
    y, p = multiclass
    probs = pd.DataFrame(p, columns=["p_cat", "p_dog", "p_ant"])
    words = np.array(["cat", "dog", "ant"])[y]
    dummies = pd.get_dummies(words)
    assert list(dummies) == ["ant", "cat", "dog"]
    assert value(dummies, probs) == value(dummies.add_prefix("p_"), probs) == value(words, probs)
    assert value(dummies, p, class_names=["cat", "dog", "ant"]) == value(words, probs)
    with pytest.raises(calipers.InputError, match="expected the classes"):
        value(dummies.rename(columns={"ant": "bee"}), probs)
    # One column of two classes: by the words, of which the second in sorted order is class 1.
    y2, p2 = calipers.simulate("binary-overconfident", 300, seed=0)
    hot = pd.DataFrame({"yes": y2, "no": 1 - y2})
    assert value(hot, p2[:, 1]) == value(1 - y2, p2[:, 1])
    assert value(hot, pd.Series(p2[:, 1], name="yes")) == value(y2, p2[:, 1])


@pytest.mark.parametrize(
    ("rows", "message", "place"),
    [
        ([[1, 0, 0], [0, 0, 0], [0, 1, 0]], "row 1: .* a single 1, found 0", (1, None)),
        ([[1, 0, 0], [0, 1, 0], [1, 0, 1]], "row 2: .* a single 1, found 2", (2, None)),
        ([[1, 0, 0], [0, 0.5, 0.5], [1, 0, 0]], "row 1, column 1: .* 0 or 1, found 0.5", (1, 1)),
        ([[1, 0, 0], [0, 1, 0], [0, 0, float("nan")]], "row 2, column 2: .* found nan", (2, 2)),
        ([["a", "b", "c"]] * 3, "row 0, column 0: 'a' is not a number", (0, 0)),
    ],
)
def test_rows_that_are_not_one_hot_are_named(rows, message: str, place: tuple) -> None:
    with pytest.raises(calipers.InputError, match=message) as caught:
        calipers.evaluate(rows, np.full((3, 3), 1 / 3), folds=2)
    assert (caught.value.row, caught.value.column) == place


@pytest.mark.parametrize("names", [["a", "b"], ["a", "b", "c", "d"], []])
def test_there_is_a_class_name_for_each_column(names: list[str], multiclass: Simulated) -> None:
    y, p = multiclass
    message = f"class names: expected 3, found {len(names)}"
    for wrong in (
        lambda: calipers.evaluate(y, p, class_names=names),
        lambda: calipers.neighbours(y, p, class_names=names),
        lambda: calipers.Recalibrator(class_names=names).fit(p, y),
        lambda: calipers.Monitor(names).observe(y, p),
    ):
        with pytest.raises(calipers.InputError, match=message):
            wrong()


def test_labels_that_one_column_cannot_have() -> None:
    with pytest.raises(calipers.InputError, match='row 2: label "c" is a third one'):
        calipers.evaluate(["a", "b", "c"], [0.1, 0.2, 0.3], folds=2)
    with pytest.raises(calipers.InputError, match='all labels are "a"'):
        calipers.evaluate(["a", "a", "a"], [0.1, 0.2, 0.3], folds=2)
    with pytest.raises(calipers.InputError, match="class names: expected 2, found 3"):
        calipers.evaluate([0, 1, 1], [0.1, 0.2, 0.3], class_names=["a", "b", "c"], folds=2)
    with pytest.raises(calipers.InputError, match='both named "a"'):
        calipers.evaluate([0, 1, 1], [0.1, 0.2, 0.3], class_names=["a", "a"], folds=2)
    with pytest.raises(calipers.InputError, match="not the word 'ab'"):
        calipers.evaluate([0, 1, 1], [0.1, 0.2, 0.3], class_names="ab", folds=2)

"""Scorers by name, and weights that scikit-learn routes to them."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.naive_bayes import GaussianNB

import calipers
from calipers.sklearn import get_scorer, scorer_names

X, Y = make_classification(1200, n_informative=5, n_redundant=10, random_state=0)
# Weights that matter: samples of one side count ten times as much.
WEIGHTS = np.where(X[:, 0] > 0, 10.0, 1.0)
FOLDS = KFold(3)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(model, metric: str, weights) -> list[float]:
    """Compute the scores of the folds without scikit-learn's help."""
    scores = []
    for train, test in FOLDS.split(X):
        fitted = model.fit(X[train], Y[train])
        own = None if weights is None else weights[test]
        error = calipers.calibration_error(
            Y[test], fitted.predict_proba(X[test]), metric, sample_weight=own
        )
        scores.append(-error.value)
    return scores


def test_every_listed_name_is_a_scorer_of_its_own() -> None:
    names = scorer_names()
    assert len(set(names)) == len(names)
    scorers = [get_scorer(name) for name in names]
    assert len({one.metric for one in scorers}) == len(names)
    assert {"calipers_top_l1", "calipers_classwise_l2", "calipers_over_brier"} < set(names)


def test_every_loss_and_prefix_of_the_table_is_listed() -> None:
    words = {word for name in scorer_names() for word in name.split("_")[1:]}
    # Any p has a name, and two are listed.
    table = {part.rstrip("-") for part in calipers.metrics()} - {"l<p>"}
    assert words == table | {"l1", "l2"}


def test_names_say_what_is_scored() -> None:
    model = GaussianNB().fit(X[:600], Y[:600])
    expected = calipers.calibration_error(Y[600:], model.predict_proba(X[600:]), "over-l1.5")
    assert get_scorer("calipers_over_l1.5")(model, X[600:], Y[600:]) == -expected.value


def test_scikit_learns_names_are_scikit_learns_scorers_and_its_table_is_left_alone() -> None:
    assert repr(get_scorer("neg_log_loss")) == repr(sklearn.metrics.get_scorer("neg_log_loss"))
    assert not [name for name in get_scorer_names() if "calipers" in name]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("calipers_ece", {}, 'unknown metric "ece"'),
        ("accuracyy", {}, "there is no scorer 'accuracyy'"),
        ("accuracy", {"folds": 3}, "folds: 'accuracy' is a scorer of scikit-learn"),
    ],
)
def test_names_that_there_are_not(name: str, options: dict, message: str) -> None:
    with pytest.raises(calipers.InputError, match=message):
        get_scorer(name, **options)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_cross_validate_hands_each_scorer_its_weights(routing, weights) -> None:
    asked = weights is not None
    scoring = {
        "l1": get_scorer("calipers_l1").set_score_request(sample_weight=asked),
        "brier": get_scorer("calipers_brier").set_score_request(sample_weight=False),
        "accuracy": get_scorer("accuracy").set_score_request(sample_weight=False),
    }
    model = GaussianNB().set_fit_request(sample_weight=False)
    params = {"sample_weight": weights} if asked else {}
    found = cross_validate(model, X, Y, scoring=scoring, cv=FOLDS, params=params)
    assert found["test_l1"].tolist() == by_hand(GaussianNB(), "l1", weights)
    assert found["test_brier"].tolist() == by_hand(GaussianNB(), "brier", None)


def test_weights_may_go_by_another_name(routing) -> None:
    scoring = get_scorer("calipers_l1").set_score_request(sample_weight="importance")
    params = {"importance": WEIGHTS}
    found = cross_validate(GaussianNB(), X, Y, scoring=scoring, cv=FOLDS, params=params)
    assert found["test_score"].tolist() == by_hand(GaussianNB(), "l1", WEIGHTS)


def test_weights_that_nobody_asked_for_are_an_error(routing) -> None:
    from sklearn.exceptions import UnsetMetadataPassedError

    model = GaussianNB().set_fit_request(sample_weight=False)
    params = {"sample_weight": WEIGHTS}
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(model, X, Y, scoring=get_scorer("calipers_l1"), params=params)


def test_grid_search_routes_weights_to_the_scorer(routing) -> None:
    strengths = [0.001, 1.0]
    search = GridSearchCV(
        LogisticRegression().set_fit_request(sample_weight=False),
        {"C": strengths},
        scoring={
            "loss": get_scorer("neg_log_loss").set_score_request(sample_weight=True),
            "l1": get_scorer("calipers_l1").set_score_request(sample_weight=True),
        },
        refit="loss",
        cv=FOLDS,
    ).fit(X, Y, sample_weight=WEIGHTS)
    for position, strength in enumerate(strengths):
        expected = by_hand(LogisticRegression(C=strength), "l1", WEIGHTS)
        splits = [search.cv_results_[f"split{fold}_test_l1"][position] for fold in range(3)]
        assert splits == expected

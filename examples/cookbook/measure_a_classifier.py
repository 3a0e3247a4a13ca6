"""How good are the probabilities of my scikit-learn classifier?

Let `cross_val_predict` predict every row by a model that has not seen it, and measure those
predictions. On the rows that it was trained on, a model looks better than it is.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import calipers

X, y = load_breast_cancer(return_X_y=True)
model = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
folds = KFold(5, shuffle=True, random_state=0)
unseen = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
report = calipers.evaluate(y, unseen, ["l1", "over-l1", "under-l1"])
print(report)

trained = calipers.calibration_error(y, model.fit(X, y).predict_proba(X))
print()
print(f"Off by at least {report['l1'].lower:.1%}, with 95 % confidence.")
print(f"In the rows that it was trained on one would have found {max(trained, 0):.1%}.")

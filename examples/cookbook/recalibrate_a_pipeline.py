"""How do I correct the probabilities of a scikit-learn pipeline?

Wrap it in `RecalibratedClassifier`: it learns the correction from out-of-fold predictions, fits the
pipeline to all rows, and is a classifier like any other. Look at a proper loss beside the error: a
correction that helps lowers both.
"""

from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import calipers
from calipers.sklearn import RecalibratedClassifier

# Features that repeat each other make naive Bayes far too sure.
X, y = make_classification(6000, n_informative=4, n_redundant=12, class_sep=0.7, random_state=0)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
pipeline = make_pipeline(StandardScaler(), GaussianNB())

for name, model in (("raw", pipeline), ("recalibrated", RecalibratedClassifier(pipeline))):
    probabilities = model.fit(X, y).predict_proba(X_test)
    l1 = calipers.calibration_error(y_test, probabilities)
    low, high = l1.interval
    loss = log_loss(y_test, probabilities)
    print(f"{name:12}  l1 {l1.best:.2f} ({low:.2f} to {high:.2f})  log loss {loss:.2f}")

"""Fixtures, and what has to be said before anything is imported."""

import os

# Libraries that start a thread a core on a busy machine mostly wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from common import Simulated

import calipers


@pytest.fixture(scope="session")
def binary() -> Simulated:
    """Labels and probabilities of two classes."""
    return calipers.simulate("binary-overconfident", 600, seed=1)


@pytest.fixture(scope="session")
def multiclass() -> Simulated:
    """Labels and probabilities of three classes."""
    return calipers.simulate("multiclass-overconfident-3", 600, seed=1)

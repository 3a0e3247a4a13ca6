"""Private: the extension module; see crates/calipers-python."""

from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Model",
    "Monitor",
    "__version__",
    "check_probabilities",
    "check_settings",
    "check_weights",
    "class_names",
    "compare",
    "evaluate",
    "figure",
    "fit_model",
    "measures",
    "metrics",
    "neighbours",
    "page",
    "read_labels",
    "recalibrators",
    "simulate",
    "table",
    "write_file",
]
__version__: str

@final
class Model:
    converged: bool
    kept_order: tuple[str, float, float] | None
    def predict(
        self, scores: NDArray[Any], from_logits: bool, threads: int
    ) -> NDArray[np.float64]: ...
    def to_json(self, about: dict[str, Any] | None = None) -> str: ...
    @staticmethod
    def from_json(text: str) -> Model: ...
    @staticmethod
    def load(text: str) -> tuple[Model, dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Monitor:
    e_value: float
    log_e_value: float
    largest: float
    log_largest: float
    p_value: float
    rows: int
    classes: int
    impossible_rows: int
    def __new__(cls, classes: int) -> Monitor: ...
    def observe(
        self, scores: NDArray[Any], codes: NDArray[np.uint32], from_logits: bool
    ) -> Monitor: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str) -> Monitor: ...

def evaluate(
    labels: NDArray[Any] | list[Any], scores: NDArray[Any], settings: dict[str, Any]
) -> dict[str, Any]: ...
def compare(
    models: list[tuple[str, tuple[NDArray[Any] | list[Any], NDArray[Any], dict[str, Any]]]],
) -> dict[str, Any]: ...
def neighbours(
    labels: NDArray[Any] | list[Any], scores: NDArray[Any], settings: dict[str, Any]
) -> dict[str, Any]: ...
def figure(
    labels: NDArray[Any] | list[Any],
    scores: NDArray[Any],
    settings: dict[str, Any],
    contribution: bool,
    class_name: str | None,
) -> str: ...
def page(
    labels: NDArray[Any] | list[Any],
    scores: NDArray[Any],
    settings: dict[str, Any],
    name: str,
) -> str: ...
def check_probabilities(scores: NDArray[Any], from_logits: bool) -> NDArray[np.float64]: ...
def check_settings(settings: dict[str, Any]) -> None: ...
def check_weights(weights: NDArray[np.float64], rows: int) -> None: ...
def read_labels(
    labels: NDArray[Any] | list[Any], columns: int, names: list[str] | None, given: bool
) -> tuple[NDArray[np.uint32], list[str], str, str | None, list[int]]: ...
def fit_model(
    name: str,
    preserve: str | None,
    scores: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    seed: int,
    from_logits: bool,
    threads: int,
) -> Model: ...
def recalibrators() -> list[tuple[str, str]]: ...
def measures() -> list[tuple[str, str]]: ...
def metrics() -> list[tuple[str, str]]: ...
def simulate(name: str, rows: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def class_names(columns: list[str]) -> list[str]: ...
def write_file(path: str | PathLike[str], text: str) -> None: ...
def table(columns: list[tuple[str, list[str] | list[float | None]]]) -> tuple[str, str]: ...

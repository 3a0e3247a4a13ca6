"""Private: the extension module; see crates/calipers-python."""

from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Model",
    "Monitor",
    "Plan",
    "Sampler",
    "Tally",
    "Texts",
    "__version__",
    "candidates",
    "check_probabilities",
    "check_settings",
    "check_weights",
    "class_names",
    "compare",
    "evaluate",
    "evaluate_files",
    "figure",
    "fit_model",
    "identities",
    "measures",
    "metrics",
    "neighbours",
    "page",
    "read_labels",
    "recalibrators",
    "simulate",
    "table",
    "usual_sample",
    "write_file",
]
__version__: str

# An array, a list of anything, or the words that occur with which of them each row has.
_Labels = NDArray[Any] | list[Any] | tuple[NDArray[np.uint32], list[Any]]

# A column of numbers, or of places among levels with the levels.
_Feature = tuple[str, NDArray[np.float64]] | tuple[str, NDArray[np.uint32], list[str]]

@final
class Model:
    converged: bool
    kept_order: tuple[str, float, float] | None
    features: list[str]
    def predict(
        self,
        scores: NDArray[Any],
        features: list[_Feature] | None,
        from_logits: bool,
        threads: int,
    ) -> NDArray[np.float64]: ...
    def to_json(self, about: dict[str, Any] | None = None) -> str: ...
    @staticmethod
    def from_json(text: str) -> Model: ...
    @staticmethod
    def load(text: str) -> tuple[Model, dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Texts:
    def json(self) -> str: ...
    def text(self) -> str: ...
    def html(self) -> str: ...

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
        self,
        scores: NDArray[Any],
        codes: NDArray[np.uint32],
        from_logits: bool,
        cluster: list[str] | None,
    ) -> Monitor: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str) -> Monitor: ...

@final
class Sampler:
    seen: int
    def __new__(cls, sample: int, seed: int, names: list[str] | None, given: bool) -> Sampler: ...
    def expect(self, labels: _Labels) -> None: ...
    def add(self, labels: _Labels, scores: NDArray[Any], beside: dict[str, Any]) -> None: ...
    def plan(self, settings: dict[str, Any], about: str) -> Plan: ...

@final
class Plan:
    about: str
    classes: list[str]
    rows: int
    is_everything: bool
    def tally(
        self, labels: _Labels, scores: NDArray[Any], beside: dict[str, Any], threads: int
    ) -> Tally: ...
    def finish(self, tally: Tally) -> dict[str, Any]: ...
    def sample_report(self) -> dict[str, Any]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Plan: ...

@final
class Tally:
    rows: int
    def plus(self, others: list[Tally]) -> Tally: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Tally: ...

def candidates(who: Any, rows: int, sample: int, total: int, seed: int) -> NDArray[np.bool_]: ...
def usual_sample(classes: int) -> int: ...
def identities(
    keys: NDArray[Any] | tuple[NDArray[np.uint8], NDArray[np.int64]] | list[str],
) -> NDArray[np.uint64]: ...
def evaluate(
    labels: NDArray[Any] | list[Any], scores: NDArray[Any], settings: dict[str, Any]
) -> dict[str, Any]: ...
def evaluate_files(
    paths: list[str | PathLike[str]], columns: dict[str, Any], settings: dict[str, Any]
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
    features: list[_Feature] | None,
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

"""Figures with matplotlib, from the numbers that every other drawing has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from calipers import _calipers
from calipers._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

Kind = Literal["reliability", "contribution"]

# Okabe and Ito's colours, as in the other drawings; hatching tells them apart without.
_BLUE, _ORANGE, _PURPLE, _GREY = "#0072b2", "#d55e00", "#8e4f85", "#57606a"
_SIDES = {"over": (_ORANGE, "---"), "under": (_PURPLE, "///")}

# The part of the height of a diagram that the density of the predictions may take.
_DENSITY_HEIGHT = 0.12


class Source:
    """What a figure is made of: references to what was evaluated, and no copies."""

    __slots__ = ("labels", "scores", "settings")

    def __init__(self, labels: Any, scores: Any, settings: Mapping[str, Any]) -> None:
        self.labels = labels
        self.scores = scores
        self.settings = dict(settings)

    def figure(self, kind: str, class_name: str | None) -> dict[str, Any]:
        """Return a figure as data."""
        import json  # Here, because the import of calipers is to be quick.

        if kind not in ("reliability", "contribution"):
            raise InputError(f"kind: {kind!r}; expected 'reliability' or 'contribution'")
        if kind == "contribution" and class_name is not None:
            raise InputError("class_name: contribution is drawn of the most probable class alone")
        name = None if class_name is None else str(class_name)
        settings = {**self.settings, "features": None}  # A figure shows nothing of them.
        text = _calipers.figure(self.labels, self.scores, settings, kind == "contribution", name)
        parsed: dict[str, Any] = json.loads(text)
        return parsed

    def page(self, name: str) -> str:
        """Return the page as text."""
        return _calipers.page(self.labels, self.scores, self.settings, name)


def draw(figure: Mapping[str, Any], ax: Any, bins: bool, name: str | None) -> Any:
    """Draw a figure into Axes, or into new ones; return the Axes."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plots need matplotlib: install it") from None
        ax = plt.subplots()[1]
    panel, *below = figure["panels"]
    seen: set[str] = set()
    for layer in panel["layers"]:
        if layer["optional"] and not bins:
            continue
        label = layer["name"] if layer["role"] != "truth" or name is None else name
        # What has several parts is in the legend once.
        _draw_layer(ax, layer, "_nolegend_" if label in seen else label)
        seen.add(label)
    for layer in (layer for other in below for layer in other["layers"]):
        mark = layer["mark"]
        if mark["kind"] == "bars":
            widths = [b - a for a, b in zip(mark["edges"], mark["edges"][1:], strict=False)]
            scale = _DENSITY_HEIGHT / (max(mark["top"]) or 1.0)
            heights = [scale * top for top in mark["top"]]
            ax.bar(
                mark["edges"][:-1], heights, widths, align="edge", color=_GREY, alpha=0.5, zorder=0
            )
    ax.set_xlim(figure["x"]["from"], figure["x"]["to"])
    ax.set_ylim(panel["y"]["from"], panel["y"]["to"])
    ax.set_xlabel(figure["x"]["label"])
    ax.set_ylabel(panel["y"]["label"])
    ax.legend()
    return ax


def _draw_layer(ax: Any, layer: Mapping[str, Any], label: str) -> None:
    mark, role = layer["mark"], layer["role"]
    colour, hatch = _SIDES.get(role, (_BLUE, None))
    if mark["kind"] == "line":
        dashed = role == "identity"
        style = {"color": _GREY, "linestyle": "--"} if dashed else {"color": _BLUE}
        ax.plot(mark["x"], mark["y"], label=label, **style)
    elif mark["kind"] == "area":
        ax.fill_between(
            mark["x"], mark["low"], mark["high"], color=colour, alpha=0.25, hatch=hatch,
            linewidth=0, label=label,
        )  # fmt: skip
    elif mark["kind"] == "bars":
        widths = [b - a for a, b in zip(mark["edges"], mark["edges"][1:], strict=False)]
        heights = [top - base for top, base in zip(mark["top"], mark["base"], strict=True)]
        ax.bar(
            mark["edges"][:-1], heights, widths, mark["base"], align="edge", facecolor=colour,
            edgecolor=colour, alpha=0.5, hatch=hatch, linewidth=0, label=label,
        )  # fmt: skip
    else:
        sizes = [10 + 50 * weight for weight in mark["weight"]]
        ax.scatter(mark["x"], mark["y"], sizes, facecolors="none", edgecolors="black", label=label)


class ReliabilityDisplay:
    """A reliability diagram without bins, with the habits of scikit-learn's ``CalibrationDisplay``.

    Attributes
    ----------
    figure_data : dict
        The figure's layers and numbers.
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 500, seed=0)
    >>> display = calipers.ReliabilityDisplay.from_predictions(y_true, y_prob, name="a model")
    >>> display.ax_.get_ylabel()
    'how often it is 1'
    """

    ax_: Any
    figure_: Any

    def __init__(self, figure_data: Mapping[str, Any], *, name: str | None = None) -> None:
        self.figure_data = figure_data
        self.name = name

    def plot(self, ax: Any = None, *, bins: bool = False) -> ReliabilityDisplay:
        """Draw into Axes, or into new ones; ``ax_`` and ``figure_`` say where."""
        self.ax_ = draw(self.figure_data, ax, bins, self.name)
        self.figure_ = self.ax_.figure
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        class_name: str | None = None,
        name: str | None = None,
        ax: Any = None,
        bins: bool = False,
        **options: Any,
    ) -> ReliabilityDisplay:
        """Draw the diagram of predictions.

        Parameters
        ----------
        y_true, y_prob : arrays
            As in :func:`calipers.evaluate`.
        class_name : str, optional
            The class to look at; class 1 of two by default, else the most probable one.
        name : str, optional
            What the curve is called in the legend.
        ax : matplotlib Axes, optional
            Where to draw.
        bins : bool, default False
            Whether to add the frequencies in 15 bins.
        **options
            Those of :func:`calipers.evaluate`.
        """
        figure = _diagram(y_true, y_prob, class_name, options)
        return cls(figure, name=name).plot(ax, bins=bins)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        class_name: str | None = None,
        name: str | None = None,
        ax: Any = None,
        bins: bool = False,
        **options: Any,
    ) -> ReliabilityDisplay:
        """Draw the diagram of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            It has ``predict_proba`` and ``classes_``.
        X : array
            Samples that it has not seen, as it takes them.
        y : array of shape (n,)
            Their observed classes.
        class_name : str, optional
            The class to look at; class 1 of two by default, else the most probable one.
        name : str, optional
            What the curve is called in the legend; the classifier's type by default.
        ax : matplotlib Axes, optional
            Where to draw.
        bins : bool, default False
            Whether to add the frequencies in 15 bins.
        **options
            Those of :func:`calipers.evaluate`, but for ``class_names``.
        """
        for needed in ("predict_proba", "classes_"):
            if not hasattr(estimator, needed):
                raise InputError(
                    f"estimator: a {type(estimator).__name__} without {needed}; expected a fitted "
                    "classifier",
                    value=estimator,
                )
        return cls.from_predictions(
            y,
            estimator.predict_proba(X),
            class_name=class_name,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            bins=bins,
            class_names=estimator.classes_,
            **options,
        )


class CalibrationCurve(NamedTuple):
    """How often predictions come true, over the predictions; the order is scikit-learn's.

    Attributes
    ----------
    prob_true : numpy.ndarray
        The recalibrator's g: how often the prediction comes true.
    prob_pred : numpy.ndarray
        The predictions f where g was looked at, in ascending order.
    lower, upper : numpy.ndarray or None
        The pointwise 95 % band around g; None if there are too few rows for a band.
    """

    prob_true: NDArray[np.float64]
    prob_pred: NDArray[np.float64]
    lower: NDArray[np.float64] | None
    upper: NDArray[np.float64] | None


def calibration_curve(
    y_true: Any, y_prob: Any, *, class_name: str | None = None, **options: Any
) -> CalibrationCurve:
    """Return the calibration curve without bins: the numbers of the reliability diagram.

    Parameters
    ----------
    y_true, y_prob : arrays
        As in :func:`calipers.evaluate`.
    class_name : str, optional
        The class to look at; class 1 of two by default, else the most probable one.
    **options
        Those of :func:`calipers.evaluate`.

    Returns
    -------
    CalibrationCurve
        ``prob_true``, ``prob_pred``, and the band's ``lower`` and ``upper``.

    Examples
    --------
    >>> import calipers
    >>> y_true, y_prob = calipers.simulate("binary-overconfident", 2000, seed=0)
    >>> curve = calipers.calibration_curve(y_true, y_prob)
    >>> bool((curve.lower <= curve.prob_true).all())
    True
    """
    figure = _diagram(y_true, y_prob, class_name, options)
    marks = {layer["role"]: layer["mark"] for layer in figure["panels"][0]["layers"]}
    truth = marks.get("truth", {"x": [], "y": []})
    band = marks.get("band")
    return CalibrationCurve(
        np.asarray(truth["y"], dtype=np.float64),
        np.asarray(truth["x"], dtype=np.float64),
        None if band is None else np.asarray(band["low"], dtype=np.float64),
        None if band is None else np.asarray(band["high"], dtype=np.float64),
    )


def _diagram(
    y_true: Any, y_prob: Any, class_name: str | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the reliability diagram of predictions as data."""
    from calipers._arrays import as_scores
    from calipers._evaluate import as_source, completed

    scores, columns = as_scores(y_prob)
    source = as_source(y_true, scores, columns, completed(options))
    return source.figure("reliability", class_name)

"""scikit-learn's metadata routing, without scikit-learn."""

from __future__ import annotations

from typing import Any, ClassVar

# scikit-learn's word for a request that stays as it is.
UNCHANGED = "$UNCHANGED$"

# Who may be given what.
WEIGHTS: dict[str, tuple[str, ...]] = {"fit": ("sample_weight",), "score": ("sample_weight",)}


class Routed:
    """What scikit-learn asks of an estimator that takes weights.

    The requests are kept in scikit-learn's own object under the attribute where
    :func:`sklearn.base.clone` looks for it, so that clones keep them.
    """

    _routed: ClassVar[dict[str, tuple[str, ...]]] = WEIGHTS

    def get_metadata_routing(self) -> Any:
        """Return who asks for which metadata."""
        if hasattr(self, "_metadata_request"):
            from copy import deepcopy

            return deepcopy(self._metadata_request)
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for method, names in self._routed.items():
            if hasattr(self, method):
                for name in names:
                    getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Any:
        """Ask for weights in ``fit``, or under another name, or not."""
        return self._request("fit", sample_weight=sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Any:
        """Ask for weights in ``score``, or under another name, or not."""
        return self._request("score", sample_weight=sample_weight)

    def _request(self, method: str, **aliases: bool | str | None) -> Any:
        request = self.get_metadata_routing()
        for name, alias in aliases.items():
            if alias != UNCHANGED:
                getattr(request, method).add_request(param=name, alias=alias)
        self._metadata_request = request
        return self


class RoutedFeatures(Routed):
    """The same of one that also takes what else is known of each row."""

    _routed: ClassVar[dict[str, tuple[str, ...]]] = {
        **{method: ("features", *names) for method, names in WEIGHTS.items()},
        "predict": ("features",),
        "predict_proba": ("features",),
    }

    def set_fit_request(
        self,
        *,
        features: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
    ) -> Any:
        """Ask for features and weights in ``fit``, or under other names, or not."""
        return self._request("fit", features=features, sample_weight=sample_weight)

    def set_score_request(
        self,
        *,
        features: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
    ) -> Any:
        """Ask for features and weights in ``score``, or under other names, or not."""
        return self._request("score", features=features, sample_weight=sample_weight)

    def set_predict_request(self, *, features: bool | str | None = UNCHANGED) -> Any:
        """Ask for features in ``predict``, or under another name, or not."""
        return self._request("predict", features=features)

    def set_predict_proba_request(self, *, features: bool | str | None = UNCHANGED) -> Any:
        """Ask for features in ``predict_proba``, or under another name, or not."""
        return self._request("predict_proba", features=features)

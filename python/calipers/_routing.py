"""scikit-learn's metadata routing, without scikit-learn."""

from __future__ import annotations

from typing import Any

# Who may be given the rows' weights.
METHODS = ("fit", "score")


class Routed:
    """What scikit-learn asks of an estimator that takes weights.

    The requests are kept in scikit-learn's own object under the attribute where
    :func:`sklearn.base.clone` looks for it, so that clones keep them.
    """

    def get_metadata_routing(self) -> Any:
        """Return who asks for which metadata."""
        if hasattr(self, "_metadata_request"):
            from copy import deepcopy

            return deepcopy(self._metadata_request)
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for method in METHODS:
            if hasattr(self, method):
                getattr(request, method).add_request(param="sample_weight", alias=None)
        return request

    def set_fit_request(self, *, sample_weight: bool | str | None = None) -> Any:
        """Ask for weights in ``fit``, or under another name, or not."""
        return self._request("fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Any:
        """Ask for weights in ``score``, or under another name, or not."""
        return self._request("score", sample_weight)

    def _request(self, method: str, alias: bool | str | None) -> Any:
        request = self.get_metadata_routing()
        getattr(request, method).add_request(param="sample_weight", alias=alias)
        self._metadata_request = request
        return self

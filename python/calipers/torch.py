"""Calibration inside torchmetrics and Lightning: a metric over the rows of all processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from calipers._arrays import as_whole
from calipers._errors import InputError
from calipers._evaluate import check_options, evaluate
from calipers._report import Estimate, Report
from calipers._stream import Plan, Tally, total

__all__ = ["CalibrationError"]

# Options with a value for each row, and the classes, which are the columns from 0.
TAKEN = {"sample_weight", "groups", "cluster", "time", "features", "class_names", "metrics"}

# What torchmetrics asks of every metric.
THEIRS = {
    "compute_on_cpu",
    "compute_with_cache",
    "dist_sync_fn",
    "dist_sync_on_step",
    "distributed_available_fn",
    "process_group",
    "sync_on_compute",
}

# Bytes that say how long a tally is.
LENGTH = 8

# Devices without double precision, as Apple's: what is kept stays on the CPU.
SINGLE = {"mps"}


class CalibrationError(Metric):  # type: ignore[misc]
    """A calibration error of all rows that were seen, by any process.

    Parameters
    ----------
    metric : str, default "l1"
        The calibration error to estimate.
    plan : calipers.Plan, optional
        Made beforehand of a sample of the same rows, with keys: then sums are kept instead of rows,
        and every batch comes with its rows' keys. The options are the plan's.
    **options
        Those of :func:`calipers.evaluate`, but none that has a value for each row; and those of
        ``torchmetrics.Metric``.

    Notes
    -----
    Without a plan the rows are kept in double precision, those of the first process first: the
    result is that of :func:`calipers.evaluate` for the rows in this order, to the bit. With a plan
    it is the same in any order and any number of processes.

    Of fewer rows than folds, as in Lightning's check before training, the error is NaN.

    Examples
    --------
    >>> import torch
    >>> from calipers.torch import CalibrationError
    >>> torch.manual_seed(0)  # doctest: +ELLIPSIS
    <torch._C.Generator object at ...>
    >>> error = CalibrationError("over-l1", recalibrator="isotonic")
    >>> for _ in range(20):
    ...     p = torch.rand(100)
    ...     error.update(p, (torch.rand(100) < 0.25 + p / 2).long())
    >>> bool(0.08 < error.compute() < 0.15), bool(error.report["over-l1"].lower > 0.05)
    (True, True)
    """

    is_differentiable = False
    higher_is_better = False
    full_state_update = False

    columns: torch.Tensor
    preds: list[torch.Tensor]
    target: list[torch.Tensor]
    tallies: list[torch.Tensor]

    def __init__(self, metric: str = "l1", *, plan: Plan | None = None, **options: Any) -> None:
        super().__init__(**{name: options.pop(name) for name in THEIRS & options.keys()})
        for taken in TAKEN & options.keys():
            raise InputError(f"{taken}: a metric of torchmetrics has none")
        if plan is not None and options:
            raise InputError(f"{min(options)}: what is estimated is in the plan")
        self.metric, self.plan, self.options = metric, plan, options
        self.found: Report | None = None
        self.counted = 0
        if plan is None:
            self.fewest = as_whole(options.get("folds", 5), "folds")
            check_options({"metrics": metric, **options})
            self.add_state("columns", torch.tensor(0), dist_reduce_fx="max")
            self.add_state("preds", [], dist_reduce_fx="cat")
            self.add_state("target", [], dist_reduce_fx="cat")
        else:
            known = list(plan.sample_report())
            if metric not in known:
                raise InputError(f"metric: {metric!r} is not in the plan, which has {known}")
            self.add_state("tallies", [], dist_reduce_fx="cat")

    @property
    def dtype(self) -> torch.dtype:
        """What is kept, wherever it is moved: a process without rows has to fit those with some."""
        return torch.float64 if self.plan is None else torch.uint8

    def update(self, preds: torch.Tensor, target: torch.Tensor, key: Any = None) -> None:
        """Take a batch.

        Parameters
        ----------
        preds : tensor of shape (n,), (n, 1) or (n, k)
            The probabilities, or logits with ``from_logits=True``; a single column is that of
            class 1.
        target : tensor of shape (n,)
            The classes, counted from 0.
        key : array of shape (n,), optional
            With a plan: whole numbers or texts that are the rows' own.
        """
        self.found = None
        if preds.ndim not in (1, 2) or target.shape != preds.shape[:1]:
            raise InputError(
                f"preds of shape {tuple(preds.shape)} and target of shape {tuple(target.shape)}: "
                "expected (n,) or (n, k), and (n,)"
            )
        if self.plan is not None:
            here = self.plan.tally(target.cpu(), preds.detach().cpu(), key=key)
            self.tallies = [_as_tensor(total([here, *_tallies(self.tallies)]), preds.device)]
            return
        if key is not None:
            raise InputError("key: rows have one where there is a plan")
        columns = 1 if preds.ndim == 1 else preds.shape[1]
        if int(self.columns) not in (0, columns):
            raise InputError(f"preds of {columns} columns: those before had {int(self.columns)}")
        self.columns = torch.full_like(self.columns, columns)
        self.preds.append(_doubled(preds).flatten())
        self.target.append(_doubled(target))

    def compute(self) -> torch.Tensor:
        """Return the estimate, in double precision."""
        self.found, self.counted = self._reported(), self.update_count
        value = math.nan if self.found is None else self.found[self.metric].value
        return torch.tensor(value, dtype=torch.float64, device=self.device)

    @property
    def report(self) -> Report:
        """The report of what was computed last, with standard errors and bounds."""
        # Of several metrics in a collection that keep the same rows, one is updated for all.
        if self.found is None or self.counted != self.update_count:
            raise InputError(
                "report: compute() has not been called since the last rows, or had few"
            )
        return self.found

    @property
    def estimate(self) -> Estimate:
        """The error that was computed last, with its standard error and its bound."""
        return self.report[self.metric]

    def reset(self) -> None:
        """Forget all rows."""
        super().reset()
        self.found = None

    def _apply(
        self, fn: Callable[[torch.Tensor], torch.Tensor], exclude_state: Sequence[str] = ""
    ) -> torch.nn.Module:
        """Go where everything goes, and keep the types of what is kept."""

        def moved(state: torch.Tensor) -> torch.Tensor:
            place = fn(state.new_empty(0, dtype=torch.float32)).device
            return state.to("cpu" if place.type in SINGLE else place)

        return super()._apply(moved, exclude_state)

    def _reported(self) -> Report | None:
        """Estimate; None of too few rows."""
        if self.plan is not None:
            tallies = _tallies(self.tallies)
            return self.plan.finish(total(tallies)) if tallies else None
        columns = int(self.columns)
        if columns == 0:
            return None
        target = dim_zero_cat(self.target).cpu()
        if len(target) < self.fewest:
            return None
        preds = dim_zero_cat(self.preds).cpu().reshape(len(target), columns)
        names = range(max(columns, 2))
        return evaluate(target, preds, self.metric, class_names=names, **self.options)


def _doubled(rows: torch.Tensor) -> torch.Tensor:
    """Return rows in double precision."""
    rows = rows.detach()
    return (rows.cpu() if rows.device.type in SINGLE else rows).to(torch.float64)


def _as_tensor(tally: Tally, device: torch.device) -> torch.Tensor:
    """Return a tally as bytes that can be told apart from those that follow."""
    data = tally.to_bytes()
    return torch.frombuffer(
        bytearray(len(data).to_bytes(LENGTH, "little") + data), dtype=torch.uint8
    ).to(device)


def _tallies(state: list[torch.Tensor] | torch.Tensor) -> list[Tally]:
    """Return the tallies in a list of tensors, or in one tensor of all processes."""
    parts = [state] if isinstance(state, torch.Tensor) else state
    data = b"".join(part.cpu().numpy().tobytes() for part in parts)
    found = []
    while data:
        end = LENGTH + int.from_bytes(data[:LENGTH], "little")
        found.append(Tally.from_bytes(data[LENGTH:end]))
        data = data[end:]
    return found

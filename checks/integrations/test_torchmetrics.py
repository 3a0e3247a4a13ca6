"""The metric in torchmetrics itself: alone, in several processes, and as Lightning logs it."""

import doctest
import math
import multiprocessing
import pickle
from pathlib import Path

import lightning
import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAccuracy

import calipers
import calipers.torch
from calipers.torch import CalibrationError
from checks.integrations.pages import examples_that_run

BINARY = calipers.simulate("binary-overconfident", 2000, seed=0)
CLASSES = calipers.simulate("multiclass-overconfident-3", 600, seed=0)
BATCH = 128


def batches(
    y: np.ndarray, p: np.ndarray, some: slice = slice(None)
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    y, p = torch.as_tensor(y)[some], torch.as_tensor(p)[some]
    return list(zip(p.split(BATCH), y.split(BATCH), strict=True))


def seen(metric: CalibrationError, y: np.ndarray, p: np.ndarray) -> CalibrationError:
    for preds, target in batches(y, p):
        metric.update(preds, target)
    return metric


# Two columns of bfloat16 do not add up to 1.
@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ("one", torch.float64),
        ("one", torch.float32),
        ("one", torch.bfloat16),
        ("two", torch.float64),
        ("two", torch.float32),
    ],
)
def test_two_classes(columns: str, kind: torch.dtype) -> None:
    y, p = BINARY
    p = torch.as_tensor(p[:, 1] if columns == "one" else p).to(kind)
    metric = seen(CalibrationError("over-l1"), y, p)
    expected = calipers.evaluate(y, p.double().numpy(), "over-l1")
    assert metric.compute().item() == expected["over-l1"].value
    assert metric.report.to_json() == expected.to_json()
    assert metric.estimate.lower == expected["over-l1"].lower


def test_many_classes_and_logits() -> None:
    y, p = CLASSES
    logits = 3 * torch.log(torch.as_tensor(p)) - 1
    metric = seen(CalibrationError("top-l1", from_logits=True, folds=3, seed=7), y, logits)
    expected = calipers.calibration_error(
        y,
        logits.numpy(),
        "top-l1",
        from_logits=True,
        folds=3,
        seed=7,
        class_names=range(p.shape[1]),
    )
    assert metric.compute().item() == expected.value


def test_labels_count_from_zero_whichever_there_are() -> None:
    y, p = CLASSES
    some = y > 0
    metric = seen(CalibrationError("l1"), y[some], p[some])
    names = range(p.shape[1])
    expected = calipers.calibration_error(y[some], p[some], "l1", class_names=names)
    assert metric.compute().item() == expected.value


def test_it_starts_again() -> None:
    y, p = BINARY
    metric = seen(CalibrationError(), y, p)
    first = metric.compute()
    with pytest.raises(calipers.InputError, match="compute"):
        seen(metric, y, p).report  # noqa: B018
    metric.reset()
    assert math.isnan(metric.compute())
    assert seen(metric, y, p).compute() == first
    again = pickle.loads(pickle.dumps(metric))
    assert again.compute() == first


def test_of_metrics_that_share_rows_none_reports_what_was() -> None:
    y, p = BINARY
    both = MetricCollection({"l1": CalibrationError("l1"), "over": CalibrationError("over-l1")})
    both.update(torch.as_tensor(p[:500]), torch.as_tensor(y[:500]))
    both.compute()
    both.update(torch.as_tensor(p[500:]), torch.as_tensor(y[500:]))
    assert list(both.compute_groups.values()) == [["l1", "over"]]
    for one in both.values():
        with pytest.raises(calipers.InputError, match="compute"):
            one.report  # noqa: B018
    both.compute()
    assert [one.report.n for one in both.values()] == [2000, 2000]


@pytest.mark.parametrize("cached", [True, False])
def test_a_report_does_not_need_what_torchmetrics_keeps(cached: bool) -> None:
    metric = seen(CalibrationError(compute_with_cache=cached), *BINARY)
    metric.compute()
    assert metric.report.n == 2000


def test_a_few_rows_are_nan() -> None:
    metric = CalibrationError()
    metric.update(torch.tensor([0.3, 0.4]), torch.tensor([0, 1]))
    assert math.isnan(metric.compute())


def test_beside_others_and_called_for_each_batch() -> None:
    y, p = BINARY
    both = MetricCollection({"accuracy": BinaryAccuracy(), "l1": CalibrationError()})
    for preds, target in batches(y, p[:, 1]):
        now = both(preds, target)
        assert now["l1"] == calipers.calibration_error(target, preds).value
    assert both.compute()["l1"] == calipers.calibration_error(y, p[:, 1]).value


@pytest.mark.parametrize(
    ("preds", "target", "message"),
    [
        (torch.rand(4, 3, 2), torch.zeros(4), r"preds of shape \(4, 3, 2\)"),
        (torch.rand(4), torch.zeros(3), r"target of shape \(3,\)"),
        (torch.rand(4, 3), torch.zeros(4), "preds of 3 columns: those before had 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    preds: torch.Tensor, target: torch.Tensor, message: str
) -> None:
    metric = seen(CalibrationError(), *BINARY[:1], BINARY[1][:, 1])
    with pytest.raises(calipers.InputError, match=message):
        metric.update(preds, target.long())


def test_a_wrong_row_is_named() -> None:
    metric = CalibrationError()
    metric.update(torch.tensor([0.5] * 6 + [1.5]), torch.zeros(7).long())
    with pytest.raises(calipers.InputError, match=r"1\.5") as raised:
        metric.compute()
    assert raised.value.row == 6


@pytest.mark.parametrize("wrong", [0.5, -1.0, float("nan")])
@pytest.mark.parametrize("columns", [1, 2])
def test_a_label_that_is_no_class_is_refused(wrong: float, columns: int) -> None:
    metric = CalibrationError()
    preds = torch.full((7, columns), 0.5)
    metric.update(preds, torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, wrong, 1.0]))
    with pytest.raises(calipers.InputError, match="row 5: ") as raised:
        metric.compute()
    assert raised.value.row == 5


def test_rows_stay_as_precise_as_they_were() -> None:
    y, p = BINARY
    metric = seen(CalibrationError(), y, p)
    for moved in (metric.to(torch.bfloat16), metric.half(), metric.to("cpu"), metric.float()):
        assert {one.dtype for one in (*moved.preds, *moved.target)} == {torch.float64}
    assert metric.columns.dtype == torch.int64
    assert metric.compute().item() == calipers.calibration_error(y, p).value


class Single(torch.Tensor):
    """A tensor on a device without double precision."""

    def cpu(self) -> torch.Tensor:
        """Leave the device."""
        return self.as_subclass(torch.Tensor)

    def to(self, *arguments: object, **settings: object) -> torch.Tensor:
        """Refuse what the device does not have."""
        if torch.float64 in (*arguments, *settings.values()):
            raise TypeError("there is no float64")
        return super().to(*arguments, **settings)


def test_a_device_without_double_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = BINARY
    single = torch.as_tensor(p).float()
    expected = calipers.calibration_error(y, single.numpy(), class_names=range(2))
    # The device of the tensors, and one that would lose them.
    monkeypatch.setattr(calipers.torch, "SINGLE", {"cpu", "meta"})
    metric = CalibrationError()
    metric.update(single[:900].as_subclass(Single), torch.as_tensor(y[:900]).as_subclass(Single))
    metric.to("meta")
    metric.update(single[900:].as_subclass(Single), torch.as_tensor(y[900:]).as_subclass(Single))
    assert metric.compute().item() == expected.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "ece"}, 'unknown metric "ece"'),
        ({"recalibrator": "isotonics"}, "isotonics"),
        ({"sample_weight": [1]}, "sample_weight: a metric of torchmetrics has none"),
    ],
)
def test_wrong_options_are_said_at_once(options: dict, message: str) -> None:
    with pytest.raises(calipers.InputError, match=message):
        CalibrationError(**options)


def of_rank(
    rank: int, store: str, parts: list[slice], keyed: bool, answers: "multiprocessing.Queue[object]"
) -> None:
    """Update with the rows of one process, and tell what all of them have found."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=len(parts))
    y, p = BINARY
    metric = CalibrationError(plan=made_plan()) if keyed else CalibrationError()
    # As Lightning does, always.
    metric.to("cpu")
    key = torch.arange(len(y))[parts[rank]].split(BATCH)
    for row, (preds, target) in enumerate(batches(y, p, parts[rank])):
        if not len(target):
            # A process without rows has no batches.
            continue
        metric.update(preds, target, **({"key": key[row].numpy()} if keyed else {}))
    value = metric.compute().item()
    answers.put((rank, value, metric.report.to_json()))
    dist.barrier()
    dist.destroy_process_group()


def made_plan() -> calipers.Plan:
    y, p = BINARY
    return calipers.Plan.fit(y, p, key=np.arange(2000), sample=500, metrics="l1")


def together(folder: Path, parts: list[slice], *, keyed: bool = False) -> list[tuple[float, str]]:
    """Return what each of several processes has computed, each with its rows."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    store = str(folder / "store")
    started = [
        context.Process(target=of_rank, args=(rank, store, parts, keyed, answers))
        for rank in range(len(parts))
    ]
    for one in started:
        one.start()
    found = sorted(answers.get(timeout=120) for _ in parts)
    for one in started:
        one.join(timeout=60)
        assert one.exitcode == 0
    return [(value, report) for _, value, report in found]


@pytest.mark.parametrize(
    "parts",
    [
        [slice(0, 1000), slice(1000, None)],
        [slice(0, 300), slice(300, None)],
        [slice(None), slice(0, 0)],
        [slice(0, 0), slice(None)],
    ],
    ids=["halves", "uneven", "second empty", "first empty"],
)
def test_two_processes_are_one(tmp_path: Path, parts: list[slice]) -> None:
    y, p = BINARY
    expected = calipers.evaluate(y, p, "l1")
    every = [(expected["l1"].value, expected.to_json())] * 2
    assert together(tmp_path, parts) == every


def test_rows_count_in_the_order_of_processes(tmp_path: Path) -> None:
    # As a distributed sampler deals them: other folds, and so another estimate of the same error.
    y, p = BINARY
    ordered = np.r_[np.arange(0, 2000, 2), np.arange(1, 2000, 2)]
    expected = calipers.calibration_error(y[ordered], p[ordered])
    (value, _), _ = together(tmp_path, [slice(0, None, 2), slice(1, None, 2)])
    assert value == expected.value
    assert value != calipers.calibration_error(y, p).value
    assert abs(value - calipers.calibration_error(y, p)) < expected.stderr


@pytest.mark.parametrize(
    "parts",
    [
        [slice(0, None, 2), slice(1, None, 2)],
        [slice(700, None), slice(0, 700)],
        [slice(None), slice(0, 0)],
        [slice(0, 0), slice(None)],
    ],
    ids=["dealt", "swapped", "second empty", "first empty"],
)
def test_with_a_plan_no_order_counts(tmp_path: Path, parts: list[slice]) -> None:
    y, p = BINARY
    plan = made_plan()
    expected = plan.finish(plan.tally(y, p, key=np.arange(2000)))
    assert expected.n == 2000
    found = together(tmp_path, parts, keyed=True)
    assert found == [(expected["l1"].value, expected.to_json())] * 2


def test_a_plan_says_what_is_estimated() -> None:
    with pytest.raises(calipers.InputError, match="'brier' is not in the plan"):
        CalibrationError("brier", plan=made_plan())
    with pytest.raises(calipers.InputError, match="folds: what is estimated is in the plan"):
        CalibrationError(plan=made_plan(), folds=3)
    metric = CalibrationError(plan=made_plan())
    with pytest.raises(calipers.InputError, match="key"):
        metric.update(torch.as_tensor(BINARY[1]), torch.as_tensor(BINARY[0]))


class Classifier(lightning.LightningModule):
    """A model of two features that logs how far it is off."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 3)
        self.l1 = CalibrationError("l1", from_logits=True)
        self.rows: list[tuple[torch.Tensor, torch.Tensor]] = []

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        """Return the loss of a batch."""
        x, y = batch
        return torch.nn.functional.cross_entropy(self.layer(x), y)

    def validation_step(self, batch: list[torch.Tensor], index: int) -> None:
        """Show the metric a batch."""
        x, y = batch
        logits = self.layer(x)
        self.rows.append((logits.detach(), y))
        self.l1.update(logits, y)
        self.log("l1", self.l1)

    def on_validation_epoch_start(self) -> None:
        """Forget the rows of the last epoch."""
        self.rows = []

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return what learns."""
        return torch.optim.SGD(self.parameters(), lr=0.1)


def test_lightning_logs_it(tmp_path: Path) -> None:
    lightning.seed_everything(0)
    x = torch.randn(400, 2)
    y = (x @ torch.randn(2, 3) + torch.randn(400, 3)).argmax(dim=1)
    loader = DataLoader(TensorDataset(x, y), batch_size=32)
    model = Classifier()
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=1,
        default_root_dir=tmp_path,
    )
    trainer.fit(model, loader, loader)
    logits, labels = (torch.cat(some) for some in zip(*model.rows, strict=True))
    expected = calipers.calibration_error(
        labels, logits.numpy(), from_logits=True, class_names=range(3)
    )
    assert len(labels) == 400
    assert trainer.callback_metrics["l1"].item() == pytest.approx(expected.value, rel=1e-6)


def test_the_examples_of_the_module() -> None:
    found = doctest.testmod(calipers.torch)
    assert found.failed == 0 < found.attempted


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert examples_that_run("torchmetrics") > 5

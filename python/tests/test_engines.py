"""The examples for other engines: the same bits as in one process (Ray: `make long WHAT=ray`)."""

import os
import runpy
from pathlib import Path

import pytest
from common import ROOT
from streams import QUICK, stream

import calipers


def example(name: str):
    return runpy.run_path(str(ROOT / "examples" / name))["evaluate"]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("parts", [1, 7])
def test_dask_gives_the_bits_of_one_process(classes, parts) -> None:
    dataframe = pytest.importorskip("dask.dataframe", reason="requirements/test.txt has it")
    rows = stream(3000, classes)
    columns = {"label": "label", "probs": rows.columns, "key": "key", "sample": 500}
    frame = rows.table().drop(["lists"]).to_pandas()
    found = example("dask_tally.py")(
        dataframe.from_pandas(frame, npartitions=parts), **columns, **QUICK
    )
    assert found.to_json() == calipers.evaluate(rows.table(), **columns, **QUICK).to_json()


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="make long WHAT=ray has it")
    paths = [str(Path(calipers.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    where = {"env_vars": {"PYTHONPATH": os.pathsep.join(paths)}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=where)
    yield ray
    ray.shutdown()


@pytest.mark.filterwarnings("ignore")  # Ray's own, about what it will change.
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("parts", [1, 7])
def test_ray_gives_the_bits_of_one_process(ray, classes, parts) -> None:
    rows = stream(3000, classes)
    columns = {"label": "label", "probs": rows.columns, "key": "key", "sample": 500}
    dataset = ray.data.from_arrow(rows.table().drop(["lists"])).repartition(parts)
    found = example("ray_tally.py")(dataset, **columns, **QUICK)
    assert found.to_json() == calipers.evaluate(rows.table(), **columns, **QUICK).to_json()

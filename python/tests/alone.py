"""Try the installed package where there is nothing but NumPy: `python alone.py`.

No test runner is there either, so that these are plain assertions.
"""

import importlib.metadata
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

import calipers


def only_numpy_is_installed() -> None:
    """See that the environment is as empty as it is meant to be."""
    names = {one.metadata["Name"].lower() for one in importlib.metadata.distributions()}
    assert names - {"pip", "setuptools"} == {"calipers", "numpy"}, names


def licences_and_types_are_there() -> None:
    """Look into the installed files."""
    distribution = importlib.metadata.distribution("calipers")
    files = {str(file) for file in distribution.files or []}
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert any(file.endswith(f"licenses/{licence}") for file in files), files
    for typed in ("calipers/py.typed", "calipers/_calipers.pyi"):
        assert typed in files, files
    assert not any("tests" in file for file in files), files
    hard = [one for one in distribution.requires or [] if "extra ==" not in one]
    assert [one.split(">")[0] for one in hard] == ["numpy"], hard
    assert distribution.version == calipers.__version__
    assert Path(calipers.__file__).is_relative_to(sys.prefix)


def the_command_is_there() -> None:
    """Run it by its name, and as the package's own."""
    bin_name = "Scripts" if sys.platform == "win32" else "bin"
    by_name = [str(Path(sys.prefix) / bin_name / "calipers")]
    for command in (by_name, [sys.executable, "-m", "calipers"]):
        shown = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True)
        assert shown.stdout.split() == ["calipers", calipers.__version__], shown
        wrong = subprocess.run([*command, "estimate"], check=False, capture_output=True)
        assert wrong.returncode == 2, wrong


def everything_works() -> None:
    """Measure, recalibrate, and measure again."""
    y_true, y_prob = calipers.simulate("multiclass-overconfident-3", 2000, seed=0)
    report = calipers.evaluate(y_true, y_prob.astype(np.float32), progress=True)
    assert 0.3 < report["l1"].value < 0.6, report
    assert "metric" in str(report)
    assert "<table>" in report._repr_html_()
    assert pickle.loads(pickle.dumps(report)).to_json() == report.to_json()
    g = calipers.Recalibrator().fit(y_prob[:1000], y_true[:1000])
    g = pickle.loads(pickle.dumps(g))
    corrected = g.predict_proba(y_prob[1000:])
    after = calipers.calibration_error(y_true[1000:], corrected)
    assert float(after) < 0.15, after
    region = ["north", None, "south"] * 300 + ["south"] * 100
    known = {"region": region, "row": np.arange(1000)}
    g = calipers.Recalibrator().fit(y_prob[:1000], y_true[:1000], features=known)
    assert g.predict_proba(y_prob[1000:], features=known).shape == (1000, 3)
    given = calipers.evaluate(y_true[:1000], y_prob[:1000], features=np.zeros((1000, 3)))
    assert given.given_features.features == ["x0", "x1", "x2"], given
    for wrong in (report.to_frame, lambda: calipers.Recalibrator().predict(y_prob)):
        try:
            wrong()
        except (ImportError, calipers.InputError) as error:
            assert "install" in str(error) or "not fitted" in str(error), error
        else:
            raise AssertionError("it should not have worked")


if __name__ == "__main__":
    about = (only_numpy_is_installed, licences_and_types_are_there)
    for check in (*about, the_command_is_there, everything_works):
        check()
        print(f"{check.__name__}: yes")

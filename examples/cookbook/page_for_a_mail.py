"""How do I show it to somebody who has no Python?

`save_html` writes one page with every figure in it, which asks the network for nothing: attach it
to a mail, or keep it with a build. In a notebook the report shows itself, and `plot` draws.
"""

import re
import tempfile
from pathlib import Path

import matplotlib as mpl
import pandas as pd

import calipers

mpl.use("Agg")
rows = pd.read_csv("data/cells_lgbm.csv")
report = calipers.evaluate(rows["label"], rows[["p_PS", "p_WS"]], ["l1", "brier"])

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "cells.html"
    report.save_html(path, name="segmented cells")
    report.plot(bins=True).figure.savefig(Path(folder) / "cells.png")
    page = path.read_text(encoding="utf-8")
    files = sorted(file.name for file in Path(folder).iterdir())

print(*files)
print(f"{page.count('<svg')} figures; what the page lets a browser ask for: ", end="")
print(re.search("default-src ([^;]*)", page)[1])
print(report.to_frame()[["metric", "best", "lower"]].round(3).to_string(index=False))

"""What the page says about Table 1."""

from scipy.stats import spearmanr

from studies.corpus import LEAST_ERROR, LEAST_ROWS_OF_A_CLASS, MOST_ROWS
from studies.pages import Row, table
from studies.reproduce.plan import Plan
from studies.reproduce.table1 import COLUMNS, Folder

NAMES = [f"{task}_{metric}" for task, metric in COLUMNS]
PEERS = (
    'Rows "probmetrics" are probmetrics 1.3.0, the paper\'s own package, on the same rows and '
    "folds, one thread. "
)


def fields(rows: list[Row], folder: Folder, plan: Plan) -> dict[str, str]:
    """Return the fields of the template."""
    published = [row["row"] for row in rows if row["source"] == "paper"]
    ran = [r for r in rows if r["source"] == "calipers" and not r["note"] and r["row"] != "auto"]
    auto = next(row for row in rows if row["row"] == "auto")
    tasks = [data.task for data in folder.files]
    peers = any(row["source"] == "probmetrics" for row in rows)
    seeds = str(len(plan.seeds))
    if plan.cold_seeds != plan.seeds:
        seeds += f" ({len(plan.cold_seeds)} of trees from scratch, which take most of the time)"
    return {
        "rows": str(len(published)),
        "rows_run": str(len(ran)),
        "rows_absent": str(len(published) - len(ran)),
        "least_error": str(LEAST_ERROR),
        "folder": folder.name,
        "binary_files": str(tasks.count("binary")),
        "multiclass_files": str(tasks.count("multiclass")),
        "binary_pairs": auto["binary_l1_pairs"],
        "multiclass_pairs": auto["multiclass_l2_pairs"],
        "most_rows": f"{MOST_ROWS:,}",
        "least_rows": str(LEAST_ROWS_OF_A_CLASS),
        "seeds": seeds,
        "peers": PEERS if peers else "",
        "and_peers": "and probmetrics " if peers else "",
        "table": cells(rows),
        "order": order(rows),
    }


def cells(rows: list[Row]) -> str:
    """Return the table."""

    def cell(row: Row, name: str) -> str:
        return f"{float(row[name]):.1f} ± {float(row[f'{name}_error']):.1f}" if row[name] else ""

    lines = []
    for row in rows:
        last = row["note"] or f"{float(row['seconds']):.2g}"
        lines.append([row["row"], row["source"], *(cell(row, name) for name in NAMES), last])
    head = ["", "", *(f"{task} {metric}" for task, metric in COLUMNS), "seconds per 1,000"]
    return table(head, lines)


def order(rows: list[Row]) -> str:
    """Return how alike the methods are ranked."""

    def column(source: str, name: str) -> dict[str, float]:
        own = (row for row in rows if row["source"] == source)
        return {row["row"]: float(row[name]) for row in own if row[name]}

    said = []
    for name, (task, metric) in zip(NAMES, COLUMNS, strict=True):
        paper, ours = column("paper", name), column("calipers", name)
        both = [row for row in paper if row in ours]
        ranks = spearmanr([paper[row] for row in both], [ours[row] for row in both])
        here, there = max(both, key=ours.__getitem__), max(both, key=paper.__getitem__)
        said.append(
            f"- {task} {metric}: rank correlation {ranks.statistic:.2f} over {len(both)} rows. Of "
            f"these the most is found by {here} here and by {there} there; `auto` finds "
            f"{ours['auto']:.1f} %."
        )
    return "How alike the order is of the rows that ran in both:\n\n" + "\n".join(said)

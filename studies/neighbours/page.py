"""The page: `page.md`, with every number filled in from the points."""

from pathlib import Path

from scipy import stats

from studies.neighbours.figures import ERRORS, SQUARES, TEST_LINES
from studies.neighbours.measured import MOST_KERNEL_ROWS, Plan
from studies.neighbours.settings import SETTINGS
from studies.neighbours.summary import LEVEL, Points, truths
from studies.pages import Pages, table

TEMPLATE = Path(__file__).parent / "page.md"


def write(pages: Pages, path: Path, points: Points, plan: Plan) -> None:
    """Write the page."""
    few, many = plan.sizes[len(plan.sizes) // 2 - 1], plan.sizes[-1]
    level = [
        points["calibrated", n, test].refused or 0.0 for n in plan.sizes for test in TEST_LINES
    ]
    fields = {
        "images": path.stem,
        "sets": str(plan.repeats),
        "kernel_rows": f"{MOST_KERNEL_ROWS:,}",
        "errors": errors(points, (few, many), ERRORS, 1),
        "squares": errors(points, (few, many), SQUARES, 2),
        "tests": refusals(points, (few, many)),
        "closest_level": f"{min(level):.1%}",
        "furthest_level": f"{max(level):.1%}",
        "chance_level": f"{binomial_limit(plan.repeats, len(level)):.1%}",
        **binned(points, plan),
    }
    pages.page(path, TEMPLATE, fields)


def binomial_limit(sets: int, figures: int) -> float:
    """Return the share that none of so many figures exceeds by chance in nine cases of ten."""
    return float(stats.binom.ppf(0.9 ** (1.0 / figures), sets, LEVEL)) / sets


def errors(
    points: Points, sizes: tuple[int, int], lines: dict[str, tuple[str, str]], power: int
) -> str:
    """Return a table of means ± standard deviations beside the truth."""
    true = truths(power)
    rows = [["**truth**", "", *(f"**{true[one.name]:.4f}**" for one in SETTINGS)]]
    for n in sizes:
        for measure, (name, _) in lines.items():
            cells = []
            for setting in SETTINGS:
                if (setting.name, n, measure) not in points:
                    cells.append("")
                    continue
                one = points[setting.name, n, measure]
                mean, spread = one.mean, one.deviation
                if measure == "ece:p=2":
                    mean, spread = mean**2, 2.0 * mean * spread
                cells.append(f"{mean:.4f} ± {spread:.4f}")
            rows.append([name, f"{n:,}", *cells])
    return table(["", "n", *(setting.name for setting in SETTINGS)], rows)


def refusals(points: Points, sizes: tuple[int, int]) -> str:
    """Return a table of how often tests refuse."""
    rows = []
    for n in sizes:
        for measure, (name, _) in TEST_LINES.items():
            shares = [points[setting.name, n, measure].refused or 0.0 for setting in SETTINGS]
            rows.append([name, f"{n:,}", *(f"{share:.0%}" for share in shares)])
    return table(["", "n", *(setting.name for setting in SETTINGS)], rows)


def binned(points: Points, plan: Plan) -> dict[str, str]:
    """Return what the page says of bins."""
    first = plan.bin_sizes[0]
    few = points["calibrated", first, "ece:bins=5"].mean
    many = points["calibrated", first, "ece:bins=200"].mean
    return {"bin_rows": f"{first:,}", "five_bins": f"{few:.3f}", "many_bins": f"{many:.3f}"}

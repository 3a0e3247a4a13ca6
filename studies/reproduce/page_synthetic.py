"""What the page says about the synthetic figures."""

from scipy import stats

from studies.pages import percent, table
from studies.reproduce.agreement import (
    ALTERNATIVES,
    agreements,
    compared,
    departures,
    meant,
    of_method,
    typical,
)
from studies.reproduce.explained import EXPLANATIONS
from studies.reproduce.methods import BINNED, BY_NAME, COLD
from studies.reproduce.plan import FIGURES, REPEATS, Plan
from studies.reproduce.points import CHANCE, LIMIT, Count, Point

MOST_DEPARTURES = 12


def figure_name(classes: int) -> str:
    """Return the name of a figure's file."""
    return "binary_l1" if classes == 2 else f"classes_{classes}_l2"


def fields(points: list[Point], plan: Plan, images: str) -> dict[str, str]:
    """Return the fields of the template."""
    count = Count.of(compared(points))
    unbinned = Count.of(p for p in compared(points) if p.method not in BINNED)
    freedom = REPEATS - 1
    return {
        "points": f"{count.points:,}",
        "inside": f"{count.points - count.outside:,}",
        "outside": str(count.outside),
        "expected": f"{count.expected:.0f}",
        "expected_exactly": f"{count.expected:.1f}",
        "outside_unbinned": str(unbinned.outside),
        "points_unbinned": f"{unbinned.points:,}",
        "expected_unbinned": f"{unbinned.expected:.0f}",
        "allowed": str(count.allowed),
        "chance": percent(CHANCE),
        "limit": f"{LIMIT:g}",
        "share": percent(2.0 * stats.t.sf(LIMIT, freedom)),
        "typical": f"{(freedom / (freedom - 2)) ** 0.5:.1f}",
        "repeats": str(plan.repeats),
        "smallest": f"{plan.sizes[0]:,}",
        "largest": f"{plan.sizes[-1]:,}",
        "steps": str(len(plan.sizes)),
        "fewer": fewer(plan),
        "figures": "\n\n".join(figure(classes, images) for classes in FIGURES),
        "agreements": lines_of_methods(points),
        "binning": "\n".join(f"- {binning(points, classes)}" for classes in ALTERNATIVES),
        "departures": departing(points),
    }


def title(classes: int) -> str:
    """Return the title of a figure."""
    return "Two classes, l1" if classes == 2 else f"{classes} classes, l2"


def figure(classes: int, images: str) -> str:
    """Return the two pictures of a figure."""
    name = images + figure_name(classes)
    return f"""### {title(classes)}

![The paper's figure beside ours]({name}.svg)

The other methods; dots are the published means:

![Each method beside its published means]({name}_methods.svg)"""


def fewer(plan: Plan) -> str:
    """Return what was computed less often, or not at all."""
    cold = {plan.repeats_of(COLD[0], n, k) for n in plan.sizes for k in FIGURES}
    names = " and ".join(f"`{name}`" for name in COLD)
    less = [
        f"where rows times classes are more than {plan.much:,} they are grown on {count} data sets"
        for count in cold - {0, plan.repeats}
    ]
    if 0 in cold:
        limit = plan.cold_limit if less else plan.much
        less.append(f"beyond {limit:,}{'' if less else ' rows times classes'} not at all")
    if not less:
        return ""
    return f"Trees from scratch ({names}) take most of the time: {', '.join(less)}."


def lines_of_methods(points: list[Point]) -> str:
    """Return the table of methods."""
    lines = [
        [
            f"{BY_NAME[line.method].label} (`{line.method}`)",
            str(line.classes),
            str(line.count.points),
            f"{line.count.outside} ({line.count.expected:.1f})",
            f"{1e3 * line.difference:+.1f}",
            f"{line.typical:.2f}",
        ]
        for line in agreements(points)
    ]
    head = ["method", "classes", "points", "outside (by chance)", "mean difference", "typical"]
    return table(head, lines)


def binning(points: list[Point], classes: int) -> str:
    """Return which bins the published means agree with."""
    best = meant(points, classes)
    other = next(way for way in ALTERNATIVES[classes] if way != best)
    near, far = (typical(of_method(points, classes, way)) for way in (best, other))
    return (
        f"{title(classes)}: {BY_NAME[best].label} (typically {near:.1f} standard errors away), "
        f"not {BY_NAME[other].label} ({far:.1f})."
    )


def departing(points: list[Point]) -> str:
    """Return the points that are furthest away, and why."""
    found = departures(points)
    if not found:
        return f"No point is further than {LIMIT:g} standard errors from the published one."
    head = ["", "classes", "n", "data sets", "ours", "published", "true", "standard errors"]
    lines = [
        [
            f"`{p.method}`, {p.setting}",
            str(p.classes),
            f"{p.n:,}",
            str(p.repeats),
            f"{p.mean:.4f} ± {p.standard_error:.4f}",
            f"{p.published:.4f}",
            f"{p.true:.4f}",
            f"{p.deviations:+.1f}",
        ]
        for p in found[:MOST_DEPARTURES]
    ]
    shown = f"The {len(lines)} furthest of {len(found)}" if len(found) > len(lines) else "All"
    parts = [
        f"{shown} that are beyond {LIMIT:g} standard errors:",
        table(head, lines),
        "\n".join(reasons(found)),
    ]
    return "\n\n".join(parts)


def reasons(found: list[Point]) -> list[str]:
    """Return why points depart, as far as that is known."""
    said, left = [], found
    for (method, setting), reason in EXPLANATIONS.items():
        own = [p for p in left if (p.method, p.setting) == (method, setting)]
        left = [p for p in left if p not in own]
        if own:
            said.append(f"- `{method}`, {setting} ({len(own)} points): {reason}")
    if left:
        above = sum(point.difference > 0.0 for point in left)
        methods = ", ".join(sorted({f"`{point.method}`" for point in left}))
        said.append(
            f"- {len(left)} more, of {methods}: {above} above the published mean, "
            f"{len(left) - above} below; no cause is known but chance. {few(left)}"
        )
    return said


def few(points: list[Point]) -> str:
    """Return what must be known of points that are means of few data sets."""
    own = [point for point in points if point.repeats < REPEATS]
    if not own:
        return ""
    return (
        f"{len(own)} of them are means of {own[0].repeats} data sets, whose spread is so "
        f"uncertain that chance puts {percent(own[0].chance)} beyond {LIMIT:g} standard errors."
    )

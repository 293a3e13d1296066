"""Figures of the plan: which size each problem gets, and what a budget buys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.tries import Bought, Plan

__all__ = ["bought", "sizes"]

_MOST_POINTS = 2000


def sizes(best: Plan, name: str) -> Chart:
    """The planned size of each cell of the pool against its observed rate; area goes by problems, crosses get nothing.

    >>> from stdial import Pool, tries
    >>> sizes(tries.plan(Pool.from_rates([0.5, 0.3]), 4), "mine").table["size"].tolist()
    [2, 2]
    """
    choice, cells = best.choice, best.pool.cells
    rate, size, problems = cells.rate[choice.cell], choice.size, choice.problems
    served = size > 0
    share = problems / problems.sum()
    traces: list[dict[str, Any]] = []
    for mask, words in ((served, "planned"), (~served, "no group")):
        at = np.flatnonzero(mask)
        at = at[np.argsort(-problems[at], kind="stable")][:_MOST_POINTS]
        look: dict[str, Any] = (
            {
                "color": style.ACCENT,
                "size": packed(np.minimum(4 + 60 * np.sqrt(share[at]), 22)),
                "opacity": 0.85,
                "line": {"width": 0},
            }
            if words == "planned"
            else {"symbol": "x-thin", "size": 9, "line": {"color": style.GREY, "width": 2}}
        )
        traces.append(
            {"type": "scatter", "mode": "markers", "x": packed(rate[at]), "y": packed(size[at]), "name": words, "marker": look,
             "customdata": packed(problems[at]),
             "hovertemplate": f"rate %{{x:.3f}}: size %{{y}}, %{{customdata:,.0f}} problems<extra>{words}</extra>"}
        )  # fmt: skip
    top = 1.18 * max(float(size.max(initial=2)), float(best.uniform.size), 4.0)
    layout = style.layout("observed pass rate", "group size", height=380, uirevision=name)
    layout["xaxis"] |= {"range": [-0.03, 1.03], "dtick": 0.25}
    layout["yaxis"] |= {"range": [-0.04 * top, top]}
    even = best.uniform.size
    line = {"color": style.GREY, "width": 1.5, "dash": "dot"}
    layout["shapes"] = [
        {"type": "line", "x0": -0.03, "x1": 1.03, "y0": even, "y1": even, "line": line, "layer": "below"}
    ]
    layout["annotations"] = [
        style.label(
            1,
            1,
            f"dotted: one size for all, {even}",
            style.GREY,
            xref="paper",
            yref="paper",
            xanchor="right",
            yanchor="bottom",
        )
    ]
    layout["margin"] = {**layout["margin"], "t": 26}
    nothing = float(problems[~served].sum())
    low, high = (int(size[served].min()), int(size.max())) if served.any() else (0, 0)
    alt = (
        f"Planned group size against observed pass rate, from {low} to {high}; "
        f"{nothing:,.0f} problems get none. One size for all would be {even}."
    )
    return Chart(
        "plan", traces, layout, alt, shows={"pool": name, "goal": best.goal}, narrow={"height": 290, "xaxis.dtick": 0.5},
        table={"rate": rate, "size": size, "problems": problems},
        caption="Each point is a kind of problem, its area their number; crosses get no group.",
    )  # fmt: skip


def bought(others: Sequence[Bought], now: Plan, name: str) -> Chart:
    """What each budget buys, planned and with one size for all, per problem of the pool.

    >>> from stdial import Pool, tries
    >>> one = tries.plan(Pool.from_rates([0.5, 0.3]), 4)
    >>> bought(tries.bought(one.pool, [4]), one, "mine").table["rollouts a problem"].tolist()
    [2.0, 2.0]
    """
    problems = float(now.pool.size)
    here_too = Bought(now.budget, _goal(now), _goal(now.uniform, now.goal))
    ordered = sorted([*others, here_too], key=lambda one: one.budget)
    budget, planned, even = np.array(ordered).T / problems
    hover = "%{x:.3g} rollouts a problem: %{y:.4f}<extra></extra>"
    here = now.budget / problems
    traces = [
        style.line(
            packed(budget), packed(even), "one size for all", style.GREY, dash="dot", width=1.5, hovertemplate=hover
        ),
        style.line(packed(budget), packed(planned), "plan", style.ACCENT, hovertemplate=hover),
        style.points([here], [_goal(now) / problems], "now", style.ACCENT, size=11, hoverinfo="skip"),
        style.points(
            [here], [_goal(now.uniform, now.goal) / problems], "now", style.GREY, size=10, hollow=True, hoverinfo="skip"
        ),
    ]
    mixed = now.goal == "mixed"
    layout = style.layout("rollouts a problem", "mixed groups a problem" if mixed else "update a problem", height=280)
    last = float(budget.max())
    layout["xaxis"] |= {"range": [0, 1.03 * last]}
    layout["yaxis"] |= {"range": [0, 1.05 if mixed else 0.54]} | ({"tickformat": ".0%"} if mixed else {})
    layout["uirevision"] = f"{name} {now.goal} {last}"
    layout["annotations"] = [
        style.label(last, float(planned[-1]), "plan", style.ACCENT, xanchor="right", yshift=15),
        style.label(last, float(even[-1]), "one size for all", style.GREY, xanchor="right", yshift=-16),
    ]
    alt = (
        f"What a budget buys, in {'mixed groups' if mixed else 'expected update'} a problem. At {here:.3g} rollouts a problem: "
        f"{_goal(now) / problems:.4f} planned, {_goal(now.uniform, now.goal) / problems:.4f} with one size for all."
    )
    return Chart(
        "bought", traces, layout, alt, shows={"pool": name, "goal": now.goal}, narrow={"height": 260},
        table={"rollouts a problem": budget, "plan": planned, "one size for all": even},
    )  # fmt: skip


def _goal(found: Any, goal: str = "") -> float:
    return float(getattr(found, goal or found.goal))

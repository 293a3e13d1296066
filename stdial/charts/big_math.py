"""Figures of the page Big-Math, for any pool: solve rates, and gradient mass by difficulty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial import by_size, expectation, mass
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.method import DR_GRPO, GRPO
from stdial.pool import Pool

__all__ = ["extreme", "gradient_mass", "shares", "solve_rates", "tenths"]

_MOST_BARS = 129
_FEWER_BARS = 50
_EXTREME = 0.1  # "extreme" in the paper: below .1, or from .9


def solve_rates(pool: Pool, G: int) -> Chart:
    """Histogram of observed solve rates; the strong part of each bar is expected to be silent at this G.

    >>> solve_rates(Pool([0, 1, 4, 8] * 25, 8), 8).shows
    {'G': 8, 'problems': 100}
    """
    at, bars = _bars(pool)
    cells = pool.cells
    total = np.bincount(at, weights=cells.problems, minlength=bars)
    silent = _posterior_silent(pool, G)
    strong = np.bincount(at, weights=cells.problems * silent, minlength=bars)
    centre = np.arange(bars) / (bars - 1)
    traces = [
        _bar(centre, strong, "expected silent", style.ACCENT),
        _bar(centre, total - strong, "expected mixed", style.FAINT),
    ]
    top = float(total.max()) * 1.04
    labels = [
        style.label(0.5, 0.84 * top, f"strong: expected silent at G = {G}", style.ACCENT, xanchor="center"),
        style.label(0.5, 0.73 * top, "faint: right and wrong answers in one group", style.GREY, xanchor="center"),
    ]
    layout = style.layout(
        "observed solve rate",
        "problems",
        height=250,
        annotations=labels,
        barmode="stack",
        bargap=0.12,
        margin={"l": 72},
    )
    layout["xaxis"] |= {"range": [-0.015, 1.015], "dtick": 0.25}
    layout["yaxis"] |= {"range": [0, top], "tickformat": ",d", "nticks": 5}
    return Chart(
        "rates", traces, layout, _rates_alt(pool, G, float(strong.sum() / total.sum())),
        shows={"G": G, "problems": pool.size},
        table={"rate": centre, "problems": total, f"expected silent at G = {G}": strong},
        narrow={"height": 230, "margin.l": 70, "margin.b": 40, "annotations.1.text": "faint: mixed"},
    )  # fmt: skip


def _bars(pool: Pool) -> tuple[NDArray[np.intp], int]:
    """The bar of each cell, and how many there are: one for each number right where all tries are alike, else 51."""
    tries = pool.cells.tries
    steps = _FEWER_BARS
    if tries is not None and tries.min() == tries.max() < _MOST_BARS:
        steps = int(tries.max())
    return np.rint(pool.cells.rate * steps).astype(np.intp), steps + 1


def _posterior_silent(pool: Pool, G: int) -> NDArray[np.float64]:
    """Chance that a new group is silent, in each cell: what to say of problems picked by their observed rate."""
    p, weights = pool.posterior()
    return np.asarray((weights * expectation.silent_rate(p, G)).sum(axis=-1))


def _bar(x: Any, y: Any, name: str, color: str) -> dict[str, Any]:
    hover = f"rate %{{x:.3f}}: %{{y:,.0f}} problems, {name}<extra></extra>"
    return {
        "type": "bar", "x": packed(x), "y": packed(y), "name": name, "hovertemplate": hover,
        "marker": {"color": color, "line": {"width": 0}},
    }  # fmt: skip


def _rates_alt(pool: Pool, G: int, silent: float) -> str:
    rate, problems = pool.cells.rate, pool.cells.problems
    none, every = (float(problems[rate == end].sum() / problems.sum()) for end in (0, 1))
    return (
        f"Histogram of the observed solve rates of {pool.size:,.0f} problems, mean {pool.mean_rate:.3f}: {none:.1%} were never "
        f"solved, {every:.1%} always. At G = {G}, {silent:.1%} of their groups are expected to be silent "
        "(fitted distribution), most of them at the ends."
    )


def shares(pool: Pool, G: int) -> dict[str, NDArray[np.float64]]:
    """Share of the summed update in each tenth of observed rate: of Dr. GRPO, of GRPO at this G, of GRPO in the limit.

    Dr. GRPO's shares are the same at every G; counted from pairs of a problem's tries. GRPO's are counted where G is at most
    the tries, else plug-in, as the limit always is.

    >>> from stdial import bigmath
    >>> {name: round(extreme(share), 3) for name, share in shares(bigmath.load(), 8).items()}
    {'Dr. GRPO': 0.139, 'GRPO': 0.167, 'GRPO, large G': 0.247}
    """
    n = by_size.logged(pool)
    return {
        "Dr. GRPO": mass.by_band(pool, 2, DR_GRPO, "unbiased" if n >= 2 else "plug-in"),
        "GRPO": mass.by_band(pool, G, GRPO, "unbiased" if n >= G else "plug-in"),
        "GRPO, large G": mass.by_band(pool, math.inf, GRPO, "plug-in"),
    }


def extreme(share: NDArray[np.float64]) -> float:
    """The part of shares by tenths that falls below .1 or from .9."""
    return float(share[0] + share[-1])


def tenths() -> list[str]:
    """The tenths of the solve rate in words.

    >>> tenths()[0], tenths()[-1]
    ('0 to .1', '.9 to 1')
    """
    ends = [f"{i / 10:g}".lstrip("0") or "0" for i in range(11)]
    return [f"{low} to {high}" for low, high in pairwise(ends)]


def gradient_mass(pool: Pool, G: int) -> Chart:
    """Whose problems get the gradient: the share of each tenth of the observed rate, by method.

    >>> from stdial import bigmath
    >>> gradient_mass(bigmath.load(), 8).shows
    {'G': 8, 'dr_grpo_extreme': 0.1388, 'grpo_extreme': 0.1672, 'limit_extreme': 0.247}
    """
    found = shares(pool, G)
    plain, ours, limit = found.values()
    counted = by_size.logged(pool) >= G
    centre = np.arange(10) / 10 + 0.05
    hover = "%{x:.2f}: %{y:.1%} of %{fullData.name}<extra></extra>"
    traces = [
        style.line(packed(centre), packed(limit), "GRPO, large G", style.GREY, width=1.5, hovertemplate=hover),
        style.line(packed(centre), packed(plain), "Dr. GRPO", style.DR_GRPO, dash="dash", hovertemplate=hover),
        style.line(packed(centre), packed(ours), "GRPO", style.GRPO, hovertemplate=hover),
        style.points(packed(centre), packed(plain), "Dr. GRPO", style.DR_GRPO, size=7, hoverinfo="skip"),
        style.points(packed(centre), packed(ours), "GRPO", style.GRPO, size=8, hollow=not counted, hoverinfo="skip"),
    ]
    top = math.ceil(max(float(np.nanmax(share)) for share in (plain, limit)) * 20 + 0.2) / 20
    names = ["Dr. GRPO", f"GRPO, G = {G}", "large G"]
    heights = _apart([float(plain[-1]), float(ours[-1]), float(limit[-1])], 0.07 * top)
    colors = [style.DR_GRPO, style.GRPO, style.GREY]
    labels = [style.label(1.0, y, name, color) for y, name, color in zip(heights, names, colors, strict=True)]
    shapes = [_shade(0, _EXTREME), _shade(1 - _EXTREME, 1)]
    layout = style.layout(
        "observed solve rate, in tenths",
        "share of the update",
        height=330,
        annotations=labels,
        shapes=shapes,
        margin={"r": 100},
    )
    layout["xaxis"] |= {"range": [0, 1], "tickvals": [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]}
    layout["yaxis"] |= {"range": [0, top], "tickformat": ".0%"}
    named = {"dr_grpo_extreme": plain, "grpo_extreme": ours, "limit_extreme": limit}
    table: dict[str, Any] = {"rate": tenths(), "Dr. GRPO": plain, f"GRPO, G = {G}": ours, "GRPO, large G": limit}
    return Chart(
        "mass", traces, layout, _mass_alt(G, plain, ours, limit), table=table, caption=_mass_caption(pool, G, counted, found),
        shows={"G": G, **{name: round(extreme(share), 4) for name, share in named.items() if share[0] == share[0]}},
        narrow={"height": 300, "margin.l": 58, "margin.r": 84, "xaxis.tickvals": [0, 0.1, 0.5, 0.9]},
    )  # fmt: skip


def _apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights of labels in the same order, moved as little upward as keeps them a gap apart."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = list(heights)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    return placed


def _shade(low: float, high: float) -> dict[str, Any]:
    return {
        "type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below",
        "fillcolor": style.FAINT + "40", "line": {"width": 0},
    }  # fmt: skip


def _mass_alt(G: int, plain: Any, ours: Any, limit: Any) -> str:
    return (
        f"Share of the summed update by tenth of the solve rate. Problems below .1 or from .9 get {extreme(plain):.1%} of "
        f"Dr. GRPO's, {extreme(ours):.1%} of GRPO's at G = {G} and {extreme(limit):.1%} of GRPO's for large G."
    )


def _mass_caption(pool: Pool, G: int, counted: bool, found: dict[str, Any]) -> str:
    plain, ours, limit = (f"{extreme(share):.1%}" for share in found.values())
    rough = f"{extreme(mass.by_band(pool, G, GRPO, 'plug-in')):.1%}"
    fitted = f"{extreme(mass.by_band(pool, G, GRPO, 'deconvolved')):.1%}" if pool.tries is not None else rough
    of_grpo = (
        f"{ours} of GRPO's (plug-in {rough})" if counted else f"{rough} of GRPO's (plug-in, hollow; {fitted} fitted)"
    )
    return (
        f"Shaded, below .1 and from .9: {plain} of Dr. GRPO's update at every G, {of_grpo} at G = {G}, {limit} in the limit "
        "of large groups (plug-in, as in the paper)."
    )

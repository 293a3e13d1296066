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
from stdial.method import DR_GRPO, GRPO, Method
from stdial.pool import Pool

__all__ = ["extreme", "gradient_mass", "shares", "solve_rates"]

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
    return {name: mass.by_band(pool, *how) for name, how in _how(pool, G).items()}


def _how(pool: Pool, G: int) -> dict[str, tuple[float, Method, str]]:
    n = by_size.logged(pool)
    return {
        "Dr. GRPO": (2, DR_GRPO, "unbiased" if n >= 2 else "plug-in"),
        "GRPO": (G, GRPO, "unbiased" if n >= G else "plug-in"),
        "GRPO, large G": (math.inf, GRPO, "plug-in"),
    }


def extreme(share: NDArray[np.float64]) -> float:
    """The part of shares by tenths that falls below .1 or from .9."""
    return float(share[0] + share[-1])


def gradient_mass(pool: Pool, G: int, parts: mass.Parts | None = None) -> Chart:
    """Whose problems get the gradient: the share of each part of the difficulty axis, by method.

    Parameters
    ----------
    pool : problems.
    G : group size.
    parts : of `mass.parts`; tenths of the observed solve rate if left out, as in the paper.

    >>> from stdial import bigmath
    >>> gradient_mass(bigmath.load(), 8).shows
    {'G': 8, 'dr_grpo_extreme': 0.1388, 'grpo_extreme': 0.1672, 'limit_extreme': 0.247}
    """
    found = shares(pool, G)
    tenth = np.arange(10) / 10 + 0.05
    rate, names, drawn = (
        (tenth, mass.tenths(), found) if parts is None else (parts.rate, parts.names, _in(parts, pool, G))
    )
    plain, ours, limit = drawn.values()
    counted = by_size.logged(pool) >= G
    hover = "%{text}: %{y:.1%} of %{fullData.name}<extra></extra>"
    on: dict[str, Any] = {"text": names, "hovertemplate": hover}
    x = packed(rate)
    traces = [
        style.line(x, packed(limit), "GRPO, large G", style.GREY, width=1.5, **on),
        style.line(x, packed(plain), "Dr. GRPO", style.DR_GRPO, dash="dash", **on),
        style.line(x, packed(ours), "GRPO", style.GRPO, **on),
        style.points(x, packed(plain), "Dr. GRPO", style.DR_GRPO, size=7, hoverinfo="skip"),
        style.points(x, packed(ours), "GRPO", style.GRPO, size=8, hollow=not counted, hoverinfo="skip"),
    ]
    top = math.ceil(max(float(np.nanmax(share)) for share in (plain, ours, limit)) * 20 + 0.2) / 20
    last = (
        int(np.flatnonzero(np.nan_to_num(plain))[-1]) if (plain > 0).any() else -1
    )  # all right of all tries has no update
    heights = _apart([float(share[last]) for share in (plain, ours, limit)], 0.07 * top)
    colors = [style.DR_GRPO, style.GRPO, style.GREY]
    right = 1.0 if parts is None else 1.02
    words = ["Dr. GRPO", f"GRPO, G = {G}", "large G"]
    labels = [style.label(right, y, word, color) for y, word, color in zip(heights, words, colors, strict=True)]
    term = "observed solve rate, in tenths" if parts is None else "observed pass rate"
    layout = style.layout(
        term,
        "share of the update",
        height=330,
        annotations=labels,
        shapes=[_shade(1 - right, _EXTREME), _shade(1 - _EXTREME, right)],
        margin={"r": 100},
    )
    layout["xaxis"] |= {"range": [1 - right, right], "tickvals": [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]}
    layout["yaxis"] |= {"range": [0 if parts is None else -0.025 * top, top], "tickformat": ".0%"}
    ends = zip(("dr_grpo_extreme", "grpo_extreme", "limit_extreme"), found.values(), strict=True)
    table: dict[str, Any] = {"rate": names, "Dr. GRPO": plain, f"GRPO, G = {G}": ours, "GRPO, large G": limit}
    if parts is not None:
        table = {"rate": rate, "result": names} | {name: values for name, values in table.items() if name != "rate"}
    caption = _mass_caption(pool, G, counted, found)
    return Chart(
        "mass", traces, layout, _mass_alt(G, found, parts), table=table, caption=f"{caption} {parts.what}" if parts else caption,
        shows={"G": G, **{name: round(extreme(share), 4) for name, share in ends if share[0] == share[0]}},
        narrow={"height": 300, "margin.l": 58, "margin.r": 84, "xaxis.tickvals": [0, 0.1, 0.5, 0.9]},
    )  # fmt: skip


def _in(parts: mass.Parts, pool: Pool, G: int) -> dict[str, NDArray[np.float64]]:
    """`shares`, in other parts than tenths."""
    return {name: parts.shares(pool, *how) for name, how in _how(pool, G).items()}


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


def _mass_alt(G: int, found: dict[str, Any], parts: mass.Parts | None) -> str:
    plain, ours, limit = (f"{extreme(share):.1%}" for share in found.values())
    by = "tenth of the solve rate" if parts is None else "observed pass rate"
    return (
        f"Share of the summed update by {by}. Problems below .1 or from .9 get {plain} of Dr. GRPO's, {ours} of GRPO's at "
        f"G = {G} and {limit} of GRPO's for large G."
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

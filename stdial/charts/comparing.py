"""Figures of before and after: each problem's rate twice, and the silent share of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stdial import by_size
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.comparison import Comparison

__all__ = ["moved", "silent_twice"]

_SIZES = tuple(range(2, 17)) + tuple(2**i for i in range(5, 11))


def moved(found: Comparison, G: int) -> Chart:
    """Each problem's pass rate before and after, as bubbles: larger where more problems agree.

    >>> from stdial import Pool
    >>> from stdial.comparison import compare
    >>> moved(compare(Pool([0, 4], 8, ids=["a", "b"]), Pool([4, 4], 8, ids=["a", "b"])), 8).shows
    {'G': 8, 'problems': 2, 'change': 0.25}
    """
    at, many = found.places
    size = np.clip(9.0 * np.sqrt(many * 60.0 / max(len(found.ids), 60)), 5.0, 40)
    hover = "%{customdata} problems: %{x:.3f} before, %{y:.3f} after<extra></extra>"
    bubbles = {
        "type": "scatter", "mode": "markers", "x": packed(at[:, 0]), "y": packed(at[:, 1]), "customdata": many.tolist(),
        "hovertemplate": hover, "name": "problems",
        "marker": {"color": style.ACCENT, "size": size.round(2).tolist(), "opacity": 0.75, "line": {"width": 0}},
    }  # fmt: skip
    traces: list[dict[str, Any]] = [
        style.line([0, 1], [0, 1], "unchanged", style.GREY, width=1, dash="dot", hoverinfo="skip"),
        bubbles,
    ]
    layout = style.layout("pass rate before", "pass rate after", height=330)
    layout["xaxis"] |= {"range": [-0.05, 1.05], "dtick": 0.25}
    layout["yaxis"] |= {"range": [-0.05, 1.05], "dtick": 0.25}
    alt = (
        f"Pass rates of {len(found.ids):,} problems before and after: mean {found.rate.before:.3f} to {found.rate.after:.3f}; "
        f"{found.risen:,} rose and {found.fallen:,} fell by more than two standard errors."
    )
    return Chart(
        "moved", traces, layout, alt, shows={"G": G, "problems": len(found.ids), "change": round(found.rate.change, 4)},
        table={"before": at[:, 0], "after": at[:, 1], "problems": many},
        caption="Above the dotted line: better after. Size: how many problems.", narrow={"height": 320, "margin.l": 50},
    )  # fmt: skip


def silent_twice(found: Comparison, G: int) -> Chart:
    """The silent share of both sides against group size, as far as the tries count it; plug-in for bare rates."""
    n = min(by_size.logged(found.before), by_size.logged(found.after))
    sizes = [size for size in sorted({*_SIZES, G}) if not n or size <= n] or [2]
    estimate = "unbiased" if n >= 2 else "plug-in"
    before, after = (np.array([p.silent_rate(s, estimate) for s in sizes]) for p in (found.before, found.after))
    x = np.log2(np.array(sizes, float))
    hover = "G = %{customdata}: %{y:.1%}<extra>%{fullData.name}</extra>"
    more: dict[str, Any] = {"customdata": sizes, "hovertemplate": hover}
    traces = [
        style.line(packed(x), packed(before), "before", style.GREY, dash="dash", width=2, **more),
        style.line(packed(x), packed(after), "after", style.INK, **more),
    ]
    first_above = bool(before[-1] >= after[-1])
    labels = [
        style.label(float(x[-1]), float(y[-1]), name, color, xshift=6, yshift=7 if above else -7)
        for y, name, color, above in (
            (before, "before", style.GREY, first_above),
            (after, "after", style.INK, not first_above),
        )
    ]
    top = min(1.0, math.ceil(10 * float(max(before.max(), after.max())) + 0.3) / 10)
    shapes = [style.rule(math.log2(G))] if G in sizes else []
    layout = style.layout(
        "group size G", "silent share", height=360, annotations=labels, shapes=shapes, margin={"r": 62}
    )
    powers = [i for i in range(1, 11) if 2**i <= sizes[-1]]
    layout["xaxis"] |= {
        "range": [0.9, max(float(x[-1]), 1.5) + 0.05],
        "tickvals": powers,
        "ticktext": [str(2**i) for i in powers],
    }
    layout["yaxis"] |= {"range": [0, top], "tickformat": ".0%"}
    shows: dict[str, Any] = {"G": G}
    said = "which is more than the tries count"
    if G in sizes:
        i = sizes.index(G)
        shows |= {"before": round(float(before[i]), 4), "after": round(float(after[i]), 4)}
        said = f"{before[i]:.1%} before and {after[i]:.1%} after"
    alt = f"Silent share against group size before and after. At G = {G}: {said}."
    caption = (
        "Plug-in: rates without tries." if estimate == "plug-in" else f"Counted, so drawn to the fewest tries, {n}."
    )
    return Chart(
        "silent_twice", traces, layout, alt, shows=shows, table={"G": sizes, "before": before, "after": after},
        caption=caption, narrow={"height": 280, "margin.l": 52},
    )  # fmt: skip

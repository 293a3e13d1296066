"""Figures of a filter band: which problems are kept, and what that keeps beside as many problems at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from stdial.band import Band, between
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.charts.your_data import bars
from stdial.pool import Pool

__all__ = ["kept_rates", "lost"]


def kept_rates(pool: Pool, found: Band, G: int) -> Chart:
    """Histogram of the pass rates, kept problems strong.

    >>> from stdial.band import band
    >>> pool = Pool([0, 1, 4, 8] * 25, 8)
    >>> kept_rates(pool, band(pool, 0.1, 0.9, 8), 8).shows
    {'G': 8, 'keep_from': 0.1, 'keep_to': 0.9, 'kept': 50}
    """
    at, many = bars(pool)
    problems = pool.cells.problems
    kept = between(pool.cells.rate, found.low, found.high)
    total = np.bincount(at, weights=problems, minlength=many)
    some = np.bincount(at, weights=problems * kept, minlength=many)
    x = np.arange(many) / (many - 1)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar", "x": packed(x), "y": packed(y), "name": name, "marker": {"color": color, "line": {"width": 0}},
            "hovertemplate": f"rate %{{x:.3f}}: %{{y:,.0f}} problems {name}<extra></extra>",
        }
        for y, name, color in ((some, "kept", style.ACCENT), (total - some, "lost", style.FAINT))
    ]  # fmt: skip
    layout = style.layout(
        "observed pass rate", "problems", height=260, barmode="stack", bargap=0.12,
        shapes=[style.rule(found.low), style.rule(found.high)],
    )  # fmt: skip
    layout["xaxis"] |= {"range": [-0.6 / many, 1 + 0.6 / many], "dtick": 0.25}
    layout["yaxis"] |= {"range": [0, float(total.max()) * 1.06], "tickformat": ",d", "nticks": 5}
    kept_number = int(found.kept) if found.kept == int(found.kept) else round(found.kept, 3)
    alt = (
        f"Histogram of observed pass rates. Keeping rates from {found.low:g} to {found.high:g} keeps {found.kept:,.0f} of "
        f"{found.problems:,.0f} problems."
    )
    return Chart(
        "band", traces, layout, alt, table={"rate": x, "kept": some, "lost": total - some},
        shows={"G": G, "keep_from": found.low, "keep_to": found.high, "kept": kept_number},
        caption="Strong: kept. Faint: lost.", narrow={"height": 240, "margin.l": 46, "margin.b": 40},
    )  # fmt: skip


def lost(found: Band, G: int) -> Chart:
    """What the band keeps of problems, mixed groups and update, beside a random subset of the same size.

    >>> from stdial.band import band
    >>> lost(band(Pool([0, 1, 4, 8], 8), 0.1, 0.9, 8), 8).shows
    {'G': 8, 'problems': 0.5, 'mixed': 0.7369, 'update': 0.7634}
    """
    names = ("problems", "mixed groups", "update")
    ours = np.nan_to_num(np.array([found.share, found.mixed_share, found.update_share]))
    random = np.full(3, found.share)
    spread = 2 * np.array([0.0, found.mixed_spread, found.update_spread])
    rows = np.arange(3.0)
    hover = "%{y}: %{x:.1%} kept<extra>%{fullData.name}</extra>"
    reach = {"type": "data", "array": packed(spread), "color": style.GREY, "thickness": 1.5, "width": 4}
    traces = [
        style.points(
            packed(random),
            packed(rows),
            "at random",
            style.GREY,
            hollow=True,
            size=11,
            error_x=reach,
            hovertemplate=hover,
        ),
        style.points(packed(ours), packed(rows), "this filter", style.INK, size=10, hovertemplate=hover),
    ]
    labels = [
        style.label(float(x[1]), 1, name, color, xanchor=_anchor(float(x[1])), yshift=up)
        for x, name, color, up in ((ours, "this filter", style.INK, 17), (random, "at random", style.GREY, -17))
    ]
    layout = style.layout("share kept", "", height=230, annotations=labels, margin={"l": 100})
    layout["xaxis"] |= {"range": [-0.02, 1.02], "tickformat": ".0%", "dtick": 0.25}
    layout["yaxis"] |= {"range": [2.6, -0.6], "tickvals": [0, 1, 2], "ticktext": list(names), "title": {"text": ""}}
    alt = (
        f"Keeping rates from {found.low:g} to {found.high:g} at G = {G}: {ours[0]:.1%} of problems, {ours[1]:.1%} of mixed groups "
        f"and {ours[2]:.1%} of the update are kept; as many problems at random keep {found.share:.1%} of each."
    )
    shows = {"problems": found.share, "mixed": found.mixed_share, "update": found.update_share}
    return Chart(
        "lost", traces, layout, alt, shows={"G": G, **{k: round(v, 4) for k, v in shows.items() if v == v}},
        table={"of": list(names), "this filter": ours, "at random": random, "two standard deviations": spread},
        caption="Hollow: as many problems at random, with two standard deviations.", narrow={"height": 220, "margin.l": 96},
    )  # fmt: skip


def _anchor(share: float) -> str:
    """On which side of its place a label stands, so that neither edge cuts it."""
    return "left" if share < 0.15 else "right" if share > 0.85 else "center"

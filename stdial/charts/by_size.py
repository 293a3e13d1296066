"""Figure: a pool's silent share against group size, with how far its tries fix it. For any page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial import by_size, expectation
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.charts.difficulty import FRAMES
from stdial.pool import Pool
from stdial.remembered import remembered

__all__ = ["bounds", "silent_by_size"]

_POWERS = tuple(2**i for i in range(1, 11))
_SIZE = 40_000  # bytes of what is kept of a chart, about


def silent_by_size(pool: Pool, G: int, *, every: bool = False) -> Chart:
    """Silent share against group size: best estimate with its interval or bounds, plug-in hollow, this G marked.

    Parameters
    ----------
    pool : problems; bare rates have the plug-in alone.
    G : the marked group size.
    every : whether the pool's bounds beyond its tries are stored, so that they can be drawn at all sizes.

    Examples
    --------
    >>> chart = silent_by_size(Pool([0, 1, 4, 8] * 25, 8), 8)
    >>> chart.shows
    {'G': 8, 'best': 0.5, 'plug_in': 0.5879}
    """
    still = remembered(pool, ("drawn", every), lambda: _still(pool, every), size=_SIZE)
    known, top, n, now = still["known"], still["top"], by_size.logged(pool), by_size.at(pool, G)
    layout = style.layout(
        "group size G", "silent share", height=300, annotations=list(still["names"]), shapes=[style.rule(math.log2(G))],
    )  # fmt: skip
    layout["xaxis"] |= {"range": [0.9, 10.15], "tickvals": list(range(1, 11)), "ticktext": [str(s) for s in _POWERS]}
    layout["yaxis"] |= {"range": [-0.012, top], "tickformat": ".0%"}
    traces, table = [*still["traces"], _now(now)], still["table"]
    return Chart(
        "silent", traces, layout, _silent_alt(now, n), shows=_silent_shows(now), table=table,
        caption=_silent_caption(now, pool, n, known["size"]), narrow={"height": 260, "margin.l": 58, "margin.b": 40},
        given=(),
    )  # fmt: skip


def _still(pool: Pool, every: bool) -> dict[str, Any]:
    """What of the chart does not depend on the marked size."""
    sizes = sorted({*FRAMES, *_POWERS})
    known = by_size.columns(by_size.series(pool, sizes, every))
    plug_in = _plug_in(pool, sizes)
    x, counted = np.log2(known["size"]), known["size"] <= by_size.logged(pool)
    top = min(1.0, math.ceil(10 * float(plug_in.max()) + 0.3) / 10)
    powers = [i for i, size in enumerate(sizes) if size in _POWERS]
    traces = [
        *style.area(packed(x), packed(known["low"]), packed(known["high"]), "how far it is known", style.ACCENT, 0.3),
        style.line(packed(np.log2(sizes)), packed(plug_in), "plug-in", style.GREY, width=1, hoverinfo="skip"),
        _dots(np.log2([sizes[i] for i in powers]), plug_in[powers], "plug-in", style.GREY, hollow=True),
        style.line(packed(x[counted]), packed(known["best"][counted]), "best estimate", style.INK, hoverinfo="skip"),
        _line_beyond(x, known["best"], counted),
        _dots_at_powers(known, counted, "best estimate", hollow=False),
        _dots_at_powers(known, ~counted, "fitted", hollow=True),
    ]
    table = {"G": np.array(sizes, float), "plug-in": plug_in}
    for name in ("best", "low", "high"):
        column = np.full(len(sizes), np.nan)
        column[np.searchsorted(sizes, known["size"].astype(int))] = known[name]
        table[name] = column
    return {"known": known, "top": top, "traces": traces, "names": _names(known, counted, plug_in, top), "table": table}


def _plug_in(pool: Pool, sizes: Sequence[int]) -> NDArray[np.float64]:
    rate, problems = pool.cells.rate, pool.cells.problems
    silent = expectation.silent_rate(rate[:, None], np.array(sizes, float))
    return np.asarray(problems @ silent / problems.sum())


def _dots(x: Any, y: Any, name: str, color: str, *, hollow: bool) -> dict[str, Any]:
    size = [2 ** float(one) for one in x]
    hover = f"{name}, G = %{{customdata:.0f}}: %{{y:.1%}}<extra></extra>"
    return style.points(packed(x), packed(y), name, color, hollow=hollow, size=7, customdata=size, hovertemplate=hover)


def _dots_at_powers(known: dict[str, Any], some: Any, name: str, *, hollow: bool) -> dict[str, Any]:
    at = some & np.isin(known["size"], _POWERS)
    return _dots(np.log2(known["size"][at]), known["best"][at], name, style.INK, hollow=hollow)


def _line_beyond(x: Any, best: Any, counted: Any) -> dict[str, Any]:
    """The fitted values, from the last counted one on, so that no gap shows."""
    start = max(int(counted.sum()) - 1, 0)
    return style.line(
        packed(x[start:]), packed(best[start:]), "fitted", style.INK, dash="dot", width=1.5, hoverinfo="skip"
    )


def _now(now: by_size.Silent) -> dict[str, Any]:
    """The group size of now: a point with its interval; beyond the tries hollow, with a bar between the bounds."""
    shown = now.known
    y = now.best if shown else None
    bars = {
        "type": "data", "symmetric": False, "color": style.INK, "thickness": 2, "width": 5,
        "array": [now.high - now.best if shown else 0], "arrayminus": [now.best - now.low if shown else 0],
    }  # fmt: skip
    hover = f"G = {now.size}: %{{y:.1%}}<extra></extra>"
    return style.points(
        [math.log2(now.size)],
        [y],
        "this G",
        style.INK,
        hollow=not now.counted,
        size=13,
        error_y=bars,
        hovertemplate=hover,
    )


def _names(known: dict[str, Any], counted: Any, plug_in: Any, top: float) -> list[dict[str, Any]]:
    """Each curve's name in the empty room above or below it."""
    end = float(plug_in[-1])
    labels = [style.label(10, end, "plug-in", style.GREY, xanchor="right", yanchor="bottom", yshift=9)]
    if counted.any():
        i = int(np.argmin(np.abs(known["size"] - 24)))
        y = float(known["best"][i])
        labels.append(
            style.label(
                math.log2(known["size"][i]),
                y,
                "best estimate",
                style.INK,
                xanchor="right",
                yanchor="top",
                yshift=-4,
                bgcolor=style.PAPER,
            )
        )
    return [label for label in labels if label["y"] < top]


def _silent_shows(now: by_size.Silent) -> dict[str, Any]:
    shown = {"G": now.size, "best": now.best, "plug_in": now.plug_in}
    if not now.counted:
        shown = {"G": now.size, "low": now.low, "high": now.high, "plug_in": now.plug_in}
    return {name: value if name == "G" else round(value, 4) for name, value in shown.items() if value == value}


def _silent_alt(now: by_size.Silent, n: int) -> str:
    start = f"Silent share of groups against group size. At G = {now.size}: "
    plug_in = f"plug-in {now.plug_in:.1%}"
    if not n:
        return f"{start}{plug_in}, from rates without tries."
    if now.counted:
        return f"{start}best estimate {now.best:.1%}, 95% interval {now.low:.1%} to {now.high:.1%}; {plug_in}."
    low, high = bounds(now)
    return f"{start}between {low} and {high}, which is all that {n} tries a problem say; {plug_in}."


def _silent_caption(now: by_size.Silent, pool: Pool, n: int, drawn: Any) -> str:
    if not n:
        return "Rates without tries: only the plug-in can be drawn."
    if now.counted:
        caption = (
            f"At G = {now.size} unbiased: {now.size} of each problem's {n} logged answers, drawn without replacement; 95% interval "
            f"{now.low:.1%} to {now.high:.1%}, from {pool.size:,.0f} problems. Beyond {n} only bounds, the fitted value hollow."
        )
    else:
        fitted = f"hollow: the fitted value, {now.best:.1%}" if now.known else "too far apart to be drawn"
        caption = f"{n} tries a problem do not fix what a group of {now.size} shows: they bound it (two standard errors); {fitted}."
    if not len(drawn) or drawn[-1] < _POWERS[-1]:
        caption += " The drawing ends where bounds are more than 10 points apart."
    return caption


def bounds(now: by_size.Silent) -> tuple[str, str]:
    """Bounds as percent, rounded outward to a tenth of a point; what is within a hundredth of a tenth counts as that tenth.

    >>> bounds(by_size.Silent(256, 0.028, 0.02098, 0.04646, 0.114, False))
    ('2.1%', '4.7%')
    """
    low, high = math.floor(1000 * now.low + 0.1), math.ceil(1000 * now.high - 0.1)
    return f"{max(low, 0) / 10:.1f}%", f"{min(high, 1000) / 10:.1f}%"

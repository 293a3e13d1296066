"""Figures of the page Silence: a field of groups, and the silent rate over the pool's own distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stdial import expectation
from stdial.arguments import FloatArray
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.pool import Pool

__all__ = ["Shares", "dots", "field", "histogram", "rate_and_pool", "shares", "three_pools"]

BINS = 20
_P = np.linspace(0, 1, 201)
_ROWS, _COLUMNS = 5, 20
_MIDDLES = (np.arange(BINS) + 0.5) / BINS


class Shares(NamedTuple):
    """Shares of the groups drawn from a pool; they add up to 1."""

    wrong: float
    live: float
    right: float

    @property
    def silent(self) -> float:
        """All wrong or all right."""
        return self.wrong + self.right


def shares(pool: Pool, G: int) -> Shares:
    """Groups all wrong, live and all right, by the best estimate.

    >>> shares(Pool.from_rates([0.5]), 2)
    Shares(wrong=0.25, live=0.5, right=0.25)
    """
    wrong, right = (pool.silent_rate(G, side=side) for side in ("wrong", "right"))
    return Shares(wrong, max(0.0, 1.0 - wrong - right), right)


def dots(found: Sequence[float], many: int = 100) -> list[int]:
    """Whole dots for shares that add up to 1: rounded down, the rest to the largest remainders.

    >>> dots([0.224, 0.569, 0.207])
    [22, 57, 21]
    """
    exact = np.asarray(found) * many
    whole = np.floor(exact + 1e-9)
    rest = np.argsort(whole - exact, kind="stable")[: many - int(whole.sum())]
    whole[rest] += 1
    return [int(n) for n in whole]


def field(pool: Pool, G: int, name: str, digits: int = 1) -> Chart:
    """A hundred groups of the pool: all wrong from the left, all right from the right, live between.

    Parameters
    ----------
    pool, G : the problems and the group size.
    name : the pool's name in a link.
    digits : decimals of the percentages.

    >>> field(Pool.from_rates([0.5]), 2, "one").shows
    {'G': 2, 'pool': 'one'}
    """
    found = shares(pool, G)
    counts = dots(found)
    kind = np.repeat(np.arange(3), counts)
    x, y = np.arange(100) // _ROWS, np.arange(100) % _ROWS
    looks: tuple[dict[str, Any], ...] = (
        {"symbol": "x-thin", "size": 9, "line": {"color": style.GREY, "width": 2}},
        {"symbol": "circle", "size": 13, "color": style.ACCENT},
        {"symbol": "square-open", "size": 11, "color": style.GREY, "line": {"color": style.GREY, "width": 1.5}},
    )
    names = ("all wrong", "live", "all right")
    traces = [
        {"type": "scatter", "mode": "markers", "name": words, "x": packed(x), "y": packed(np.where(kind == i, y, np.nan)),
         "marker": look, "hovertemplate": words + "<extra></extra>"}
        for i, (words, look) in enumerate(zip(names, looks, strict=True))
    ]  # fmt: skip
    texts = [_percent(share, digits) for share in found]
    layout = style.layout(
        "", "", height=200, margin={"l": 6, "r": 6, "t": 30, "b": 34}, hovermode="closest", dragmode=False
    )
    for axis, top in (("xaxis", _COLUMNS - 0.5), ("yaxis", _ROWS - 0.5)):
        layout[axis] |= {
            "range": [-0.5, top], "visible": False, "fixedrange": True, "showgrid": False,
        }  # fmt: skip
    paper = {"xref": "paper", "yref": "paper"}
    layout["annotations"] = [
        style.label(0, 1, f"× all wrong {texts[0]}", style.GREY, **paper, yanchor="bottom", yshift=6),
        style.label(1, 1, f"□ all right {texts[2]}", style.GREY, **paper, xanchor="right", yanchor="bottom", yshift=6),
        style.label(0.5, 0, f"● live {texts[1]}", style.INK, **paper, xanchor="center", yanchor="top", yshift=-8),
    ]
    alt = (
        f"A hundred groups of {G}: {counts[0]} all wrong, {counts[1]} live, {counts[2]} all right; exactly "
        f"{texts[0]}, {texts[1]} and {texts[2]}."
    )
    return Chart(
        "field", traces, layout, alt, shows={"G": G, "pool": name},
        table={"groups": list(names), "share": np.array(found), "dots": np.array(counts, float)}, narrow={"height": 170},
    )  # fmt: skip


def histogram(pool: Pool) -> FloatArray:
    """Share of the problems in each twentieth of the observed rate; the last one is closed.

    >>> histogram(Pool([0, 4, 8], 8)).nonzero()[0].tolist()
    [0, 10, 19]
    """
    share: FloatArray = _binned(pool, pool.cells.problems) / pool.cells.problems.sum()
    return share


def silent_part(pool: Pool, G: int) -> FloatArray:
    """Share of all groups that are silent and of problems in that twentieth, by the problems' posteriors."""
    p, weights = pool.posterior()
    silent = np.asarray(expectation.silent_rate(p, G))
    each = silent[:, 0] if silent.ndim == 2 else weights @ silent
    share: FloatArray = _binned(pool, pool.cells.problems * each) / pool.cells.problems.sum()
    return share


def rate_and_pool(pool: Pool, G: int, p: float, name: str) -> Chart:
    """The silent rate against p, and under the same axis where the pool's problems lie and which of their groups are silent.

    >>> rate_and_pool(Pool.from_rates([0.5]), 8, 0.5, "one").shows
    {'G': 8, 'p': 0.5, 'pool': 'one'}
    """
    curve = np.asarray(expectation.silent_rate(_P, G))
    here = float(expectation.silent_rate(p, G))
    whole, silent = histogram(pool), silent_part(pool, G)
    bar = {"type": "bar", "x": packed(_MIDDLES), "yaxis": "y2", "width": 0.9 / BINS}
    traces: list[dict[str, Any]] = [
        style.line(packed(_P), packed(curve), "silent rate", style.ACCENT, hovertemplate="%{x:.3f}: %{y:.4f}<extra></extra>"),
        style.points(
            [p], [here], "at p", style.ACCENT, size=11, cliponaxis=False, hovertemplate="%{x:.3f}: %{y:.4f}<extra></extra>"
        ),
        {**bar, "y": packed(whole), "name": "problems", "marker": {"color": style.FAINT},
         "hovertemplate": "%{y:.1%} of the problems<extra></extra>"},
        {**bar, "y": packed(silent), "name": "silent", "marker": {"color": style.ACCENT},
         "hovertemplate": "%{y:.1%} of all groups are silent and here<extra></extra>"},
    ]  # fmt: skip
    layout = style.layout(
        "success probability p, observed rate", "silent rate", height=440, barmode="overlay", bargap=0
    )
    layout["xaxis"] |= {"range": [-0.01, 1.01], "dtick": 0.25, "anchor": "y2"}
    layout["yaxis"] |= {"range": [0, 1.02], "domain": [0.42, 1], "tickformat": ".0%"}
    layout["yaxis2"] = {
        **layout["yaxis"], "range": [0, 1.15 * float(whole.max())], "domain": [0, 0.32], "nticks": 4,
        "title": {"text": "problems", "standoff": 8},
    }  # fmt: skip
    text = _percent(here, 1)
    layout["shapes"] = [style.rule(p)]
    layout["annotations"] = [
        style.label(0.5, 0.93, f"at p = {p:.3g}: {text} silent", xanchor="center", bgcolor=style.PAPER),
        style.label(0, 1, "all wrong", style.GREY, yref="paper", yanchor="bottom"),
        style.label(1, 1, "all right", style.GREY, yref="paper", yanchor="bottom", xanchor="right"),
    ]
    layout["margin"] = {**layout["margin"], "t": 24}
    layout["uirevision"] = name
    alt = (
        f"Silent rate against success probability for groups of {G}: {text} at p = {p:.3g}, and 100% at both ends. Under it the "
        f"pool: {_percent(float(whole[0]), 1)} of the problems have an observed rate below .05 and "
        f"{_percent(float(whole[-1]), 1)} one from .95 on."
    )
    return Chart(
        "silent", traces, layout, alt, shows={"G": G, "p": p, "pool": name}, table=_table(curve, whole, silent),
        tap={"x": "p", "low": 0, "high": 1, "step": 0.01}, narrow={"height": 340, "margin.l": 52, "xaxis.dtick": 0.5},
        caption="Pale bars: where the problems lie. Strong bars: the part of their groups that is silent.", given=(),
    )  # fmt: skip


def three_pools(pools: Sequence[tuple[str, Pool]], G: int, mean: float) -> Chart:
    """Pools of one mean side by side, each with the silent part of its groups in a stronger shade.

    >>> three_pools([("all at one p", Pool.from_rates([0.5]))], 8, 0.5).table["silent share"].round(4).tolist()
    [0.0078]
    """
    traces: list[dict[str, Any]] = []
    layout = style.layout("", "", height=250, barmode="overlay", bargap=0, margin={"l": 8, "r": 8, "t": 50, "b": 44})
    layout["annotations"] = []
    silent = np.array([pool.silent_rate(G) for _, pool in pools])
    base_x, base_y = layout.pop("xaxis"), layout.pop("yaxis")
    width = 1 / len(pools)
    for i, ((name, pool), share) in enumerate(zip(pools, silent.tolist(), strict=True)):
        tail = "" if i == 0 else str(i + 1)
        whole, part = histogram(pool), silent_part(pool, G)
        bar = {"type": "bar", "x": packed(_MIDDLES), "xaxis": f"x{tail}", "yaxis": f"y{tail}", "width": 0.9 / BINS}
        hover = f"{name}: %{{y:.1%}}<extra></extra>"
        traces += [
            {**bar, "y": packed(whole), "name": name, "marker": {"color": style.FAINT}, "hovertemplate": hover},
            {
                **bar,
                "y": packed(part),
                "name": f"{name}, silent",
                "marker": {"color": style.ACCENT},
                "hovertemplate": hover,
            },
        ]
        layout[f"xaxis{tail}"] = {
            **base_x, "range": [-0.03, 1.03], "domain": [(i + 0.04) * width, (i + 0.96) * width], "tickvals": [0, 0.5, 1],
            "anchor": f"y{tail}", "title": {"text": "p" if i == len(pools) // 2 else "", "standoff": 6}, "fixedrange": True,
        }  # fmt: skip
        layout[f"yaxis{tail}"] = {
            **base_y, "range": [0, 1.1 * float(whole.max())], "anchor": f"x{tail}", "showticklabels": False, "ticks": "",
            "showgrid": False, "fixedrange": True,
        }  # fmt: skip
        layout["annotations"].append(
            style.label(
                (i + 0.5) * width, 1, f"{name}<br>{_percent(share, 1)} silent", xref="paper", yref="paper", xanchor="center",
                yanchor="bottom", yshift=6,
            )
        )  # fmt: skip
    said = ", ".join(f"{name} {_percent(share, 1)}" for (name, _), share in zip(pools, silent.tolist(), strict=True))
    return Chart(
        "three_pools", traces, layout, f"Three pools of mean pass rate {mean:.3g} and their silent share in groups of {G}: {said}.",
        shows={"G": G, "mean": mean}, narrow={"height": 220},
        table={"pool": [name for name, _ in pools], "mean": np.full(len(pools), mean), "silent share": silent},
        caption="Height: share of the problems, each picture to its own scale. Strong: the part of their groups that is silent.",
    )  # fmt: skip


def _binned(pool: Pool, values: FloatArray) -> FloatArray:
    at = np.minimum(np.floor(pool.cells.rate * BINS + 1e-9), BINS - 1).astype(np.intp)
    return np.bincount(at, weights=values, minlength=BINS).astype(np.float64)


def _table(curve: FloatArray, whole: FloatArray, silent: FloatArray) -> dict[str, FloatArray]:
    """Curve and bars in columns of one length; the bars stand in the row of their bin's middle."""
    table = {"p": _P, "silent rate": curve}
    rows = np.searchsorted(_P, _MIDDLES - 1e-9)
    for name, values in (("share of problems within .025 of p", whole), ("of which groups silent", silent)):
        column = np.full(_P.shape, np.nan)
        column[rows] = values
        table[name] = column
    return table


def _percent(share: float, digits: int) -> str:
    """As `web.words.percent`: a tiny share is not called 0, nor a nearly full one 100."""
    step = 10.0**-digits
    if 0 < share < step / 200:
        return f"<{step:.{digits}f}%"
    if 1 - step / 200 < share < 1:
        return f">{100 - step:.{digits}f}%"
    return f"{100 * share:.{digits}f}%"

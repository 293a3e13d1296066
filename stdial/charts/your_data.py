"""Figures of the page Your data: pass rates with intervals, sigma, who gets the update by facet, a training log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial import per_problem
from stdial.by_facet import Part
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.nearly import nearly, wilson
from stdial.pool import Pool
from stdial.safe import figure_text

if TYPE_CHECKING:
    from stdial.reading import Groups

__all__ = ["MOST_PARTS", "by_facet", "rates", "sigma_histogram", "step_log"]

MOST_PARTS = 12
_MOST_BARS = 65
_BINS = 20
_LINES = (style.INK, style.GREY, style.ACCENT)
_DASHES = ("solid", "dash", "dot", "dashdot")

Floats = NDArray[np.float64]


def bars(pool: Pool) -> tuple[NDArray[np.intp], int]:
    """The bar of each of the pool's cells, and how many there are: one for each number right where all tries are alike, else 21.

    >>> bars(Pool([0, 1, 2], 2))
    (array([0, 1, 2]), 3)
    """
    steps, tries = _BINS, pool.cells.tries
    if tries is not None and tries.min() == tries.max() < _MOST_BARS:
        steps = int(tries.max())
    return np.rint(pool.cells.rate * steps).astype(np.intp), steps + 1


def rates(pool: Pool, G: int, sizes: str = "") -> Chart:
    """Histogram of observed pass rates with intervals; the strong part of each bar is expected to be silent at this G.

    `sizes` is a sentence on the group sizes, for the caption.

    >>> rates(Pool([0, 1, 4, 8] * 25, 8), 8).shows
    {'G': 8, 'problems': 100, 'all_wrong': 25, 'all_right': 25}
    """
    at, many = bars(pool)
    problems = pool.cells.problems
    total = np.bincount(at, weights=problems, minlength=many).astype(np.float64)
    silent = np.bincount(at, weights=problems * per_problem.silent_cells(pool, G), minlength=many)
    low, high = wilson(total, float(total.sum()))
    x = np.arange(many) / (many - 1)
    ends = {
        "type": "data", "symmetric": False, "array": packed(high - total), "arrayminus": packed(total - low),
        "color": style.GREY, "thickness": 1, "width": 0 if many > 40 else 3,
    }  # fmt: skip
    traces = [
        _bar(x, silent, "expected silent", style.ACCENT),
        {**_bar(x, total - silent, "expected mixed", style.FAINT), "error_y": ends},
    ]
    top = float(high.max()) * 1.2
    label = style.label(0.5, top, f"strong: expected silent at G = {G}", style.ACCENT, xanchor="center", yanchor="top")
    layout = style.layout(
        "observed pass rate", "problems", height=250, barmode="stack", bargap=0.12, annotations=[label]
    )
    layout["xaxis"] |= {"range": [-0.6 / many, 1 + 0.6 / many], "dtick": 0.25}
    layout["yaxis"] |= {"range": [0, top], "tickformat": ",d", "nticks": 5}
    none, every = (float(problems[pool.cells.rate == end].sum()) for end in (0, 1))
    alt = (
        f"Histogram of the observed pass rates of {pool.size:,.0f} problems, mean {pool.mean_rate:.3f}: {none:,.0f} all wrong, "
        f"{every:,.0f} all right. At G = {G}, {float(silent.sum() / total.sum()):.1%} of their next groups are expected silent."
    )
    shows = {"G": G, "problems": pool.size, "all_wrong": _number(none), "all_right": _number(every)}
    table = {"rate": x, "problems": total, "low": low, "high": high, f"expected silent at G = {G}": silent}
    return Chart(
        "rates", traces, layout, alt, shows=shows, table=table, caption=_rates_caption(pool, many, sizes),
        narrow={"height": 230, "margin.l": 46, "margin.b": 40},
    )  # fmt: skip


def _rates_caption(pool: Pool, many: int, sizes: str) -> str:
    what = "95% intervals of each bar, problems as a sample."
    if pool.tries is None:
        return f"{what} Rates without tries: expected silent by the plug-in."
    if many == _BINS + 1:
        what += f" Rates to the nearest 1/{_BINS}."
    return f"{what} {sizes}".strip()


def _bar(x: Any, y: Any, name: str, color: str) -> dict[str, Any]:
    return {
        "type": "bar", "x": packed(x), "y": packed(y), "name": name, "marker": {"color": color, "line": {"width": 0}},
        "hovertemplate": f"rate %{{x:.3f}}: %{{y:,.1f}} problems, {name}<extra></extra>",
    }  # fmt: skip


def _number(x: float) -> float:
    return int(x) if x == int(x) else round(x, 3)


def sigma_histogram(groups: Groups, near: float, G: int, weights: Any = None) -> Chart:
    """Histogram of the groups' sigma; what is silent or below the threshold is strong.

    Parameters
    ----------
    groups : of a reading.
    near : sigmas below it are nearly silent.
    G : the page's group size, for `shows` only: these are the groups that were logged.
    weights : how many problems stand behind each group.

    >>> from stdial.reading import Groups
    >>> two = Groups(*(np.array(x, float) for x in ([8, 8], [0, 0.5], [0, 0.5], [0, 0], [0, 1])))
    >>> sigma_histogram(two, 0.1, 8).shows
    {'G': 8, 'near': 0.1, 'silent': 1, 'nearly': 0, 'update_below': 0.0}
    """
    many = np.ones(len(groups.sigma)) if weights is None else np.asarray(weights, dtype=np.float64)
    silent, found = groups.silent, nearly(groups, near, weights)
    most = max(float(groups.sigma.max(initial=0.0)), 1e-9)
    step = _step(most)
    edges = np.arange(0, most + step, step)
    count = np.histogram(groups.sigma[~silent], edges, weights=many[~silent])[0]
    centre = (edges[:-1] + edges[1:]) / 2
    below = np.histogram(
        groups.sigma[~silent & (groups.sigma < near)], edges, weights=many[~silent & (groups.sigma < near)]
    )[0]
    x = np.concatenate([[-step], centre])
    strong, faint = np.concatenate([[found["silent"]], below]), np.concatenate([[0.0], count - below])
    hover = "sigma %{x:.3g}: %{y:,.0f} groups"
    traces = [
        {**_bar(x, y, name, color), "hovertemplate": f"{hover}, {name}<extra></extra>"}
        for y, name, color in ((strong, "silent or nearly", style.ACCENT), (faint, "live", style.FAINT))
    ]
    top = float(max((strong + faint).max(), 1)) * 1.12
    labels = [style.label(-step, found["silent"], "silent", style.ACCENT, xanchor="center", yanchor="bottom")]
    layout = style.layout(
        "sigma of the group's rewards", "groups", height=280, barmode="stack", bargap=0.08, annotations=labels,
        shapes=[style.rule(near)],
    )  # fmt: skip
    layout["xaxis"] |= {"range": [-2.2 * step, float(edges[-1])]}
    layout["yaxis"] |= {"range": [0, top], "tickformat": ",d", "nticks": 5}
    alt = (
        f"Histogram of the standard deviation of the rewards in {many.sum():,.0f} logged groups: {found['silent']:,.0f} are "
        f"silent, {found['nearly']:,.0f} more lie below {near:g} and carry {found['update_below']:.1%} of GRPO's update."
    )
    shows = {"G": G, "near": near, "silent": _number(found["silent"]), "nearly": _number(found["nearly"])}
    return Chart(
        "sigma", traces, layout, alt, shows={**shows, "update_below": round(found["update_below"], 4)},
        table={"sigma from": np.concatenate([[0.0], edges[:-1]]), "sigma to": np.concatenate([[0.0], edges[1:]]),
               "silent or below": strong, "live": faint},
        caption="Groups as they were logged; silent ones apart, at the left.", tap={"x": "near", "step": step / 5, "low": 0},
        narrow={"height": 260, "margin.l": 46, "margin.b": 40},
    )  # fmt: skip


def _step(most: float) -> float:
    """A round width of about a twentieth of the range."""
    rough = most / 20
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough * 0.999)


def by_facet(parts: Sequence[Part], name: str, G: int) -> Chart:
    """How much of the update each value of a facet gets, relative to its share of the problems; largest values first.

    >>> parts = [Part("a", 3, 0.75, 0.5, 0.6, 0.7, 0.5), Part("b", 1, 0.25, 0.5, 0.1, 0.3, 0.5)]
    >>> by_facet(parts, "topic", 8).shows
    {'G': 8, 'values': 2}
    """
    shown = list(parts[:MOST_PARTS])
    rows = np.arange(len(shown), dtype=float)
    plain, ours = (np.array([getattr(p, key) / p.share for p in shown], float) for key in ("dr_grpo", "grpo"))
    words = ["none" if p.value is None else str(p.value) for p in shown]
    hover = "%{text}: %{x:.2f} times its share of the problems<extra>%{fullData.name}</extra>"
    text = [figure_text(word) for word in words]
    top = max(2.0, float(np.nanmax(np.concatenate([plain, ours, [0.0]]))) * 1.15)
    join: dict[str, list[Any]] = {"x": [], "y": []}
    for i, (a, b) in enumerate(zip(plain.tolist(), ours.tolist(), strict=True)):
        join["x"] += [a, b, None]
        join["y"] += [i, i, None]
    traces = [
        style.line(join["x"], join["y"], "", style.FAINT, width=2, hoverinfo="skip"),
        style.points(
            packed(plain), packed(rows), "Dr. GRPO", style.DR_GRPO, hollow=True, size=10, text=text, hovertemplate=hover
        ),
        style.points(packed(ours), packed(rows), "GRPO", style.GRPO, size=10, text=text, hovertemplate=hover),
    ]
    left, right = ("GRPO", "Dr. GRPO") if ours[0] <= plain[0] else ("Dr. GRPO", "GRPO")
    colors = {"GRPO": style.GRPO, "Dr. GRPO": style.DR_GRPO}
    ends = sorted((float(plain[0]), float(ours[0])))
    labels = [
        style.label(ends[0], 0, left, colors[left], xanchor="right", xshift=-9),
        style.label(ends[1], 0, right, colors[right], xshift=9),
    ]
    layout = style.layout(
        "share of the update / share of the problems", "", height=110 + 30 * max(len(shown), 3), annotations=labels,
        shapes=[style.rule(1.0)], margin={"l": 24 + 8 * min(max(map(len, words)), 24)},
    )  # fmt: skip
    layout["xaxis"] |= {"range": [min(0, ends[0] - 0.35 * top) if ends[0] < 0.35 * top else 0, top]}
    layout["yaxis"] |= {
        "range": [len(shown) - 0.4, -0.6], "tickvals": rows.tolist(), "ticktext": [figure_text(word, 24) for word in words],
        "showgrid": False, "title": {"text": ""},
    }  # fmt: skip
    more = f" The other {len(parts) - len(shown)} values are in the data." if len(parts) > len(shown) else ""
    best = shown[int(np.nanargmax(ours))] if np.isfinite(ours).any() else shown[0]
    alt = (
        f"Share of the update over share of the problems for {len(parts)} values of {name} at G = {G}. GRPO gives "
        f"{'problems without one' if best.value is None else best.value} most: {best.grpo / best.share:.2f} times their share."
    )
    table: dict[str, Any] = {
        "value": ["" if p.value is None else str(p.value) for p in parts],
        **{key: [getattr(p, key) for p in parts] for key in ("problems", "share", "rate", "silent", "dr_grpo", "grpo")},
    }
    narrow = {
        "xaxis.title.text": "update / problems, shares",
        "margin.l": 20 + 8 * min(max(map(len, words)), 13),
        "yaxis.ticktext": [figure_text(word, 13) for word in words],
    }
    return Chart(
        "facet", traces, layout, alt, shows={"G": G, "values": len(parts)}, table=table, narrow=narrow,
        caption="1 is as much as its share of the problems." + more,
    )  # fmt: skip


def step_log(steps: Floats, columns: Mapping[str, Floats], step_name: str, G: int) -> Chart:
    """A training log's own share of silent groups over its steps.

    >>> step_log(np.array([0.0, 1.0]), {"frac_reward_zero_std": np.array([0.5, 0.4])}, "step", 8).shows
    {'G': 8, 'steps': 2, 'last': {'frac_reward_zero_std': 0.4}}
    """
    most = max(float(np.nanmax(values)) for values in columns.values() if np.isfinite(values).any())
    unit = most <= 1.0 + 1e-9
    traces, labels, last = [], [], {}
    heights: list[float] = []
    for i, (name, values) in enumerate(columns.items()):
        color = _LINES[i % len(_LINES)]
        hover = f"%{{x:,.0f}}: %{{y:{'.1%' if unit else '.3g'}}}<extra>{figure_text(name)}</extra>"
        dash = _DASHES[i % len(_DASHES)]
        traces.append(
            style.line(packed(steps), packed(values), figure_text(name), color, dash=dash, hovertemplate=hover)
        )
        known = np.flatnonzero(np.isfinite(values))
        if len(known):
            last[name] = round(float(values[known[-1]]), 4)
            y = float(np.nanmax(values[len(values) // 2 :]))  # above the curve where the label stands
            while any(abs(y - other) < 0.08 * most for other in heights):
                y += 0.08 * most
            heights.append(y)
            label = style.label(
                float(steps[-1]), y, figure_text(name, 24), color, xanchor="right", yanchor="bottom", yshift=6
            )
            labels.append(label)
    layout = style.layout(figure_text(step_name), "share" if unit else "as logged", height=330, annotations=labels)
    span = float(steps[-1] - steps[0]) or 1.0
    layout["xaxis"] |= {"range": [float(steps[0]) - 0.01 * span, float(steps[-1]) + 0.01 * span]}
    layout["yaxis"] |= {"range": [0, max(most, *heights) * 1.15 or 1.0], "tickformat": ".0%" if unit else ""}
    said = ", ".join(f"{name} ends at {value:.3g}" for name, value in last.items())
    return Chart(
        "steps", traces, layout, f"The log's own silent share over {len(steps):,} steps: {said}.",
        shows={"G": G, "steps": len(steps), "last": last}, table={step_name: steps, **columns},
        narrow={"height": 280, "margin.l": 52},
    )  # fmt: skip

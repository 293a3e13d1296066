"""Figures of the page How many tries: exact sizes and the law, the price of a mixed group, the two sides of a larger one."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from stdial import expectation, tries
from stdial.arguments import FloatArray
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.method import GRPO
from stdial.tries.sides import split

__all__ = [
    "GRID", "SIZES", "exact_and_law", "fidelity_sizes", "kept_at", "mixed_size", "mixed_sizes", "price", "price_at", "sides",
    "sides_at",
]  # fmt: skip

_P = (1 - np.cos(np.linspace(0.06, math.pi - 0.06, 241))) / 2  # from .0009, denser toward the ends
GRID = tuple(round(0.01 * i, 2) for i in range(101))  # where a drag of p passes: solved together, which is far cheaper
_ALL_P = np.concatenate([_P, GRID])
_TICKS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
SIZES = np.array(sorted({*range(2, 33), *(round(32 * 2 ** (i / 8)) for i in range(1, 41))}))


def fidelity_sizes(p: float, loss: float) -> Chart:
    """The exact group size for a fidelity of 1 - loss, and the law below it.

    >>> fidelity_sizes(0.05, 0.1).shows
    {'p': 0.05, 'loss': 0.1}
    """
    (exact, law), drawn = _fidelity(loss), _fidelity_drawn(loss)
    here, by_law = exact_and_law(p, loss)
    middle = [math.log10(size) for size in exact_and_law(0.5, loss)]
    hover = "p = %{x:.3f}: %{y:.0f}<extra></extra>"
    traces: list[dict[str, Any]] = [
        *style.area(_DRAWN_P, drawn[1], drawn[0], "what the paper's law misses", style.GREY, 0.22),
        style.line(_DRAWN_P, drawn[1], "law", style.GREY, width=1.5, hovertemplate="law, " + hover),
        style.line(_DRAWN_P, drawn[0], "exact", style.GRPO, hovertemplate="exact, " + hover),
        *_marks(p, [(here, style.GRPO, False), (by_law, style.GREY, True)]),
    ]
    layout = _layout("group size", 380, [style.rule(p)], f"{loss:g}")
    layout["annotations"] = [
        style.label(0.5, middle[0], f"exact, for {_percent(1 - loss)} of the update",
                    style.GRPO, xanchor="center", yshift=32, bgcolor=style.PAPER),
        style.label(0.5, middle[1], "the paper's law", style.GREY, xanchor="center", yshift=-16, bgcolor=style.PAPER),
    ]  # fmt: skip
    alt = (
        f"Group size that keeps {_percent(1 - loss)} of GRPO's large-group update, against success probability, on a log scale. "
        f"At p = {p:.3g}: {_size(here)} exactly, {_size(by_law)} by the paper's law."
    )
    return Chart(
        "sizes", traces, layout, alt, shows={"p": p, "loss": loss}, tap={"x": "p", "low": 0, "high": 1, "step": 0.01},
        table={"p": _P, "exact": exact, "law": law}, narrow={"height": 300, "xaxis.dtick": 0.5},
        caption="Shaded: what the paper's law, an approximation, falls short by.", given=(),
    )  # fmt: skip


def mixed_sizes(p: float, miss: float) -> Chart:
    """The exact group size for a mixed group with probability 1 - miss.

    >>> mixed_sizes(0.05, 0.1).shows
    {'p': 0.05, 'miss': 0.1}
    """
    sizes = _mixed(miss)
    here = mixed_size(p, miss)
    hover = "p = %{x:.3f}: %{y:.0f}<extra></extra>"
    traces = [
        style.line(_DRAWN_P, _mixed_drawn(miss), "mixed", style.ACCENT, hovertemplate=hover),
        *_marks(p, [(here, style.ACCENT, False)]),
    ]
    layout = _layout("group size", 270, [style.rule(p)], f"{miss:g}")
    middle = math.log10(mixed_size(0.5, miss))
    text = f"mixed {_percent(1 - miss)} of the time"
    layout["annotations"] = [
        style.label(0.5, middle, text, style.ACCENT, xanchor="center", yshift=28, bgcolor=style.PAPER)
    ]
    alt = (
        f"Group size that is mixed with probability {_percent(1 - miss)}, against success probability, on a log scale; at "
        f"p = {p:.3g} it is {_size(here)}."
    )
    return Chart(
        "mixed", traces, layout, alt, shows={"p": p, "miss": miss}, tap={"x": "p", "low": 0, "high": 1, "step": 0.01},
        table={"p": _P, "size": sizes}, narrow={"height": 250, "xaxis.dtick": 0.5}, given=(),
    )  # fmt: skip


def price(p: float, G: int) -> Chart:
    """Rollouts paid for each mixed group, against the group size.

    >>> price(0.05, 8).shows
    {'p': 0.05, 'G': 8}
    """
    curve, here = _prices(p), price_at(p, G)
    traces = [
        style.line(
            _DRAWN_SIZES,
            _prices_drawn(p),
            "price",
            style.ACCENT,
            hovertemplate="G = %{x}: %{y:.1f}<extra></extra>",
        ),
        style.points([G], _finite(np.array([here])).tolist(), "at G", style.ACCENT, size=11, hoverinfo="skip"),
    ]
    top = max(2000.0, 1.6 * float(_finite(curve[:1])[0])) if math.isfinite(float(curve[0])) else 2000.0
    layout = _by_size("rollouts for each mixed group", [1.6, top], f"{p:g}")
    said = (
        f"G = {G}: {here:,.1f} rollouts"
        if here <= 1e6
        else f"G = {G}: {_size(here)} rollouts"
        if math.isfinite(here)
        else "no mixed group at any price"
    )
    layout["annotations"] = [_corner(said)]
    return Chart(
        "price", traces, layout, f"Rollouts for each mixed group against group size at p = {p:.3g}, on log scales; {said}.",
        shows={"p": p, "G": G}, table={"G": SIZES, "rollouts for each mixed group": curve},
        tap={"x": "G", "low": 2, "high": 1024, "step": 1}, narrow={"height": 280}, given=(),
    )  # fmt: skip


def sides(p: float, G: int, spend: float) -> Chart:
    """Sum, average and noise of the updates from the same rollouts, each relative to G = 2.

    >>> sides(0.05, 8, 1024).shows
    {'p': 0.05, 'G': 8, 'spend': 1024}
    """
    all_sizes, now = _sides(p, spend), sides_at(p, G, spend)
    table: dict[str, Any] = {"G": SIZES, "groups": all_sizes.groups}
    traces: list[dict[str, Any]] = []
    ends: list[tuple[float, str, str]] = []
    lines = (("average", style.GRPO, "solid"), ("noise", style.GREY, "dot"), ("total", style.ACCENT, "dash"))
    for name, color, dash in lines:
        base, drawn, end = _relative(name, p, spend)
        words = {"average": "average", "noise": "noise", "total": "sum"}[name]
        table[words] = getattr(all_sizes, name)
        with np.errstate(divide="ignore", invalid="ignore"):
            here = float(np.float64(getattr(now, name)) / base)
        traces.append(
            style.line(_DRAWN_SIZES, drawn, words, color, dash=dash,
                       hovertemplate=f"{words}, G = %{{x}}: %{{y:.3f}} times<extra></extra>")
        )  # fmt: skip
        traces.append(
            style.points([G], [here if math.isfinite(here) else None], words, color, size=10, hoverinfo="skip")
        )
        ends.append((end, words, color))
    layout = _by_size("relative to G = 2", [0.0015, 60], f"{p:g}")
    layout["yaxis"]["tickvals"] = [0.01, 0.1, 1, 10]
    known = sorted(end for end in ends if math.isfinite(end[0]))
    shifts = [-14, 24, 14] if len(known) == 3 else [14]
    layout["annotations"] = [
        style.label(3.0, math.log10(y), words, color, xanchor="right", yshift=shift)
        for (y, words, color), shift in zip(known, shifts, strict=True)
    ]
    total, average, noise = (float(part) for part in (now.total, now.average, now.noise))
    alt = (
        f"From {spend:,} rollouts at p = {p:.3g}, against group size and relative to G = 2: at G = {G} the sum of the updates is "
        f"{total:.1f}, their average {average:.4f}, the noise of a mixed group's direction {noise:.3f}."
    )
    return Chart(
        "sides", traces, layout, alt, shows={"p": p, "G": G, "spend": spend}, table=table,
        tap={"x": "G", "low": 2, "high": 1024, "step": 1}, narrow={"height": 280}, given=(),
    )  # fmt: skip


# Curves and sizes that the frames of a scrub, and the visitors, share. A slider's every value has its place: 100 losses, 500
# chances of a silent group.
@functools.lru_cache(maxsize=8192)
def exact_and_law(p: float, loss: float) -> tuple[float, float]:
    """The exact size for a fidelity of 1 - loss, and the law's.

    >>> exact_and_law(0.05, 0.1)
    (42.0, 27.0)
    """
    if p in GRID:
        exact, law = _grid_sizes(loss)
        return float(exact[GRID.index(p)]), float(law[GRID.index(p)])
    return float(tries.size_for_fidelity(p, loss)), float(tries.size_by_law(p, loss))


@functools.lru_cache(maxsize=8192)
def mixed_size(p: float, miss: float) -> float:
    """The exact size for a mixed group with probability 1 - miss.

    >>> mixed_size(0.05, 0.1)
    45.0
    """
    return float(_grid_mixed(miss)[GRID.index(p)] if p in GRID else tries.size_for_mixed(p, miss))


@functools.lru_cache(maxsize=8192)
def kept_at(p: float, size: float) -> float:
    """The share of GRPO's large-group update that groups of this size keep.

    >>> round(kept_at(0.05, 42), 3)
    0.901
    """
    return float(expectation.fidelity(p, size))


@functools.lru_cache(maxsize=8192)
def price_at(p: float, G: int) -> float:
    """Rollouts paid for each mixed group.

    >>> round(price_at(0.05, 8), 1)
    23.8
    """
    return float(tries.price(p, G))


def sides_at(p: float, G: int, spend: float) -> tries.Sides:
    """Sum, average and noise of the updates at one group size.

    >>> round(float(sides_at(0.05, 8, 1024).total), 1)
    15.0
    """
    return split(_average_at(p, G), np.asarray(float(G)), spend)


@functools.lru_cache(maxsize=8192)
def _average_at(p: float, G: int) -> FloatArray:
    return np.asarray(expectation.expected_update(p, G, GRPO))


@functools.lru_cache(maxsize=256)
def _prices(p: float) -> FloatArray:
    return np.asarray(tries.price(p, SIZES))


@functools.lru_cache(maxsize=256)
def _averages(p: float) -> FloatArray:
    return np.asarray(expectation.expected_update(p, SIZES, GRPO))


@functools.lru_cache(maxsize=256)
def _sides(p: float, spend: float) -> tries.Sides:
    return split(_averages(p), SIZES.astype(np.float64), spend)


@functools.lru_cache(maxsize=256)
def _solved(loss: float) -> tuple[FloatArray, FloatArray]:
    """Exact sizes and the law's, on the curve and then on the grid: together they take little more than either."""
    return np.asarray(tries.size_for_fidelity(_ALL_P, loss)), np.asarray(tries.size_by_law(_ALL_P, loss))


def _fidelity(loss: float) -> tuple[FloatArray, FloatArray]:
    exact, law = _solved(loss)
    return exact[: len(_P)], law[: len(_P)]


def _grid_sizes(loss: float) -> tuple[FloatArray, FloatArray]:
    exact, law = _solved(loss)
    return exact[len(_P) :], law[len(_P) :]


@functools.lru_cache(maxsize=512)
def _solved_mixed(miss: float) -> FloatArray:
    return np.asarray(tries.size_for_mixed(_ALL_P, miss))


def _mixed(miss: float) -> FloatArray:
    return _solved_mixed(miss)[: len(_P)]


def _grid_mixed(miss: float) -> FloatArray:
    return _solved_mixed(miss)[len(_P) :]


# The same as the browser gets them.
_DRAWN_P, _DRAWN_SIZES = packed(_P), packed(SIZES)


@functools.lru_cache(maxsize=256)
def _fidelity_drawn(loss: float) -> tuple[dict[str, str], dict[str, str]]:
    exact, law = _fidelity(loss)
    return packed(exact), packed(law)


@functools.lru_cache(maxsize=512)
def _mixed_drawn(miss: float) -> dict[str, str]:
    return packed(_mixed(miss))


@functools.lru_cache(maxsize=256)
def _prices_drawn(p: float) -> dict[str, str]:
    return packed(_finite(_prices(p)))


@functools.lru_cache(maxsize=768)
def _relative(name: str, p: float, spend: float) -> tuple[float, dict[str, str], float]:
    """One side at G = 2, the curve relative to it, and the curve's end."""
    values = np.asarray(getattr(_sides(p, spend), name))
    base = float(values[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = _finite(values / base)
    return base, packed(relative), float(relative[-1])


def _marks(p: float, found: list[tuple[float, str, bool]]) -> list[dict[str, Any]]:
    return [
        style.points(
            [p], [size if math.isfinite(size) else None], "at p", color, hollow=hollow, size=11, hoverinfo="skip"
        )
        for size, color, hollow in found
    ]


def _layout(y: str, height: int, shapes: list[dict[str, Any]], revision: str) -> dict[str, Any]:
    layout = style.layout("success probability p", y, height=height, shapes=shapes, uirevision=revision)
    layout["xaxis"] |= {"range": [-0.01, 1.01], "dtick": 0.25}
    layout["yaxis"] |= {"type": "log", "range": [math.log10(1.5), math.log10(9000)], "tickvals": _TICKS[::2]}
    return layout


def _by_size(y: str, ends: list[float], revision: str) -> dict[str, Any]:
    layout = style.layout("group size G", y, height=340, uirevision=revision)
    layout["xaxis"] |= {"type": "log", "range": [math.log10(1.8), math.log10(1150)], "tickvals": _TICKS[:-3:2]}
    layout["yaxis"] |= {"type": "log", "range": [math.log10(x) for x in ends], "tickvals": _TICKS[::2]}
    return layout


def _corner(text: str) -> dict[str, Any]:
    return style.label(0.02, 0.97, text, xref="paper", yref="paper", yanchor="top")


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)


def _size(size: float) -> str:
    if not math.isfinite(size):
        return "no finite size"
    return f"{size:,.0f}" if size <= 2**53 else f"{size:.3g}"


def _percent(share: float) -> str:
    """A chosen share, with the digits that it has.

    >>> _percent(0.9), _percent(0.995)
    ('90%', '99.5%')
    """
    return f"{100 * share:.4g}%"

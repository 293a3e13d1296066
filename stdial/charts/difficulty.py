"""Figures of the page Difficulty: who gets the gradient, at every group size."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stdial import expectation, simulation
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.method import DR_GRPO, GRPO, Method

__all__ = ["FRAMES", "VIEWS", "at", "chart"]

VIEWS = {"update": "Expected update", "weight": "Relative weight", "objective": "Implicit objective"}
# Every size to 64, then about 40 more: what a drag across the slider passes through.
FRAMES = tuple(sorted({*range(2, 65), *(round(64 * 2 ** (i / 10)) for i in range(1, 41))}))
_P = (1 - np.cos(np.linspace(0, math.pi, 201))) / 2  # denser toward the ends, where the curves bend
_TOP = {"update": 0.52, "weight": 3.2, "objective": 3.3}
_DRAWN_P = np.linspace(0.05, 0.95, 13)
_BOOST_P = 0.05
DRAWN_GROUPS = 400


class Curve(NamedTuple):
    """One drawn curve: its name, colour and dash, and the method behind it."""

    name: str
    color: str
    dash: str
    method: Method


def methods(alpha: float) -> list[Curve]:
    """The curves of the page: Dr. GRPO, GRPO, and the exponent in between where it is at neither."""
    curves = [Curve("Dr. GRPO", style.DR_GRPO, "dash", DR_GRPO), Curve("GRPO", style.GRPO, "solid", GRPO)]
    if alpha not in (0.0, 1.0):
        curves.append(Curve(f"α = {alpha:.3g}", style.ACCENT, "dashdot", Method("dial", exponent=alpha)))
    return curves


def quantity(view: str, p: Any, size: float, method: Method) -> NDArray[np.float64]:
    """What the view draws, from the package."""
    if view == "update":
        return np.asarray(expectation.expected_update(p, size, method))
    if view == "weight":
        return np.asarray(expectation.weight(p, size, method)) / float(expectation.weight(0.5, size, method))
    return np.asarray(expectation.objective(p, size, method))


# What does not depend on the marked p is computed once for all visitors: a drag passes through a hundred sizes.
@functools.lru_cache(maxsize=2048)
def _grid(view: str, size: float, method: Method) -> NDArray[np.float64]:
    y = quantity(view, _P, size, method)
    y.setflags(write=False)
    return y


@functools.lru_cache(maxsize=8192)
def at(view: str, p: float, size: float, method: Method) -> float:
    """What the view draws, at one p.

    >>> round(at("update", 0.05, 8, GRPO), 4)
    0.1175
    """
    return float(quantity(view, p, size, method))


@functools.lru_cache(maxsize=1024)
def _law_grid(G: int) -> NDArray[np.float64]:
    """The attenuation law's update of GRPO; nothing where it is below 0."""
    inner = _P[1:-1]
    law = np.full(_P.shape, np.nan)
    law[1:-1] = expectation.attenuation(inner, G) * expectation.expected_update(inner, math.inf, GRPO)
    law[law < 0] = np.nan
    law.setflags(write=False)
    return law


# The same as the browser gets them.
_DRAWN_GRID = packed(_P)


@functools.lru_cache(maxsize=2048)
def _curve_drawn(view: str, size: float, method: Method) -> dict[str, str]:
    return packed(_grid(view, size, method))


@functools.lru_cache(maxsize=1024)
def _law_drawn(G: int) -> dict[str, str]:
    return packed(_law_grid(G))


@functools.lru_cache(maxsize=256)
def _limits_drawn(view: str, of: tuple[Method, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """The limits of all curves as one trace with gaps; where a limit's weight has no height, at the ends, it leaves the chart."""
    limits, high = [_grid(view, math.inf, method) for method in of], 4 * _TOP[view]
    y = [np.append(np.where(np.isfinite(one), np.minimum(one, high), high), np.nan) for one in limits]
    return packed(np.concatenate([np.append(_P, np.nan)] * len(of))), packed(np.concatenate(y))


def chart(view: str, G: int, p: float, alpha: float, dots: bool = False, seed: int = 0) -> Chart:
    """The page's chart.

    Parameters
    ----------
    view : "update", "weight" (relative to p = .5) or "objective".
    G : group size. p : the marked success probability. alpha : the exponent.
    dots : draw simulated groups with their error bars (only where the view is "update").
    seed : of the simulation.

    Examples
    --------
    >>> chart("update", 8, 0.5, 1.0).shows["G"]
    8
    """
    top = _TOP[view]
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"p": _P}
    labels: list[dict[str, Any]] = []
    here: list[dict[str, Any]] = []
    for curve in methods(alpha):
        y, limit = _grid(view, G, curve.method), _grid(view, math.inf, curve.method)
        table[f"{curve.name}, G = {G}"], table[f"{curve.name}, large G"] = y, limit
        traces.append(
            style.line(
                _DRAWN_GRID,
                _curve_drawn(view, G, curve.method),
                curve.name,
                curve.color,
                dash=curve.dash,
                hovertemplate="%{x:.3f}: %{y:.4f}",
            )
        )
        here.append(_mark(p, at(view, p, G, curve.method), curve))
        labels.append(_curve_label(view, curve, G))
    traces = [_thin(view, alpha), *traces, style.together(here, "at p")]
    if view == "update":
        traces.append(_law(G, table))
        if dots:
            traces += _drawn(G, alpha, seed, table)
    if view == "weight":
        labels.append(_boost(G))
    layout = style.layout("success probability p", _axis(view), height=540, annotations=labels, shapes=[style.rule(p)])
    layout["xaxis"] |= {"range": [-0.01, 1.01], "dtick": 0.25, **style.ROOM}
    layout["yaxis"] |= {"range": [0, top], **style.ROOM}
    layout["uirevision"] = view
    return Chart(
        "difficulty", traces, layout, _alt(view, G, p, alpha),
        shows={"G": G, "p": p, "alpha": alpha, "view": view, "dots": dots, "seed": seed},
        table=table, tap={"x": "p", "low": 0, "high": 1, "step": 0.01},
        caption="Grey: large G." + (" Dotted: the attenuation law, an approximation." if view == "update" else ""),
        narrow={"height": 330, "margin.l": 48, "xaxis.dtick": 0.5}, given=(),
    )  # fmt: skip


def _thin(view: str, alpha: float) -> dict[str, Any]:
    x, y = _limits_drawn(view, tuple(curve.method for curve in methods(alpha)))
    return style.line(x, y, "large G", style.GREY, width=1, hoverinfo="skip")


def _mark(p: float, y: float, curve: Curve) -> dict[str, Any]:
    return style.points(
        [p], [y], f"{curve.name} at p", curve.color, hovertemplate=f"{curve.name}: %{{y:.4f}}<extra></extra>"
    )


def _law(G: int, table: dict[str, Any]) -> dict[str, Any]:
    table["GRPO, attenuation law"] = _law_grid(G)
    return style.line(
        _DRAWN_GRID, _law_drawn(G), "attenuation law", style.GREY, dash="dot", width=1.2, hoverinfo="skip"
    )


def _drawn(G: int, alpha: float, seed: int, table: dict[str, Any]) -> list[dict[str, Any]]:
    traces = []
    for curve in methods(alpha):
        mean, error = simulation.mean_update(_DRAWN_P, G, curve.method, groups=DRAWN_GROUPS, seed=seed)
        bars = {"type": "data", "array": packed(2 * error), "color": curve.color, "thickness": 1.2, "width": 3}
        traces.append(
            style.points(
                packed(_DRAWN_P), packed(mean), f"{curve.name}, drawn", curve.color, hollow=True, size=7, error_y=bars
            )
        )
        for name, values in (("drawn mean", mean), ("standard error", error)):
            column = np.full(_P.shape, np.nan)
            column[np.searchsorted(_P, _DRAWN_P).clip(0, _P.size - 1)] = values
            table[f"{curve.name}, {name} (nearest p)"] = column
    return traces


def _curve_label(view: str, curve: Curve, G: int) -> dict[str, Any]:
    """Each curve's name beside it, where curves are apart at every G."""
    dial = curve.name not in ("GRPO", "Dr. GRPO")
    if view == "update":  # in the hollow under each arch
        x, shift, anchor = (0.72, -16, "right") if dial else (0.27, -18, "left")
    elif view == "weight":
        x, shift, anchor = {"GRPO": (0.2, 14, "left"), "Dr. GRPO": (0.75, -13, "left")}.get(
            curve.name, (0.8, 14, "right")
        )
    else:
        x, shift, anchor = (0.9, 14, "right") if curve.name != "Dr. GRPO" else (0.9, -16, "left")
    return style.label(x, at(view, x, G, curve.method), curve.name, curve.color, xanchor=anchor, yshift=shift)


def _boost(G: int) -> dict[str, Any]:
    y = boost(G)
    return {
        "x": _BOOST_P, "y": y, "ax": 46, "ay": -34, "showarrow": True, "arrowhead": 0, "arrowcolor": style.GREY, "arrowwidth": 1,
        "text": f"at p = .05: {y:.2f} times", "font": {"color": style.GRPO, "size": 13}, "xanchor": "left", "yanchor": "bottom",
    }  # fmt: skip


@functools.lru_cache(maxsize=4096)
def boost(size: float, method: Method = GRPO, p: float = _BOOST_P) -> float:
    """How much more a method favours p over .5 than Dr. GRPO does.

    >>> round(boost(8), 2), round(boost(math.inf), 2)
    (1.33, 2.29)
    """
    ours, plain = (quantity("weight", p, size, m) for m in (method, DR_GRPO))
    return float(ours / plain)


def _axis(view: str) -> str:
    return {
        "update": "expected update E[c]", "weight": "weight relative to p = .5", "objective": "objective F(p)",
    }[view]  # fmt: skip


def _alt(view: str, G: int, p: float, alpha: float) -> str:
    parts = [f"{curve.name} {at(view, p, G, curve.method):.4f}" for curve in methods(alpha)]
    text = f"{VIEWS[view]} against success probability at G = {G}; at p = {p:g}: {', '.join(parts)}."
    return text + (f" At p = .05 GRPO weighs {boost(G):.2f} times what Dr. GRPO does." if view == "weight" else "")

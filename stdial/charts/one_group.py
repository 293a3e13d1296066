"""Figures of the page One group: the update for every k, and what each answer is pushed by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial import group
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.charts.difficulty import methods

__all__ = ["FRAMES", "any_reward", "pushes", "updates"]

_STEMS = 48  # beyond, stems would touch and only the points are drawn
_BARS = 40
FRAMES = tuple(range(2, _STEMS + 1))  # sizes that are drawn without a round trip


def updates(G: int, k: int, alpha: float) -> Chart:
    """Update magnitude c for every number of right answers; the group of now is filled, silent ones are marked.

    >>> updates(8, 1, 1.0).shows
    {'G': 8, 'k': 1, 'alpha': 1.0}
    """
    ks = np.arange(G + 1)
    few = G <= _STEMS
    traces: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    table: dict[str, Any] = {"k": ks}
    now: dict[str, dict[str, Any]] = {}
    for curve in methods(alpha):
        c = group.update(ks, G, curve.method)
        table[curve.name] = c
        name = f"{curve.name}, now"
        traces.append(
            style.points(
                packed(ks[1:-1]), packed(c[1:-1]), curve.name, curve.color, hollow=True, size=8 if few else 3,
                hovertemplate=f"{curve.name}, %{{x}} of {G} right: %{{y:.4f}}<extra></extra>",
                **({"error_y": _stems(curve.color)} if few else {}),
            )
        )  # fmt: skip
        now[name] = style.points([k], [float(c[k])], name, curve.color, size=14, hoverinfo="skip")
        labels.append(_name(G, curve.name, float(group.update(max(1, G // 2), G, curve.method)), curve.color))
    silent = style.points([0, G], [0, 0], "silent", style.GREY, hollow=True, size=10, hoverinfo="skip")
    silent["marker"]["symbol"] = "x-thin"
    traces.append(style.together([*now.values(), silent], "now, silent"))
    for x in (0, G):
        labels.append(
            style.label(x, 0, "silent", style.GREY, xanchor="center", yanchor="bottom", yshift=10, textangle=-90)
        )
    top = 1.12 if alpha > 1 else 0.6
    layout = style.layout("right answers k", "update c", height=330, annotations=labels)
    layout["xaxis"] |= {"range": [-0.04 * G - 0.3, 1.04 * G + 0.3], "dtick": _tick(G), **style.ROOM}
    layout["yaxis"] |= {"range": [-0.02, top], **style.ROOM}
    return Chart(
        "group", traces, layout, _alt(G, k, alpha), shows={"G": G, "k": k, "alpha": alpha}, table=table,
        tap={"x": "k", "low": 0, "high": G, "step": 1}, narrow={"height": 250, "margin.b": 40}, given=(),
        parts=now,
    )  # fmt: skip


def pushes(G: int, k: int, alpha: float, marks: str) -> Chart:
    """What each answer is pushed by: the advantages of the group, answer by answer (two bars for a large one)."""
    right = np.array([mark == "1" for mark in marks]) if marks else np.array([True, False])
    names = [str(i + 1) for i in range(len(marks))] if marks else [f"each of {k} right", f"each of {G - k} wrong"]
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"answer": names, "right": right.astype(float)}
    for curve in methods(alpha):
        of_right, of_wrong = (float(a) for a in group.advantages(k, G, curve.method))
        values = np.where(right, of_right, of_wrong)
        table[curve.name] = values
        traces.append(_bars(names, values, curve.name, curve.color, curve.dash != "solid"))
    reach = max(1.2, *(1.15 * float(np.abs(table[c.name]).max()) for c in methods(alpha)))
    title = "answer" if marks else ""
    layout = style.layout(title, "push (advantage)", height=270, barmode="group", bargap=0.3)
    layout["xaxis"] |= {"type": "category", "showline": False, "ticks": "", **style.ROOM}
    layout["yaxis"] |= {"range": [-reach, reach], "zeroline": True, "zerolinecolor": style.GREY, "zerolinewidth": 1}
    layout["yaxis"] |= style.ROOM
    layout["annotations"] = [
        style.label(0.995, 1.0, "GRPO", style.GRPO, xref="paper", yref="paper", xanchor="right", yanchor="top"),
        style.label(0.995, 0.9, "Dr. GRPO", style.DR_GRPO, xref="paper", yref="paper", xanchor="right", yanchor="top"),
    ]
    return Chart(
        "pushes", traces, layout, _pushes_alt(G, k, alpha), shows={"G": G, "k": k, "alpha": alpha, "marks": marks},
        table=table, caption="Right answers are pushed up, wrong ones down; together they cancel.", narrow={"height": 230},
    )  # fmt: skip


def any_reward(rewards: Sequence[float], alpha: float) -> Chart:
    """Any rewards: the push of each answer against its reward is a straight line, whose slope is c over the variance."""
    r = np.asarray(rewards, float)
    order = np.argsort(r, kind="stable")
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"reward": r}
    reach = 1.2
    for curve in methods(alpha):
        a = group.advantages_of(r, curve.method)
        table[curve.name] = a
        reach = max(reach, 1.15 * float(np.abs(a).max()))
        traces.append(
            style.line(
                packed(r[order]),
                packed(a[order]),
                curve.name,
                curve.color,
                dash=curve.dash,
                width=1.5,
                hoverinfo="skip",
            )
        )
        hover = f"{curve.name}: reward %{{x:.4g}}, push %{{y:.4f}}<extra></extra>"
        traces.append(style.points(packed(r), packed(a), curve.name, curve.color, size=11, hovertemplate=hover))
    span = float(np.ptp(r)) or 1.0
    layout = style.layout("reward", "push (advantage)", height=430, uirevision=f"{r.min()},{r.max()}")
    layout["xaxis"] |= {"range": [float(r.min()) - 0.08 * span, float(r.max()) + 0.16 * span]}
    layout["yaxis"] |= {"range": [-reach, reach], "zeroline": True, "zerolinecolor": style.GREY}
    layout["annotations"] = [
        style.label(float(r.max()), float(table[c.name].max()), c.name, c.color, xshift=12) for c in methods(alpha)
    ]
    alt = f"Push against reward for {r.size} rewards with standard deviation {group.std_of(r):.4f}."
    return Chart(
        "group", traces, layout, alt, shows={"G": int(r.size), "alpha": alpha, "rewards": r.tolist()}, table=table,
        narrow={"height": 280}, given=(),
    )  # fmt: skip


def _stems(color: str) -> dict[str, Any]:
    """Thin stems from the axis to each point: error bars of the whole height."""
    return {
        "type": "percent", "symmetric": False, "value": 0, "valueminus": 100, "color": color, "thickness": 1, "width": 0,
    }  # fmt: skip


def _bars(x: list[str], y: NDArray[Any], name: str, color: str, hollow: bool) -> dict[str, Any]:
    marker = {"color": color + "33" if hollow else color, "line": {"color": color, "width": 1.5}}
    hover = f"{name}: %{{y:.4f}}<extra></extra>"
    return {"type": "bar", "x": x, "y": y.tolist(), "name": name, "marker": marker, "hovertemplate": hover}


def _name(G: int, text: str, y: float, color: str) -> dict[str, Any]:
    """A curve's name above its middle; stems that pass there go behind it."""
    return style.label(
        max(1, G // 2), y, text, color, xanchor="center", yanchor="bottom", yshift=9, bgcolor=style.PAPER, borderpad=0
    )


def _tick(G: int) -> int:
    return max(1, int(2 ** np.ceil(np.log2(G / 8)))) if G > 8 else 1


def _alt(G: int, k: int, alpha: float) -> str:
    parts = [f"{curve.name} {float(group.update(k, G, curve.method)):.4f}" for curve in methods(alpha)]
    return f"Update magnitude for each number of right answers of {G}; at {k} right: {', '.join(parts)}. At 0 and {G} it is silent."


def _pushes_alt(G: int, k: int, alpha: float) -> str:
    parts = []
    for curve in methods(alpha):
        of_right, of_wrong = (float(a) for a in group.advantages(k, G, curve.method))
        parts.append(f"{curve.name} {of_right:+.4f} on a right and {of_wrong:+.4f} on a wrong answer")
    return f"Push on each answer with {k} of {G} right: {'; '.join(parts)}."

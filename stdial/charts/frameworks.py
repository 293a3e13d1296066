"""Figures of the page Frameworks: a setting's updates and advantages beside the paper's, and the factor of a move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial import group
from stdial.charts import style
from stdial.charts.chart import Chart, packed
from stdial.frameworks import Beside, Move
from stdial.method import DR_GRPO, GRPO

__all__ = ["advantages", "factor", "updates"]

_STEMS = 64  # beyond, the dumbbells would touch
_PAPER = {"GRPO": (GRPO, style.GRPO, "grpo"), "Dr. GRPO": (DR_GRPO, style.DR_GRPO, "dr-grpo")}


def updates(beside: Beside, shows: dict[str, Any]) -> Chart:
    """The update c of a setting (filled) for every k, joined to the paper's (hollow), with the other method of the paper."""
    G, k = beside.size, beside.updates.right
    ours = beside.updates.c
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"k": k, "c, this setting": ours}
    if G <= _STEMS:
        traces.append(_dumbbells(k, ours, beside.paper[beside.partner]))
    for name, (_, color, _) in _PAPER.items():
        table[f"c, the paper's {name}"] = beside.paper[name]
        table[f"over the paper's {name}"] = beside.factors[name]
        hover = f"the paper's {name}, %{{x}} of {G} right: %{{y:.4f}}<extra></extra>"
        traces.append(_rings(k, beside.paper[name], f"the paper's {name}", color, G, hover))
    table["summed advantages over G"] = beside.updates.sum
    traces.append(_dots(k, ours, G, f"this setting, %{{x}} of {G} right: %{{y:.4f}}<extra></extra>"))
    most = float(np.nanmax(ours))
    top = 0.6 if most <= 0.57 else 1.12 if most <= 1.08 else 1.1 * most
    layout = _layout(G, "update c", [min(-0.02, 1.1 * float(np.nanmin(ours))), top], 340)
    layout["annotations"] = _row(
        (0.0, "● this setting", style.INK), (0.33, "○ paper's GRPO", style.GRPO), (0.68, "○ Dr. GRPO", style.DR_GRPO)
    )
    return Chart(
        "updates", traces, layout, _updates_alt(beside), shows=shows, table=table, narrow={"height": 280, "margin.l": 46},
    )  # fmt: skip


def advantages(beside: Beside, shows: dict[str, Any]) -> Chart:
    """What a right and a wrong answer get (filled) for every k, joined to what the paper's method gives them (hollow)."""
    G, k = beside.size, beside.updates.right
    method, color, _ = _PAPER[beside.partner]
    of_right, of_wrong = (np.array(a, dtype=float) for a in group.advantages(k, G, method))
    of_right[k == 0], of_wrong[k == G] = np.nan, np.nan
    pairs = [("right", beside.updates.right_answer, of_right), ("wrong", beside.updates.wrong_answer, of_wrong)]
    traces: list[dict[str, Any]] = []
    table: dict[str, Any] = {"k": k}
    for word, ours, theirs in pairs:
        if G <= _STEMS:
            traces.append(_dumbbells(k, ours, theirs))
        hover = f"the paper's {beside.partner}, a {word} answer, %{{x}} of {G} right: %{{y:.4f}}<extra></extra>"
        traces.append(_rings(k, theirs, f"the paper's {beside.partner}, {word}", color, G, hover))
        hover = f"this setting, a {word} answer, %{{x}} of {G} right: %{{y:.4f}}<extra></extra>"
        traces.append(_dots(k, ours, G, hover, symbol="circle" if word == "right" else "square"))
        table[f"advantage of a {word} answer, this setting"] = ours
        table[f"advantage of a {word} answer, the paper's {beside.partner}"] = theirs
    reach = 1.12 * max(1.0, *(float(np.nanmax(np.abs(x))) for _, *both in pairs for x in both))
    layout = _layout(G, "advantage", [-reach, reach], 300)
    layout["yaxis"] |= {"zeroline": True, "zerolinecolor": style.GREY, "zerolinewidth": 1}
    layout["annotations"] = _row(
        (0.0, "● right answer", style.INK),
        (0.33, "■ wrong answer", style.INK),
        (0.68, f"○ paper's {beside.partner}", color),
    )
    return Chart(
        "advantages", traces, layout, _advantages_alt(beside, of_right, of_wrong), shows=shows, table=table,
        narrow={"height": 250, "margin.l": 46},
    )  # fmt: skip


def factor(move: Move, G: int, shows: dict[str, Any]) -> Chart:
    """What the learning rate has to be multiplied with, for every k; a line where one factor does it."""
    k, live = move.right, np.isfinite(move.factor)
    traces: list[dict[str, Any]] = []
    if move.constant:
        middle = (move.least + move.most) / 2
        traces.append(
            style.line([0, G], [middle, middle], "one factor", style.GREY, dash="dot", width=1.2, hoverinfo="skip")
        )
    hover = f"%{{x}} of {G} right: %{{y:.4f}}<extra></extra>"
    traces.append(_dots(k[live], move.factor[live], G, hover))
    most = move.most if live.any() else 1.0
    low = min(0.0, 1.15 * move.least) if live.any() else 0.0
    layout = _layout(G, "learning rate, times", [low, 1.25 * max(1.0, most)], 320)
    layout["shapes"] = [{**style.rule(0.0), "x0": 0, "x1": 1, "xref": "paper", "y0": 1, "y1": 1, "yref": "y"}]
    return Chart(
        "move", traces, layout, _factor_alt(move, G), shows=shows, table={"k": k, "learning-rate factor": move.factor},
        caption="Dotted: 1, the learning rate as it was.", narrow={"height": 260, "margin.l": 46},
    )  # fmt: skip


def _layout(G: int, y: str, span: list[float], height: int) -> dict[str, Any]:
    layout = style.layout("right answers k", y, height=height, margin={"t": 30})
    layout["xaxis"] |= {"range": [-0.04 * G - 0.3, 1.04 * G + 0.3], "dtick": _tick(G)}
    layout["yaxis"] |= {"range": span}
    return layout


def _row(*words: tuple[float, str, str]) -> list[dict[str, Any]]:
    """What filled and hollow mean, in a row above the plot where no curve runs."""
    return [style.label(x, 1.02, text, c, xref="paper", yref="paper", yanchor="bottom") for x, text, c in words]


def _dumbbells(k: NDArray[Any], one: NDArray[Any], other: NDArray[Any]) -> dict[str, Any]:
    """Bars from one value to the other, as one trace with gaps."""
    x = np.repeat(k.astype(float), 3)
    y = np.full(x.size, np.nan)
    both = np.isfinite(one) & np.isfinite(other)
    y[0::3], y[1::3] = np.where(both, one, np.nan), np.where(both, other, np.nan)
    return style.line(packed(x), packed(y), "difference", style.GREY, width=2.5, hoverinfo="skip", connectgaps=False)


def _rings(k: NDArray[Any], y: NDArray[Any], name: str, color: str, G: int, hover: str) -> dict[str, Any]:
    size = 13 if G <= _STEMS / 2 else 8 if G <= _STEMS else 4
    ring = style.points(packed(k), packed(y), name, color, hollow=True, size=size, hovertemplate=hover)
    ring["marker"]["symbol"], ring["marker"]["color"] = "circle-open", color
    return ring


def _dots(k: NDArray[Any], y: NDArray[Any], G: int, hover: str, symbol: str = "circle") -> dict[str, Any]:
    size = 7 if G <= _STEMS / 2 else 5 if G <= _STEMS else 3
    dots = style.points(packed(k), packed(y), "this setting", style.INK, size=size, hovertemplate=hover)
    dots["marker"]["symbol"] = symbol
    return dots


def _tick(G: int) -> int:
    return max(1, int(2 ** np.ceil(np.log2(G / 8)))) if G > 8 else 1


def _updates_alt(b: Beside) -> str:
    text = f"Update magnitude for each number of right answers of {b.size}, beside the paper's {b.partner}: "
    if b.constant:
        return text + f"{b.factor:.4f} of it for every k."
    return text + f"from {b.least:.4f} of it at k = {b.least_at} to {b.most:.4f} at k = {b.most_at}."


def _advantages_alt(b: Beside, of_right: NDArray[Any], of_wrong: NDArray[Any]) -> str:
    i = min(1, b.updates.right.size - 1)
    return (
        f"Advantages for each number of right answers of {b.size}. With 1 right: {b.updates.right_answer[i]:+.4f} for it "
        f"and {b.updates.wrong_answer[i]:+.4f} for each wrong one; the paper's {b.partner} gives {of_right[i]:+.4f} and "
        f"{of_wrong[i]:+.4f}."
    )


def _factor_alt(move: Move, G: int) -> str:
    if not np.isfinite(move.factor).any():
        return f"At G = {G} no k has an update in both frameworks."
    if move.constant:
        return f"Learning-rate factor at G = {G}: {(move.least + move.most) / 2:.4f} for every k."
    return f"Learning-rate factor at G = {G}: from {move.least:.4f} to {move.most:.4f}, depending on k."

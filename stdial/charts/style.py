"""One look for every chart: the methods' colours and dashes, thin grey for limits and laws, gridlines on y only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "ACCENT", "DAPO", "DARK", "DASHES", "DR_GRPO", "FAINT", "GREY", "GRID", "GRPO", "INK", "METHOD_COLORS", "PAPER", "ROOM",
    "area", "label", "layout", "line", "points", "rule", "together", "waiting",
]  # fmt: skip

# Light theme; the browser swaps each for its partner in DARK when the app is dark.
GRPO = "#0072B2"
DR_GRPO = "#D55E00"
DAPO = "#009E73"
INK = "#1F2328"  # text and what is pointed at
GREY = "#6B7280"  # limits, laws, plug-in
FAINT = "#C9CDD3"  # histograms behind, axes
GRID = "#E7E9EC"
ACCENT = "#3D4A5C"  # neutral: controls, single series that is no method
PAPER = "#FFFFFF"

DARK = {
    GRPO: "#58A6F0",
    DR_GRPO: "#FF9350",
    DAPO: "#6FDDA8",
    INK: "#ECEDEE",
    GREY: "#A0A7B1",
    FAINT: "#454B54",
    GRID: "#2A3038",
    ACCENT: "#B8C4D4",
    PAPER: "#14171B",
}
METHOD_COLORS = {"grpo": GRPO, "dr-grpo": DR_GRPO, "dapo": DAPO}
# Of an axis whose labels have room in the margins: the browser need not measure each of them at every draw.
ROOM = {"ticklabeloverflow": "allow"}
DASHES = {"grpo": "solid", "dr-grpo": "dash", "dapo": "dot"}


def layout(x: str, y: str, *, height: int = 360, **more: Any) -> dict[str, Any]:
    """A Plotly layout with titled axes and the house style; `more` replaces or adds keys, axes merge.

    >>> layout("p", "update")["xaxis"]["title"]["text"]
    'p'
    """
    axis = {
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": FAINT,
        "linecolor": FAINT,
        "fixedrange": False,
    }
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 56, "r": 16, "t": 12, "b": 44},
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": "zoom",
        "uirevision": "keep",
        "font": {"color": INK, "size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {"bgcolor": PAPER, "bordercolor": FAINT, "font": {"color": INK}},
        "xaxis": {**axis, "title": {"text": x, "standoff": 8}, "showgrid": False, "showline": True},
        "yaxis": {**axis, "title": {"text": y, "standoff": 8}, "showgrid": True, "gridcolor": GRID},
    }
    for key, value in more.items():
        base[key] = {**base[key], **value} if isinstance(value, dict) and isinstance(base.get(key), dict) else value
    return base


def line(
    x: Any, y: Any, name: str, color: str, *, dash: str = "solid", width: float = 2.5, **more: Any
) -> dict[str, Any]:
    """A curve."""
    return {
        "type": "scatter", "mode": "lines", "x": x, "y": y, "name": name,
        "line": {"color": color, "dash": dash, "width": width}, **more,
    }  # fmt: skip


def points(
    x: Any, y: Any, name: str, color: str, *, hollow: bool = False, size: float = 9, **more: Any
) -> dict[str, Any]:
    """Markers; hollow ones are approximations and what is biased."""
    marker = {"color": PAPER if hollow else color, "size": size, "line": {"color": color, "width": 2 if hollow else 0}}
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "name": name, "marker": marker, **more}


def area(x: Any, low: Any, high: Any, name: str, color: str, opacity: float = 0.18) -> list[dict[str, Any]]:
    """A band between two curves, as the two traces that draw it."""
    edge = {"type": "scatter", "mode": "lines", "x": x, "line": {"width": 0, "color": color}, "hoverinfo": "skip"}
    return [
        {**edge, "y": low, "name": name + ", low"},
        {**edge, "y": high, "name": name, "fill": "tonexty", "fillcolor": _faded(color, opacity)},
    ]


def label(x: Any, y: Any, text: str, color: str = INK, **more: Any) -> dict[str, Any]:
    """A direct label, in place of a legend entry."""
    return {
        "x": x, "y": y, "text": text, "showarrow": False, "font": {"color": color, "size": 13},
        "xanchor": "left", "yanchor": "middle", **more,
    }  # fmt: skip


def together(traces: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Traces of points as one, which a browser draws in less time; each keeps its look and its hover text.

    >>> both = together([points([1], [2], "a", GRPO), points([3], [4], "b", GREY)], "a and b")
    >>> both["x"], both["marker"]["color"]
    ([1, 3], ['#0072B2', '#6B7280'])
    """
    sizes = [len(trace["x"]) for trace in traces]

    def spread(values: Sequence[Any]) -> list[Any]:
        return [value for value, n in zip(values, sizes, strict=True) for _ in range(n)]

    markers = [trace["marker"] for trace in traces]
    marker = {key: spread([one[key] for one in markers]) for key in ("color", "size")}
    marker["symbol"] = spread([one.get("symbol", "circle") for one in markers])
    line = {key: spread([one["line"][key] for one in markers]) for key in ("color", "width")}
    hover = spread([trace.get("hovertemplate", "") for trace in traces])
    return {
        "type": "scatter", "mode": "markers", "name": name,
        "x": [x for trace in traces for x in trace["x"]], "y": [y for trace in traces for y in trace["y"]],
        "marker": {**marker, "line": line, "opacity": 1},  # points of unequal size would be drawn half transparent
        **({"hovertemplate": hover} if any(hover) else {"hoverinfo": "skip"}),
    }  # fmt: skip


def rule(x: float, *, color: str = GREY, dash: str = "dot") -> dict[str, Any]:
    """A thin vertical line over the whole height of the plot."""
    return {
        "type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper",
        "line": {"color": color, "width": 1, "dash": dash}, "layer": "below",
    }  # fmt: skip


def waiting(height: int) -> dict[str, Any]:
    """The layout of an empty frame that stands for a chart until its reader has guessed."""
    gone = {"visible": False, "fixedrange": True, "range": [0, 1]}
    frame = {
        "type": "rect", "xref": "paper", "yref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 1,
        "line": {"color": FAINT, "width": 1, "dash": "dot"},
    }  # fmt: skip
    text = label(0.5, 0.5, "Shown after your guess", GREY, xref="paper", yref="paper", xanchor="center")
    margin = {"l": 8, "r": 8, "t": 8, "b": 8}
    return layout("", "", height=height, margin=margin, annotations=[text], shapes=[frame], xaxis=gone, yaxis=gone)


def _faded(color: str, opacity: float) -> str:
    return color + f"{round(255 * opacity):02X}"

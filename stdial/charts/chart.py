"""A figure that knows its name, what it shows, how to say it in words, and its data."""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stdial.charts import style

__all__ = ["Chart", "packed", "unpacked"]

_DRAWN = {"annotations", "shapes"}  # of a layout: what is drawn into the axes


def packed(values: ArrayLike) -> dict[str, str]:
    """An array as Plotly's base64 float32 form: a quarter of the size of JSON numbers, and no parsing.

    >>> packed([0, 1])
    {'dtype': 'f4', 'bdata': 'AAAAAAAAgD8='}
    """
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes inf, which is not drawn; tables keep float64
        held = np.asarray(values, "<f4")
    return {"dtype": "f4", "bdata": base64.b64encode(held.tobytes()).decode()}


def unpacked(values: Mapping[str, str]) -> np.ndarray[Any, Any]:
    """The float32 array behind `packed`.

    >>> unpacked(packed([0, 1])).tolist()
    [0.0, 1.0]
    """
    return np.frombuffer(base64.b64decode(values["bdata"]), "<f4")


@dataclass(frozen=True)
class Chart:
    r"""A Plotly figure as plain dicts, with what a page, a screen reader and a download need.

    Parameters
    ----------
    name : short and unique on its page, for links, files and tests.
    data : Plotly traces.
    layout : a Plotly layout; its height is the chart's height in pixels.
    alt : what the chart shows now, in a sentence or two with numbers.
    shows : the values behind it, keyed as in the link.
    table : column -> float64 numbers or texts, all of one length: the data as a download and as a table.
    narrow : layout keys that replace others where the chart is less than 520 pixels wide ("xaxis.title.text" and so on).
    tap : which parameter a tap on the chart sets, {"x": name, "step": rounding}.
    caption : a line under the chart.
    given : what stays of the chart while a reader's guess is awaited: names of traces, and "#text" of labels. Empty keeps the
        axes alone; None, where even they would say too much, keeps nothing.
    parts : name -> trace: what `data` draws as a part of a trace that costs a browser less than several, for `given`.

    Examples
    --------
    >>> chart = Chart("c", [{"type": "scatter", "y": packed([0, 1])}], {}, "Two points.", {"G": 8}, {"y": [0.0, 1.0]})
    >>> chart.csv()
    'y\n0.0\n1.0\n'

    In a notebook: ``plotly.graph_objects.Figure(chart.figure())``.
    """

    name: str
    data: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    alt: str
    shows: Mapping[str, Any] = field(default_factory=dict)
    table: Mapping[str, ArrayLike] = field(default_factory=dict)
    narrow: Mapping[str, Any] = field(default_factory=dict)
    tap: Mapping[str, Any] | None = None
    caption: str = ""
    given: Sequence[str] | None = None
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def figure(self) -> dict[str, Any]:
        """The figure for Plotly itself."""
        return {"data": list(self.data), "layout": dict(self.layout)}

    def spec(self) -> dict[str, Any]:
        """What the browser gets: everything but the table, which it asks for."""
        return {
            "name": self.name, "data": list(self.data), "layout": dict(self.layout), "alt": self.alt,
            "shows": dict(self.shows), "narrow": dict(self.narrow), "tap": self.tap, "caption": self.caption,
            "height": self.layout.get("height", 360), "bare": not self.table,
        }  # fmt: skip

    def covered(self, given: Sequence[str] | None) -> Chart:
        r"""The chart before a guess: its axes and what is given, or, for None, an empty frame that says so.

        It still tells which state of the link it belongs to, and nothing that is computed from it.

        >>> chart = Chart("c", [{"name": "old", "y": [1]}, {"name": "new", "y": [2]}], {}, "It is 2.", {"G": 8}, {"y": [1, 2]})
        >>> before = chart.covered(["old"])
        >>> before.data, before.csv()
        ([{'name': 'old', 'y': [1]}], '\n')
        """
        if given is None:
            narrow = {path: value for path, value in self.narrow.items() if path == "height"}
            return replace(
                self, data=[], layout=style.waiting(self.layout.get("height", 360)), alt="Shown after the guess.", narrow=narrow,
                table={}, tap=None, caption="",
            )  # fmt: skip
        data = [trace for trace in self.data if trace.get("name") in given]
        data += [trace for name, trace in self.parts.items() if name in given]
        layout = dict(self.layout) if data else _first_axes(self.layout)
        labels = [label for label in self.layout.get("annotations", ()) if f"#{label['text']}" in given]
        return replace(
            self,
            data=data,
            layout={**layout, "annotations": labels, "shapes": []},
            narrow={path: value for path, value in self.narrow.items() if path.split(".")[0] in {*layout, "height"} - _DRAWN},
            alt="Axes with no more than the question says; the rest is drawn after the guess.", table={}, tap=None,
            caption="The rest is drawn after your guess.",
        )  # fmt: skip

    def csv(self) -> str:
        """The data as CSV: float64 numbers in full, texts safe to open in a spreadsheet."""
        from stdial.safe import Rows, cell

        out = Rows()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow([cell(name) for name in self.table])
        columns = [np.asarray(column).tolist() for column in self.table.values()]
        writer.writerows([cell(x) for x in row] for row in zip(*columns, strict=True))
        return out.text


def _first_axes(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A layout with its first pair of axes alone, which takes the room of all."""
    kept = {key: value for key, value in layout.items() if not re.fullmatch(r"[xy]axis\d+", key)}
    for key in kept.keys() & {"xaxis", "yaxis"}:
        kept[key] = {name: value for name, value in kept[key].items() if name not in ("domain", "anchor")}
    return kept

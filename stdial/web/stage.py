"""What a page puts on screen, as data: words, controls, charts and tables that one browser component draws.

A `Stage` is built by a pure function of the link's values, so it can be kept, compared, and computed ahead for every frame
of a scrub. Words are lists of runs: plain texts, or `num`, `em` and `code` pieces. Nothing in them is read as HTML or Markdown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from stdial.charts.chart import Chart
from stdial.charts.difficulty import FRAMES
from stdial.web.params import PARAMS

__all__ = [
    "Button", "Card", "Choice", "Control", "Marks", "Number", "Range", "Run", "Slider", "Stage", "Table", "TextBox", "Toggle",
    "code", "em", "link", "num", "to_json",
]  # fmt: skip

Run = str | Mapping[str, Any]


def num(text: str, color: str = "") -> Run:
    """A live number; `color` is grpo, dr-grpo, dapo or muted."""
    return {"t": text, "b": 1, "c": color}


def em(text: str, color: str = "") -> Run:
    """A word that matters, in a method's colour where it names one."""
    return {"t": text, "c": color, "i": "" if color else "1"}


def code(text: str) -> Run:
    """A name of a program: column, option, metric."""
    return {"t": text, "k": 1}


def link(text: str, href: str, sets: Mapping[str, Any] | None = None) -> Run:
    """A link to a page of this app: `href` is a path and query of ours, never text from elsewhere.

    With `sets` it is a link to this same page: a plain click sets these parameters without loading anything.
    """
    return {"t": text, "h": href, **({"sets": dict(sets)} if sets else {})}


@dataclass(frozen=True)
class Control:
    """A control that sets the parameter `name`; `label` is its visible and spoken name.

    `hint` is a short line under it, `primary` puts it under the thumb on a phone. It is `locked` by a sender (True) or until a
    guess ("guess").
    """

    name: str
    label: str
    value: Any = None
    hint: str = ""
    primary: bool = False
    locked: bool | Literal["guess"] = False

    kind = "control"

    def spec(self) -> dict[str, Any]:
        """The control as the browser gets it."""
        return {**{key: value for key, value in self.__dict__.items() if value not in ("", None)}, "kind": self.kind}


@dataclass(frozen=True)
class Slider(Control):
    """A number by dragging or keys. `scale` "log" spreads small values; `play` adds play, pause and step buttons.

    A pointer on a logarithmic scale of whole numbers stops where frames may be at hand, about a pixel apart; keys and typing
    reach every number.
    """

    low: float = 0
    high: float = 1
    step: float = 0.01
    scale: str = "linear"
    digits: int = 0
    play: bool = False
    percent: bool = False
    kind = "slider"

    def spec(self) -> dict[str, Any]:
        """The control as the browser gets it, with where a pointer stops."""
        found = super().spec()
        if self.scale == "log" and self.step == 1:
            between = [size for size in FRAMES if self.low < size < self.high]
            found["stops"] = [self.low, *between, self.high]
        return found


@dataclass(frozen=True)
class Range(Control):
    """Two numbers: `name` and `upper` are the parameters of the lower and the upper thumb."""

    upper: str = ""
    value2: float = 1
    low: float = 0
    high: float = 1
    step: float = 0.01
    digits: int = 2
    kind = "range"


@dataclass(frozen=True)
class Choice(Control):
    """One of a few as buttons, of many as a menu.

    `options` are (value, words); in a menu `heads` may name the group of each, alike ones side by side.
    """

    options: Sequence[tuple[str, str]] = ()
    heads: Sequence[str] = ()
    menu: bool = False
    kind = "choice"


@dataclass(frozen=True)
class Toggle(Control):
    """On or off."""

    kind = "toggle"


@dataclass(frozen=True)
class Number(Control):
    """A number by typing."""

    low: float = 0
    high: float = 1
    step: float | str = "any"
    kind = "number"


@dataclass(frozen=True)
class TextBox(Control):
    """A short text by typing; `lines` above 1 makes a box."""

    most: int = 200
    lines: int = 1
    placeholder: str = ""
    kind = "text"


@dataclass(frozen=True)
class Marks(Control):
    """A row of answers to tap right or wrong; the value is a string of 0s and 1s."""

    kind = "marks"


@dataclass(frozen=True)
class Button(Control):
    """Sets several parameters at once: `sets` maps names to values."""

    sets: Mapping[str, Any] = field(default_factory=dict)
    kind = "button"


@dataclass(frozen=True)
class Table:
    """Rows of texts or numbers; numbers align right. `sortable` heads become buttons, `cards` stacks rows on a phone."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    numeric: Sequence[int] = ()
    sentences: Sequence[int] = ()  # columns that need room
    sortable: bool = False
    cards: bool = False
    mark: int | None = None  # the row that is pointed at

    def spec(self) -> dict[str, Any]:
        """The table as the browser gets it."""
        return {**self.__dict__, "columns": list(self.columns), "rows": [list(row) for row in self.rows]}


@dataclass(frozen=True)
class Card:
    """A lesson in a list: `key` is where the browser keeps its reader's progress, `links` are (words, address)."""

    key: str
    title: str
    text: Sequence[Run]
    links: Sequence[tuple[str, str]] = ()

    def spec(self) -> dict[str, Any]:
        """The card as the browser gets it."""
        return {**self.__dict__, "text": list(self.text), "links": [list(pair) for pair in self.links]}


@dataclass(frozen=True)
class Stage:
    """One region of a page.

    Parameters
    ----------
    title : the page's question (a first-level heading), "" in further regions.
    heading : a second-level heading of a further region.
    answer : the answer in one sentence.
    text : paragraphs after it, each a list of runs.
    readouts : big numbers: (label, runs or text, colour) each.
    controls : in reading order.
    charts : in reading order; the first two stand beside the words from 1,000 px on.
    tables : after the charts.
    cards : after the tables.
    scrub : the name of the slider that is drawn from frames computed ahead, and `frames` its values.
    layout : "side" (words left, charts right), "wide" (one column; charts side by side where there is room), "sheet" (as "side",
        small, for paper) or "answers" (one column that starts on a page of its own on paper).
    """

    title: str = ""
    heading: str = ""
    answer: Sequence[Run] = ()
    text: Sequence[Sequence[Run]] = ()
    readouts: Sequence[tuple[str, str, str]] = ()
    controls: Sequence[Control] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    cards: Sequence[Card] = ()
    notes: Sequence[str] = ()
    scrub: str = ""
    frames: Sequence[float] = ()
    layout: str = "side"

    def spec(self) -> dict[str, Any]:
        """The stage as the browser gets it."""
        return {
            "title": self.title, "heading": self.heading, "answer": list(self.answer), "text": [list(p) for p in self.text],
            "readouts": [list(r) for r in self.readouts], "controls": [c.spec() for c in self.controls],
            "charts": [c.spec() for c in self.charts], "tables": [t.spec() for t in self.tables],
            "cards": [c.spec() for c in self.cards], "notes": list(self.notes), "scrub": self.scrub, "layout": self.layout,
        }  # fmt: skip

    def with_courtesies(self, lock: Sequence[str], hide: Sequence[str]) -> Stage:
        """The stage as a sender wanted it: some controls locked, some left out. A courtesy, no secret."""
        shown = [c for c in self.controls if c.name not in hide]
        return replace(self, controls=[replace(c, locked=c.locked or c.name in lock) for c in shown])

    def waiting(self) -> Stage:
        """The stage with every control locked until the guess."""
        return replace(self, controls=[replace(c, locked="guess") for c in self.controls])

    def covered(self, keep: Sequence[str] = ()) -> Stage:
        """The stage before a guess: of its charts only what gives nothing away, and no further empty ones.

        `keep` names what stays: "chart", "chart/" (its axes), "chart/trace" or "chart#label". Without it each chart's own `given`
        rules, and the first stays even with nothing in it.
        """
        if not keep:
            return replace(self, charts=[_covered(c, c.given) for i, c in enumerate(self.charts) if not i or c.given])
        named = {one: re.split("(?=[/#])", one, maxsplit=1) for one in keep}
        charts = []
        for chart in self.charts:
            its = [rest[0] if rest else "" for name, *rest in named.values() if name == chart.name]
            if its:
                charts.append(chart if "" in its else _covered(chart, [one.removeprefix("/") for one in its]))
        return replace(self, charts=charts)

    def chart(self, name: str) -> Chart | None:
        """The chart of that name."""
        return next((c for c in self.charts if c.name == name), None)


def _covered(chart: Chart, given: Sequence[str] | None) -> Chart:
    """The chart before a guess; of what it shows only the link's own values are told."""
    return replace(chart.covered(given), shows={name: value for name, value in chart.shows.items() if name in PARAMS})


def to_json(spec: Mapping[str, Any]) -> bytes:
    """Compact JSON without NaN: what is not finite becomes null, half of a surrogate pair a question mark."""
    try:
        return json.dumps(spec, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain).encode()
    except ValueError:
        text = json.dumps(_finite(spec), ensure_ascii=False, separators=(",", ":"), default=_plain)
        return text.encode(errors="replace")


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays, tuples and mappings as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return _finite(value.tolist())
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value

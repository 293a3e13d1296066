"""The lessons: a question, a guess, a link that opens where it starts and one that shows why (data/lessons.toml).

Every number in an answer or a reason is computed by the package (answers.py), so no lesson goes stale.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from stdial.lazily import lazily
from stdial.web import link
from stdial.web.answers import CALLS, compute
from stdial.web.params import PARAMS
from stdial.web.places import PLACES, existing
from stdial.web.stage import Run, em, num
from stdial.web.words import count, decimal, percent

__all__ = ["Guess", "Lesson", "Option", "address", "find", "known", "lessons", "panel", "parse", "reason", "said"]

_FILE = Path(__file__).parents[1] / "data" / "lessons.toml"
_METHOD = re.compile(r"(Dr\. GRPO|GRPO|DAPO)")
_COLORS = {"Dr. GRPO": "dr-grpo", "GRPO": "grpo", "DAPO": "dapo"}
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Quantity:
    """A number that the package computes, and how it is written."""

    call: str
    args: Mapping[str, Any]
    digits: int = 3
    form: Literal["decimal", "percent", "count"] = "decimal"

    @lazily
    def value(self) -> float:
        """The number."""
        return compute(self.call, self.args)

    @property
    def text(self) -> str:
        """The number as it is shown."""
        if self.form == "percent":
            return percent(self.value, self.digits)
        return count(self.value) if self.form == "count" else decimal(self.value, self.digits)


@dataclass(frozen=True)
class Option:
    """One answer to choose; it is right where the computed number lies from `low` to `high`."""

    says: str
    low: float
    high: float


@dataclass(frozen=True)
class Guess:
    """How the reader answers: a number, a choice, or a tap on a chart (a number there too, for the keyboard).

    `near` is how far off counts as right, `percent` that it is typed in percent.
    """

    kind: Literal["number", "choice", "tap"]
    low: float = 0
    high: float = 1
    step: float = 0.01
    near: float = 0.05
    percent: bool = False
    chart: str = ""
    label: str = "Your guess"
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """One question; `start` and `reveal` are values of its page.

    Until the guess, of the charts only what `keep` names is drawn ("chart", "chart/" for its axes, "chart/trace" or
    "chart#label"). `sketch` says what to draw into the axes on paper.
    """

    id: str
    page: str
    name: str
    question: str
    why: str
    guess: Guess
    answer: Quantity
    start: Mapping[str, Any]
    reveal: Mapping[str, Any]
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    sketch: str = ""

    @property
    def kept(self) -> tuple[str, ...]:
        """What stays of the charts until the guess: the chart to tap has its axes at least."""
        axes = f"{self.guess.chart}/"
        return (*self.keep, axes) if self.guess.chart and self.guess.chart not in self.keep else self.keep

    def right(self) -> list[int]:
        """The positions of the right options of a choice."""
        value = self.answer.value
        return [i for i, option in enumerate(self.guess.options) if option.low <= value <= option.high]


@functools.cache
def lessons() -> tuple[Lesson, ...]:
    """The lessons whose page is there, in the order in which they build on each other."""
    return tuple(lesson for lesson in parse(_FILE.read_text("utf-8")) if lesson.page in existing())


def find(name: str) -> Lesson | None:
    """The lesson of that id."""
    return next((lesson for lesson in lessons() if lesson.id == name), None) if name else None


def known(name: str) -> bool:
    """Whether there is a lesson of that id."""
    return find(name) is not None


def address(lesson: Lesson, *, revealed: bool = False, slides: bool = False) -> str:
    """Path and query of the lesson's link: where it starts, or, revealed, what it comes to with the reason."""
    values = _values(lesson, lesson.start)
    if revealed:
        values |= {**lesson.reveal}
        link.settle(values, given=lesson.reveal)
    values |= {"lesson": lesson.id, "guess": not revealed, "slides": slides}
    return f"{lesson.page or '.'}?{link.address(values, PLACES[lesson.page].params)}"


def panel(lesson: Lesson, *, slides: bool = False) -> dict[str, Any]:
    """What the browser asks and says on the lesson's page."""
    every, guess = lessons(), lesson.guess
    at = every.index(lesson)
    after = every[at + 1] if at + 1 < len(every) else None
    form: dict[str, Any] = {
        "kind": guess.kind, "label": guess.label, "low": guess.low, "high": guess.high, "step": guess.step,
        "percent": guess.percent, "chart": guess.chart, "options": [option.says for option in guess.options],
    }  # fmt: skip
    if guess.kind == "choice":
        form["right"] = lesson.right()
    else:
        form |= {"answer": lesson.answer.value, "near": guess.near}
    values = _values(lesson, lesson.start) | dict(lesson.reveal)
    link.settle(values, given=lesson.reveal)
    return {
        "id": lesson.id, "place": f"Question {at + 1} of {len(every)}", "name": lesson.name,
        "question": said(lesson.question, lesson), "form": form, "said": _answer_text(lesson), "why": reason(lesson),
        "sets": {name: values[name] for name in PLACES[lesson.page].params if name in lesson.reveal or name == "marks"},
        "next": [after.name, address(after, slides=slides)] if after else None,
        "all": "for_a_class?v=1",
    }  # fmt: skip


def _values(lesson: Lesson, given: Mapping[str, Any]) -> dict[str, Any]:
    values = {**link.defaults(), **given}
    link.settle(values, given=given)
    return values


def _answer_text(lesson: Lesson) -> str:
    if lesson.guess.kind == "choice":
        return " or ".join(lesson.guess.options[i].says for i in lesson.right())
    return lesson.answer.text


def reason(lesson: Lesson) -> list[Run]:
    """Why, with the package's numbers in it."""
    return said(lesson.why, lesson)


def said(text: str, lesson: Lesson) -> list[Run]:
    """A lesson's text as runs: numbers computed, methods in their colours.

    >>> lesson = lessons()[0]
    >>> said("GRPO moves.", lesson)
    [{'t': 'GRPO', 'c': 'grpo', 'i': ''}, ' moves.']
    """
    quantities = {"answer": lesson.answer, **lesson.numbers}
    runs: list[Run] = []
    for i, piece in enumerate(_PLACE.split(text)):
        if i % 2:
            runs.append(num(quantities[piece].text))
            continue
        parts = _METHOD.split(piece)
        runs += [em(part, _COLORS[part]) if j % 2 else part for j, part in enumerate(parts) if part]
    return runs


def parse(text: str) -> tuple[Lesson, ...]:
    """The lessons of a TOML text, checked: every mistake is named with its lesson.

    Raises
    ------
    ValueError
        With one line for each mistake.
    """
    try:
        entries = tomllib.loads(text).get("lesson")
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the lessons are no TOML: {error}") from None
    if not isinstance(entries, list):
        raise ValueError("the lessons must be a list of tables [[lesson]]")
    wrong: list[str] = []
    made = []
    for i, entry in enumerate(entries):
        place = f"lesson {entry.get('id') or i + 1}"
        try:
            made.append(_lesson(entry))
        except (KeyError, TypeError, ValueError) as error:
            wrong.append(f"{place}: {error}")
    ids = [lesson.id for lesson in made]
    wrong += [f"lesson {name}: id stands twice" for name in set(ids) if ids.count(name) > 1]
    wrong += [f"lesson {lesson.id}: {mistake}" for lesson in made for mistake in _mistakes(lesson)]
    if wrong:
        raise ValueError("\n".join(sorted(wrong)))
    return tuple(made)


def _lesson(entry: Mapping[str, Any]) -> Lesson:
    guess = dict(entry["guess"])
    guess["options"] = tuple(
        Option(o["says"], o.get("low", -math.inf), o.get("high", math.inf)) for o in guess.get("options", ())
    )
    for name in ("low", "high", "step", "near"):
        if not isinstance(guess.get(name, 0), int | float):
            raise ValueError(f"guess.{name} must be a number, not {guess[name]!r}")
    numbers = {name: Quantity(**quantity) for name, quantity in entry.get("numbers", {}).items()}
    start, reveal = (_checked(entry[key]) for key in ("start", "reveal"))
    rest = {key: value for key, value in entry.items() if key not in ("guess", "answer", "numbers", "start", "reveal")}
    return Lesson(
        **(rest | {"keep": tuple(rest.get("keep", ()))}),
        guess=Guess(**guess),
        answer=Quantity(**entry["answer"]),
        numbers=numbers,
        start=start,
        reveal=reveal,
    )


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    missing = [name for name in values if name not in PARAMS]
    if missing:
        raise ValueError(f"{missing[0]} is no parameter")
    return {name: PARAMS[name].check(value) for name, value in values.items()}


def _mistakes(lesson: Lesson) -> Sequence[str]:
    """What is wrong with a lesson, in words."""
    places = PLACES[lesson.page].params if lesson.page in PLACES else ()
    strange = sorted({*lesson.start, *lesson.reveal} - set(places))
    quantities = (lesson.answer, *lesson.numbers.values())
    named = {"answer", *lesson.numbers}
    guess = lesson.guess
    return [
        *_unless(re.fullmatch("[a-z0-9-]{1,40}", lesson.id), "id must be 1 to 40 small letters, digits and hyphens"),
        *_unless(places, f"page must be one of {', '.join(PLACES)}, not {lesson.page!r}"),
        *_unless(not places or not strange, f"{', '.join(strange)} is no parameter of its page"),
        *(f"call must be one of {', '.join(CALLS)}, not {q.call!r}" for q in quantities if q.call not in CALLS),
        *(
            f"{{{name}}} in its text has no number"
            for name in _PLACE.findall(lesson.question + lesson.why)
            if name not in named
        ),
        *_unless(
            guess.kind in ("number", "choice", "tap"), f"guess.kind must be number, choice or tap, not {guess.kind!r}"
        ),
        *_unless(guess.low < guess.high, "guess.low must be below guess.high"),
        *_unless(guess.kind != "choice" or len(guess.options) > 1, "a choice needs two options or more"),
        *_unless(guess.kind != "tap" or guess.chart, "a tap needs guess.chart, the name of a chart"),
    ]


def _unless(good: object, mistake: str) -> list[str]:
    return [] if good else [mistake]

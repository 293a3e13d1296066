"""No lesson goes stale: every answer is what the package says today, and every link opens what it should."""

import json
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from stdial.web import lessons, link
from stdial.web.answers import CALLS, compute
from stdial.web.places import PLACES, existing
from stdial.web.stage import to_json
from tests.conftest import REFERENCE

EVERY = lessons.lessons()
FILE = Path(lessons.__file__).parents[1] / "data" / "lessons.toml"
PAPER = json.loads((REFERENCE / "paper.json").read_text())


def test_there_are_eight_to_ten_and_all_are_shown() -> None:
    assert 8 <= len(lessons.parse(FILE.read_text())) <= 10
    assert [lesson.id for lesson in EVERY] == [x.id for x in lessons.parse(FILE.read_text()) if x.page in existing()]


# What each answer is, from the paper, from other arithmetic, or worked by hand.
KNOWN = {
    "one-right": math.sqrt(7) / 8,
    "add-five": 0.0,
    "all-right": 0.0,
    "without-dividing": 7 / 64,
    "first-bias": 4.0,
    "half-silent": 0.0829959573,
    "same-mean": 0.98**8 + 0.02**8,
    "real-problems": PAPER["silent_bigmath"]["unbiased_exact"][1],
    "how-many": PAPER["group_size_table"]["rows"]["0.1"]["exact"][0],
}
MEASURED = {"the-price": (3.3, 3.7)}  # a simulation: the paper's 3.5 within what seeds do


@pytest.mark.parametrize("lesson", [x for x in EVERY if x.id in KNOWN], ids=lambda lesson: lesson.id)
def test_answer(lesson: lessons.Lesson) -> None:
    assert lesson.answer.value == pytest.approx(KNOWN[lesson.id], rel=1e-8, abs=1e-12)


def test_every_answer_is_checked() -> None:
    assert {lesson.id for lesson in EVERY} <= KNOWN.keys() | MEASURED.keys()
    for name, (low, high) in MEASURED.items():
        lesson = lessons.find(name)
        assert lesson is None or low < lesson.answer.value < high


def test_what_the_last_question_says_is_so() -> None:
    lesson = lessons.find("the-price")
    if lesson is not None:
        dapo, grpo, same = (lesson.numbers[name].value for name in ("dapo", "grpo", "same"))
        assert same < grpo < dapo


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.id)
def test_panel(lesson: lessons.Lesson) -> None:
    panel = lessons.panel(lesson)
    json.loads(to_json(panel))
    form = panel["form"]
    if lesson.guess.kind == "choice":
        assert len(form["right"]) == 1
        assert panel["said"] == form["options"][form["right"][0]]
    else:
        assert form["low"] <= form["answer"] * (100 if form["percent"] else 1) <= form["high"]
        assert 0 < form["near"]
    text = "".join(run if isinstance(run, str) else run["t"] for run in (*panel["question"], *panel["why"]))
    assert not set("{}") & set(text)
    assert panel["sets"].items() >= dict(lesson.reveal).items()


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.id)
@pytest.mark.parametrize("revealed", [False, True])
def test_links_open_their_state(lesson: lessons.Lesson, revealed: bool) -> None:
    parts = urlsplit(lessons.address(lesson, revealed=revealed))
    assert parts.path == (lesson.page or ".")
    values, notes = link.read(parse_qs(parts.query), link.defaults(), PLACES[lesson.page].params)
    assert notes == []
    wanted: dict[str, Any] = {**lesson.start, **(lesson.reveal if revealed else {})}
    assert {name: values[name] for name in wanted} == wanted
    assert (values["lesson"], values["guess"]) == (lesson.id, not revealed)


def test_every_start_has_all_that_the_lesson_needs() -> None:
    for lesson in EVERY:
        assert set(lesson.reveal) <= set(lesson.start) | set(PLACES[lesson.page].params)
        assert lesson.id.isascii()


GOOD = """
[[lesson]]
id = "x"
page = ""
name = "X"
question = "How much?"
why = "{answer}"
start = { G = 8 }
reveal = { k = 1 }
guess = { kind = "number" }
answer = { call = "update", args = { right = 1, size = 8, method = "grpo" } }
"""


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('id = "x"', 'id = "X y"', "id must be"),
        ('page = ""', 'page = "nowhere"', "page must be one of"),
        ("{ G = 8 }", "{ G = 1 }", "lesson x: G must be a whole number from 2 to 1024"),
        ("{ G = 8 }", "{ Q = 1 }", "Q is no parameter"),
        ("{ k = 1 }", '{ view = "weight" }', "view is no parameter of its page"),
        ('"update"', '"__import__"', "call must be one of"),
        ("{answer}", "{other}", "{other} in its text has no number"),
        ('"number"', '"essay"', "guess.kind must be"),
        ('"number"', '"choice"', "two options"),
        ('"number"', '"tap"', "guess.chart"),
        ('kind = "number"', 'kind = "number", low = "a"', "guess.low must be a number"),
        ('kind = "number"', 'kind = "number", low = 2', "guess.low must be below"),
        ('name = "X"', "", "name"),
        ("[[lesson]]", "[lesson]", "lesson"),
        ("[[lesson]]", "[[", "TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(old: str, new: str, named: str) -> None:
    lessons.parse(GOOD)
    with pytest.raises(ValueError, match=re.escape(named)):
        lessons.parse(GOOD.replace(old, new))


def test_two_mistakes_are_both_named() -> None:
    with pytest.raises(ValueError, match=r"call must be(.|\n)*id stands twice"):
        lessons.parse(GOOD + GOOD.replace('"update"', '"no"'))


def test_calls() -> None:
    with pytest.raises(ValueError, match="call must be one of"):
        compute("os.system", {})
    assert compute("p of silence", {"share": 0.5, "size": 8}) == pytest.approx(0.083, abs=5e-4)
    assert compute("boost", {"p": 0.05, "size": 3, "method": "grpo"}) == pytest.approx(1, abs=1e-12)
    assert compute("extreme mass", {"size": 8, "method": "grpo"}) == pytest.approx(0.167, abs=5e-4)
    assert set(CALLS) >= {lesson.answer.call for lesson in EVERY}

"""The class page: its parts, its numbers, and what a link may do to it."""

import re

import pytest

from stdial import GRPO, group
from stdial.charts.chart import Chart, unpacked
from stdial.web import lessons
from stdial.web.params import PARAMS
from stdial.web.places import existing
from stdial.web.views import class_proof
from stdial.web.views import for_a_class as view
from tests.app.reading_stages import run, said, stages


def test_opens_with_the_first_question_and_its_picture() -> None:
    first, every, teacher = stages(run("for_a_class"))
    assert first["charts"][0]["name"] == "group"
    assert first["charts"][0]["shows"] == {"G": 8, "k": 4, "alpha": 1.0}
    assert [card["key"] for card in every["cards"]] == [lesson.id for lesson in lessons.lessons()]
    assert teacher["heading"] == "For the teacher"


@pytest.mark.parametrize("lesson", lessons.lessons(), ids=lambda lesson: lesson.id)
def test_every_question_has_a_picture_that_keeps_its_answer(lesson: lessons.Lesson) -> None:
    app = run("for_a_class", lesson=lesson.id, slides="1")
    (only,) = stages(app)
    assert only["charts"]
    assert only["header"]["slides"] == 1
    text = "".join(x if isinstance(x, str) else x["t"] for x in only["answer"])
    assert lesson.guess.kind == "choice" or lesson.answer.text not in text


def test_the_sheet_has_every_picture_and_then_the_answers() -> None:
    head, *questions, answers = stages(run("for_a_class", part="sheet"))
    assert [len(stage["charts"]) for stage in questions] == [1] * len(lessons.lessons())
    assert head["title"]
    assert answers["layout"] == "answers"
    assert [row[2] for row in answers["tables"][0]["rows"]] == [lessons.panel(x)["said"] for x in lessons.lessons()]


@pytest.mark.parametrize(("k", "G"), [(1, 8), (0, 8), (8, 8), (1, 2), (511, 1024), (1024, 1024)])
def test_the_proof_has_the_numbers_in_every_line(k: int, G: int) -> None:
    app = run("for_a_class", part="proof", k=str(k), G=str(G))
    text = said(app)
    assert f"{float(group.update(k, G, GRPO)):.4f}" in text
    assert len(app.latex) == class_proof.LINES
    for _, words, latex in class_proof.lines(k, G):
        assert str(G) in words + latex or str(k) in words + latex
        assert "nan" not in words + latex
        assert "inf" not in words + latex


def test_one_is_one_reward_and_not_rewards() -> None:
    assert "1 reward is 1 and 7 are 0." in class_proof.lines(1, 8)[0][1]
    assert "7 rewards are 1 and 1 is 0." in class_proof.lines(7, 8)[0][1]
    assert "the 1 right answer, another for the 7 wrong ones." in class_proof.lines(1, 8)[1][1]


def test_the_proof_goes_line_by_line() -> None:
    app = run("for_a_class", part="proof", line="3")
    assert len(app.latex) == 3
    assert stages(app)[0]["controls"][4]["sets"] == {"line": 4}


@pytest.mark.parametrize("query", [{"lesson": "no-such"}, {"lesson": "<b>"}, {"part": "x"}, {"line": "99"}])
def test_a_bad_link_says_so(query: dict[str, str]) -> None:
    first = stages(run("for_a_class", **query))[0]
    assert any(next(iter(query)) in note for note in first["header"]["notes"])


@pytest.mark.parametrize(
    "query",
    [
        {"lesson": "first-bias", "guess": "1"},  # of another page
        {"lesson": "one-right", "guess": "1", "G": "2", "k": "2"},
        {"lesson": "one-right", "guess": "7"},
        {"lesson": "one-right", "mode": "rewards", "rewards": "1,1", "guess": "1"},
        {"lesson": "all-right", "lock": "k,G,marks", "hide": "alpha,mode", "guess": "1", "ask": "$x$ <b>[a](b)"},
        {"guess": "1", "title": "t" * 80, "ask": "a" * 280},
        {"lock": "nothing"},
    ],
)
def test_a_lesson_link_edited_by_hand_opens_something(query: dict[str, str]) -> None:
    first = stages(run("", **query))[0]
    assert first["title"] == "What does this group teach?"
    asked = first["header"]["asked"]
    assert asked is None or asked["ask"] == query.get("ask", "")


def test_nothing_under_the_stage_while_a_guess_is_awaited() -> None:
    assert not any("## Why" in one.value for one in run("", guess="1", k="3").markdown)
    assert any("## Why" in one.value for one in run("", k="3").markdown)


@pytest.mark.parametrize("path", existing())
def test_no_chart_gives_the_answer_away_before_a_guess(path: str) -> None:
    for stage in stages(run(path, guess="1")):
        assert len(stage["charts"]) <= 1
        for chart in stage["charts"]:
            assert chart["data"] == []
            assert not re.search(r"\d", chart["alt"] + chart["caption"]), chart["alt"]
            assert set(chart["shows"]) <= set(PARAMS)
            assert chart["bare"]
            texts = [label["text"] for label in chart["layout"]["annotations"]]
            assert texts in ([], ["Shown after your guess"])


def test_the_question_stays_in_the_address_after_the_guess() -> None:
    app = run("", guess="1", k="3")
    assert "guess=1" in stages(app)[0]["header"]["address"]
    app.session_state["stdial"]["values"]["guess"] = False  # as a guess does
    app.session_state["stdial"]["acted"] = True
    app.run()
    header = stages(app)[0]["header"]
    assert "guess" not in header
    assert "guess=1" in header["address"]
    assert stages(app)[0]["charts"][0]["data"]


def numbers(chart: Chart) -> list[float]:
    """Every height that a chart draws."""
    found: list[float] = []
    for trace in chart.data:
        y = trace.get("y", [])
        found += unpacked(y).tolist() if isinstance(y, dict) else [v for v in y if isinstance(v, int | float)]
    return found


@pytest.mark.parametrize("lesson", lessons.lessons(), ids=lambda lesson: lesson.id)
def test_no_question_gives_another_ones_answer_away(lesson: lessons.Lesson) -> None:
    """The list and the sheet show all of them side by side."""
    mine = view.picture(lesson)
    text = "".join(x if isinstance(x, str) else x["t"] for x in lessons.said(lesson.question + lesson.sketch, lesson))
    for other in lessons.lessons():
        if other.guess.kind != "choice":
            assert other.answer.text not in text + mine.alt, other.id
            if other.page == lesson.page:
                assert not any(abs(y - other.answer.value) < 1e-4 for y in numbers(mine)), other.id
    assert not any(trace.get("name") == "silent" for trace in mine.data)  # all-right asks for it


def test_every_empty_picture_says_what_to_draw() -> None:
    _, *questions, _ = stages(run("for_a_class", part="sheet"))
    for lesson, stage in zip(lessons.lessons(), questions, strict=True):
        assert lesson.sketch
        assert lesson.sketch in "".join(x if isinstance(x, str) else x["t"] for x in stage["text"][-1])
        chart = stage["charts"][0]
        if not chart["data"]:
            assert chart["layout"]["xaxis"]["title"]["text"]
            assert chart["layout"]["yaxis"]["title"]["text"]

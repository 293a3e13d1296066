"""The class page: its parts, its numbers, and what a link may do to it."""

import pytest

from stdial import GRPO, group
from stdial.web import lessons
from stdial.web.views import class_proof
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
    assert not run("", guess="1", k="3").latex
    assert run("", k="3").latex

"""The sheet to print: each question with its picture and room for a guess, then all answers on a page of their own."""

from __future__ import annotations

from dataclasses import replace

from stdial.charts.chart import Chart
from stdial.web import lessons
from stdial.web.lessons import Lesson
from stdial.web.page import Values
from stdial.web.stage import Button, Run, Stage, Table, em, num
from stdial.web.views.for_a_class import part, picture

__all__ = ["answers", "head", "question"]

_HEIGHT = 230  # of a picture on paper: three questions a page


def head(v: Values) -> Stage:
    """What the sheet is, and the way back."""
    count = len(lessons.lessons())
    return Stage(
        title="What would you guess?",
        answer=[
            num(str(count)),
            " questions, each with a guess before the answer. The answers come after the last question.",
        ],
        controls=[part(v), Button("print", "Print this sheet")],
        layout="wide",
    )


def question(lesson: Lesson, _: Values) -> Stage:
    """One question, its picture, and a line for the guess."""
    at = lessons.lessons().index(lesson)
    text: list[list[Run]] = [lessons.said(lesson.question, lesson)]
    if lesson.guess.kind == "choice":
        text.append(
            ["   ".join(f"□ {option.says}".replace(" ", "\N{NO-BREAK SPACE}") for option in lesson.guess.options)]
        )
    else:
        text.append([f"{lesson.guess.label}: ", "_" * 18])
    if lesson.sketch:
        text.append([em("In the picture: "), *lessons.said(lesson.sketch, lesson)])
    return Stage(heading=f"{at + 1}. {lesson.name}", text=text, charts=[_small(picture(lesson))], layout="sheet")


def _small(chart: Chart) -> Chart:
    return replace(chart, layout={**chart.layout, "height": _HEIGHT}, narrow={**chart.narrow, "height": _HEIGHT})


def answers() -> Stage:
    """All answers with their reasons."""
    rows = [
        [str(i + 1), one.name, lessons.panel(one)["said"], lessons.reason(one)]
        for i, one in enumerate(lessons.lessons())
    ]
    return Stage(
        heading="Answers",
        text=[["Every number is computed by the package when this page is drawn."]],
        tables=[Table(["", "Question", "Answer", "Why"], rows, caption="The answers", cards=True)],
        layout="answers",
    )

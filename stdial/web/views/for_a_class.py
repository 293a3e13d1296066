"""For a class: questions to guess at, one on screen, all as a list, and notes for whoever teaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from stdial.charts.chart import Chart
from stdial.web import lessons, link, pools
from stdial.web.lessons import Lesson
from stdial.web.page import Page, Values
from stdial.web.stage import Button, Card, Choice, Control, Run, Stage, Toggle, num
from stdial.web.stage import link as run_link
from stdial.web.views import big_math, difficulty, one_group, silence, training_run, tries

__all__ = ["PARTS", "every", "now", "picture", "stage", "teacher"]

PARTS = {"lessons": "Questions", "sheet": "Sheet to print", "proof": "The proof, and words"}
_STAGES: Mapping[str, Callable[[Values], Stage]] = {
    "": one_group.stage,
    "difficulty": difficulty.stage,
    "silence": lambda v: silence.stage(v, pools.chosen(v)),
    "big_math": lambda v: big_math.stage(v, pools.chosen(v)),
    "tries": tries.stage,
    "training_run": lambda v: training_run.stage(v, pools.chosen(v)),
}


def now(v: Values) -> Lesson:
    """The lesson of the link, else the first."""
    return lessons.find(v.lesson) or lessons.lessons()[0]


def picture(lesson: Lesson, revealed: bool = False) -> Chart:
    """The lesson's chart as its link opens it: what the question gives; or, revealed, all of it."""
    values = {**link.defaults(), **lesson.start, **(lesson.reveal if revealed else {})}
    link.settle(values, given={**lesson.start, **(lesson.reveal if revealed else {})})
    stage = _STAGES[lesson.page](Values(values))
    if not revealed:
        stage = stage.covered(lesson.kept)
    chart = stage.chart(lesson.guess.chart) or stage.charts[0]
    return replace(chart, tap=None, caption="")


def part(v: Values) -> Control:
    """What the page shows: one choice for all of its parts."""
    return Choice("part", "What to show", v.part, options=list(PARTS.items()))


def stage(v: Values) -> Stage:
    """One question with its picture."""
    lesson, all_of_them = now(v), lessons.lessons()
    at = all_of_them.index(lesson)
    menu = [(one.id, f"{i + 1}. {one.name}") for i, one in enumerate(all_of_them)]
    controls: list[Control] = [Choice("lesson", "Question", lesson.id, options=menu, menu=True, primary=True)]
    if v.slides:
        if at:
            controls.append(Button("", "Previous question", sets={"lesson": all_of_them[at - 1].id}))
        if at + 1 < len(all_of_them):
            controls.append(Button("", "Next question", sets={"lesson": all_of_them[at + 1].id}))
    else:
        controls.append(part(v))
    controls.append(Toggle("slides", "Large type, for a projector", v.slides))
    return Stage(
        title="What would your class guess?",
        answer=[
            num(f"{at + 1} of {len(all_of_them)}"), ": ", *lessons.said(lesson.question, lesson),
        ],
        text=[_links(lesson, v.slides)],
        controls=controls,
        charts=[picture(lesson)],
    )  # fmt: skip


def _links(lesson: Lesson, slides: bool) -> list[Run]:
    return [
        run_link("Open the question", lessons.address(lesson, slides=slides)), ". It asks for a guess first. ",
        run_link("Open the answer", lessons.address(lesson, revealed=True, slides=slides)), ", with the reason.",
    ]  # fmt: skip


def every(v: Values) -> Stage:
    """All questions as a list of links; progress stays in the reader's browser."""
    cards = [
        Card(
            one.id, f"{i + 1}. {one.name}", lessons.said(one.question, one),
            [("Guess", lessons.address(one)), ("Answer", lessons.address(one, revealed=True))],
        )
        for i, one in enumerate(lessons.lessons())
    ]  # fmt: skip
    return Stage(
        heading="All questions, from one group to a training run",
        text=[
            [
                "Each builds on those before. What you guessed is kept in your browser and nowhere else: there are no accounts."
            ]
        ],
        cards=cards,
        layout="wide",
    )


def teacher(page: Page) -> Stage:
    """How to use it: a link, a lock, a sheet, an iframe."""
    sheet, proof = (page.href("for_a_class", part=name) for name in ("sheet", "proof"))
    slides = page.href("for_a_class", slides=True, part="lessons")
    return Stage(
        heading="For the teacher",
        text=[
            [
                "Every page has a Share button. There you choose which values the link carries, which controls are locked or left "
                "out, whether the answer waits for a guess, and a title and a question of your own; you get a link, a QR code and "
                "the code that puts the page into a course site."
            ],
            [
                "A lock and a hidden answer are courtesies: whoever edits the address gets past them. A question stays in the "
                "address after its guess, so a copied address asks again; who has guessed is not asked twice in the same tab. What "
                "you write stands in the link itself, so do not put a name into it."
            ],
            [
                run_link("The sheet to print", sheet, {"part": "sheet"}),
                " has the questions with their pictures, then the answers on a page of their own. ",
                run_link("The slides", slides, {"slides": True}),
                " show one question at a time in large type. ",
                run_link("The proof", proof, {"part": "proof"}),
                " has your k and G in every line, and a glossary.",
            ],
            [
                "Nobody signs in and nothing is stored on the server: a question, a state and a setting are all in its link."
            ],
        ],
        layout="wide",
    )  # fmt: skip

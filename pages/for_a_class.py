"""What would your class guess? Questions with a guess before the answer, a sheet to print, the proof, and how to share."""

from functools import partial

from stdial.web import lessons
from stdial.web.page import open_page
from stdial.web.views import class_proof, class_sheet
from stdial.web.views import for_a_class as view

page = open_page("for_a_class")


@page.body
def body() -> None:
    """One of three parts, as the link says."""
    if page.values.part == "sheet":
        with page.together():
            page.stage(class_sheet.head, key="sheet")
            for lesson in lessons.lessons():
                page.stage(partial(class_sheet.question, lesson), key=f"sheet-{lesson.id}", uses=())
            page.stage(lambda v: class_sheet.answers(), key="answers", uses=())
    elif page.values.part == "proof":
        page.stage(class_proof.stage, key="proof")
        class_proof.proof(page)
        page.stage(lambda v: class_proof.glossary(), key="glossary", uses=())
    else:
        with page.together():
            page.stage(view.stage, uses=("part", "lesson", "slides"))
            if not page.values.slides:
                page.stage(view.every, key="all", uses=())
                page.stage(lambda v: view.teacher(page), key="teacher", uses=page.place.params)

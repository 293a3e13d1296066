"""What a sender chose for the receiver: words, a guess before the answer, a QR code of the link. A courtesy, no secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stdial.web import lessons, link
from stdial.web.stage import Stage

__all__ = ["LONGEST", "asked", "at_question", "qr", "shaped"]

LONGEST = 1600  # characters of an address that a phone's camera still reads off a screen


def asked(values: Mapping[str, Any], path: str, guessed: bool = False) -> dict[str, Any] | None:
    """What the page asks its reader before or after the answer, for the browser; None where nothing.

    Parameters
    ----------
    values : one for each parameter of the table.
    path : of the page.
    guessed : whether a guess was asked for and given.

    Returns
    -------
    dict or None with "title" and "ask" (the sender's own plain texts), "guess" (whether the answer waits for one), and
    "lesson" (question, form, answer and reason of a lesson of this page) where the link belongs to one.

    Examples
    --------
    >>> from stdial.web.link import defaults
    >>> asked(defaults(), "")
    >>> asked({**defaults(), "ask": "Why?"}, "")
    {'title': '', 'ask': 'Why?', 'guess': False, 'lesson': None}
    """
    lesson = _lesson(values, path)
    if not (values["title"] or values["ask"] or values["guess"] or lesson or guessed):
        return None
    return {
        "title": values["title"],
        "ask": values["ask"],
        "guess": bool(values["guess"]),
        "lesson": lessons.panel(lesson, slides=values["slides"]) if lesson else None,
    }


def shaped(stage: Stage, values: Mapping[str, Any], path: str) -> Stage:
    """The stage as the sender wanted it: controls locked or left out; while a guess is awaited, charts without the answer.

    The words are withheld in the browser, so that they are there at once after the guess. A lesson's controls wait too.
    """
    stage = stage.with_courtesies(values["lock"], values["hide"])
    if not values["guess"]:
        return stage
    lesson = _lesson(values, path)
    return stage.waiting().covered(lesson.kept) if lesson else stage.covered()


def at_question(values: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    """The values at which a lesson asks, whatever else its link says; None where no lesson waits for a guess.

    So the address of an answer, copied, asks the same question and does not open at what is asked for.
    """
    lesson = _lesson(values, path)
    if not lesson or not values["guess"]:
        return None
    start = {**values, **lesson.start}
    link.settle(start, given=lesson.start)
    return start


def _lesson(values: Mapping[str, Any], path: str) -> lessons.Lesson | None:
    """The lesson of the link, where this is its page."""
    lesson = lessons.find(values["lesson"])
    return lesson if lesson and lesson.page == path else None


def qr(text: str) -> dict[str, Any]:
    """A QR code as one SVG path of unit squares, drawn here; no other host is asked.

    Returns
    -------
    dict with "path" and "size", the squares a side with its quiet zone; both empty where the text is too long.

    Examples
    --------
    >>> qr("http://localhost:8501/?G=8&v=1")["size"]
    37
    >>> qr("x" * 2000)
    {'path': '', 'size': 0}
    """
    if not text or len(text) > LONGEST:
        return {"path": "", "size": 0}
    import segno

    try:
        code = segno.make(text, error="m", micro=False, boost_error=False)
    except ValueError:  # letters of several bytes are too many, or halves of a letter no text
        return {"path": "", "size": 0}
    quiet = 4
    rows = [bytes(row) for row in code.matrix]
    parts = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            run = 1
            while x + run < len(row) and row[x + run] == row[x]:
                run += 1
            if row[x]:
                parts.append(f"M{x + quiet} {y + quiet}h{run}v1h-{run}z")
            x += run
    return {"path": "".join(parts), "size": len(rows) + 2 * quiet}

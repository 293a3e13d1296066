"""Your data from top to bottom: the file of the session or the sample, and the regions that apply to it.

A moved control, and a dropped file too, runs the body alone. The downloads and links under it are drawn once for whatever may
be looked at: the body says by a style sheet which of them apply.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from stdial.comparison import Comparison
from stdial.comparison import compare as joined
from stdial.reading import Reading, Unclear
from stdial.reading.guarded import Stopped
from stdial.sample import STEPS, sample
from stdial.web import pools, slots
from stdial.web.page import Page
from stdial.web.stage import Stage
from stdial.web.uploads import Desk, File, Job, Known, desk_of
from stdial.web.views import your_data as view
from stdial.web.views import your_data_parts as parts
from stdial.web.views import your_data_problems as problems
from stdial.web.views import your_data_reading as reading_view
from stdial.web.views.your_data import Looked
from stdial.web.views.your_data_roles import change, undo

__all__ = ["Held", "draw", "foot", "opened", "shown"]

_PATIENCE = 4.0  # seconds for which a reading is awaited before its progress is shown


@dataclass
class Held:
    """What is looked at, for what stands outside the body; None where nothing is."""

    looked: Looked | None = None


def opened(page: Page) -> Looked | None:
    """The question, the uploader, and what came of the file; None while there is nothing to look at."""
    desk = desk_of(st.session_state)
    page.stage(lambda v: view.title(), key="title", uses=(), leads=False)
    reading_view.files(page, desk)
    file = desk.main
    if file is None:
        pools.drop_upload(st.session_state)
        return _sample()
    with st.spinner("Reading"):
        outcome = desk.outcome(file, file.options, _PATIENCE)
    needs = _token(file, file.options)
    if isinstance(outcome, Job):
        reading_view.progress(page, file, desk)
        return None
    if isinstance(outcome, Unclear):
        asked = outcome
        page.stage(lambda v: reading_view.question(asked), key="question", needs=needs, private=True, uses=())
        reading_view.answer_buttons(page, desk, file, asked)
        page.stage(lambda v: reading_view.beginning(file, asked), key="beginning", needs=needs, private=True, uses=())
        return None
    if not isinstance(outcome, Reading):
        refused = outcome
        page.stage(
            lambda v: reading_view.refusal(file, refused, v.G), key="refusal", needs=needs, private=True, uses=("G",)
        )
        _after_refusal(page, desk, file, outcome)
        return None
    pools.put_upload(st.session_state, outcome, file.name)
    compared, earlier, trouble, token = _earlier(page, desk, outcome)
    looked = Looked(outcome, _short(file.name), (needs, token), True, compared, earlier)
    if trouble:
        page.stage(
            lambda v: _not_compared(trouble), key="trouble", needs=(looked.token, trouble), private=True, uses=()
        )
    return looked


def _sample() -> Looked:
    before, after = (sample(step) for step in STEPS)
    assert before.pool is not None
    assert after.pool is not None
    compared = _sample_compared()
    return Looked(after, f"step {STEPS[1]} of the invented sample", "sample", False, compared, f"step {STEPS[0]}")


def _sample_compared() -> Comparison:
    """The sample's two steps; the same object each time, as its readings are."""
    if not _kept:
        _kept.append(joined(sample(STEPS[0]).pool, sample(STEPS[1]).pool))
    return _kept[0]


_kept: list[Comparison] = []


def _token(file: File, options: Mapping[str, Any]) -> Hashable:
    return file.token, repr(sorted(options.items()))


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"


def _earlier(page: Page, desk: Desk, after: Reading) -> tuple[Comparison | None, str, str, Hashable]:
    """Before and after: the comparison, what the earlier side is called, what stood in the way, and a token."""
    pair = desk.earlier()
    if pair is None:
        return None, "", "", ""
    file, options = pair
    name = _short(file.name) if desk.before_step is None else f"step {options.get('at_step')}"
    token = _token(file, options)
    outcome = desk.outcome(file, options, _PATIENCE)
    if isinstance(outcome, Job):
        reading_view.progress(page, file, desk)
        return None, name, "", token
    if not isinstance(outcome, Reading):
        return None, name, f"{name} could not be read alike: {outcome}", token
    if after.pool is None or outcome.pool is None:
        return None, name, "rewards of more than two values are compared only with a threshold", token
    try:
        return joined(outcome.pool, after.pool), name, "", token
    except ValueError as error:
        return None, name, str(error), token


def _not_compared(trouble: str) -> Stage:
    return Stage(heading="Not compared", answer=["Reason: ", trouble[:600], "."], layout="wide")


def _after_refusal(page: Page, desk: Desk, file: File, outcome: Exception) -> None:
    """What can still be done: go back, read again, or say what the columns are."""
    with st.container(key="again", horizontal=True):
        if isinstance(outcome, Stopped):
            st.button("Read it again", on_click=reading_view.again, args=(page, desk, file))
        elif file.history and file.known is None:
            undo(page, file)
    if file.known is not None:
        with st.expander("Say what the columns are", expanded=bool(file.history)):
            change(page, desk, file, file.known)


def draw(page: Page, held: Held) -> None:
    """The page's body.

    What an upload makes go wrong is said on the page: an exception of its own would reach the server's log with its text.
    """
    held.looked = None
    try:
        looked = opened(page)
        if looked is not None:
            shown(page, looked)
        held.looked = looked
    except Exception as error:
        if not desk_of(st.session_state).files:
            raise
        trouble = f"a part of this page could not be made from the file ({type(error).__name__})"
        page.stage(lambda v: _failed(trouble), key="failed", needs=trouble, private=True, uses=())
    if hidden := _hidden(held.looked):
        st.html(f"<style>{hidden}</style>")


def _hidden(looked: Looked | None) -> str:
    """The rules that fit what stands below the body to what is looked at; none for the sample, for which the frame's do."""
    if looked is None:
        return ".st-key-foot { display: none; }"
    if not looked.private:
        return ""
    counted = looked.reading.pool is not None
    buttons = {"keep": counted, "drop": counted, "live": not counted, "before-after": looked.compared is not None}
    links = {_of_sample: not counted, _of_upload: counted}
    rules = {problems.place(name): "block" if there else "none" for name, there in buttons.items()}
    rules |= {f".st-key-{name}": "flex" if there else "none" for name, there in links.items()}
    return " ".join(f"{which} {{ display: {how}; }}" for which, how in rules.items())


_of_sample, _of_upload = "onward", "onward-upload"  # containers of links to other pages, which carry different pools


def foot(page: Page, held: Held) -> None:
    """What stands below the body: downloads, made of what is looked at when one is asked for, exercise, next."""
    page.foot(
        lambda: problems.downloads(page, lambda: held.looked),
        page.limits,
        lambda: view.exercise(page),
        lambda: _onward(page),
    )


def _onward(page: Page) -> None:
    st.markdown("## Next")
    for key, pool in ((_of_sample, page.values.pool), (_of_upload, "upload")):
        with st.container(key=key):
            page.page_link("silence", "What dropping the silent groups costs", pool=pool)
            page.page_link("tries", "How many tries for each problem", pool=pool)


def _failed(trouble: str) -> Stage:
    return Stage(heading="Something is wrong", answer=[trouble[:1].upper() + trouble[1:] + "."], layout="wide")


def shown(page: Page, looked: Looked) -> None:
    """Every region that applies."""
    reading, of = looked.reading, _of(looked)
    uses = view.ANY_REWARDS_USES if reading.pool is None else view.MAIN_USES
    page.stage(lambda v: view.stage(v, looked), key="main", uses=uses, turns=slots.brief, **of)
    _how_read(page, looked)
    with page.together():
        page.stage(
            lambda v: parts.what_to_change(v, looked), key="advice", uses=parts.ADVICE_USES, turns=slots.brief, **of
        )
        if looked.compared is not None:
            page.stage(lambda v: parts.compare(v, looked), key="compare", uses=parts.COMPARE_USES, **of)
        if reading.pool is not None:
            page.stage(lambda v: parts.share(v, looked), key="share", uses=parts.SHARE_USES, **of)
            page.stage(lambda v: parts.filtered(v, looked), key="band", uses=parts.BAND_USES, **of)
        page.stage(lambda v: parts.sigma(v, looked), key="sigma", uses=parts.SIGMA_USES, **of)
        if len(reading.rewards) > 1:
            page.stage(lambda v: parts.cross(v, looked), key="cross", uses=parts.CROSS_USES, **of)
        if reading.pool is not None:
            page.stage(lambda v: parts.cost(v, looked), key="batch", uses=parts.BATCH_USES, **of)
        page.stage(lambda v: problems.one_problem(v, looked), key="problem", uses=problems.PROBLEM_USES, **of)
    _find_one(page, looked)
    page.stage(problems.settings, key="settings", uses=problems.SETTINGS_USES)
    page.below(lambda: view.why(page, looked), lambda: problems.take_along(page, looked))


def _of(looked: Looked) -> dict[str, Any]:
    return {"needs": looked.token, "private": looked.private}


def _how_read(page: Page, looked: Looked) -> None:
    """The guess, its reasons, and the menus to change it."""
    desk = desk_of(st.session_state)
    file = desk.main if looked.private else None
    reading = looked.reading
    many = len(reading.warnings)
    note = f", {many} {'note' if many == 1 else 'notes'}" if many else ""
    with st.expander(f"How the file is read{note}", expanded=bool(many) and file is not None):
        page.stage(
            lambda v: reading_view.read_as(reading, file),
            key="read",
            needs=looked.token,
            private=looked.private,
            uses=(),
        )
        if file is not None:
            change(page, desk, file, file.known or Known(reading.columns))


def _find_one(page: Page, looked: Looked) -> None:
    """A box to find a problem by its id."""
    if looked.reading.ids is None:
        return

    def find() -> None:
        page.acted()
        values = st.session_state["stdial"]["values"]
        place = problems.place_of(looked, st.session_state["find"], values["order"], values["G"])
        st.session_state["stdial"]["notes"] = [] if place else ["No problem has that in its id."]
        values["problem"] = place or values["problem"]

    st.text_input("Find a problem by its id", key="find", on_change=find, max_chars=200)

"""How a file is read: dropping it, progress, the question or refusal, the guess with its reasons, and changing it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from stdial.charts import your_data as charts
from stdial.reading import Reading, Refused, Unclear
from stdial.reading.guarded import Stopped
from stdial.reading.steps import silent_share_columns, step_column
from stdial.web import words
from stdial.web.page import Page
from stdial.web.stage import Run, Stage, Table, code, em
from stdial.web.uploads import Desk, File, Outcome, first_lines

__all__ = ["answer_buttons", "change", "files", "progress", "question", "read_as", "refusal", "undo"]

_HELP = (
    "CSV or TSV in any dialect, JSON, JSON Lines, Parquet, Feather or Arrow, also compressed: one row a rollout with a reward, or "
    "one row a problem with a pass rate, or with right answers and tries."
)
_VALUES = {
    "reward": "one rollout a row: its reward or mark",
    "rate": "one problem a row: its pass rate",
    "right": "one problem a row: right answers",
    "rewards": "one problem a row: a list of rewards",
}
_NONE, _GUESS = "(none)", "(as guessed)"


def files(page: Page, desk: Desk) -> None:
    """The uploader, what is held, and the way back to the sample."""
    key = f"files {desk.epoch}"

    def dropped() -> None:
        page.acted()
        desk.take([(file.name, file.getvalue()) for file in st.session_state[key]])

    def back() -> None:
        page.acted()
        desk.clear()

    with st.container(key="upload"):
        st.file_uploader(
            "Drop a table of pass rates or rollouts here. Two files are compared.",
            help=_HELP,
            accept_multiple_files=True,
            key=key,
            on_change=dropped,
        )
        if not desk.files:
            st.caption(
                "Shown is an invented sample. Your own file stays in this session's memory: never on disk, and not in the link."
            )
            return
        held = ", ".join(words.markdown(file.name) for file in desk.files)
        st.caption(
            f"Held in this session's memory only, never on disk, and not in the link, which carries all else: {held}."
        )
        st.button("Forget the files and try the sample", on_click=back)


def progress(page: Page, file: File, desk: Desk) -> None:
    """How far a long reading is, looked at twice a second, with a way to stop it."""

    @st.fragment(run_every=0.5)
    def look() -> None:
        job = next((job for (token, _), job in desk.jobs.items() if token == file.token), None)
        if job is None or job.done.is_set():
            page.acted()
            st.rerun()
        st.progress(job.share, text=f"Reading: {words.markdown(job.stage)}")
        st.button("Stop reading", key="stop reading", on_click=job.stop.set)

    look()


def question(file: File, asked: Unclear) -> Stage:
    """What must be known before the file can be read."""
    return Stage(
        heading="One question about the file",
        answer=[asked.question[:1].upper() + asked.question[1:]],
        text=[["The choices: ", *_listed(asked.choices), "."]],
        tables=_beginning(file),
        layout="wide",
    )


def _listed(names: tuple[str, ...]) -> list[Run]:
    runs: list[Run] = []
    for i, name in enumerate(names[:40]):
        runs += [", " if i else "", code(name[:120])]
    return runs


def answer_buttons(page: Page, desk: Desk, file: File, asked: Unclear) -> None:
    """One button an answer; for steps, comparing the first with the last too."""

    def take(options: dict[str, Any], earlier: dict[str, Any] | None = None) -> None:
        page.acted()
        file.say(**options)
        desk.before_step = earlier
        desk.before = "" if earlier else desk.before

    steps = [said for _, said in asked.answers if "at_step" in said]
    with st.container(key="answers", horizontal=True):
        for i, (label, options) in enumerate(asked.answers[:40]):
            st.button(words.markdown(label[:80]), key=f"answer {i}", on_click=take, args=(options,))
        if len(steps) > 1:
            st.button("compare the first with the last", key="answer both", on_click=take, args=(steps[-1], steps[0]))
        if file.history:
            undo(page, file)


def refusal(file: File, outcome: Outcome, G: int) -> Stage:
    """Why a file was not read, with its beginning; a training log is plotted."""
    if isinstance(outcome, Stopped):
        return Stage(
            heading="Stopped", answer=["The reading was stopped. Nothing of the file is shown."], layout="wide"
        )
    table = outcome.table if isinstance(outcome, Refused) else None
    reason = str(outcome)
    stage = Stage(
        heading="This file was not read",
        answer=[reason[:1].upper() + reason[1:600] + "."],
        tables=_beginning(file),
        layout="wide",
    )
    if table is None:
        return stage
    names = [str(name) for name in table.column_names]
    silent = [name for name in silent_share_columns(names) if table.column(name).type == "double"][:4]
    if not silent or not table.num_rows:
        return stage
    step = step_column(names)
    x = np.arange(table.num_rows, dtype=float)
    if step is not None and table.column(step).type == "double":
        x = table.column(step).to_numpy()
    columns = {name: table.column(name).to_numpy() for name in silent}
    if not any(np.isfinite(values).any() for values in columns.values()):
        return stage
    chart = charts.step_log(x, columns, step or "row", G)
    return Stage(
        heading="This is a training log", answer=stage.answer, charts=[chart], tables=stage.tables, layout="wide",
        text=[["Its own share of silent groups is drawn. To see which problems they are, drop the rollouts themselves."]],
    )  # fmt: skip


def _beginning(file: File) -> list[Table]:
    lines = first_lines(file.data)
    if not lines:
        return []
    return [Table(["Line", "How the file begins"], [[str(i + 1), line] for i, line in enumerate(lines)])]


def read_as(reading: Reading, file: File | None) -> Stage:
    """The guess with its reasons, and everything that was inferred, dropped or converted."""
    rows: list[list[Any]] = [
        [role, [code(str(column)[:120])], reading.reasons.get(role, "") if file else "so named in the sample"]
        for role, column in reading.mapping.items()
    ]
    rows += [["cut by", [code(name[:120])], "few different values"] for name in reading.facets]
    said = [f"{text[:1].upper()}{text[1:]}." for text in (*reading.warnings, *reading.notes)]
    preview = [["" if cell is None else cell for cell in row] for row in reading.preview[:5]]
    tables = [Table(["What it is", "Column", "Why"], rows, cards=True)]
    if preview and len(reading.columns) <= 60:
        tables.append(Table([name[:120] for name in reading.columns], preview, caption="The first rows."))
    return Stage(
        text=[[em("Beware: ") if i < len(reading.warnings) else "", text] for i, text in enumerate(said)],
        tables=tables,
        layout="wide",
    )


def change(page: Page, desk: Desk, file: File, reading: Reading) -> None:
    """Menus to change any role; each change reads the file again."""
    token = file.token
    columns = list(reading.columns)

    def set_role(role: str, key: str) -> None:
        page.acted()
        chosen = st.session_state[key]
        value = None if chosen == _GUESS else ("" if chosen == _NONE else chosen)
        if role in _VALUES:
            file.hold(role, value)
        else:
            file.say(**{role: value})

    def set_shape(key: str) -> None:
        page.acted()
        role = st.session_state[key]
        offered = [*reading.alternatives.get(role, ()), *columns]
        file.hold(role, offered[0])

    def set_number(role: str, key: str) -> None:
        page.acted()
        file.say(**{role: st.session_state[key]})

    now = {**reading.mapping, **{k: x for k, x in file.options.items() if isinstance(x, str)}}
    role = next((name for name in _VALUES if name in file.options or name in reading.mapping), "reward")
    version = len(file.history)
    with st.container(key="roles", horizontal=True):
        key = f"shape {token} {version}"
        st.selectbox("The rows hold", list(_VALUES), list(_VALUES).index(role), _VALUES.__getitem__, key=key,
                     on_change=set_shape, args=(key,))  # fmt: skip
        for name, label, extra in (
            (role, "Column of it", []), ("tries", "Tries", [_GUESS]), ("id", "Problem", [_GUESS, _NONE]),
            ("group", "Group of rollouts", [_GUESS]), ("step", "Step", [_GUESS]),
        ):  # fmt: skip
            if name == "tries" and role not in ("rate", "right"):
                continue
            first = [column for column in reading.alternatives.get(name, ()) if column in columns]
            options = [*extra, *first, *(column for column in columns if column not in first)]
            current = now.get(name, _GUESS)
            current = _NONE if current == "" else current
            options = options if current in options else [current, *options]
            key = f"{name} {token} {version}"
            st.selectbox(label, options, options.index(current), key=key, on_change=set_role, args=(name, key))
    with st.container(key="figures", horizontal=True):
        if role == "rate":
            key = f"n {token} {version}"
            st.number_input("Tries behind each rate", 1, 10**6, _whole(file.options.get("tries")), key=key, placeholder="not known",
                            on_change=set_number, args=("tries", key))  # fmt: skip
            key = f"high {token} {version}"
            high = file.options.get("high_is")
            st.selectbox("A high value is", [_GUESS, "easy", "hard"], ["", "easy", "hard"].index(high or ""), key=key,
                         on_change=set_role, args=("high_is", key))  # fmt: skip
        if role in ("reward", "rewards"):
            key = f"threshold {token} {version}"
            st.number_input("Right from a reward of", value=file.options.get("threshold"), key=key, placeholder="not said",
                            on_change=set_number, args=("threshold", key), format="%g")  # fmt: skip
        _steps(page, desk, file, version)
        _facets(page, file, reading, version)
    _others(page, desk, file)
    if file.history:
        undo(page, file)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _steps(page: Page, desk: Desk, file: File, version: int) -> None:
    """The step to read, and the one to compare it with, where a question offered several."""
    if not file.steps:
        return
    labels = [label for label, _ in file.steps]
    said = dict(file.steps)

    def pick(key: str, before: bool) -> None:
        page.acted()
        options = said.get(st.session_state[key])
        if before:
            desk.before_step = None if options is None else {"each_step": None, **options}
            desk.before = ""
        elif options is not None:
            file.say(**{"each_step": None, **options})
        else:
            file.say(at_step=None, each_step=True)

    at = [label for label, options in file.steps if options["at_step"] == file.options.get("at_step")]
    key = f"at {file.token} {version}"
    every = "each step its own problems"
    shown = at[0] if at else every
    st.selectbox(
        "Step to read", [*labels, every], [*labels, every].index(shown), key=key, on_change=pick, args=(key, False)
    )
    earlier = desk.before_step or {}
    was = [label for label, options in file.steps if options["at_step"] == earlier.get("at_step")]
    key = f"before {file.token} {version}"
    offered = [_NONE, *labels]
    st.selectbox(
        "Compare with", offered, offered.index(was[0]) if was else 0, key=key, on_change=pick, args=(key, True)
    )


def _facets(page: Page, file: File, reading: Reading, version: int) -> None:
    key = f"facets {file.token} {version}"

    def pick() -> None:
        page.acted()
        file.say(facets=tuple(st.session_state[key]))

    few = [name for name in reading.alternatives.get("facets", ()) if name not in reading.facets]
    offered = [*reading.facets, *few]
    if offered:
        st.multiselect("Cut by", offered, list(reading.facets), key=key, on_change=pick, max_selections=9)


def _others(page: Page, desk: Desk, file: File) -> None:
    """Which of several files is looked at, and which it is compared with."""
    if len(desk.files) < 2:
        return
    names = {held.token: held.name for held in desk.files}
    tokens = list(names)

    def pick(which: str, key: str) -> None:
        page.acted()
        chosen = st.session_state[key]
        if which == "after":
            desk.after = chosen
            desk.before = "" if desk.before == chosen else desk.before
        else:
            desk.before, desk.before_step = chosen, None

    with st.container(key="which", horizontal=True):
        key = f"after {' '.join(tokens)} {desk.after}"
        st.selectbox(
            "File to look at",
            tokens,
            tokens.index(file.token),
            names.__getitem__,
            key=key,
            on_change=pick,
            args=("after", key),
        )
        others = ["", *(token for token in tokens if token != file.token)]
        key = f"earlier {' '.join(tokens)} {desk.after} {desk.before}"
        at = others.index(desk.before) if desk.before in others else 0
        st.selectbox(
            "Compare with the file",
            others,
            at,
            lambda t: names.get(t, _NONE),
            key=key,
            on_change=pick,
            args=("before", key),
        )


def undo(page: Page, file: File) -> None:
    """A button that takes the last change back."""

    def back() -> None:
        page.acted()
        file.undo()

    st.button("Undo the last change", key=f"undo {file.token}", on_click=back)

"""How a file is read: dropping it, progress, the question or refusal, the guess with its reasons, and changing it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from stdial.charts import your_data as charts
from stdial.reading import Reading, ReadingError, Refused, Unclear
from stdial.reading.guarded import Stopped
from stdial.reading.steps import silent_share_columns, step_column
from stdial.web import words
from stdial.web.page import Page
from stdial.web.stage import Stage, Table, code, em
from stdial.web.uploads import Desk, File, Outcome, first_lines
from stdial.web.views.your_data_roles import undo

__all__ = [
    "again",
    "answer_buttons",
    "beginning",
    "files",
    "progress",
    "question",
    "read_as",
    "refusal",
    "undo",
]

_HELP = (
    "CSV or TSV in any dialect, JSON, JSON Lines, Parquet, Feather or Arrow, also compressed: one row a rollout with a reward, or "
    "one row a problem with a pass rate, or with right answers and tries."
)
_MOST_COLUMNS = 60


def files(page: Page, desk: Desk) -> None:
    """The uploader, what is held, and the way back to the sample."""
    key = f"files {desk.epoch}"

    def dropped() -> None:
        page.acted()
        found = [file for file in st.session_state[key] if not isinstance(file, DeletedFile)]
        desk.take([(file.name, file.getvalue()) for file in found])

    def back() -> None:
        page.acted()
        desk.clear()

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


def question(asked: Unclear) -> Stage:
    """What must be known before the file can be read."""
    return Stage(heading="One question about the file", answer=[asked.question], layout="wide")


def beginning(file: File, asked: Unclear) -> Stage:
    """How the file begins, to answer from."""
    return Stage(tables=_beginning(file, asked), layout="wide")


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
        answer=["Reason: ", reason[:600], "."],
        tables=_beginning(file, outcome if isinstance(outcome, Exception) else None),
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


def _beginning(file: File, error: Exception | None = None) -> list[Table]:
    """The first rows of the table, or the first lines of the file where there is none."""
    if isinstance(error, ReadingError) and error.preview and len(error.columns) <= _MOST_COLUMNS:
        rows = [["" if cell is None else cell for cell in row] for row in error.preview[:6]]
        return [Table([name[:120] for name in error.columns], rows, caption="The first rows.")]
    lines = [[str(i + 1), line] for i, line in enumerate(first_lines(file.data))]
    return [Table(["Line", "How the file begins"], lines)] if lines else []


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
    if preview and len(reading.columns) <= _MOST_COLUMNS:
        tables.append(Table([name[:120] for name in reading.columns], preview, caption="The first rows."))
    return Stage(
        text=[[em("Beware: ") if i < len(reading.warnings) else "", text] for i, text in enumerate(said)],
        tables=tables,
        layout="wide",
    )


def again(page: Page, desk: Desk, file: File) -> None:
    """Read a file anew, for `on_click`."""
    page.acted()
    desk.again(file)

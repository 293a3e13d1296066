"""One problem of a file with its rollouts, and what can be downloaded: table, lists, report, settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from stdial import frameworks, per_problem
from stdial.band import inside
from stdial.charts import problems as charts
from stdial.per_problem import as_csv, problem_list, problem_table
from stdial.reading import Reading
from stdial.report import report
from stdial.web.page import Page, Values
from stdial.web.stage import Choice, Number, Run, Stage, Table, code, em, num
from stdial.web.views.your_data import Looked
from stdial.web.words import count, decimal, percent

__all__ = [
    "PROBLEM_USES",
    "SETTINGS_USES",
    "downloads",
    "one_problem",
    "place_of",
    "settings",
    "take_along",
    "what_they_hold",
]

PROBLEM_USES = ("G", "order", "problem")
SETTINGS_USES = ("framework", "want")
_MOST_ROLLOUTS = 64
_MOST_COLUMNS = 14
_CELL = 240
_WANTS = {"dynamic-sampling": "Dropping silent groups", "dr-grpo": "Dr. GRPO", "grpo": "GRPO"}


def one_problem(v: Values, looked: Looked) -> Stage:
    """A problem picked from all, and its rows in the file."""
    reading = looked.reading
    many = len(reading.stats.mean)
    place = min(v.problem, many)
    order = v.order if v.order in charts.orders(reading) else "silent"
    i = int(charts.order_of(reading, order, v.G)[place - 1])
    return Stage(
        heading="One problem",
        answer=_about(looked, i, v.G),
        controls=[
            Choice("order", "Order of the problems", order, options=list(charts.orders(reading).items()), menu=True),
            Number(
                "problem",
                "Problem",
                place,
                low=1,
                high=many,
                step=1,
                hint=f"Its place in this order, 1 to {count(many)}.",
            ),
        ],
        charts=[charts.in_order(reading, order, place, v.G)],
        tables=_rollouts(looked, i),
    )


def place_of(looked: Looked, text: str, order: str, G: int) -> int | None:
    """The place of the first problem whose id is `text`, or else holds it; None where there is none."""
    ids = looked.reading.ids
    wanted = text.strip().lower()
    if ids is None or not wanted:
        return None
    labels = [str(label).lower() for label in ids.tolist()]
    found = next((i for i, label in enumerate(labels) if label == wanted), None)
    if found is None:
        found = next((i for i, label in enumerate(labels) if wanted in label), None)
    if found is None:
        return None
    return int(np.flatnonzero(charts.order_of(looked.reading, order, G) == found)[0]) + 1


def _name(looked: Looked, i: int) -> str:
    ids = looked.reading.ids
    return f"row {i + 1}" if ids is None or ids[i] is None else str(ids[i])[:120]


def _about(looked: Looked, i: int, G: int) -> list[Run]:
    stats, pool = looked.reading.stats, looked.reading.pool
    name: list[Run] = [em(_name(looked, i)), ": "]
    if pool is None:
        same = "all equal" if stats.silent[i] else f"{stats.low[i]:g} to {stats.high[i]:g}"
        return [*name, f"{count(stats.n[i])} rewards, {same}; sigma ", num(decimal(stats.sigma[i], 3)), "."]
    cell = pool.cells.index[i]
    chance = float(per_problem.silent_cells(pool, G)[cell])
    update = float(per_problem.update_cells(pool, G)[cell])
    seen = (
        f"rate {decimal(pool.rate[i], 3)}"
        if pool.right is None or pool.tries is None
        else f"{pool.right[i]} of {pool.tries[i]} right"
    )
    return [
        *name, f"{seen}, sigma {decimal(stats.sigma[i], 3)}. Its next group of {G} is silent with a chance of ",
        num(percent(chance)), "; its expected update is ", num(decimal(update, 3), "grpo"), " (GRPO).",
    ]  # fmt: skip


def _rollouts(looked: Looked, i: int) -> list[Table]:
    rows = looked.reading.rollouts_of(i, _MOST_ROLLOUTS)
    if rows is None:
        return [Table(["Rows"], [["The file is too large for its rows to be kept."]])]
    names = rows.column_names[:_MOST_COLUMNS]
    cells = [[_text(row[name]) for name in names] for row in rows.select(names).to_pylist()]
    left_out = f"; {len(rows.column_names) - len(names)} more columns" if len(rows.column_names) > len(names) else ""
    caption = f"Its rows in the file, at most {_MOST_ROLLOUTS}{left_out}."
    return [Table(list(names), cells, caption=caption, cards=True)]


def _text(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def settings(v: Values) -> Stage:
    """The settings of a framework."""
    names, name = list(frameworks.FRAMEWORKS), _framework(v)
    lines = frameworks.settings(name, v.want).splitlines()
    return Stage(
        heading="Settings for your framework",
        text=[[code(line)] for line in lines],
        controls=[
            Choice("framework", "Framework", name, options=[(n, n) for n in names], menu=True),
            Choice("want", "Settings for", v.want, options=list(_WANTS.items())),
        ],
        layout="wide",
    )


def _framework(v: Values) -> str:
    """The link's framework; one that is not known is the first."""
    return v.framework if v.framework in frameworks.FRAMEWORKS else next(iter(frameworks.FRAMEWORKS))


def take_along(page: Page, looked: Looked) -> None:
    """What the downloads hold."""
    st.markdown(f"## Take it along\n\n{what_they_hold(page.values, looked)}")


def downloads(page: Page, looked: Callable[[], Looked | None]) -> None:
    """What can be taken along; made when it is asked for, of the values and the file of then, every cell safe in a spreadsheet.

    All of them are drawn: which apply to what is looked at, a style sheet says (`place`).

    Parameters
    ----------
    page : its values are those of now whenever a download is made.
    looked : what is looked at when a download is made.
    """

    def of(make: Callable[[Values, Looked], str]) -> Callable[[], str]:
        def made() -> str:
            now = looked()
            return "" if now is None else make(page.values, now)

        return made

    def some(which: Callable[[Values, Reading], Any]) -> Callable[[], str]:
        return of(lambda v, now: as_csv(problem_list(now.reading, v.G, which(v, now.reading))))

    made = [
        ("Full table (CSV)", of(lambda v, now: as_csv(problem_table(now.reading, v.G))), "problems.csv", "text/csv"),
        ("Silent problems (CSV)", some(lambda v, reading: reading.stats.silent), "silent.csv", "text/csv"),
        ("Live problems (CSV)", some(lambda v, reading: ~reading.stats.silent), "live.csv", "text/csv"),
        ("Kept by the filter (CSV)", some(_kept), "keep.csv", "text/csv"),
        ("Dropped by the filter (CSV)", some(lambda v, reading: ~_kept(v, reading)), "drop.csv", "text/csv"),
        ("Report (Markdown)", of(_report), "report.md", "text/markdown"),
        ("Settings (text)", of(_settings_text), "settings.txt", "text/plain"),
        ("Before and after (CSV)", of(_before_after), "before-after.csv", "text/csv"),
    ]
    with st.container(horizontal=True, key="downloads"):
        for label, make, file, kind in made:
            st.download_button(
                label, make, f"stdial-{file}", kind, on_click="ignore", key=f"take {file.partition('.')[0]}"
            )


def place(name: str) -> str:
    """The selector of a download's button: "keep", "drop", "live" or "before-after".

    >>> place("keep")
    '.st-key-take-keep'
    """
    return f".st-key-take-{name}"


def _kept(v: Values, reading: Reading) -> NDArray[np.bool_]:
    if reading.pool is None:
        return np.zeros(reading.problems, dtype=bool)
    return inside(reading.pool, *_band(v))


def _report(v: Values, looked: Looked) -> str:
    between = None if looked.reading.pool is None else _band(v)
    return report(looked.reading, v.G, looked.label, between, looked.compared, (_framework(v), v.want))


def _settings_text(v: Values, looked: Looked) -> str:
    return frameworks.settings(_framework(v), v.want) + "\n"


def _before_after(v: Values, looked: Looked) -> str:
    return "" if looked.compared is None else as_csv(looked.compared.table())


def _band(v: Values) -> tuple[float, float]:
    return min(v.keep_from, v.keep_to), max(v.keep_from, v.keep_to)


def what_they_hold(v: Values, looked: Looked) -> str:
    """Each download in a sentence, with how many problems it lists; Markdown of our own."""
    reading = looked.reading
    silent, total = reading.silent_groups, reading.problems
    lines = []
    if reading.pool is None:
        lines += [
            f"- **Full table**: each of the {count(total)} problems with n, mean, sigma, the least and the largest reward, and "
            "whether it is silent.",
            f"- **Silent problems**: the {count(silent)} whose logged rewards are all equal. **Live problems**: the other "
            f"{count(total - silent)}.",
        ]
    else:
        low, high = _band(v)
        kept = float(np.asarray(reading.pool.problems)[inside(reading.pool, low, high)].sum())
        lines += [
            f"- **Full table**: each of the {count(total)} problems with what was read, sigma, *silent_chance* (the chance that "
            f"its next group of {v.G} is silent), update and weight under GRPO, and *size*, its rollouts in the plan with most "
            f"mixed groups at {v.G} a problem.",
            f"- **Silent problems**: the {count(silent)} whose logged answers were all right or all wrong. Their next group need "
            "not be: *silent_chance* says how likely it is.",
            f"- **Kept by the filter** and **Dropped by the filter**: the {count(kept)} with rates from {low:g} to {high:g}, the "
            f"band set above, and the other {count(total - kept)}, silent or not.",
        ]
    lines.append(
        "- **Report**: what this page says, in words, with the plan and the settings. **Settings**: those shown above."
    )
    return "\n".join(lines)

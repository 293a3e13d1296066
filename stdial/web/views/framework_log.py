"""Paste your log: which convention made these advantages? What is pasted stays in this session's memory."""

from __future__ import annotations

import hashlib
import math

import streamlit as st

from stdial import frameworks
from stdial.frameworks import Match, Tie, pasted
from stdial.web.page import Page, Values
from stdial.web.stage import Run, Stage, Table, code, em, num
from stdial.web.views.framework_words import name_and_version
from stdial.web.views.frameworks import chosen

__all__ = ["box", "intro", "result"]

_KEY = "pasted"
_EXAMPLE = ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
_MOST_MATCHES, _MOST_OTHERS = 60, 8


def intro(v: Values) -> Stage:
    """What may be pasted, and where it stays."""
    return Stage(
        heading="Paste your log",
        answer=["Rewards and advantages of a group or two say which convention made them."],
        text=[
            ["Labelled lists (", code("rewards: 1 0 0 0"), ", ", code("advantages: 1.5 -0.5 -0.5 -0.5"), "), a CSV table, JSON, or "
             "JSON lines as TRL and verl log them, with ", code("reward"), " or ", code("score"), ", ", code("advantage"),
             ", and ", code("prompt"), " or ", code("uid"), " to tell groups apart."],
            ["What you paste stays in the memory of this session. It is not in the link, not stored, and shown to nobody else."],
        ],
        layout="wide",
    )  # fmt: skip


def box(page: Page) -> None:
    """The box to paste into, and under it what was found."""
    v = page.values
    with st.container(horizontal=True):
        st.button(f"Fill in what {v.framework} would log", on_click=_fill, args=(v.framework, v.setting, v.number))
        st.button("Clear", on_click=_clear)
    st.text_area(
        "Rewards and advantages", key=_KEY, height=170, max_chars=pasted.LONGEST,
        placeholder="rewards: 1 0 0 0\nadvantages: 1.5 -0.5 -0.5 -0.5",
        help="Read when you leave the box, or with Ctrl and Enter.",
    )  # fmt: skip
    text = st.session_state.get(_KEY, "")
    if text.strip():
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        page.stage(lambda v: result(text), key="log", needs=digest, private=True, uses=())


def _fill(framework: str, setting: str, number: str) -> None:
    """The example: two groups of eight, as the framework of the link returns them."""
    mine = chosen(framework, setting, number)
    made = frameworks.advantages(mine.framework.name, mine.options, _EXAMPLE)
    st.session_state[_KEY] = pasted.written(_EXAMPLE, [a.tolist() for a in made])


def _clear() -> None:
    st.session_state[_KEY] = ""


def result(text: str) -> Stage:
    """What a pasted text says."""
    try:
        log = pasted.read(text)
    except pasted.PasteError as error:
        return Stage(answer=["It cannot be read: ", em(str(error)), "."], layout="wide")
    ties = frameworks.identify(log.groups, log.advantages)
    fit = ties[0] if ties and ties[0].fits else None
    others = ties[1 if fit else 0 :][:_MOST_OTHERS]
    text_runs: list[list[Run]] = [["Read as ", em(log.how), "."]]
    tables = []
    if fit:
        text_runs.append(_apart(fit))
        tables.append(_matches(fit))
    tables.append(_others(others, bool(fit)))
    return Stage(answer=_answer(fit, others), text=text_runs, tables=tables, layout="wide")


def _answer(fit: Tie | None, others: list[Tie]) -> list[Run]:
    if fit is None:
        near = others[0] if others else None
        if near is None:
            return ["No framework of the table accepts groups like these."]
        return [
            "No setting of the table gives these advantages to their digits. Nearest: ", em(near.matches[0].convention),
            ", off by up to ", num(_residual(near.residual)), ".",
        ]  # fmt: skip
    names = list(dict.fromkeys(match.framework for match in fit.matches))
    conventions = list(dict.fromkeys(match.convention for match in fit.matches))
    if len(conventions) == 1:
        return [
            "These advantages are ",
            em(conventions[0]),
            ", as ",
            num(_several(len(names), "source")),
            " of the table compute it.",
        ]
    return [
        num(str(len(conventions))), " conventions, in ", num(_several(len(names), "source")), ", give these advantages to their "
        "digits. The closest: ", em(conventions[0]), ".",
    ]  # fmt: skip


def _several(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _apart(fit: Tie) -> list[Run]:
    if not fit.apart:
        return ["They agree on every batch that was tried, but for precision: the same update."]
    listed = "; ".join(fit.apart)
    return ["What would tell them apart: ", em(listed), "."]


def _matches(fit: Tie) -> Table:
    """Every framework and setting that fits, the closest first."""
    rows = []
    for match in fit.matches[:_MOST_MATCHES]:
        rows.append(
            [
                _name(match),
                [code(_spelled(match))],
                match.convention,
                _residual(match.residual),
                _how(match),
                _claim(match),
            ]
        )
    left = len(fit.matches) - len(rows)
    caption = "What fits, the closest first." + (f" {left} more fit." if left else "")
    columns = ("Framework", "Setting", "Convention", "Largest difference", "Fed as", "Run or read")
    return Table(columns, rows, caption=caption, numeric=(3,), cards=True, sortable=True, mark=0)


def _others(others: list[Tie], after: bool) -> Table:
    rows = []
    for tie in others:
        names = ", ".join(dict.fromkeys(match.framework for match in tie.matches))
        rows.append([tie.matches[0].convention, names, _residual(tie.residual)])
    caption = "Not these: the nearest that do not fit." if after else "The nearest, by the largest difference."
    return Table(("Convention", "Frameworks", "Largest difference"), rows, caption=caption, numeric=(2,), cards=True)


def _name(match: Match) -> str:
    found = frameworks.FRAMEWORKS.get(match.framework)
    return name_and_version(found) if found else match.framework


def _spelled(match: Match) -> str:
    if match.framework not in frameworks.FRAMEWORKS:
        return match.setting
    return ", ".join(frameworks.spelled(match.framework, match.options)) or "no options"


def _claim(match: Match) -> str:
    found = frameworks.FRAMEWORKS.get(match.framework)
    return found.setting(match.options).checked if found else "the formula"


def _how(match: Match) -> str:
    if math.isnan(match.factor):
        return match.dtype
    return f"{match.dtype}, with a factor {match.factor:.4g} from the rest of the batch"


def _residual(x: float) -> str:
    if not math.isfinite(x):
        return "NaN elsewhere"
    return f"{x:.1e}".replace("-", "\u2212") if 0 < x < 1e-3 else f"{x:.4f}"

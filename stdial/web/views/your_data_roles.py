"""Menus that change how a file is read: what the rows hold, which column is what, which step and file to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from stdial.web.page import Page
from stdial.web.uploads import Desk, File, Known

__all__ = ["change", "undo"]

_VALUES = {
    "reward": "one rollout a row: its reward or mark",
    "rate": "one problem a row: its pass rate",
    "right": "one problem a row: right answers",
    "rewards": "one problem a row: a list of rewards",
}
_NONE, _GUESS = "(none)", "(as guessed)"
_EVERY = "each step its own problems"
_SAME = object()


def change(page: Page, desk: Desk, file: File, known: Known) -> None:
    """All menus; each change reads the file again. Options and labels are plain text, so names of columns show as they are."""
    menus = _Menus(page, desk, file, known)
    menus.columns()
    menus.figures()
    menus.files()
    if file.history:
        undo(page, file)


def undo(page: Page, file: File) -> None:
    """A button that takes the last change back."""

    def back(at: int) -> None:
        page.acted()
        file.undo(at)

    st.button("Undo the last change", key=f"undo {file.token}", on_click=back, args=(file.edits,))


class _Menus:
    """The menus of one file. Their keys change with every change, so that each shows what holds now."""

    def __init__(self, page: Page, desk: Desk, file: File, known: Known) -> None:
        self.page, self.desk, self.file, self.known = page, desk, file, known
        self.now = {**known.mapping, **{name: x for name, x in file.options.items() if isinstance(x, str)}}
        for name in _VALUES:  # what was said goes before what is known of an earlier reading
            if name in file.options:
                self.now = {key: x for key, x in self.now.items() if key not in _VALUES or key == name}
        self.role = next((name for name in _VALUES if name in self.now), "reward")

    def _key(self, name: str) -> str:
        return f"{name} {self.file.token} {self.file.edits}"

    def _chosen(self, key: str, shown: Any) -> Any:
        """What a menu was set to; `_SAME` where that is what it showed already, as a browser reports menus that are new."""
        self.page.acted()
        chosen = st.session_state[key]
        return _SAME if chosen == shown else chosen

    def columns(self) -> None:
        """What the rows hold, and the column of each role."""
        with st.container(key="roles", horizontal=True):
            key = self._key("shape")
            st.selectbox(
                "The rows hold", list(_VALUES), list(_VALUES).index(self.role), _VALUES.__getitem__, key=key,
                on_change=self._set_shape, args=(key, self.role),
            )  # fmt: skip
            self._column(self.role, "Column of it", [] if self.role in self.now else [_GUESS])
            if self.role in ("rate", "right"):
                self._column("tries", "Tries", [_GUESS])
            self._column("id", "Problem", [_GUESS, _NONE])
            self._column("group", "Group of rollouts", [_GUESS])
            self._column("step", "Step", [_GUESS, _NONE])

    def _column(self, role: str, label: str, extra: Sequence[str]) -> None:
        columns = self.known.columns
        first = [column for column in self.known.alternatives.get(role, ()) if column in columns]
        options = [*extra, *first, *(column for column in columns if column not in first)]
        current = self.now.get(role, _GUESS) or _NONE
        if current not in options:
            options = [current, *options]
        key = self._key(role)
        st.selectbox(
            label, options, options.index(current), key=key, on_change=self._set_role, args=(role, key, current)
        )

    def _set_shape(self, key: str, shown: str) -> None:
        role = self._chosen(key, shown)
        if role is _SAME:
            return
        offered = [*self.known.alternatives.get(role, ()), *self.known.columns]
        self.file.hold(role, offered[0])

    def _set_role(self, role: str, key: str, shown: str) -> None:
        chosen = self._chosen(key, shown)
        if chosen is _SAME:
            return
        value = None if chosen == _GUESS else "" if chosen == _NONE else chosen
        if role in _VALUES:
            self.file.hold(role, value)
        else:
            self.file.say(**{role: value})

    def _set(self, name: str, key: str, shown: Any) -> None:
        chosen = self._chosen(key, shown)
        if chosen is _SAME:
            return
        self.file.say(**{name: None if chosen == _GUESS else tuple(chosen) if isinstance(chosen, list) else chosen})

    def figures(self) -> None:
        """Numbers and directions, the step, and the columns to cut by."""
        with st.container(key="figures", horizontal=True):
            if self.role == "rate":
                key, tries = self._key("n"), self.file.options.get("tries")
                tries = tries if isinstance(tries, int) else None
                st.number_input(
                    "Tries behind each rate", 1, 10**6, tries, key=key, placeholder="not known", on_change=self._set,
                    args=("tries", key, tries),
                )  # fmt: skip
                key, high = self._key("high"), self.file.options.get("high_is", _GUESS)
                directions = [_GUESS, "easy", "hard"]
                st.selectbox(
                    "A high value is", directions, directions.index(high), key=key, on_change=self._set,
                    args=("high_is", key, high),
                )  # fmt: skip
            if self.role in ("reward", "rewards"):
                key, threshold = self._key("threshold"), self.file.options.get("threshold")
                st.number_input(
                    "Right from a reward of", value=threshold, key=key, placeholder="not said", on_change=self._set,
                    args=("threshold", key, threshold), format="%g",
                )  # fmt: skip
            self._steps()
            self._facets()

    def _facets(self) -> None:
        now = [name for name in self.file.options.get("facets", self.known.facets) if name in self.known.columns]
        few = [name for name in self.known.alternatives.get("facets", ()) if name not in now]
        if now or few:
            key = self._key("facets")
            st.multiselect(
                "Cut by", [*now, *few], now, key=key, on_change=self._set, args=("facets", key, now), max_selections=9
            )

    def _steps(self) -> None:
        """The step to read, and the one to compare it with, where a question offered several."""
        if not self.file.steps:
            return
        labels = [label for label, _ in self.file.steps]
        key, here = self._key("at"), self._label(self.file.options)
        st.selectbox(
            "Step to read", [*labels, _EVERY], [*labels, _EVERY].index(here or _EVERY), key=key, on_change=self._set_step,
            args=(key, here or _EVERY),
        )  # fmt: skip
        key, was = f"{self._key('before')} {self.desk.edits}", self._label(self.desk.before_step or {})
        offered = [_NONE, *labels]
        st.selectbox(
            "Compare with the step",
            offered,
            offered.index(was or _NONE),
            key=key,
            on_change=self._set_earlier_step,
            args=(key, was or _NONE),
        )

    def _label(self, options: dict[str, Any]) -> str | None:
        found = [label for label, said in self.file.steps if said["at_step"] == options.get("at_step")]
        return found[0] if found else None

    def _set_step(self, key: str, shown: str) -> None:
        chosen = self._chosen(key, shown)
        if chosen is _SAME:
            return
        options = dict(self.file.steps).get(chosen, {"at_step": None, "each_step": True})
        self.file.say(**{"each_step": None, **options})

    def _set_earlier_step(self, key: str, shown: str) -> None:
        chosen = self._chosen(key, shown)
        if chosen is not _SAME:
            self.desk.edits += 1
            self.desk.before_step, self.desk.before = dict(self.file.steps).get(chosen), ""

    def files(self) -> None:
        """Which of several files is looked at, and which it is compared with."""
        if len(self.desk.files) < 2:
            return
        names = {held.token: held.name for held in self.desk.files}
        with st.container(key="which", horizontal=True):
            key = f"after {self.desk.edits}"
            st.selectbox(
                "File to look at", list(names), list(names).index(self.file.token), names.__getitem__, key=key,
                on_change=self._set_after, args=(key, self.file.token),
            )  # fmt: skip
            others = ["", *(token for token in names if token != self.file.token)]
            key = f"earlier {self.desk.edits}"
            at = others.index(self.desk.before) if self.desk.before in others else 0
            st.selectbox(
                "Compare with the file", others, at, lambda token: names.get(token, _NONE), key=key,
                on_change=self._set_before, args=(key, others[at]),
            )  # fmt: skip

    def _set_after(self, key: str, shown: str) -> None:
        chosen = self._chosen(key, shown)
        if chosen is _SAME:
            return
        self.desk.edits += 1
        if self.desk.before == chosen:
            self.desk.before = self.desk.after
        self.desk.after, self.desk.before_step = chosen, None

    def _set_before(self, key: str, shown: str) -> None:
        chosen = self._chosen(key, shown)
        if chosen is not _SAME:
            self.desk.edits += 1
            self.desk.before, self.desk.before_step = chosen, None

"""The frame of every page: state from the address, navigation, stages, and what stands under them.

Native pages in a `pages/` folder: each calls `open_page` first. What Python sees in `st.query_params` stays what it was when
the page was opened, because the browser replaces the address without telling, and after a link to the same page it may
even be what an earlier address was; hence `seen`, and `acted`: a run that a control caused never reads the address.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from stdial.web import later, lessons, link, live, process, session, share, slots, words
from stdial.web.kept import everybody
from stdial.web.params import COURTESIES, PARAMS, SHARED
from stdial.web.places import PLACES, existing
from stdial.web.region import Built, asked_for, waiting
from stdial.web.stage import Stage
from stdial.web.stage import link as run_link
from stdial.web.values import Values

__all__ = ["Page", "Values", "open_page"]

# Streamlit's own frame, made quiet: no coloured bar, less air above, the page names in one row.
_CHROME = f"<style>{(Path(__file__).parent / 'browser' / 'frame.css').read_text()}</style>"

_MEANWHILE = Stage(text=[["This part is being computed."]], layout="wide")


def open_page(path: str) -> Page:
    """Each page's first line: the address's state, the frame and the navigation.

    Parameters
    ----------
    path : the page's path without the slash, "" for the first page.
    """
    process.settle()
    place = PLACES[path]
    st.set_page_config(page_title=f"{place.label} · stdial", layout="wide", initial_sidebar_state="collapsed")
    st.html(_CHROME)
    state = session.state()
    seen = (path, tuple((name, tuple(st.query_params.get_all(name))) for name in st.query_params))
    acted = state.pop("acted", False) and state["seen"] is not None and state["seen"][0] == path
    if seen != state["seen"] and not acted:  # opened by a person, a link or Back: the address rules
        if state["seen"] is not None and state["seen"][0] != path:
            state["values"] |= {name: PARAMS[name].default for name in COURTESIES if name != "slides"}
        state["values"], state["notes"] = link.read(dict(seen[1]), state["values"], place.params)
        state["seen"], state["asks"], state["linked"] = seen, state["values"]["guess"], state["values"]
        state["values"] = share.at_question(state["values"], path) or state["values"]
    state["run"] += 1
    page = Page(path, Values(state["values"]), state["notes"])
    if page.values.lesson and not lessons.known(page.values.lesson):
        page.correct("lesson in the link names no question that is here; it is ignored.", lesson="")
    if not st.context.is_embedded:
        page.navigation()
    return page


class Page:
    """One page of one session, from its opening on."""

    def __init__(self, path: str, values: Values, notes: list[str]) -> None:
        self.path = path
        self.place = PLACES[path]
        self.values = values
        self.notes = notes
        self._state = session.state()  # the same for as long as the session lives
        self._first = True
        self._whole = True  # until the body runs by itself
        self._until = 0.0  # when a move has waited long enough
        self._shown: set[str] = set()  # regions that have something on the screen
        self.pending = False  # whether a region is still on its way
        self._gathered: list[live.Region] | None = None

    def correct(self, note: str, **values: Any) -> None:
        """Put other values in place of what the page could not use, before anything is drawn; `note` says so, unless empty."""
        state = self._state
        self.values = self.values.but(**values)
        state["values"] = dict(self.values)
        self.notes = state["notes"] = [*self.notes, note] if note else self.notes

    def body(self, show: Callable[[], None]) -> None:
        """Decorates the function that draws the page, and calls it; a moved control calls only it again.

        As a fragment it costs a fraction of a whole run: no script, no navigation, no frame.
        """
        awaited = bool(self.values.guess)

        def fresh() -> None:
            state = self._state
            if bool(state["values"]["guess"]) != awaited:  # what stands outside the body comes or goes with it
                st.rerun()
            state.pop("acted", None)
            self._until = time.monotonic() + later.AT_A_MOVE
            self.values, self.notes, self._first, self.pending = Values(state["values"]), state["notes"], True, False
            with slots.answering:
                show()
            self._whole = False

        st.fragment(fresh)()

    def navigation(self) -> None:
        """One quiet row of page names. The session carries the state; the browser writes it into each link's address."""
        with st.container(key="nav", horizontal=True):
            for path in existing():
                self.page_link(path, PLACES[path].label)

    def page_link(self, path: str, label: str, **values: Any) -> None:
        """A link to another page with the state of now, some values set anew; `label` is plain text."""
        query = {name: PARAMS[name].write(value) for name, value in values.items()}
        with contextlib.suppress(StreamlitAPIException):  # a page file run by itself has no other pages
            st.page_link(PLACES[path].file, label=words.markdown(label), query_params=query or None)

    def href(self, path: str, **values: Any) -> str:
        """The address of a page with the state of now, some values set anew."""
        target, courtesies = self.values.but(**values), COURTESIES if path == self.path else ("slides",)
        return f"{path or '.'}?{link.address(target, PLACES[path].params, courtesies)}"

    def stage(
        self,
        build: Callable[[Values], Stage],
        *,
        key: str = "stage",
        needs: Hashable = (),
        private: bool = False,
        uses: Sequence[str] | None = None,
        leads: bool = True,
        turns: slots.Slots | None = None,
        meanwhile: Callable[[Values], Stage] | None = None,
    ) -> None:
        """Draw a region of the page.

        Parameters
        ----------
        build : a pure function of the values; it is called once for each distinct state, also for frames of a scrub.
        key : unique on the page; the first stage also carries notes and the address.
        needs : what else the region depends on (a pool's token, a file's digest).
        private : keep what is built in this session only; for everything that comes from an upload.
        uses : the parameters that the region depends on, where it is not all of the page's: others leave it as it is.
        leads : whether it may be the one that carries notes and the address; the first that may does.
        turns : for a region that takes long to build: whose turns it waits for, and says so where none comes. A move is answered
            before; the region follows.
        meanwhile : what to show until such a region is there for the first time.
        """
        state, values = self._state, self.values
        if not self._first and share.at_question(values, self.path):  # a lesson asks with the first region alone
            return
        names = (*self.place.params, *SHARED) if uses is None else tuple(uses)
        name = f"{self.path or 'one_group'}:{key}"
        kept = state["private"] if private else everybody
        built = Built(
            build, self.path, values, names, kept, (self.path, key, needs), not private,
            functools.partial(turns.turn, (state["in"], name)) if turns else contextlib.nullcontext,
        )  # fmt: skip
        want, asked = state["wants"].pop(name, ("", 0))
        body, scrub, sizes = self._made(name, built, want, turns)
        pending = body is None
        if body is None:
            self.pending = True
            body = b"" if name in self._shown else built.cover(meanwhile or (lambda v: _MEANWHILE))
        self._shown.add(name)
        header = self._header(name) | (self._top() if leads else {})
        extra = b""
        if pending:
            header["later"] = 1  # what else is asked of it is asked again
        if want and (want == "later" or not pending):
            header["served"] = asked  # else two equal answers in a row would look like one to the browser
        if scrub:
            more, extra = built.frames(scrub, sizes, want == "frames")
            header |= more
        if not pending:
            with contextlib.suppress(slots.Busy):
                extra = extra or asked_for(want, lambda: built.stage)
        region = live.Region(name, header, body, extra)
        if self._gathered is None:
            _mount([region])
        else:
            self._gathered.append(region)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Stages drawn in it, with nothing of Streamlit's own between them, reach the browser as one element.

        Each element of its own costs a move about half a millisecond.
        """
        self._gathered = []
        try:
            yield
            if self._gathered:
                _mount(self._gathered)
        finally:
            self._gathered = None

    def _made(
        self, name: str, built: Built, want: str, turns: slots.Slots | None
    ) -> tuple[bytes | None, str, list[float]]:
        """A region's bytes, None while they are on their way, with the slider that scrubs it and over what."""
        try:
            if turns is None or not process.serving() or built.ready():
                return built.body(), *built.scrub()
            body = later.at_hand(
                self._state["jobs"], name, built.key, built.whole, self._patience(want, turns), _still_wanted
            )
            return (body, *built.scrub()) if body is not None else (None, "", [])
        except slots.Busy as busy:
            self.pending = True
            return waiting(str(busy), (*built.names, "G")[0], self.values), "", []

    def _patience(self, want: str, turns: slots.Slots) -> float:
        """Seconds to wait for a region: a move waits once for all of its regions, and not for what takes long."""
        if self._whole:
            return later.AT_AN_OPENING
        if want == "later" or want.partition(":")[0] in ("csv", "qr"):
            return later.WHEN_ASKED
        return 0.0 if turns is slots.long else max(0.0, self._until - time.monotonic())

    def _header(self, name: str) -> dict[str, Any]:
        """What changes with every run."""
        state, values = self._state, self.values
        header: dict[str, Any] = {"ack": state["acks"].get(name, 0), "in": state["in"]}
        if "G" in self.place.params:
            header["G"] = values.G
        if values.guess:
            header["guess"] = 1
        return header

    def _top(self) -> dict[str, Any]:
        """What only the page's first region carries: notes, the address, what the sender asks."""
        if not self._first:
            return {}
        self._first, values = False, self.values
        asked = share.asked(values, self.path, guessed=self._state["asks"])
        top = {
            "notes": self.notes,
            "address": link.address(
                values.but(guess=self._state["asks"]), self.place.params
            ),  # the question stays in the link
            "slides": int(values.slides),
            "asked": asked,
            "held": int(_holds_upload()),
        }
        if self._whole:
            top["whole"] = 1
        if not self.path:  # the first visit's words, on the home page where nothing else is asked
            top["welcome"] = int(asked is None and not (values.lock or values.hide or values.slides))
        return top

    def below(self, *parts: Callable[[], None]) -> None:
        """What stands under the stages and changes with them: why. Left out where the page is embedded or a guess is awaited."""
        self._under("below", parts)

    def foot(self, *parts: Callable[[], None]) -> None:
        """What stands last and never changes: exercise, next. Outside the body, so that a move does not send it again."""
        self._under("foot", parts)

    def _under(self, key: str, parts: Sequence[Callable[[], None]]) -> None:
        if st.context.is_embedded or self.values.guess:
            return
        with st.container(key=key):
            for part in parts:
                part()

    def why(self, text: str, latex: str, python: str) -> None:
        """The reason: a sentence, the formula with its numbers, and the line of Python that computes it.

        One element, because each costs a move its share. `text` is Markdown of our own with numbers in it; nothing from a
        link or file belongs in it.
        """
        said = self._state["why"][self.path] = f"## Why\n\n{text}\n\n$$\n{latex}\n$$\n\n```python\n{python}\n```"
        st.markdown(said)

    def why_as_before(self) -> None:
        """The reason as it was said last, for as long as a region that it speaks of is on its way."""
        said = self._state["why"].get(self.path)
        if said:
            st.markdown(said)

    def limits(self) -> None:
        """What the identity does not say, for who asks."""
        with st.expander("What the identity does not say"):
            st.markdown(words.LIMITS)

    def acted(self) -> None:
        """For `on_change` and `on_click` of Streamlit's own widgets: the run they cause keeps the state of now."""
        self._state["acted"] = True

    def exercise(self, text: str, label: str, path: str | None = None, **values: Any) -> None:
        """A question, with the link that opens where it starts."""
        if path is None or path == self.path:
            start = run_link(label, self.href(self.path, **values), values)
            self.stage(
                lambda v: Stage(heading="Exercise", text=[[text], [start]], layout="wide"),
                key="exercise",
                needs=(text, repr(start)),
            )
        else:
            st.markdown(f"## Exercise\n\n{text}")
            self.page_link(path, label, **values)

    def onward(self, path: str, text: str, **values: Any) -> None:
        """What to look at next."""
        st.markdown("## Next")
        self.page_link(path, text, **values)


def _still_wanted() -> None:
    """Lets Streamlit end this run where the visitor has moved on: it looks whenever its session state is asked."""
    _ = "stdial" in st.session_state


def _holds_upload() -> bool:
    """Whether this session's memory holds a file of its visitor."""
    desk = st.session_state.get("stdial your data")
    return "stdial upload" in st.session_state or bool(getattr(desk, "files", ()))


def _mount(regions: list[live.Region]) -> None:
    key, names = regions[0].name, tuple(region.name for region in regions)
    live.mount(regions, functools.partial(session.moved, key, names), functools.partial(session.wanted, key, names))

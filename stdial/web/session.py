"""What a session holds between runs: the values of now, what was seen of the address, and what the browser reports.

What a browser sends is checked like a link: nothing but allowed values comes of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from stdial.web import link
from stdial.web.kept import Kept
from stdial.web.params import PARAMS
from stdial.web.share import LONGEST

__all__ = ["moved", "state", "wanted"]

_MOST_VALUES = 20  # of one report


def state() -> dict[str, Any]:
    """State of the session: values of the table, what was seen of the address, acknowledged moves."""
    if "stdial" not in st.session_state:
        st.session_state["stdial"] = {
            "values": link.defaults(), "seen": None, "notes": [], "acks": {}, "wants": {}, "asked": {}, "run": 0,
            "asks": False, "linked": {}, "jobs": {}, "why": {},
            "private": Kept(most=8 * 2**20), "in": secrets.token_hex(4),
        }  # fmt: skip
    held: dict[str, Any] = st.session_state["stdial"]
    return held


def _news(key: str, kind: str, names: Sequence[str], seen: Mapping[str, int]) -> list[tuple[int, str, dict[str, Any]]]:
    """What the browser says anew of an element's regions, oldest first: its number, the region, the message."""
    said = st.session_state[key].get(kind)
    if not isinstance(said, dict):
        return []
    found = [(_counter(said[name]), name, said[name]) for name in names if isinstance(said.get(name), dict)]
    return sorted((one for one in found if one[0] > seen.get(one[1], 0)), key=lambda one: one[0])


def moved(key: str, names: Sequence[str]) -> None:
    """Controls moved: their values rule. What the browser sends is checked like a link."""
    now = state()
    now["acted"] = True
    for n, name, move in _news(key, "move", names, now["acks"]):
        _take(now, move.get("values"))
        now["acks"][name] = n


def _take(now: dict[str, Any], values: Any) -> None:
    """The values that a browser reports, as far as they are allowed."""
    if not isinstance(values, dict):
        return
    if values.get("again"):  # the tab has its reader's guess already: what its address says is shown
        now["values"] = {**now["values"], **now["linked"]}
    given: dict[str, Any] = {}
    notes: list[str] = []
    for key, value in list(values.items())[:_MOST_VALUES]:
        if key not in PARAMS:
            continue
        try:
            given[key] = PARAMS[key].check(value)
        except (ValueError, TypeError):
            notes.append(f"{key} must be {PARAMS[key].allowed}; it stays as it was.")
    now["values"] |= given
    link.settle(now["values"], given=given)
    now["notes"] = notes  # those of the link have been read


def wanted(key: str, names: Sequence[str]) -> None:
    """The browser asks for frames, for a chart's data or for a QR code."""
    now = state()
    now["acted"] = True
    for n, name, want in _news(key, "want", names, now["asked"]):
        now["asked"][name] = n
        if isinstance(want.get("what"), str):
            now["wants"][name] = (want["what"][: LONGEST + 3], n)


def _counter(message: Mapping[str, Any]) -> int:
    """The number that the browser gave its message; 0 where it is none that a browser counts with."""
    n = message.get("n")
    return int(n) if isinstance(n, int | float) and abs(n) < 2**53 else 0

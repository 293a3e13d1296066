"""Which problems: the choice that several pages share, from the link's `pool` to a `stdial.Pool` with its origin.

Names in a link: "bigmath" (the shipped histogram), "level-1" to "level-5" (its published levels), "built", "source:NAME" and
"domain:NAME" (views in the user's own folder), "bell", "u", "hard", "ends", "one" (made up; "one" is all at the link's p), and
"upload" (what *Your data* holds in this session). Pools are kept for the process, so that their fits are made once; an upload
stays in its session.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from stdial import bigmath, bigmath_views, presets
from stdial.pool import Pool
from stdial.web import process
from stdial.web.page import Page
from stdial.web.params import PARAMS
from stdial.web.stage import Choice
from stdial.web.words import count

__all__ = ["Chosen", "Upload", "chosen", "control", "drop_upload", "get_upload", "of_page", "put_upload"]

DEFAULT = "bigmath"
_SLOT = "stdial upload"
_MOST_POOLS = 32
_MOST_VALUES = 80  # of one facet, in the menu; a link reaches the others too
_LEVELS = {5: "Level 5, the hardest", 4: "Level 4", 3: "Level 3", 2: "Level 2", 1: "Level 1, the easiest"}
_MADE_UP = {"bell": "bell", "u": "U", "hard": "hard-heavy", "ends": "two ends", "one": "all at one p"}
FACETS = ("source", "domain")
_Menu = tuple[bool, Hashable]


@dataclass(frozen=True)
class Chosen:
    """The problems that a page works on.

    Attributes
    ----------
    name : as in the link.
    pool : the problems.
    label : a few words for a sentence or a label; plain text, which may come from a file.
    origin : a sentence on where they come from.
    token : for a stage's `needs`; it changes whenever the pool or the menu of choices does.
    private : from an upload: whatever is built from it stays in its session.
    note : what of the link could not be used, "" where nothing.
    uploaded : whether this session holds an upload, which the menu then offers.
    """

    name: str
    pool: Pool
    label: str
    origin: str
    token: Hashable
    private: bool = False
    note: str = ""
    uploaded: bool = False


@dataclass(frozen=True)
class Upload:
    """What *Your data* has loaded in this session."""

    pool: Pool
    label: str
    token: str


def put_upload(session: MutableMapping[Any, Any], source: Any, label: str) -> Upload | None:
    """Offer an upload to the other pages of this session.

    Parameters
    ----------
    session : ``st.session_state``; the upload is kept nowhere else.
    source : a `Pool`, or a reading with one; a reading without (rewards of many values) withdraws what was offered.
    label : what to call it, such as the file's name; cut to 60 characters.

    Returns
    -------
    The upload, with a new token unless the same pool was there already; None for a reading without a pool.

    Examples
    --------
    >>> session = {}
    >>> put_upload(session, Pool([1, 2], 8), "mine.csv").label, chosen({"pool": "upload"}, session).pool.size
    ('mine.csv', 2)
    """
    pool = source if isinstance(source, Pool) else source.pool
    if pool is None:
        drop_upload(session)
        return None
    words = "".join(c for c in label if c.isprintable())[:60] or "your data"
    before = get_upload(session)
    if before is None or before.pool is not pool or before.label != words:
        session[_SLOT] = Upload(pool, words, secrets.token_hex(8))
    return get_upload(session)


def get_upload(session: Mapping[Any, Any]) -> Upload | None:
    """The upload that this session holds, if any."""
    held: Upload | None = session.get(_SLOT)
    return held


def drop_upload(session: MutableMapping[Any, Any]) -> None:
    """Forget this session's upload."""
    session.pop(_SLOT, None)


def of_page(page: Page) -> Chosen:
    """The problems that a page's link asks for; where it asks for what is not there, the default, with a note on the page."""
    found = chosen(page.values, st.session_state)
    if found.note:
        page.correct(found.note, pool=found.name)
    return found


def chosen(values: Mapping[str, Any], session: Mapping[Any, Any] | None = None) -> Chosen:
    """The problems that a link's values ask for, from anywhere: no page needed.

    Parameters
    ----------
    values : with "pool", and "p" where the pool is "one".
    session : where an upload would be, ``st.session_state``.

    Examples
    --------
    >>> chosen({"pool": "level-5"}).pool.size, chosen({"pool": "one", "p": 0.25}).pool.mean_rate
    (37496, 0.25)
    >>> chosen({"pool": "nonsense"}).note
    'pool in the link must be a name that this page offers; Big-Math is shown.'
    """
    name = values["pool"]
    menu = _menu_token(session)
    if name == "upload":
        held = get_upload(session or {})
        if held is not None:
            origin = "Your upload, held in this session only; the link does not carry it."
            return Chosen(
                name, held.pool, held.label, origin, ("upload", held.token, menu), private=True, uploaded=True
            )
        return _default(menu, "The link asks for an upload, and none is loaded in this session; Big-Math is shown.")
    found = _known(name, float(values.get("p", 0.5)))
    if found is not None:
        key, pool, label, origin = found
        return Chosen(name, pool, label, origin, (key, menu), uploaded=menu[0])
    if name.partition(":")[0] in (*FACETS, "built"):
        lacking = (
            "views of Big-Math that were not built here" if _views() is None else "a view of Big-Math that is not there"
        )
        return _default(menu, f"The link asks for {lacking}; Big-Math is shown.")
    return _default(menu, "pool in the link must be a name that this page offers; Big-Math is shown.")


def control(
    values: Mapping[str, Any],
    uploaded: bool = False,
    *,
    only: tuple[str, ...] = (),
    hint: str = "",
) -> Choice:
    """The menu "Which problems".

    Parameters
    ----------
    values : of the link; their "pool" is the marked choice, so hand over what `chosen` accepted.
    uploaded : whether there is an upload to offer, as `Chosen` says; only *that* there is one shows, not its name, so the menu
        may be kept for everybody under the token of `chosen`.
    only : kinds to offer: "bigmath", "level", "built", "source", "domain", "made up", "upload"; all of them if left out.
    hint : a short line under it.

    Examples
    --------
    >>> control({"pool": "bigmath"}, only=("bigmath", "made up")).options[:2]
    [('bigmath', 'Big-Math, 215,608 problems'), ('bell', 'Bell')]
    """
    offered = [option for option in _options(uploaded) if not only or option[0] in only]
    if values["pool"] not in [value for _, _, value, _ in offered] and _known(values["pool"], 0.5):
        offered.append(("", "Of the link", values["pool"], values["pool"].replace(":", ": ", 1)))
    heads = [head for _, head, _, _ in offered]
    options = [(value, words) for _, _, value, words in offered]
    return Choice("pool", PARAMS["pool"].label, values["pool"], hint=hint, options=options, heads=heads, menu=True)


def facet_values(facet: str) -> list[tuple[Any, int]]:
    """The values of a facet of the built views with their numbers of problems, most first; empty without views."""
    views = _views()
    if views is None or facet not in views.facets:
        return []
    return sorted(((value, int(many)) for value, many in views.values(facet).items()), key=lambda item: -item[1])


def built() -> bool:
    """Whether views of Big-Math are there to choose from."""
    return _views() is not None


def _options(uploaded: bool) -> list[tuple[str, str, str, str]]:
    """(kind, head of its group, name in the link, words) of everything that can be chosen now."""
    whole = _kept(DEFAULT, bigmath.load)
    found = [("bigmath", "Real problems", DEFAULT, f"Big-Math, {count(whole.size)} problems")]
    if uploaded:
        found.insert(0, ("upload", "Yours", "upload", "Your data, as loaded in this session"))
    found += [("level", "Big-Math by published level", f"level-{n}", words) for n, words in _LEVELS.items()]
    views = _views()
    if views is not None:
        found.append(("built", "Big-Math, built here", "built", f"All {count(views.size)} problems of the build"))
        for facet in FACETS:
            head = f"Big-Math, built here: by {facet}"
            for value, many in facet_values(facet)[:_MOST_VALUES]:
                name = f"{facet}:{value}"
                if name.isprintable() and len(name) <= PARAMS["pool"].high:
                    found.append((facet, head, name, f"{value}, {count(many)}"))
    made_up = [("made up", "Made up", name, _capital(preset)) for name, preset in _MADE_UP.items()]
    return found + made_up


def _known(name: str, p: float) -> tuple[Hashable, Pool, str, str] | None:
    """Token, pool, label and origin behind a name; None where there is none."""
    if name == DEFAULT:
        whole = _kept(name, bigmath.load)
        return (
            name,
            whole,
            "Big-Math",
            f"Big-Math: {count(whole.size)} problems, each tried 64 times by {bigmath.about().model}.",
        )
    kind, _, value = name.partition(":")
    if name in {f"level-{level}" for level in _LEVELS}:
        level = int(name[-1])
        pool = _kept(name, lambda: bigmath.level(level))
        chose = "The levels were cut by the same 64 tries that are counted here."
        return (
            name,
            pool,
            f"Big-Math, {_LEVELS[level].lower()}",
            f"The {count(pool.size)} problems of Big-Math's {name}. {chose}",
        )
    if name in _MADE_UP:
        return _made_up(name, p)
    views = _views()
    if views is None:
        return None
    stamp = _stamp()
    from_build = f"Big-Math, {bigmath.about(bigmath.folder()).source}"
    if name == "built":
        return (name, stamp), views, "Big-Math, built here", f"{from_build}: {count(views.size)} problems."
    if kind not in FACETS or kind not in views.facets or not value:
        return None
    try:
        pool = _kept((name, stamp), lambda: views.where(kind, value))
    except ValueError:
        return None
    return (name, stamp), pool, f"{kind} {value}", f"{count(pool.size)} problems of {kind} {value}; {from_build}."


def _made_up(name: str, p: float) -> tuple[Hashable, Pool, str, str]:
    preset = presets.PRESETS[_MADE_UP[name]]
    mean = p if name == "one" else None
    make = partial(presets.pool, preset.name, mean)
    pool = make() if name == "one" else _kept(name, make)  # one row at any p: not worth keeping
    label = f"all problems at p = {p:g}" if name == "one" else f"the made-up pool “{preset.name}”"
    return (name, mean), pool, label, f"Made up, its rates exact: {preset.what} Mean {pool.mean_rate:.3g}."


def _default(menu: _Menu, note: str) -> Chosen:
    found = _known(DEFAULT, 0.5)
    assert found is not None
    key, pool, label, origin = found
    return Chosen(DEFAULT, pool, label, origin, (key, menu), note=note, uploaded=menu[0])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _menu_token(session: Mapping[Any, Any] | None) -> _Menu:
    """What the menu of choices depends on: whether there is an upload (not which), and the built views."""
    return get_upload(session or {}) is not None, _stamp()


def _stamp() -> tuple[str, int, int] | None:
    """Which views there are: file, time and size; None without. A server looks once a second, not at every move."""
    if not process.serving():
        return _found_now()
    global _found
    now = time.monotonic()
    if now - _found[0] > _LOOKED_FOR:
        _found = now, _found_now()
    return _found[1]


def _found_now() -> tuple[str, int, int] | None:
    path = bigmath_views.folder() / bigmath_views.VIEWS
    try:
        found = path.stat()
    except OSError:
        return None
    return str(path), found.st_mtime_ns, found.st_size


def _views() -> Pool | None:
    """The built views; a file that cannot be read counts as none."""
    stamp = _stamp()
    if stamp is None:
        return None
    try:
        return _kept(("views", stamp), lambda: bigmath.load(bigmath.folder()))
    except (ValueError, OSError):
        return None


_LOOKED_FOR = 1.0  # seconds
_found: tuple[float, tuple[str, int, int] | None] = (-math.inf, None)
_pools: OrderedDict[Hashable, Pool] = OrderedDict()
_lock = threading.Lock()


def _kept(key: Hashable, make: Callable[[], Pool]) -> Pool:
    """The pool under a key, made when it is not there; the least recently used go first."""
    with _lock:
        if key in _pools:
            _pools.move_to_end(key)
            return _pools[key]
    made = make()  # outside the lock: a slow one holds nobody up
    with _lock:
        kept = _pools.setdefault(key, made)
        _pools.move_to_end(key)
        while len(_pools) > _MOST_POOLS:
            _pools.popitem(last=False)
    return kept

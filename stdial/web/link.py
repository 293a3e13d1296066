"""The state of a page in its address: read it, settle what depends on what, write it.

Pure functions, no Streamlit: `page.py` feeds them what the browser sent. THE table of parameters is in `params.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from stdial.web.params import COURTESIES, PARAMS, SHARED, VERSION

__all__ = ["address", "defaults", "read", "settle", "spelled"]

# Streamlit's own, and the counter that makes a click on the same page link count twice.
_PASSED_OVER = frozenset(("embed", "embed_options", "v", "n"))
_MOST_NOTES = 4
_OWN = {"framework": ("setting", "number"), "to": ("to_setting",)}


def defaults() -> dict[str, Any]:
    """Every parameter at its default."""
    return {name: param.default for name, param in PARAMS.items()}


def read(
    query: Mapping[str, Sequence[str]], kept: Mapping[str, Any], names: Iterable[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """The values that an address asks for, and a note for each thing in it that could not be used.

    Parameters
    ----------
    query : name -> every value given for it.
    kept : the values that hold where the address says nothing.
    names : the page's own parameters. An address with a version is whole: what it leaves out of these, of the shared ones and
        of a sender's choices is at its default, whatever was on screen before.

    Returns
    -------
    values : one for each parameter of the table.
    notes : plain sentences that name the parameter and what is allowed.

    Examples
    --------
    >>> values, notes = read({"G": ["1"]}, defaults())
    >>> values["G"], notes
    (8, ['G in the link must be a whole number from 2 to 1024; 8 is shown.'])
    """
    values, notes = {**defaults(), **kept}, []
    if "v" in query:
        values |= {name: PARAMS[name].default for name in (*names, *SHARED, *COURTESIES)}
    for name, given in query.items():
        if name in _PASSED_OVER:
            if name == "v" and given[-1] != VERSION:
                notes.append(f"This link was made for version {_short(given[-1])}; it is read as version {VERSION}.")
            continue
        if name not in PARAMS:
            notes.append(f"The link's {_short(name)} is not a parameter of this page; it is ignored.")
            continue
        param = PARAMS[name]
        if len(given) > 1:
            values[name] = param.default
            notes.append(f"{name} stands in the link {len(given)} times; {_shown(name, param.default)} is shown.")
            continue
        try:
            values[name] = param.read(given[0])
        except ValueError:
            values[name] = param.default
            notes.append(f"{name} in the link must be {param.allowed}; {_shown(name, param.default)} is shown.")
    notes += settle(values, given=query)
    if len(notes) > _MOST_NOTES:
        notes = [*notes[:_MOST_NOTES], f"{len(notes) - _MOST_NOTES} more values of the link could not be used."]
    return values, notes


def settle(values: dict[str, Any], given: Iterable[str] = ()) -> list[str]:
    """Make the values that depend on each other agree: the answers marked right, their number k, and G.

    `given` names what was just set: it rules over what follows from it. Changes `values`; returns notes on what of the
    given had to give way.
    """
    given, notes = set(given), []
    _restart(values, given)
    G, k, marks = values["G"], values["k"], values["marks"]
    if "marks" in given and marks:
        if len(marks) < 2:
            notes.append("marks in the link must be 2 to 16 digits, each 0 or 1; it is ignored.")
            marks = ""
        elif "G" in given and len(marks) != G:
            notes.append(f"marks in the link has {len(marks)} digits but G is {G}; it is ignored.")
            marks = ""
        else:
            G, count = len(marks), marks.count("1")
            if "k" in given and k != count:
                notes.append(f"k in the link is {k} but marks has {count} right; {count} is shown.")
            k = count
    if k > G:
        if "k" in given:
            k = PARAMS["k"].default
            notes.append(f"k in the link must be a whole number from 0 to G = {G}; {k} is shown.")
        k = min(k, G)
    if G > PARAMS["marks"].high:
        marks = ""
    elif len(marks) != G or marks.count("1") != k:
        marks = _refit(marks, G, k)
    values.update(G=G, k=k, marks=marks)
    return notes


def _restart(values: dict[str, Any], given: set[str]) -> None:
    """A framework chosen anew starts from its own default options."""
    for name, its in _OWN.items():
        if name in given:
            values.update({own: PARAMS[own].default for own in its if own not in given})


def _refit(marks: str, G: int, k: int) -> str:
    """The row of answers nearest to `marks` with G answers of which k are right."""
    row = [mark == "1" for mark in (marks + "0" * G)[:G]]
    for i in range(G):  # the first wrong answers turn right
        if sum(row) < k and not row[i]:
            row[i] = True
    for i in reversed(range(G)):  # the last right answers turn wrong
        if sum(row) > k and row[i]:
            row[i] = False
    return "".join("1" if right else "0" for right in row)


def address(values: Mapping[str, Any], names: Iterable[str], courtesies: Sequence[str] = COURTESIES) -> str:
    """The query string of a page: each of its parameters, defaults too, then shared ones that differ, then the version.

    `courtesies` says which of a sender's choices go along.

    >>> address(defaults(), ["G", "p"])
    'G=8&p=0.5&v=1'
    """
    names = list(dict.fromkeys(names))
    extra = [n for n in (*SHARED, *courtesies) if n not in names and values[n] != PARAMS[n].default]
    pairs = [(n, PARAMS[n].write(values[n])) for n in (*names, *extra)]
    pairs = [(n, text) for n, text in pairs if not (n == "marks" and text == "")]
    return urlencode([*pairs, ("v", VERSION)])


def spelled(values: Mapping[str, Any], names: Iterable[str]) -> str:
    """Exactly these parameters as a link spells them: equal texts, equal values.

    A row of answers that follows from how many there are and how many are right is spelled as none.

    >>> spelled(defaults(), ["G", "lock"])
    'G=8&lock='
    >>> spelled({**defaults(), "marks": "10000000"}, ["marks"]) == spelled(defaults(), ["marks"])
    True
    """
    marks = values["marks"]
    plain = marks and marks == _refit("", values["G"], values["k"])
    return "&".join([_pair(name)(name, "" if plain and name == "marks" else values[name]) for name in names])


def _written(name: str, value: Any) -> str:
    return urlencode([(name, PARAMS[name].write(value))])


_kept = functools.lru_cache(maxsize=8192, typed=True)(_written)  # asked for again for every region at every move


def _pair(name: str) -> Callable[[str, Any], str]:
    """Writes one parameter; a text is not kept, it is somebody's."""
    return _written if PARAMS[name].kind == "text" else _kept


def _short(text: str) -> str:
    """A stranger's text, printable and short enough to show."""
    clean = "".join(c for c in text if c.isprintable())
    return f"“{clean[:24]}…”" if len(clean) > 24 else f"“{clean}”"


def _shown(name: str, value: Any) -> str:
    return PARAMS[name].write(value) or "the default"

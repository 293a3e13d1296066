"""What one cell of text says: a number, a percentage, a mark, right of tries, a date, a list."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = ["Cell", "CellKind", "is_missing", "mark_of", "number_of", "read_cell", "read_list"]

CellKind = Literal["missing", "number", "percent", "mark", "fraction", "date", "list", "text"]

_MISSING_WORDS = "na,n/a,nan,null,none,nil,-,--,---,?,#n/a,#na,missing,unknown,<na>,nat,\\n,."
_MISSING = frozenset(_MISSING_WORDS.split(",")) | {""}
_RIGHT = (
    "true t yes y correct right pass passed passes success successful succeeded solved resolved ok win won ✓ ✔ ✅ c"
)
_WRONG = (
    "false f no n incorrect wrong fail failed fails failure unsuccessful unsolved unresolved lose lost loss ✗ ✘ ❌ × i"
)
_MARKS = dict.fromkeys(_RIGHT.split(), 1.0) | dict.fromkeys(_WRONG.split(), 0.0)
_MARKS |= {"not correct": 0.0, "not solved": 0.0, "not passed": 0.0, "not resolved": 0.0}
_MARKS |= {"oui": 1.0, "non": 0.0, "ja": 1.0, "nein": 0.0, "wahr": 1.0, "falsch": 0.0, "vrai": 1.0, "faux": 0.0}
_MARKS |= {"sí": 1.0, "si": 1.0, "verdadero": 1.0, "falso": 0.0}

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_FRACTION = re.compile(r"(?:[a-z]+ ){0,2}(\d{1,6}) ?(?:/|of|out of) ?(\d{1,6})(?: [a-z]+){0,2}", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez)[a-z]*\.?"
_DATE = re.compile(
    rf"\d{{1,2}}\.?[-/ .]{_MONTH}(?:[-/ .]\d{{2,4}})?|{_MONTH}[-/ .]\d{{1,4}}|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ tT][\d:.,]+(?:z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
_WRAP = re.compile(r"^(?:tensor|array|np\.array|torch\.tensor)\((.*?)(?:, *(?:dtype|device)=.*)?\)$", re.DOTALL)
_SEPARATED = re.compile("[;|, ]")


@dataclass(frozen=True)
class Cell:
    """One cell: its kind, its value (a share for percent, the numerator for fraction) and the tries of a fraction."""

    kind: CellKind
    value: float = math.nan
    tries: float = math.nan


_MISSING_CELL = Cell("missing")
_TEXT_CELL = Cell("text")


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.strip().lower() in _MISSING


def number_of(text: str) -> float | None:
    """A plain number, with a decimal point or a decimal comma; None for anything else.

    >>> number_of("0,125"), number_of("1e-3"), number_of("12.5%"), number_of("1,234,567")
    (0.125, 0.001, None, None)
    """
    text = text.strip().replace("\u2212", "-")
    if not _NUMBER.fullmatch(text):
        return None
    return float(text.replace(",", "."))


def mark_of(text: str) -> float | None:
    """1.0 for a word that says right, 0.0 for one that says wrong."""
    return _MARKS.get(text.strip().lower())


@lru_cache(maxsize=1 << 14)
def read_cell(text: str) -> Cell:
    """What one short cell says.

    >>> read_cell("87.5 %"), read_cell("solved 3 of 8"), read_cell("1-Aug").kind, read_cell("yes").value
    (Cell(kind='percent', value=0.875, tries=nan), Cell(kind='fraction', value=3.0, tries=8.0), 'date', 1.0)
    """
    text = text.strip().strip("\u00a0")
    if text.lower() in _MISSING:
        return _MISSING_CELL
    if len(text) > 64:
        return Cell("list") if text[0] in "[(" and read_list(text) is not None else _TEXT_CELL
    number = number_of(text)
    if number is not None:
        return Cell("number", number)
    if text.endswith("%") and (share := number_of(text[:-1])) is not None:
        return Cell("percent", share / 100)
    mark = mark_of(text)
    if mark is not None:
        return Cell("mark", mark)
    if found := _FRACTION.fullmatch(text):
        return Cell("fraction", float(found[1]), float(found[2]))
    if _DATE.fullmatch(text):
        return Cell("date")
    return Cell("list") if read_list(text) is not None else _TEXT_CELL


def read_list(text: str) -> list[float] | None:
    """A list of rewards written in a cell (nan where an entry is missing), or None.

    Brackets with commas, as Python or JSON writes them, or with spaces, as NumPy does; without brackets at least two
    entries separated by semicolons, bars or spaces, or three by commas, or 0s and 1s in a row.

    >>> read_list("[1, 0, 0.5]"), read_list("[1. 0. 1.]"), read_list("(True, False)"), read_list("1;0;0"), read_list("0,5")
    ([1.0, 0.0, 0.5], [1.0, 0.0, 1.0], [1.0, 0.0], [1.0, 0.0, 0.0], None)
    >>> read_list("0110")
    [0.0, 1.0, 1.0, 0.0]
    """
    text = text.strip()
    if wrapped := _WRAP.match(text):
        text = wrapped[1].strip()
    if text[:1] + text[-1:] in ("[]", "()"):
        return _entries(_split(text[1:-1].strip()))
    if len(text) > 1 and not text.strip("01"):
        return [float(bit) for bit in text]
    if not _SEPARATED.search(text):
        return None
    for separator, least in ((";", 2), ("|", 2), (",", 3), (" ", 2)):
        parts = [part.strip() for part in text.split(separator) if part.strip()]
        if len(parts) >= least and all(number_of(part) is not None or mark_of(part) is not None for part in parts):
            return _entries(parts)
    return None


def _split(inside: str) -> list[str]:
    if not inside:
        return []
    if "," in inside:
        return [part.strip().strip("'\"") for part in inside.rstrip(",").split(",")]
    return [part.strip("'\"") for part in inside.replace(";", " ").split()]


def _entries(parts: list[str]) -> list[float] | None:
    values: list[float] = []
    for part in parts:
        plain = number_of(part) if not is_missing(part) else math.nan
        value = mark_of(part) if plain is None else plain
        if value is None:
            return None
        values.append(value)
    return values

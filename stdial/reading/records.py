"""Parsed JSON of any usual arrangement as a list of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stdial.reading.vocabulary import Role, known, score

__all__ = ["Records", "records_of"]


@dataclass(frozen=True)
class Records:
    """Records, the values beside them that hold for all (``{"k": 8, "results": [...]}``), and the unnamed fields."""

    rows: list[dict[str, Any]]
    constants: dict[str, Any]
    unnamed: frozenset[str] = frozenset()
    lost: tuple[str, ...] = ()


_NONE = Records([], {})
_LOOKED = 200  # keys whose names are looked at


def records_of(value: Any, depth: int = 3) -> Records:
    """Find the records: a list of them, a list under a key, columns, pandas' arrangements, or a dictionary by problem.

    >>> records_of({"k": 8, "results": [{"i": 0, "n_correct": 3}]}).constants
    {'k': 8}
    >>> records_of({"q0": [0, 1], "q1": [1, 1]}).rows[0]
    {'key': 'q0', 'column 2': [0, 1]}
    """
    if isinstance(value, list):
        return _of_list(value)
    if isinstance(value, dict):
        return _of_dict(value, depth)
    return _NONE


def _of_list(items: list[Any]) -> Records:
    present = [item for item in items if item is not None]
    if present and all(isinstance(item, dict) for item in present):
        inner = _only_record(present)
        return inner or Records(present, {}, lost=_lost(len(items) - len(present)))
    if present and all(isinstance(item, list) for item in present):
        return _of_lists(present)
    if present and not any(isinstance(item, (dict, list)) for item in present):
        return Records([{"column 1": item} for item in items], {}, frozenset({"column 1"}))
    return _NONE


def _only_record(items: list[dict[str, Any]]) -> Records | None:
    """A list of one report that itself holds the records."""
    if len(items) != 1 or any(
        known(key) for key, v in islice(items[0].items(), _LOOKED) if not isinstance(v, (dict, list))
    ):
        return None
    found = _of_dict(items[0], 3)
    return found if len(found.rows) > 1 else None


def _lost(count: int) -> tuple[str, ...]:
    return (f"{count} empty {'entry' if count == 1 else 'entries'} of the list dropped",) if count else ()


def _of_lists(items: list[list[Any]]) -> Records:
    if all(_is_number(entry) for item in items for entry in item):
        rows = [{"column 1": item} for item in items]
        return Records(rows, {}, frozenset({"column 1"}))
    width = max(map(len, items))
    first, rest = items[0], items[1:]
    if rest and all(isinstance(entry, str) for entry in first) and len(first) == width:
        return Records([dict(zip(first, item, strict=False)) for item in rest], {})
    names = [f"column {i + 1}" for i in range(width)]
    return Records([dict(zip(names, item, strict=False)) for item in items], {}, frozenset(names))


def _of_dict(value: dict[str, Any], depth: int) -> Records:
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):  # pandas, orient="split"
        names = [str(name) for name in value["columns"]]
        return Records([dict(zip(names, row, strict=False)) for row in value["data"] if isinstance(row, list)], {})
    if isinstance(value.get("schema"), dict) and isinstance(value.get("data"), list):  # pandas, orient="table"
        return _of_list(value["data"])
    by_key = _columns(value) or _by_problem(value)
    if by_key is not None:
        return by_key
    tables = {key: item for key, item in value.items() if _is_table(item)}
    constants = {key: item for key, item in value.items() if not isinstance(item, (dict, list))}
    for outer, item in value.items():  # a configuration beside the records may say how many tries there were
        if isinstance(item, dict):
            said = {f"{outer}.{key}": v for key, v in islice(item.items(), _LOOKED) if isinstance(v, (int, str))}
            constants |= {name: v for name, v in said.items() if score(name, Role.TRIES) > 0}
    if tables:
        return _under_keys(tables, constants)
    if depth:
        below = [_of_dict(item, depth - 1) for item in value.values() if isinstance(item, dict)]
        best = max(below, key=lambda found: len(found.rows), default=_NONE)
        if len(best.rows) > 1:
            return Records(best.rows, constants | best.constants, best.unnamed, best.lost)
    return Records([value], {}) if value else _NONE


def _is_table(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(row, dict) for row in item)


def _under_keys(tables: dict[str, list[dict[str, Any]]], constants: dict[str, Any]) -> Records:
    """The list that looks most like records of problems; lists with the same fields are put together."""
    scores = {key: sum(known(name) for name in _fields(rows)) for key, rows in tables.items()}
    top = max(scores.values())
    best = [key for key, score in scores.items() if score == top]
    fields = {frozenset(_fields(tables[key])) for key in best}
    if len(best) > 1 and len(fields) == 1:
        return Records([{"part": key, **row} for key in best for row in tables[key]], constants)
    chosen = max(best, key=lambda key: len(tables[key]))
    left = [key for key in tables if key != chosen and len(tables[key]) > 1]
    lost = tuple(f"the list under {key!r} was not read: the records are under {chosen!r}" for key in left)
    return Records(tables[chosen], constants, lost=lost)


def _fields(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows[:50] for key in row))


def _columns(value: dict[str, Any]) -> Records | None:
    """A dictionary of columns: lists of one length, or pandas' index -> value dictionaries."""
    named = [key for key in islice(value, _LOOKED) if known(key)]
    lists = [item for item in value.values() if isinstance(item, list)]
    if lists and named and len(lists) == len(value) and len({len(item) for item in lists}) == 1 and lists[0]:
        if any(isinstance(item[0], dict) for item in lists):
            return None
        return Records([dict(zip(value, row, strict=True)) for row in zip(*lists, strict=True)], {})
    maps = [item for item in value.values() if isinstance(item, dict)]
    if named and len(maps) == len(value) and len(maps[0]) > 0 and all(m.keys() == maps[0].keys() for m in maps):
        if any(known(key) for key in islice(maps[0], _LOOKED)):
            return None
        return Records([{name: item[key] for name, item in value.items()} for key in maps[0]], {})
    return None


def _by_problem(value: dict[str, Any]) -> Records | None:
    """A dictionary from problem to its record, its list of rewards or its rate; the keys become the column "key"."""
    if len(value) < 2 or any(known(key) for key in islice(value, _LOOKED)):
        return None
    items = list(value.values())
    if all(isinstance(item, dict) and item for item in items):
        shared = set(items[0]).intersection(*items)
        if shared or len(items) > 8:
            return Records([{"key": key, **item} for key, item in value.items()], {})
        return None
    if all(isinstance(item, list) for item in items) and any(items):
        if all(_is_number(entry) for item in items for entry in item):
            rows = [{"key": key, "column 2": item} for key, item in value.items()]
            return Records(rows, {}, frozenset({"column 2"}))
        if all(isinstance(entry, dict) for item in items for entry in item):
            return Records([{"key": key, "samples": item} for key, item in value.items()], {})
        return None
    if all(_is_number(item) for item in items):
        rows = [{"key": key, "column 2": item} for key, item in value.items()]
        return Records(rows, {}, frozenset({"column 2"}))
    return None


def _is_number(item: Any) -> bool:
    return item is None or isinstance(item, (int, float))

"""Records (one answer each, or one group each) to groups of rewards and advantages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stdial.frameworks.pasted.values import PasteError, number, one_column, role_of, short

__all__ = ["Groups", "Row", "from_json", "from_lists", "from_rows"]

Groups = list[tuple[list[float], list[float]]]


@dataclass(frozen=True)
class Row:
    """One answer: where it stands, its cells by column, and the number of its block of lines."""

    where: str
    cells: Mapping[str, Any]
    block: int = 0


_WANTED = 'rewards and advantages are needed, as in {"rewards": [1, 0], "advantages": [1, -1]}'


def from_rows(rows: Sequence[Row]) -> Groups:
    """One answer a row.

    Rows belong together that agree in every column of a group's role, where that column repeats a value at all (one that
    numbers the rows names no groups); without such a column, the rows of one block do.
    """
    labels = [name for name in dict.fromkeys(n for row in rows for n in row.cells) if role_of(name) == "group"]
    texts = {name: [_text(row.cells.get(name)) for row in rows] for name in labels}
    labels = [name for name in labels if len(set(texts[name])) < len(rows)]
    groups: dict[Any, tuple[list[float], list[float]]] = {}
    for i, row in enumerate(rows):
        names = list(row.cells)
        reward, advantage = _named(names, "reward", row.where), _named(names, "advantage", row.where)
        key = tuple(texts[name][i] for name in labels) if labels else row.block
        rewards, advantages = groups.setdefault(key, ([], []))
        rewards.append(number(row.cells[reward], f"{row.where}, {reward[:40]}", "reward"))
        advantages.append(number(row.cells[advantage], f"{row.where}, {advantage[:40]}", "advantage"))
    return list(groups.values())


def from_json(value: Any, where: str = "") -> Groups:
    """Whatever JSON people have: a record with lists, a list of records, columns, or two plain lists."""
    if isinstance(value, Mapping):
        return _from_record(value, where)
    if not isinstance(value, list) or not value:
        raise PasteError(f"{where or 'the JSON'} is {short(value)}; {_WANTED}")
    if all(isinstance(item, Mapping) for item in value):
        names = [f"{where or 'record'} {i + 1}" for i in range(len(value))]
        flat = [not any(isinstance(x, (list, Mapping)) for x in _measured(item).values()) for item in value]
        if all(flat):
            return from_rows([Row(name, item) for name, item in zip(names, value, strict=True)])
        return [g for name, item in zip(names, value, strict=True) for g in _from_record(item, name)]
    if len(value) == 2:
        return from_lists(value[0], value[1], where)
    raise PasteError(f"{where or 'the JSON'} is a list of {len(value)}; {_WANTED}")


def _from_record(record: Mapping[str, Any], where: str) -> Groups:
    at = where or "the JSON"
    names = list(record)
    if not any(role_of(name) for name in names):
        inner = [x for x in record.values() if isinstance(x, (list, Mapping)) and x]
        if len(inner) == 1:
            return from_json(inner[0], where)
    reward, advantage = _named(names, "reward", at), _named(names, "advantage", at)
    rewards, advantages = (
        list(x.values()) if isinstance(x, Mapping) else x for x in (record[reward], record[advantage])
    )
    if not isinstance(rewards, list) and not isinstance(advantages, list):
        return from_rows([Row(at, record)])
    if isinstance(rewards, list) and isinstance(advantages, list) and len(rewards) == len(advantages):
        columns = {name: record[name] for name in names if role_of(name) == "group"}
        columns = {name: list(x.values()) if isinstance(x, Mapping) else x for name, x in columns.items()}
        columns = {name: x for name, x in columns.items() if isinstance(x, list) and len(x) == len(rewards)}
        if columns and not any(isinstance(x, list) for x in rewards):
            table = {reward: rewards, advantage: advantages, **columns}
            cells = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
            return from_rows([Row(f"{at}, entry {i + 1}", row) for i, row in enumerate(cells)])
    return from_lists(rewards, advantages, where)


def from_lists(rewards: Any, advantages: Any, where: str = "") -> Groups:
    """Two lists, or two lists of lists; advantages with a list of equal numbers an answer (a number a token) count once."""
    at = f"{where}, " if where else ""
    many_r, many_a = (
        _lists(x, f"{at}{name}", name[:-1]) for x, name in ((rewards, "rewards"), (advantages, "advantages"))
    )
    if len(many_r) == 1 and len(many_a) != 1 and len(many_a) == len(many_r[0]):
        many_a = [[_of_tokens(row, f"{at}advantages of answer {i + 1}") for i, row in enumerate(many_a)]]
    if len(many_r) != len(many_a):
        raise PasteError(
            f"{at}{len(many_r)} groups of rewards stand beside {len(many_a)} of advantages; they must be as many"
        )
    return list(zip(many_r, many_a, strict=True))


def _lists(value: Any, where: str, role: str) -> list[list[float]]:
    if not isinstance(value, list) or not value:
        raise PasteError(f"{where}: {short(value)} is not a list of numbers")
    if all(isinstance(item, list) for item in value):
        return [
            [number(x, f"{where} of group {i + 1}, entry {j + 1}", role) for j, x in enumerate(item)]
            for i, item in enumerate(value)
        ]
    return [[number(x, f"{where}, entry {j + 1}", role) for j, x in enumerate(value)]]


def _of_tokens(row: list[float], where: str) -> float:
    """The one number that every token of an answer has."""
    if not row or any(x != row[0] for x in row):
        raise PasteError(f"{where} differ from token to token; one number an answer is needed")
    return row[0]


def _named(names: list[str], role: str, where: str) -> str:
    found = one_column(names, role)
    if found is None:
        listed = ", ".join(short(name) for name in names[:8])
        raise PasteError(f"{where} has no {role}; its names are {listed or 'none'}")
    return found


def _measured(record: Mapping[str, Any]) -> dict[str, Any]:
    """What of a record are rewards and advantages."""
    return {name: value for name, value in record.items() if role_of(name) in ("reward", "advantage")}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)

"""What a page shows beside the numbers: a preview, and the columns that could be chosen instead."""

from __future__ import annotations

from typing import Any

from stdial.reading.guess import Columns, Guess
from stdial.reading.profiles import Profile
from stdial.reading.vocabulary import Role, score, score_of_reward

__all__ = ["alternatives", "preview"]

_CELL = 200


def preview(columns: Columns, rows: int = 8) -> tuple[tuple[str | None, ...], ...]:
    """The first rows, each cell as text of at most 200 characters."""
    head = columns.table.head.slice(0, rows).to_pylist()
    return tuple(tuple(_text(row[name]) for name in columns.table.names) for row in head)


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    text = str(value)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "\u2026"


def alternatives(columns: Columns, guess: Guess) -> dict[str, tuple[str, ...]]:
    """Role -> the columns that its values allow, those with a fitting name first."""
    numeric = [p for p in columns.all if p.kind in ("number", "percent", "mark")]
    whole = [p for p in numeric if p.kind == "number" and p.is_whole]
    fractions = [p for p in columns.all if p.kind == "fraction"]
    lists = [p for p in columns.all if p.kind == "list"]
    keys = [p for p in columns.all if p.kind in ("text", "number", "mark") and p.name != guess.value]
    few = [p for p in columns.all if 1 < p.distinct <= 60 and p.name not in (guess.value, guess.id)]
    return {
        "id": _ranked(keys, Role.ID),
        "group": _ranked(keys, Role.GROUP),
        "step": _ranked([p for p in keys if p.distinct > 1], Role.STEP),
        "rate": _ranked(numeric, Role.RATE),
        "right": _ranked([*whole, *fractions], Role.RIGHT),
        "tries": _ranked([p for p in whole if p.levels[-1] >= 1], Role.TRIES),
        "reward": tuple(p.name for p in sorted(numeric, key=lambda p: -score_of_reward(p.name))),
        "rewards": tuple(p.name for p in lists),
        "facets": _ranked(few, Role.FACET),
    }


def _ranked(found: list[Profile], role: Role) -> tuple[str, ...]:
    return tuple(p.name for p in sorted(found, key=lambda p: -score(p.name, role)))

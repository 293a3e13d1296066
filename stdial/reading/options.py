"""What a caller may say about a file: which column is what, and how to take it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from stdial.arguments import a_threshold

__all__ = ["Options", "rewards_columns"]


@dataclass(frozen=True)
class Options:
    """The keyword arguments of ``read``; None where nothing is said.

    ``id`` may be "" for "no column: each row is a problem of its own", ``step`` "" for "all rows together", ``tries`` a
    number, ``rewards`` one column of lists, several columns, or "first .. last"; ``problems`` is a column that says how
    many problems share a row.
    """

    id: str | None = None
    rate: str | None = None
    right: str | None = None
    tries: str | int | None = None
    reward: str | None = None
    rewards: str | tuple[str, ...] | None = None
    step: str | None = None
    at_step: str | float | None = None
    group: str | None = None
    problems: str | None = None
    facets: tuple[str, ...] | None = None
    high_is: Literal["easy", "hard"] | None = None
    threshold: float | None = None
    each_step: bool = False

    def __post_init__(self) -> None:
        if self.high_is not in (None, "easy", "hard"):
            raise ValueError(f"high_is is {self.high_is!r}; it must be 'easy' or 'hard'")
        if self.threshold is not None:
            a_threshold(self.threshold)
        if self.at_step is not None and self.each_step:
            raise ValueError("at_step and each_step are both given; at_step reads one step, each_step all of them")
        chosen = [name for name in ("rate", "right", "reward", "rewards") if getattr(self, name) is not None]
        if len(chosen) > 1:
            raise ValueError(f"{' and '.join(chosen)} are both given; one of them says what the rows hold")
        if isinstance(self.tries, (int, float)) and not (self.tries >= 1 and self.tries == int(self.tries)):
            raise ValueError(f"tries is {self.tries!r}; it must be a column or a whole number of at least 1")

    @classmethod
    def of(cls, given: dict[str, Any]) -> Options:
        """From keyword arguments, lists made tuples."""
        known = {field.name for field in fields(cls)}
        if unknown := set(given) - known:
            raise ValueError(f"{', '.join(sorted(unknown))}: no such option; there are {', '.join(sorted(known))}")
        plain = dict(given)
        for name in ("facets", "rewards"):
            value = plain.get(name)
            if name == "facets" and isinstance(value, str):
                plain[name] = (value,)
            elif isinstance(value, Iterable) and not isinstance(value, str):
                plain[name] = tuple(value)
        return cls(**plain)

    def checked(self, names: Sequence[str]) -> Options:
        """The same, with every column name looked up.

        Raises
        ------
        ValueError
            For a name that is no column; it names those that are.
        """
        for role in ("id", "rate", "right", "reward", "step", "group", "problems"):
            name = getattr(self, role)
            if name is not None and name != "" and name not in names:
                raise _no_column(role, name, names)
        if isinstance(self.tries, str) and self.tries not in names and not self.tries.isdigit():
            raise _no_column("tries", self.tries, names)
        for name in self.facets or ():
            if name not in names:
                raise _no_column("facets", name, names)
        if self.rewards is not None:
            rewards_columns(self.rewards, names)
        return self

    @property
    def says_value(self) -> bool:
        """Whether it is said which column holds the outcome."""
        return any(getattr(self, name) is not None for name in ("rate", "right", "reward", "rewards"))

    def tries_given(self, names: Sequence[str]) -> str | int | None:
        """A column, or a number."""
        if isinstance(self.tries, str):
            return self.tries if self.tries in names else int(self.tries)
        return None if self.tries is None else int(self.tries)


def rewards_columns(said: str | tuple[str, ...], names: Sequence[str]) -> tuple[str, ...]:
    """The columns that ``rewards`` means: one, several, "a, b, c" or "first .. last".

    >>> rewards_columns("r1 .. r3", ["id", "r1", "r2", "r3"])
    ('r1', 'r2', 'r3')
    """
    wanted = (said,) if isinstance(said, str) else said
    if isinstance(said, str) and said not in names:
        ends = [part.strip() for part in re.split(r"\.\.+", said)]
        if len(ends) == 2 and all(end in names for end in ends):
            first, last = names.index(ends[0]), names.index(ends[1])
            return tuple(names[min(first, last) : max(first, last) + 1])
        wanted = tuple(part.strip() for part in said.split(","))
    for name in wanted:
        if name not in names:
            raise _no_column("rewards", name, names)
    return wanted


def _no_column(role: str, name: object, names: Sequence[str]) -> ValueError:
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    return ValueError(f"{role} is {name!r}, which is no column; the columns are {shown}")

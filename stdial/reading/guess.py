"""The columns of a table with what they could be, and the reading that was settled on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from stdial.lazily import lazily
from stdial.reading.profiles import Profile, profile
from stdial.reading.tables import Table
from stdial.reading.vocabulary import Role, score, words

__all__ = ["Columns", "Guess", "Shape"]

Shape = Literal["rollouts", "counts", "fractions", "rates", "lists", "wide"]


@dataclass
class Guess:
    """A settled reading: its shape and, for each role, the column and why.

    ``value`` holds the outcome (rate, right, reward or list); ``wide`` the columns of one rollout each; ``key`` the
    column by which rollouts are grouped (the group key, else the id); ``weight`` the column that says how many problems
    share a row.
    """

    shape: Shape
    value: str
    id: str | None = None
    group: str | None = None
    step: str | None = None
    tries: str | int | None = None
    weight: str | None = None
    wide: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def key(self) -> str | None:
        """The column by which rollouts are grouped."""
        return self.group or self.id

    @property
    def role(self) -> str:
        """The role of ``value``."""
        return {"rollouts": "reward", "counts": "right", "fractions": "right", "rates": "rate"}.get(
            self.shape, "rewards"
        )

    @property
    def mapping(self) -> dict[str, str]:
        """Role -> column, as shown to the user."""
        shown = f"{self.wide[0]} .. {self.wide[-1]}" if self.wide else self.value
        found = {"id": self.id, "group": self.group, "step": self.step, self.role: shown}
        if isinstance(self.tries, str):
            found["tries"] = self.tries
        found["problems"] = self.weight
        return {role: column for role, column in found.items() if column is not None}


class Columns:
    """Profiles of a table's columns, looked at once, and the sets of them that fit a role."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._profiles: dict[str, Profile] = {}

    def __getitem__(self, name: str) -> Profile:
        if name not in self._profiles:
            self._profiles[name] = profile(name, self.table.head.column(name))
        return self._profiles[name]

    @lazily
    def index(self) -> frozenset[str]:
        """Columns that only number the rows, as data frames write them."""
        named = {n for n in self.table.names if words(n) in (("unnamed", "0"), ("level", "0"), ())}
        return frozenset(n for n in named | self.table.unnamed if len(self.table.names) > 1 and self[n].counts_rows)

    @lazily
    def all(self) -> list[Profile]:
        """All columns that hold something and are no row numbers."""
        names = [name for name in self.table.names if name not in self.index]
        return [found for found in map(self.__getitem__, names) if found.kind != "empty"]

    def fit(self, role: Role, wanted: Callable[[Profile], bool] = lambda _: True) -> list[Profile]:
        """Columns whose name fits a role, best first."""
        found = [p for p in self.all if score(p.name, role) > 0 and wanted(p)]
        return sorted(found, key=lambda p: -score(p.name, role))

    @lazily
    def rows(self) -> int:
        """Rows looked at."""
        return int(self.table.head.num_rows)

    def repeats(self, name: str) -> bool:
        """Whether a value of the column occurs on more than one row of the file."""
        found = self[name]
        present = found.values.length() - found.values.null_count
        if found.distinct < present:
            return True
        if self.table.whole:
            return False
        return bool((np.asarray(self.table.tally([name], []).column("rows")) > 1).any())

    def pairs(self, names: Iterable[str]) -> int:
        """How many different combinations of these columns' values there are in the file."""
        return int(self.table.tally(list(dict.fromkeys(names)), []).num_rows)

    def same(self, one: str, other: str) -> bool:
        """Whether two columns tell the same rows apart (one renames the values of the other)."""
        if one == other:
            return True
        heads = Table((one, other), self.table.head.select([one, other]))
        both = heads.tally([one, other], []).num_rows
        return bool(both == heads.tally([one], []).num_rows == heads.tally([other], []).num_rows)

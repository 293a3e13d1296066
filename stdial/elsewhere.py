"""A pool's slow figures computed in another process: little is sent, and what was found out is kept with the pool.

Functions that the other process calls take a pool without names and what is known of it already, and give back what they found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from stdial import by_size, tries
from stdial.advice import Card, of_pool
from stdial.by_size import Silent
from stdial.pool import Pool
from stdial.tries import Bought, Plan

__all__ = ["cards", "nameless", "planned", "silent"]

_MOST_KEPT = 4
_nameless: WeakKeyDictionary[Pool, Pool] = WeakKeyDictionary()  # goes with its pool
_everybodys: dict[tuple[bytes, ...], Pool] = {}


def nameless(pool: Pool) -> Pool:
    """The pool without ids, facets and notes, alike problems in one row: small enough to be sent at every move.

    >>> small = nameless(Pool([0, 4, 4], 8, ids=["a", "b", "c"]))
    >>> small.problems.tolist(), small.ids
    ([1, 2], None)
    """
    if pool not in _nameless:
        cells = pool.cells
        many = cells.problems.astype(pool.problems.dtype)
        if cells.right is None or cells.tries is None:
            small = Pool.from_rates(cells.rate, many)
        else:
            small = Pool(cells.right, cells.tries, many)
            small.remember(pool.mixing(), {})  # else it would be fitted there at every move
        _nameless[pool] = small
    return _nameless[pool]


def cards(
    pool: Pool, known: Sequence[Silent], size: int, columns: Sequence[Card], keep: bool = False
) -> tuple[list[Card], list[Silent]]:
    """`advice.of_pool` there: the cards, and all silent shares that are known now.

    With `keep`, for problems that are everybody's and no upload, that process keeps the pool with what it computed of it.

    >>> pool = nameless(Pool([0, 1, 4, 8] * 25, 8))
    >>> made, found = cards(pool, [], 8, [])
    >>> made[0].name, [one.size for one in found]
    ('redraw', [8, 16])
    """
    if keep:
        pool = _as_before(pool)
    by_size.learn(pool, known)
    return of_pool(pool, size, columns), by_size.known(pool)


def silent(pool: Pool, size: int, keep: bool = False) -> Silent:
    """`by_size.at` there; `keep` as for `cards`.

    >>> silent(nameless(Pool([0, 1, 4, 8] * 25, 8)), 8).counted
    True
    """
    return by_size.at(_as_before(pool) if keep else pool, size)


def planned(
    pool: Pool, budget: int, budgets: Sequence[int], asked: tuple[Any, ...], keep: bool = False
) -> tuple[Plan, list[Bought]]:
    """The plan there, and what other budgets buy; `asked` as the arguments of `tries.plan` after its budget, `keep` as for `cards`.

    >>> best, curve = planned(nameless(Pool([0, 4, 4], 8)), 8, [4, 8], ("mixed",))
    >>> best.rollouts, [one.budget for one in curve]
    (8.0, [4.0, 8.0])
    """
    pool = _as_before(pool) if keep else pool
    return tries.plan(pool, budget, *asked), tries.bought(pool, budgets, *asked)


def _as_before(pool: Pool) -> Pool:
    """The pool of these very counts that came before, with all that is kept of it; else this one, from now on."""
    cells = pool.cells
    columns = (cells.rate, cells.problems, *(c for c in (cells.right, cells.tries) if c is not None))
    found = _everybodys.setdefault(tuple(column.tobytes() for column in columns), pool)
    while len(_everybodys) > _MOST_KEPT:
        del _everybodys[next(iter(_everybodys))]
    return found

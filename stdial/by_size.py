"""The silent share of a pool at one group size and at many: best estimate, how far it is known, and the plug-in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from stdial.pool import Pool

__all__ = ["WIDEST", "Silent", "at", "columns", "is_known", "known", "learn", "logged", "series"]

WIDEST = 0.1  # bounds further apart than this say nothing worth drawing (THEORY.md section 5)


class Silent(NamedTuple):
    """The silent share at one group size.

    Attributes
    ----------
    size : group size G.
    best : the best estimate; of the fitted distribution where the tries do not reach.
    low, high : its 95% interval where G is at most the tries, else bounds at two standard errors; NaN for bare rates.
    plug_in : each observed rate taken for the truth.
    counted : whether every problem has at least G tries, so that low and high are an interval and not bounds.
    """

    size: int
    best: float
    low: float
    high: float
    plug_in: float
    counted: bool

    @property
    def known(self) -> bool:
        """Whether to draw it: an estimate that is counted, or bounds that are near each other."""
        return self.counted or self.high - self.low <= WIDEST


def logged(pool: Pool) -> int:
    """The fewest tries of any problem, 0 for bare rates: the largest group that can be counted.

    >>> logged(Pool([0, 1, 8], [8, 4, 8]))
    4
    """
    tries = pool.cells.tries
    return 0 if tries is None else int(tries[pool.cells.problems > 0].min())


def at(pool: Pool, size: int) -> Silent:
    """The silent share at one group size; beyond the tries, bounds take a linear program unless they are stored.

    >>> found = at(Pool([0, 1, 4, 8] * 25, 8), 8)
    >>> round(found.best, 3), round(found.low, 3), round(found.plug_in, 3), found.counted
    (0.5, 0.402, 0.588, True)
    """
    kept = _found.setdefault(pool, {})
    if size not in kept:
        plug_in = pool.silent_rate(size, "plug-in")
        low = high = float("nan")
        if pool.tries is not None:
            low, high = pool.silent_interval(size)
        kept[size] = Silent(size, pool.silent_rate(size), low, high, plug_in, size <= logged(pool))
    return kept[size]


def known(pool: Pool) -> list[Silent]:
    """What was computed of a pool so far, to hand to another process together with it."""
    return list(_found.get(pool, {}).values())


def is_known(pool: Pool, size: int) -> bool:
    """Whether the silent share at that size is at hand."""
    return size in _found.get(pool, {})


def learn(pool: Pool, found: Iterable[Silent]) -> None:
    """Take what was computed elsewhere of the very same problems, in place of computing it.

    >>> pool = Pool([0, 1, 4, 8] * 25, 8)
    >>> learn(pool, [Silent(16, 0.4, 0.3, 0.5, 0.6, False)])
    >>> at(pool, 16).best
    0.4
    """
    kept = _found.setdefault(pool, {})
    for one in found:
        kept.setdefault(one.size, one)
        if not one.counted and pool.tries is not None:
            pool.remember(pool.mixing(), {one.size: (one.low, one.high)})


def series(pool: Pool, sizes: Iterable[int], every: bool = False) -> list[Silent]:
    """The silent share at ascending sizes, as far as it is known.

    Parameters
    ----------
    sizes : group sizes; those within the tries are all taken.
    every : take all of those beyond the tries too, as for a pool whose bounds are stored; else only those that are nearest to
        steps of a factor of 1.5 beyond the tries, each of which takes a fraction of a second.

    Returns
    -------
    One entry a size, up to the first whose bounds are more than 10 points apart, which is left out.
    """
    n = logged(pool)
    wanted = sorted(set(sizes))
    beyond = [size for size in wanted if size > n] if every else _steps([size for size in wanted if size > n], n)
    found = []
    for size in [size for size in wanted if size <= n] + beyond:
        now = at(pool, size)
        if not now.known:
            break
        found.append(now)
    return found


def _steps(sizes: list[int], start: int) -> list[int]:
    """Of these sizes the ones at steps of a factor of 1.5."""
    taken: list[int] = []
    for size in sizes:
        if size >= 1.5 * (taken[-1] if taken else max(start, 1)):
            taken.append(size)
    return taken


def columns(found: list[Silent]) -> dict[str, NDArray[np.float64]]:
    """Size, best, low, high and plug_in as columns.

    >>> columns(series(Pool([0, 1, 4, 8] * 25, 8), [2, 4]))["size"].tolist()
    [2.0, 4.0]
    """
    names = ("size", "best", "low", "high", "plug_in")
    return {name: np.array([getattr(one, name) for one in found], float) for name in names}


_found: WeakKeyDictionary[Pool, dict[int, Silent]] = WeakKeyDictionary()  # goes with its pool

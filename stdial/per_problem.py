"""What a pool says of each of its problems: the full table, and lists of some of them to hand on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial import expectation, tries
from stdial.arguments import FloatArray
from stdial.method import GRPO, Method
from stdial.pool import Pool
from stdial.remembered import remembered
from stdial.safe import as_csv

if TYPE_CHECKING:
    import pandas as pd

    from stdial.reading import Reading

__all__ = [
    "as_csv", "coarser", "planned_sizes", "problem_list", "problem_table", "silent_cells", "silent_chance", "update",
    "update_cells", "weight",
]  # fmt: skip

_MOST_RATES = 4000  # different bare rates; above it a plan takes seconds
_GRID = 2000


def silent_chance(pool: Pool, size: int) -> FloatArray:
    """Chance that the next group of a row's problem is silent, by its posterior: [rows].

    >>> silent_chance(Pool([0, 4], 8), 8).round(3).tolist()
    [0.713, 0.045]
    """
    return np.asarray(silent_cells(pool, size)[pool.cells.index])


def silent_cells(pool: Pool, size: int) -> FloatArray:
    """`silent_chance` in each of the pool's cells, which are fewer than its rows: [cells].

    >>> silent_cells(Pool([0, 4, 4], 8), 8).round(3).tolist()
    [0.713, 0.045]
    """
    return _by_cell(pool, ("silent", size), lambda p: np.asarray(expectation.silent_rate(p, size)))


def update(pool: Pool, size: int, method: Method = GRPO) -> FloatArray:
    """Posterior mean of the update magnitude E[c] per drawn group: [rows].

    >>> update(Pool([0, 4], 8), 8).round(3).tolist()
    [0.108, 0.43]
    """
    return np.asarray(update_cells(pool, size, method)[pool.cells.index])


def update_cells(pool: Pool, size: int, method: Method = GRPO) -> FloatArray:
    """`update` in each of the pool's cells, which are fewer than its rows: [cells].

    >>> update_cells(Pool([0, 4, 4], 8), 8).round(3).tolist()
    [0.108, 0.43]
    """
    return _by_cell(pool, ("update", size, method), lambda p: np.asarray(expectation.expected_update(p, size, method)))


def _by_cell(pool: Pool, key: Hashable, h: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Posterior mean of h(p) in each cell, kept with the pool."""

    def make() -> FloatArray:
        p, weights = pool.posterior()
        return np.asarray(h(p[:, 0]) if p.ndim == 2 else weights @ h(p))

    return remembered(pool, key, make)


def weight(pool: Pool, size: int, method: Method = GRPO) -> FloatArray:
    """Posterior mean of the difficulty weight E[c] / (p (1 - p)): [rows].

    >>> weight(Pool([0, 4], 8), 8).round(3).tolist()
    [2.481, 1.924]
    """
    return pool.row_mean(lambda p: np.asarray(expectation.weight(p, size, method)))


def planned_sizes(pool: Pool, size: int) -> NDArray[Any]:
    """The group size of each row in the plan with most mixed groups at the price of `size` rollouts a problem: [rows].

    Whole numbers where a row is one problem. A row that stands for several problems whose sizes differ has their mean.

    >>> planned_sizes(Pool([0, 4, 8], 8), 8).tolist()
    [8, 7, 9]
    """
    plain = coarser(pool)
    table = tries.plan(plain, int(size * pool.size)).table
    if plain is not pool and (np.asarray(pool.problems) == 1).all():  # the larger sizes go to the first, as in the plan
        rows = np.argsort(np.searchsorted(plain.rate, _rounded(pool.rate)), kind="stable")
        given = np.zeros(len(rows), dtype=np.int64)
        given[rows] = np.repeat(table["size"], np.rint(table["problems"]).astype(np.int64))
        return given
    rollouts = np.bincount(table["row"], weights=table["size"] * table["problems"], minlength=len(plain.rate))
    with np.errstate(invalid="ignore"):
        sizes = rollouts / np.asarray(plain.problems, dtype=np.float64)
    return _whole(sizes if plain is pool else sizes[np.searchsorted(plain.rate, _rounded(pool.rate))])


def _whole(sizes: FloatArray) -> NDArray[Any]:
    """Numbers that are whole as whole numbers: all of them, or each by itself."""
    whole = sizes == np.floor(sizes)
    if whole.all():
        return sizes.astype(np.int64)
    return np.array([int(x) if w else x for x, w in zip(sizes.tolist(), whole.tolist(), strict=True)], dtype=object)


def coarser(pool: Pool) -> Pool:
    """The pool itself, or, of very many different bare rates, their rounding to 1/2000, which a plan takes far less time for.

    >>> small = Pool.from_rates([0.1, 0.2])
    >>> coarser(small) is small, len(coarser(Pool.from_rates(np.linspace(0, 1, 9000))).rate)
    (True, 2001)
    """
    if pool.tries is not None or len(pool.cells.rate) <= _MOST_RATES:
        return pool
    rate, index = np.unique(_rounded(pool.rate), return_inverse=True)
    return Pool.from_rates(rate, np.bincount(index, weights=pool.problems))


def _rounded(rate: FloatArray) -> FloatArray:
    return np.asarray(np.rint(rate * _GRID) / _GRID)


def problem_table(reading: Reading, size: int, method: Method = GRPO) -> pd.DataFrame:
    r"""One row a problem: id, step, right, tries, rate, sigma, silent_chance, update, weight, size, as far as each is known.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G of the columns silent_chance (by its posterior, that the next group is silent), update and weight.
    method : whose update and weight.

    Returns
    -------
    A data frame. ``size`` is the planned group size at G rollouts a problem, where a plan is
    affordable. Rewards of many values have n, mean, sigma, min, max and silent (whether the logged rewards are all equal) instead.

    Examples
    --------
    >>> from stdial.reading import read
    >>> problem_table(read(b"id,right,tries\na,0,8\nb,4,8\n"), 8).columns.tolist()
    ['id', 'right', 'tries', 'rate', 'sigma', 'silent_chance', 'update', 'weight', 'size']
    """
    table, pool = _read(reading, size), reading.pool
    if pool is None:
        return table
    table = table.assign(update=update(pool, size, method), weight=weight(pool, size, method))
    with contextlib.suppress(tries.TooMany):
        table["size"] = planned_sizes(pool, size)
    return table


def problem_list(reading: Reading, size: int, which: NDArray[np.bool_]) -> pd.DataFrame:
    r"""Some of the problems, a row each: the columns of `problem_table` up to silent_chance.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G of the column silent_chance.
    which : [problems] those to list; ``reading.stats.silent`` for the ones whose logged answers were all right or all wrong.

    Examples
    --------
    >>> from stdial.reading import read
    >>> found = read(b"id,right,tries\na,0,8\nb,4,8\n")
    >>> problem_list(found, 8, found.stats.silent)["id"].tolist()
    ['a']
    """
    return _read(reading, size).loc[which]


def _read(reading: Reading, size: int) -> pd.DataFrame:
    """What was read of each problem, and the chance that its next group is silent."""
    import pandas as pd

    pool, ids = reading.pool, _ids(reading)
    if pool is None:
        table = reading.groups
        return table if "id" in table else table.assign(id=ids)[["id", *table.columns]]
    columns: dict[str, Any] = {"id": ids}
    if reading.steps is not None:
        columns["step"] = reading.steps
    for name, values in (("right", pool.right), ("tries", pool.tries)):
        if values is not None:
            columns[name] = values
    if reading.weights is not None:
        columns["problems"] = pool.problems
    more = {"rate": pool.rate, "sigma": reading.stats.sigma, "silent_chance": silent_chance(pool, size)}
    return pd.DataFrame(columns | more)


def _ids(reading: Reading) -> NDArray[Any]:
    """The problems' ids, or "row 1" and on where the file has none."""
    if reading.ids is not None:
        return reading.ids
    return np.array([f"row {i + 1}" for i in range(len(reading.stats.mean))], dtype=object)

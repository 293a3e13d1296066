"""What a pool says of each of its problems, and the table, keep list and drop list that follow from it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial import expectation, tries
from stdial.arguments import FloatArray
from stdial.method import GRPO, Method
from stdial.pool import Pool
from stdial.safe import as_csv

if TYPE_CHECKING:
    import pandas as pd

    from stdial.reading import Reading

__all__ = ["as_csv", "coarser", "planned_sizes", "problem_table", "silent_cells", "silent_chance", "update", "weight"]

_MOST_RATES = 4000  # different bare rates; above it a plan takes seconds
_GRID = 2000


def silent_chance(pool: Pool, size: int) -> FloatArray:
    """Chance that the next group of a row's problem is silent, by its posterior: [rows].

    >>> silent_chance(Pool([0, 4], 8), 8).round(3).tolist()
    [0.713, 0.045]
    """
    return pool.row_mean(lambda p: np.asarray(expectation.silent_rate(p, size)))


def silent_cells(pool: Pool, size: int) -> FloatArray:
    """`silent_chance` in each of the pool's cells, which are fewer than its rows: [cells].

    >>> silent_cells(Pool([0, 4, 4], 8), 8).round(3).tolist()
    [0.713, 0.045]
    """
    p, weights = pool.posterior()
    return np.asarray((weights * expectation.silent_rate(p, size)).sum(axis=-1))


def update(pool: Pool, size: int, method: Method = GRPO) -> FloatArray:
    """Posterior mean of the update magnitude E[c] per drawn group: [rows].

    >>> update(Pool([0, 4], 8), 8).round(3).tolist()
    [0.108, 0.43]
    """
    return pool.row_mean(lambda p: np.asarray(expectation.expected_update(p, size, method)))


def weight(pool: Pool, size: int, method: Method = GRPO) -> FloatArray:
    """Posterior mean of the difficulty weight E[c] / (p (1 - p)): [rows].

    >>> weight(Pool([0, 4], 8), 8).round(3).tolist()
    [2.481, 1.924]
    """
    return pool.row_mean(lambda p: np.asarray(expectation.weight(p, size, method)))


def planned_sizes(pool: Pool, size: int) -> FloatArray:
    """The group size of each row in the plan with most mixed groups at the price of `size` rollouts a problem: [rows].

    A row that stands for several problems, or whose problems got different sizes, has their mean.

    >>> planned_sizes(Pool([0, 4, 8], 8), 8).tolist()
    [8.0, 7.0, 9.0]
    """
    plain = coarser(pool)
    table = tries.plan(plain, int(size * pool.size)).table
    rollouts = np.bincount(table["row"], weights=table["size"] * table["problems"], minlength=len(plain.rate))
    with np.errstate(invalid="ignore"):
        sizes = rollouts / np.asarray(plain.problems, dtype=np.float64)
    return np.asarray(sizes if plain is pool else sizes[np.searchsorted(plain.rate, _rounded(pool.rate))])


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
    r"""One row a problem: id, step, right, tries, rate, sigma, silent, update, weight, size, as far as each is known.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G of the columns silent (posterior chance that the next group is silent), update and weight.
    method : whose update and weight.

    Returns
    -------
    A data frame. ``size`` is the planned group size at G rollouts a problem, where a plan is
    affordable. Rewards of many values have n, mean, sigma, min, max and silent (whether the logged rewards are all equal) instead.

    Examples
    --------
    >>> from stdial.reading import read
    >>> problem_table(read(b"id,right,tries\na,0,8\nb,4,8\n"), 8).columns.tolist()
    ['id', 'right', 'tries', 'rate', 'sigma', 'silent', 'update', 'weight', 'size']
    """
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
    columns |= {
        "rate": pool.rate,
        "sigma": reading.stats.sigma,
        "silent": silent_chance(pool, size),
        "update": update(pool, size, method),
        "weight": weight(pool, size, method),
    }
    with contextlib.suppress(tries.TooMany):
        columns["size"] = planned_sizes(pool, size)
    return pd.DataFrame(columns)


def _ids(reading: Reading) -> NDArray[Any]:
    """The problems' ids, or "row 1" and on where the file has none."""
    if reading.ids is not None:
        return reading.ids
    return np.array([f"row {i + 1}" for i in range(len(reading.stats.mean))], dtype=object)

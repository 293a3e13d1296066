"""Gradient mass: how a pool's summed expected update divides over bands of difficulty (THEORY.md section 5).

`Pool.mass_share` is one band of it; here all bands come from one pass, fast enough for every frame of a slider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from stdial import estimates, expectation
from stdial.arguments import FloatArray
from stdial.method import Method
from stdial.pool import Pool
from stdial.remembered import remembered

__all__ = ["TENTHS", "Parts", "by_band", "parts", "tenths", "updates"]

TENTHS = tuple(i / 10 for i in range(11))
_MOST_POINTS = 24  # results, or different bare rates, that have a point each


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of the difficulty axis for a figure; see `parts`.

    Attributes
    ----------
    rate : [parts] the observed rate in the middle of each, ascending.
    names : what each holds, in words.
    what : what a part is, a sentence.
    weight : [parts, cells] the share of each of the pool's cells that falls into each part; every cell's add up to 1.
    """

    rate: FloatArray
    names: list[str]
    what: str
    weight: FloatArray

    def shares(self, pool: Pool, size: float, method: Method, estimate: str = "unbiased") -> FloatArray:
        """Share of the pool's summed E[c] in each part: [parts]; arguments as in `by_band`, NaN where there is no update."""
        summed = self.weight @ (updates(pool, size, method, estimate) * pool.cells.problems)
        total = float(summed.sum())
        return np.asarray(summed / total if total > 0 else np.full(len(summed), np.nan))


def tenths() -> list[str]:
    """The tenths of a rate in words.

    >>> tenths()[0], tenths()[-1]
    ('0 to .1', '.9 to 1')
    """
    ends = [f"{i / 10:g}".lstrip("0") or "0" for i in range(11)]
    return [f"{low} to {high}" for low, high in pairwise(ends)]


def parts(pool: Pool) -> Parts:
    """Parts of the difficulty axis that could each hold equally many results, so that their heights compare.

    Tenths of the observed rate do not: of 16 tries some tenths hold one possible result and some two, which draws a saw.
    With n tries there are n + 1 possible results, and each gets 1/(n + 1) of the axis: a point each where they are few, else
    as many equal groups of them as come nearest to ten. Where no number of groups divides them, or tries differ between the
    problems, a result's problems are spread evenly over its part of the axis and counted in tenths of it. Bare rates have a
    point for each different rate where these are few, else tenths.

    Examples
    --------
    >>> parts(Pool([0, 1, 4], 4)).names
    ['0 of 4', '1 of 4', '2 of 4', '3 of 4', '4 of 4']
    >>> parts(Pool([0, 32], 32)).names[:2], parts(Pool([3, 4], [4, 5])).weight[6:, 0].round(2).tolist()
    (['0 to 2 of 32', '3 to 5 of 32'], [0.5, 0.5, 0.0, 0.0])
    """
    cells = pool.cells
    if cells.tries is None or cells.right is None:
        return _parts_of_rates(cells.rate)
    n = int(cells.tries.max(initial=1))
    alike = bool((cells.tries == n).all())
    many = _even_parts(n + 1) if alike else 10
    low, high = (np.minimum(cells.right + i, cells.tries + 1.0) / (cells.tries + 1.0) for i in (0, 1))
    edges = np.arange(many + 1) / many
    overlap = np.minimum(high, edges[1:, None]) - np.maximum(low, edges[:-1, None])
    weight = np.maximum(overlap, 0) * (cells.tries + 1.0)
    weight[weight < 1e-9] = 0.0
    middle = (edges[:-1] + edges[1:]) / 2
    if not alike or (n + 1) % many:
        apart = f"1/{n + 1}" if alike else "1/(n + 1)"
        what = (
            f"Points are tenths of the axis: a result, k of {n if alike else 'n'}, is spread over its {apart} of it, so that each "
            "tenth could hold as many results as any other."
        )
        return Parts(((n + 1) * middle - 0.5) / n if alike else middle, tenths(), what, weight)
    each = (n + 1) // many
    names = [f"{i * each} to {(i + 1) * each - 1} of {n}" if each > 1 else f"{i} of {n}" for i in range(many)]
    what = (
        f"One point for each number right of {n}."
        if each == 1
        else f"Each point holds {each} of the {n + 1} possible results."
    )
    return Parts(((n + 1) * middle - 0.5) / n, names, what, weight)


def _even_parts(results: int) -> int:
    """Into how many parts that many results are divided."""
    if results <= _MOST_POINTS:
        return results
    even = [many for many in range(8, 17) if results % many == 0]
    return min(even, key=lambda many: abs(many - 10), default=10)


def _parts_of_rates(rate: FloatArray) -> Parts:
    different, at = np.unique(rate, return_inverse=True)
    if len(different) <= _MOST_POINTS:
        what = "One point for each different rate."
        return Parts(different, [f"{x:g}" for x in different], what, np.eye(len(different))[:, at])
    band = np.minimum((rate * 10 + 1e-11).astype(np.intp), 9)
    what = "Points are tenths of the rate."
    return Parts(np.arange(10) / 10 + 0.05, tenths(), what, np.eye(10)[:, band])


def by_band(
    pool: Pool, size: float, method: Method, estimate: str = "unbiased", edges: Sequence[float] = TENTHS
) -> FloatArray:
    """Share of the pool's summed E[c] in each band of observed rate, [edges - 1]; bands are [low, high), closed at 1.

    Parameters
    ----------
    pool : problems.
    size : group size G, or inf.
    method : whose update.
    estimate : "unbiased" (G at most every row's tries), "deconvolved" (the posterior mean) or "plug-in".
    edges : ascending, from 0 to 1.

    Returns
    -------
    Shares that add up to 1; NaN where the pool has no update at all.

    Examples
    --------
    >>> from stdial import DR_GRPO
    >>> by_band(Pool([0, 1, 4, 8], 8), 8, DR_GRPO, edges=(0, 0.2, 1)).round(4).tolist()
    [0.3043, 0.6957]
    """
    bounds = np.asarray(edges, dtype=np.float64)
    if bounds.ndim != 1 or len(bounds) < 2 or bounds[0] != 0 or bounds[-1] != 1 or (np.diff(bounds) <= 0).any():
        raise ValueError(f"edges is {edges!r}; it must ascend from 0 to 1")
    band = np.searchsorted(bounds[1:-1] - 1e-12, pool.cells.rate, side="right")
    mass = updates(pool, size, method, estimate) * pool.cells.problems
    summed = np.bincount(band, weights=mass, minlength=len(bounds) - 1)
    total = float(summed.sum())
    shares: FloatArray = summed / total if total > 0 else np.full(len(summed), np.nan)
    return shares


def updates(pool: Pool, size: float, method: Method, estimate: str) -> FloatArray:
    """E[c] of a problem in each of the pool's cells, by one of the three estimates; read-only, arguments as in `by_band`.

    >>> from stdial import GRPO
    >>> updates(Pool([0, 4], 8), 2, GRPO, "unbiased").round(4).tolist()
    [0.0, 0.2857]
    """
    key = ("mass", float(size), method, estimate)  # of a page, several figures ask for the same
    return remembered(pool, key, lambda: _updates(pool, size, method, estimate))


def _updates(pool: Pool, size: float, method: Method, estimate: str) -> FloatArray:
    cells = pool.cells
    if estimate == "plug-in":
        return np.asarray(expectation.expected_update(cells.rate, size, method))
    if estimate == "deconvolved":
        p, weights = pool.posterior()
        return np.asarray((weights * expectation.expected_update(p, size, method)).sum(axis=-1))
    if estimate != "unbiased":
        raise ValueError(f"estimate is {estimate!r}; it must be 'unbiased', 'deconvolved' or 'plug-in'")
    if cells.right is None or cells.tries is None:
        raise ValueError("tries is unknown in a pool of bare rates; estimate 'unbiased' needs right and tries")
    if size > cells.tries.min():
        raise ValueError(f"size is {size:g}; for estimate 'unbiased' it must be at most {cells.tries.min()}, the tries")
    return estimates.unbiased(cells.right, cells.tries, estimates.of_update(size, method))

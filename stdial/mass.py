"""Gradient mass: how a pool's summed expected update divides over bands of difficulty (THEORY.md section 5).

`Pool.mass_share` is one band of it; here all bands come from one pass, fast enough for every frame of a slider.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdial import estimates, expectation
from stdial.arguments import FloatArray
from stdial.method import Method
from stdial.pool import Pool

__all__ = ["TENTHS", "by_band", "updates"]

TENTHS = tuple(i / 10 for i in range(11))


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
    """E[c] of a problem in each of the pool's cells, by one of the three estimates; arguments as in `by_band`.

    >>> from stdial import GRPO
    >>> updates(Pool([0, 4], 8), 2, GRPO, "unbiased").round(4).tolist()
    [0.0, 0.2857]
    """
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

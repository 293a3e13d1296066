"""What dropping silent groups does to a whole pool: redraw from the pool against retry of a prompt (THEORY.md section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stdial.arguments import FloatArray, scalar_or_array, sizes
from stdial.expectation import expected_update, weight
from stdial.method import GRPO, Method
from stdial.pool import Pool
from stdial.resampling import redraw_factor, retried, retried_update, retry_mixed, retry_tries

__all__ = ["Dropping", "distribution", "dropping", "relative_weight", "retry_bounds", "retry_prices"]


@dataclass(frozen=True)
class Dropping:
    """Redraw and retry side by side, per prompt of the pool.

    Attributes
    ----------
    kept : share of drawn groups that a redraw keeps, 1 - mean silent rate.
    redraw_factor : rollouts, and scale of the step, of a redraw relative to keeping silent groups: 1/kept.
    redraw_price : rollouts for each mixed group with a redraw: G / kept.
    retry_mixed : share of prompts that end mixed after up to m tries, the mean of 1 - S^m.
    retry_tries : mean number of tries of a prompt; times G its rollouts.
    retry_price : rollouts for each mixed group with retries.
    retry_scale : mean update of a prompt after retries, relative to one try; NaN where no problem has any.
    """

    kept: float
    redraw_factor: float
    redraw_price: float
    retry_mixed: float
    retry_tries: float
    retry_price: float
    retry_scale: float


def distribution(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """The pool's distribution of p as points and masses that add up to 1: the mean of its problems' posteriors.

    Bare rates are their own points.

    >>> p, mass = distribution(Pool.from_rates([0.25, 0.5], problems=[3, 1]))
    >>> p.tolist(), mass.tolist()
    ([0.25, 0.5], [0.75, 0.25])
    """
    return pool.distribution


def dropping(pool: Pool, size: int, tries: int, method: Method = GRPO) -> Dropping:
    """Redraw and retry for a pool.

    Parameters
    ----------
    pool
        The problems. A redraw goes by the best estimate of the silent rate; retries by `distribution`, since S^m asks for
        more answers of a problem than were logged wherever m G is above its tries.
    size
        G, a whole number of at least 2.
    tries
        m, tries of a prompt in all, a whole number of at least 1.
    method
        Whose update `retry_scale` compares.

    Returns
    -------
    A `Dropping`.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Examples
    --------
    >>> both = dropping(Pool.from_rates([0.05, 0.5]), 8, 4)
    >>> round(both.redraw_factor, 3), round(both.retry_mixed, 3), round(both.retry_tries, 3)
    (1.505, 0.903, 1.702)

    Source: THEORY.md section 4.
    """
    G = float(sizes(size, infinite=False))
    silent = pool.silent_rate(G)
    p, mass = distribution(pool)
    mixed, number = (float(mean) for mean in _retried(p, mass, G, tries))
    once = expected_update(p, G, method)
    before = float(mass @ once)
    after = float(mass @ retried_update(once, p, G, tries))
    factor = float(redraw_factor(silent))
    return Dropping(
        kept=1.0 - silent,
        redraw_factor=factor,
        redraw_price=G * factor,
        retry_mixed=mixed,
        retry_tries=number,
        retry_price=G * number / mixed if mixed > 0 else math.inf,
        retry_scale=after / before if before > 0 else math.nan,
    )


def retry_prices(pool: Pool, size: int, tries: ArrayLike) -> FloatArray:
    """Rollouts for each mixed group where silent prompts are retried, `Dropping.retry_price`, for many m at once.

    >>> retry_prices(Pool.from_rates([0.05, 0.5]), 8, [1, 4]).round(2)
    array([12.04, 15.07])
    """
    G = float(sizes(size, infinite=False))
    mixed, number = _retried(*distribution(pool), G, tries)
    with np.errstate(divide="ignore"):
        return scalar_or_array(np.asarray(G * number / mixed))


def retry_bounds(pool: Pool, size: int, tries: int) -> tuple[float, float]:
    """Least and largest share of prompts that end mixed with up to `tries` groups of `size`, two standard errors allowed.

    >>> low, high = retry_bounds(Pool([0, 4, 8], 8), 8, 4)
    >>> 0 <= low <= high <= 1
    True
    """
    return pool.remembered(f"retry {size} {tries}") or pool.bounds(lambda p: retry_mixed(p, size, tries))


def _retried(p: FloatArray, mass: FloatArray, G: float, tries: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Means over a distribution of 1 - S^m and of the number of tries."""
    mixed, number = retried(p, G, np.asarray(tries)[..., None])
    return mixed @ mass, number @ mass


def relative_weight(p: ArrayLike, size: ArrayLike, tries: ArrayLike, method: Method = GRPO) -> FloatArray:
    """Weight of a problem at p over that of one at p = .5, relative to Dr. GRPO, with up to m tries of a silent prompt.

    With `tries` = 1 it is what a redraw from the pool leaves as it is; retries tilt it toward the extremes, by up to m.

    >>> relative_weight([0.05, 0.5], 8, 1).round(2), relative_weight([0.05, 0.5], 8, 4).round(2)
    (array([1.33, 1.  ]), array([3.17, 1.  ]))

    Arguments as in `resampling.retry_update`; they broadcast. Source: THEORY.md sections 2 and 4.
    """
    each = np.asarray(weight(p, size, method)) * np.asarray(retry_tries(p, size, tries))
    middle = np.asarray(weight(0.5, size, method)) * np.asarray(retry_tries(0.5, size, tries))
    return scalar_or_array(np.asarray(each / middle))

"""What dropping silent groups costs and changes: redraw from the pool, retry of a prompt (THEORY.md section 4).

How a training batch fills is in `stdial.batches`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from stdial.arguments import FloatArray, between, scalar_or_array
from stdial.expectation import expected_update
from stdial.method import Method
from stdial.silence import mixed_rate, pairs

__all__ = ["kept_share", "redraw_factor", "retried", "retried_update", "retry_mixed", "retry_tries", "retry_update"]


def kept_share(silent: ArrayLike) -> FloatArray:
    """Share of drawn groups that dynamic sampling keeps: 1 - mean silent rate of the pool.

    In expectation a redraw from the pool leaves the relative weights of the problems as they were, since the dropped
    groups had no update; it scales each step by `redraw_factor`.

    >>> round(float(kept_share(0.431)), 3)
    0.569
    """
    return scalar_or_array(1.0 - between("silent", silent, 0.0, 1.0, "a silent share from 0 to 1"))


def redraw_factor(silent: ArrayLike) -> FloatArray:
    """Rollouts spent, and scale of each step, when silent groups are redrawn from the pool: 1/(1 - mean silent rate).

    Infinite where every group is silent.

    >>> round(float(redraw_factor(0.431)), 2)
    1.76
    """
    with np.errstate(divide="ignore"):
        return scalar_or_array(np.asarray(1.0 / (1.0 - between("silent", silent, 0.0, 1.0, "a share from 0 to 1"))))


def retry_mixed(p: ArrayLike, size: ArrayLike, tries: ArrayLike) -> FloatArray:
    """Chance of a mixed group when a silent one of the *same* prompt is tried again, `tries` times in all: 1 - S^m.

    Parameters
    ----------
    p
        Success probability, from 0 to 1.
    size
        G, a whole number of at least 2, or inf.
    tries
        m, a whole number of at least 1, or inf. All broadcast.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Examples
    --------
    >>> round(float(retry_mixed(0.05, 8, 4)), 4)
    0.8063

    Source: THEORY.md section 4; the paper's controlled run has 4 tries.
    """
    return retried(p, size, tries)[0]


def retry_tries(p: ArrayLike, size: ArrayLike, tries: ArrayLike) -> FloatArray:
    """Expected number of groups drawn per prompt when silent ones are retried: (1 - S^m)/(1 - S), m if S = 1.

    Times G it is the cost in rollouts; arguments as in `retry_mixed`.

    >>> round(float(retry_tries(0.05, 8, 4)), 4)
    2.3955
    """
    return retried(p, size, tries)[1]


def retry_update(p: ArrayLike, size: ArrayLike, tries: ArrayLike, method: Method) -> FloatArray:
    """Expected update per prompt when silent groups are retried: E[c] (1 - S^m)/(1 - S).

    Unlike a redraw from the pool this tilts the weights toward the extremes. Arguments as in `retry_mixed`.

    >>> from stdial import GRPO
    >>> gain = retry_update([0.05, 0.5], 8, 4, GRPO) / expected_update([0.05, 0.5], 8, GRPO)
    >>> gain.round(2)
    array([2.4 , 1.01])
    """
    return retried_update(expected_update(p, size, method), p, size, tries)


def retried_update(update: FloatArray, p: ArrayLike, size: ArrayLike, tries: ArrayLike) -> FloatArray:
    """`retry_update` where the expected update of one group is at hand.

    >>> round(float(retried_update(np.float64(0.1), 0.05, 8, 4)), 4)
    0.2396
    """
    return scalar_or_array(np.asarray(update * np.where(update > 0, retried(p, size, tries)[1], 1.0)))


def retried(p: ArrayLike, size: ArrayLike, tries: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """`retry_mixed` and `retry_tries` at once.

    >>> [round(float(found), 4) for found in retried(0.05, 8, 4)]
    [0.8063, 2.3955]
    """
    m = between("tries", tries, 1, math.inf, "a whole number of at least 1, or inf")
    if not (np.isinf(m) | (m == np.floor(m))).all():
        raise ValueError(f"tries is {tries!r}; it must be a whole number of at least 1, or inf")
    mixed, m = np.broadcast_arrays(np.asarray(mixed_rate(*pairs(p, size))), m)
    with np.errstate(divide="ignore", invalid="ignore"):
        some = -np.expm1(m * np.log1p(-mixed))  # keeps its digits where a mixed group is rare
        some = np.where(mixed == 0, 0.0, some)
        number = np.where(mixed == 0, m, some / mixed)
    return scalar_or_array(some), scalar_or_array(number)

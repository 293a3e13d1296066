"""How often a group is silent: all of its answers right, or all wrong (THEORY.md section 2).

The functions are public as `stdial.expectation`'s. They broadcast, keep their digits at tiny p, and take
`size=math.inf` for the large-group limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stdial.arguments import FloatArray, probabilities, scalar_or_array, sizes, together

__all__ = ["all_right_rate", "all_wrong_rate", "mixed_rate", "pairs", "silent_chance", "silent_rate"]

_LOST = -746.0  # the exponential of less is 0


def pairs(p: ArrayLike, size: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check p and sizes and broadcast them."""
    return together("p", probabilities("p", p), "size", sizes(size))


def all_right_rate(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Chance that all of a group's answers are right: p^G; arguments as in `silent_rate`.

    >>> float(all_right_rate(0.5, 8))
    0.00390625
    """
    p, size = pairs(p, size)
    return scalar_or_array(_power(p, 1.0 - p, size))


def all_wrong_rate(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Chance that all of a group's answers are wrong: (1 - p)^G; arguments as in `silent_rate`.

    >>> round(float(all_wrong_rate(0.05, 8)), 4)
    0.6634
    """
    p, size = pairs(p, size)
    return scalar_or_array(_power(1.0 - p, p, size))


def silent_rate(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Chance that a group teaches nothing, all right or all wrong: p^G + (1 - p)^G.

    Parameters
    ----------
    p
        Success probability of one answer, from 0 to 1.
    size
        G, a whole number of at least 2, or math.inf. Broadcasts with `p`.

    Raises
    ------
    ValueError
        For a p or a size outside these ranges.

    Examples
    --------
    >>> round(float(silent_rate(0.05, 8)), 4), float(silent_rate(0.5, float('inf')))
    (0.6634, 0.0)

    Source: arXiv 2607.00152, silent groups.
    """
    return scalar_or_array(silent_chance(*pairs(p, size)))


def silent_chance(p: FloatArray, size: FloatArray) -> FloatArray:
    """`silent_rate` without checks.

    >>> float(silent_chance(np.array(0.5), np.array(2.0)))
    0.5
    """
    return _power(p, 1.0 - p, size) + _power(1.0 - p, p, size)


def mixed_rate(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Chance that a group holds right and wrong answers: 1 - silent rate, without losing digits at tiny p.

    >>> float(mixed_rate(1e-12, 2)) == 2e-12 * (1 - 1e-12)
    True
    """
    p, size = pairs(p, size)
    rare = np.minimum(p, 1.0 - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        some = -np.expm1(size * np.log1p(-rare))
    return scalar_or_array(np.where(rare == 0, 0.0, some - _power(rare, 1.0 - rare, size)))


def _power(base: FloatArray, other: FloatArray, size: FloatArray) -> FloatArray:
    """base^size where base + other = 1: by log1p(-other) where base is near 1, since there `other` holds the digits."""
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        lost = base < np.exp(_LOST / size)
        if lost.any():  # an underflow takes thirty times as long as another power
            base = np.where(lost, 0.0, base)
            near_one = np.exp(size * np.log1p(-np.where(other < 0.5, other, 0.0)))
        else:
            near_one = np.exp(size * np.log1p(-np.minimum(other, 0.5)))
        plain = base**size
    return np.where(other == 0, 1.0, np.where(other < 0.5, near_one, plain))

"""How many tries stand behind a list of rates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["infer_tries", "rounded_to"]

_MOST = 256
_CLOSE = 1e-6


def infer_tries(rates: NDArray[np.float64]) -> int | None:
    """The smallest n from 2 to 256 of which all rates are multiples of 1/n; None where nothing can be said.

    At least 10 rates with at least 3 different values are needed. Rates of at most two decimals that fit no smaller n
    are multiples of 1/100 only because they were rounded: they say nothing.

    >>> infer_tries(np.array([0, 0.125, 0.5, 1, 0.25] * 2)), infer_tries(np.array([0.13, 0.21, 0.77, 0.5] * 3))
    (8, None)
    """
    levels = np.unique(rates)
    if len(rates) < 10 or len(levels) < 3:
        return None
    for n in range(2, _MOST + 1):
        if (np.abs(levels * n - np.round(levels * n)) < _CLOSE).all():
            return None if n == 100 and rounded_to(levels) <= 2 else n
    return None


def rounded_to(levels: NDArray[np.float64], most: int = 6) -> int:
    """The fewest decimals with which all numbers can be written; ``most + 1`` where more are needed.

    >>> rounded_to(np.array([0.5, 0.25]))
    2
    """
    for decimals in range(most + 1):
        if (np.abs(levels - np.round(levels, decimals)) < 1e-9).all():
            return decimals
    return most + 1

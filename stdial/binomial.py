"""Exact averages over K ~ Binomial(n, p): every average over groups in stdial is one of these.

The probabilities use the saddle-point form of C. Loader, "Fast and accurate computation of binomial probabilities"
(2000), which neither overflows (C(n, k) does near n = 1030) nor cancels (log-gamma loses 4e-12 at n = 4096). The sum
runs over a window around the mean outside which less than 1e-20 of the probability lies, so n may be very large.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray

__all__ = ["mean", "probability"]

Values = Callable[[NDArray[Any]], FloatArray]  # k (float, any shape) -> [m, *shape of k]: m functions of k at once

_LOG_TAIL = 50.0  # e^-50 is far below what float64 can see beside the total
_CHUNK = 1 << 20  # probabilities held in memory at once
_TABLE = 1 << 17  # up to this n, functions of k are computed once and looked up
_EXACT_UNTIL = 16  # below it Stirling's error comes from the factorial itself
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_SMALL_ERRORS = np.array(
    [0.0] + [math.log(math.factorial(k)) - (k + 0.5) * math.log(k) + k - _HALF_LOG_2PI for k in range(1, _EXACT_UNTIL)]
)


def mean(n: int, p: FloatArray, values: Values) -> FloatArray:
    """E[f(K)] for K ~ Binomial(n, p), for m functions at once.

    Parameters
    ----------
    n
        Number of draws, at least 0.
    p
        Success probabilities in [0, 1], shape [P].
    values
        Takes an array of k (floats, whole numbers from 0 to n) and returns the m functions there, [m, *shape].

    Returns
    -------
    An array of shape [m, P]; terms of one sign keep about 14 digits for n up to 4096.

    >>> mean(8, np.array([0.25]), lambda k: np.stack([k, k * k]))
    array([[2. ],
           [5.5]])
    """
    flipped = p > 0.5  # 1 - p is exact there, so both halves of [0, 1] keep their digits
    if not flipped.any():
        return _mean_low(n, p, values)
    result = np.empty((values(np.zeros(1)).shape[0], p.size))
    result[:, ~flipped] = _mean_low(n, p[~flipped], values)
    result[:, flipped] = _mean_low(n, 1.0 - p[flipped], lambda k: values(n - k))
    return result


def _mean_low(n: int, p: FloatArray, values: Values) -> FloatArray:
    """`mean` for p <= 1/2, in chunks of neighbouring p, whose windows are alike."""
    table = values(np.arange(n + 1.0)) if n <= _TABLE else None
    rows = (values(np.zeros(1)) if table is None else table).shape[0]
    result = np.empty((rows, p.size))
    order = np.argsort(p, kind="stable")
    start = 0
    while start < p.size:
        # the widest window of the next chunk belongs to its largest p; a first guess by the largest of all
        step = max(1, _CHUNK // _width(n, p[order[-1]]))
        chosen = order[start : start + step]
        result[:, chosen] = _mean_window(n, p[chosen], values, table)
        start += step
    return result


def _mean_window(n: int, p: FloatArray, values: Values, table: FloatArray | None) -> FloatArray:
    width = _width(n, p[-1])
    if table is not None and width > 0.7 * (n + 1):
        shared: FloatArray = table @ probability(n, p[:, None], np.arange(n + 1.0)).T
        return shared
    first = np.clip(np.floor(n * p - width / 2), 0, max(0, n + 1 - width))
    k = first[:, None] + np.arange(float(min(width, n + 1)))
    f = values(k) if table is None else table[:, k.astype(np.int64)]
    windowed: FloatArray = np.einsum("mpk,pk->mp", f, probability(n, p[:, None], k))
    return windowed


def _width(n: int, p: float) -> int:
    """Bernstein's inequality: outside this many k around n p lies less than 2 e^-50, and every k where n is small."""
    reach = _LOG_TAIL / 3 + math.sqrt(_LOG_TAIL**2 / 9 + 2 * _LOG_TAIL * n * p * (1 - p))
    return min(n + 1, 2 * math.ceil(reach) + 3)


def probability(n: int, p: FloatArray, k: FloatArray) -> FloatArray:
    """P(K = k) for K ~ Binomial(n, p), p <= 1/2 (the digits of a larger p lie in 1 - p: flip k instead).

    `p` and `k` broadcast; k are whole numbers from 0 to n as floats. Exact at p = 0.

    >>> probability(4, np.array([0.5]), np.arange(5.0)) * 16
    array([1., 4., 6., 4., 1.])
    """
    m = n * p
    d = k - m
    with np.errstate(all="ignore"):  # the ends k = 0 and k = n, and p = 0, are set below
        log = _log_front(n, k) - k * np.log1p(d / m) - (n - k) * np.log1p(-d / (n - m))
        inside = np.exp(log)
    nobody = np.exp(n * np.log1p(-p))
    return np.where(k == 0, nobody, np.where(k == n, p**n, np.where(p > 0, inside, 0.0)))


def _log_front(n: int, k: FloatArray) -> FloatArray:
    """Logarithm of the factor before the deviance terms, for 0 < k < n; nothing meant at the ends."""
    if n <= _TABLE:
        table = _front_table(n)
        return table if k.shape == (n + 1,) else table[k.astype(np.int64)]
    return _front(n, k)


@lru_cache(maxsize=128)
def _front_table(n: int) -> FloatArray:
    table = _front(n, np.arange(n + 1.0))
    table.flags.writeable = False
    return table


def _front(n: int, k: FloatArray) -> FloatArray:
    inner = np.clip(k, 1, max(1, n - 1))
    rest = np.maximum(n - inner, 1)
    errors = _stirling_error(np.array([float(n)]))[0] - _stirling_error(inner) - _stirling_error(rest)
    front: FloatArray = errors + 0.5 * np.log(n / (inner * rest)) - _HALF_LOG_2PI
    return front


def _stirling_error(k: FloatArray) -> FloatArray:
    """Log k! minus Stirling's formula, k >= 1."""
    x = np.maximum(k, _EXACT_UNTIL)
    r = 1 / (x * x)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) / x
    small: FloatArray = _SMALL_ERRORS[np.minimum(k, _EXACT_UNTIL - 1).astype(np.int64)]
    return np.where(k < _EXACT_UNTIL, small, series)

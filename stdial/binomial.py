"""Exact averages over K ~ Binomial(n, p): every average over groups in stdial is one of these.

The probabilities use the saddle-point form of C. Loader, "Fast and accurate computation of binomial probabilities"
(2000), which neither overflows (C(n, k) does near n = 1030) nor cancels (log-gamma loses 4e-12 at n = 4096).

The sum runs over a window around the mean, outside which less than 1e-20 of the probability lies. Where the standard
deviation is wide it takes every h-th k only, h a quarter of it, times h: by Poisson's summation formula that changes a
smooth sum by about exp(-2 pi^2 4^2) = 1e-137, so that the work does not grow with n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray

__all__ = ["mean", "mean_each", "probability"]

Values = Callable[[NDArray[Any]], FloatArray]  # k (float, any shape) -> [m, *shape of k]: m functions of k at once
ValuesEach = Callable[[FloatArray, FloatArray], FloatArray]  # k and n -> one function of both

_LOG_TAIL = 50.0  # e^-50 is far below what float64 can see beside the total
_CHUNK = 1 << 19  # probabilities held in memory at once
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


def mean_each(n: FloatArray, p: FloatArray, values: ValuesEach) -> FloatArray:
    """E[f(K, n)] for K ~ Binomial(n, p), every pair with its own n: shape [N], as n and p.

    >>> mean_each(np.array([4.0, 10.0]), np.array([0.5, 0.9]), lambda k, n: k)
    array([2., 9.])
    """
    low = np.minimum(p, 1.0 - p)
    result = np.empty(p.size)
    order = np.argsort(n * low, kind="stable")
    for chosen in np.array_split(order, math.ceil(p.size * _width(n, low) / _CHUNK) or 1):
        if chosen.size:
            q, m = low[chosen, None], n[chosen, None]
            k, share = _window(m, q)
            f = values(np.where(p[chosen, None] > 0.5, m - k, k), m)
            result[chosen] = np.einsum("nk,nk->n", f, share * probability(m, q, k))
    return result


def _mean_low(n: int, p: FloatArray, values: Values) -> FloatArray:
    """`mean` for p <= 1/2, in chunks of neighbouring p, whose windows are alike."""
    table = values(np.arange(n + 1.0)) if n <= _TABLE else None
    rows = (values(np.zeros(1)) if table is None else table).shape[0]
    result = np.empty((rows, p.size))
    order = np.argsort(p, kind="stable")
    for chosen in np.array_split(order, math.ceil(p.size * min(n + 1, _width(np.float64(n), p)) / _CHUNK) or 1):
        result[:, chosen] = _mean_window(n, p[chosen], values, table)
    return result


def _mean_window(n: int, p: FloatArray, values: Values, table: FloatArray | None) -> FloatArray:
    if table is not None and _width(np.float64(n), p) > 0.7 * (n + 1):
        shared: FloatArray = table @ probability(n, p[:, None], np.arange(n + 1.0)).T
        return shared
    k, share = _window(np.float64(n), p[:, None])
    f = values(k) if table is None else table[:, k.astype(np.int64)]
    windowed: FloatArray = np.einsum("mpk,pk->mp", f, share * probability(n, p[:, None], k))
    return windowed


def _reach(n: Any, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far from n p the window goes (Bernstein: less than 2 e^-50 lies outside), and its step."""
    variance = n * p * (1 - p)
    reach = _LOG_TAIL / 3 + np.sqrt(_LOG_TAIL**2 / 9 + 2 * _LOG_TAIL * variance)
    return reach, np.maximum(1.0, np.floor(np.sqrt(variance) / 4))


def _width(n: Any, p: FloatArray) -> int:
    reach, step = _reach(n, p)
    return int(np.max(np.ceil(2 * reach / step), initial=0)) + 3


def _window(n: Any, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The k to sum over, [P, width], and what each stands for: its step, or 0 for one outside 0..n."""
    reach, step = _reach(n, p)
    k = np.floor(n * p - reach) + step * np.arange(float(_width(n, p)))
    share = np.where((k >= 0) & (k <= n), step, 0.0)
    return np.clip(k, 0.0, n), share


def probability(n: int | FloatArray, p: FloatArray, k: FloatArray) -> FloatArray:
    """P(K = k) for K ~ Binomial(n, p), p <= 1/2 (the digits of a larger p lie in 1 - p: flip k instead).

    All broadcast; k are whole numbers from 0 to n as floats. Exact at p = 0.

    >>> probability(4, np.array([0.5]), np.arange(5.0)) * 16
    array([1., 4., 6., 4., 1.])
    """
    m = n * p
    d = k - m
    with np.errstate(all="ignore"):  # the ends k = 0 and k = n, and p = 0, are set below
        if np.max(n) <= _TABLE:
            deviance = k * np.log1p(d / m) + (n - k) * np.log1p(-d / (n - m))
        else:  # the two terms' parts that are linear in d, large and opposite, are left out
            deviance = m * _bend(d / m) + (n - m) * _bend(-d / (n - m))
        log = _log_front(n, k) - deviance
        inside = np.exp(log)
        nobody, everybody = np.exp(n * np.log1p(-p)), p**n
    return np.where(k == 0, nobody, np.where(k == n, everybody, np.where(p > 0, inside, 0.0)))


def _bend(x: FloatArray) -> FloatArray:
    """(1 + x) log(1 + x) - x, by its series where that difference would cancel."""
    series = x * x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x * (1 / 30 - x * (1 / 42 - x / 56))))))
    return np.where(np.abs(x) < 0.01, series, (1 + x) * np.log1p(x) - x)


def _log_front(n: int | FloatArray, k: FloatArray) -> FloatArray:
    """Logarithm of the factor before the deviance terms, for 0 < k < n; nothing meant at the ends."""
    if isinstance(n, int) and n <= _TABLE:
        table = _front_table(n)
        return table if k.shape == (n + 1,) else table[k.astype(np.int64)]
    return _front(np.asarray(n, dtype=np.float64), k)


@lru_cache(maxsize=128)
def _front_table(n: int) -> FloatArray:
    table = _front(np.asarray(n, dtype=np.float64), np.arange(n + 1.0))
    table.flags.writeable = False
    return table


def _front(n: FloatArray, k: FloatArray) -> FloatArray:
    inner = np.clip(k, 1.0, np.maximum(1.0, n - 1.0))
    rest = np.maximum(n - inner, 1.0)
    errors = _stirling_error(np.maximum(n, 1.0)) - _stirling_error(inner) - _stirling_error(rest)
    front: FloatArray = errors + 0.5 * np.log(np.maximum(n, 1.0) / inner / rest) - _HALF_LOG_2PI
    return front


def _stirling_error(k: FloatArray) -> FloatArray:
    """Log k! minus Stirling's formula, k >= 1."""
    x = np.maximum(k, _EXACT_UNTIL)
    r = 1 / (x * x)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) / x
    small: FloatArray = _SMALL_ERRORS[np.minimum(k, _EXACT_UNTIL - 1).astype(np.int64)]
    return np.where(k < _EXACT_UNTIL, small, series)

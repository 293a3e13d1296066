"""Sums, means and standard deviations in the precision and the order in which the frameworks do them.

In float32 the order of additions decides whether the mean of eight rewards of .7 is .7 or 6e-8 beside it, and with it
what a constant group gets (59.6 in one framework): so the order is followed, in float64 too.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "count", "mean", "std", "total", "variance"]

Floats: TypeAlias = NDArray[Any]
_LANES = {4: 8, 8: 4}  # by bytes a number: torch's lanes on AVX2 and AVX-512, measured on torch 2.13 for n up to 500
_ROWS = 4  # independent partial sums


def count(x: Floats, times: Floats | None = None) -> Any:
    """How many numbers there are, in the precision of ``x``."""
    return x.dtype.type(x.size) if times is None else times.sum(axis=-1, keepdims=True).astype(x.dtype)


def total(x: Floats, sums: str = "lanes", times: Floats | None = None) -> Any:
    """The sum of a one-dimensional array in its own precision; ``sums`` is the order of additions (see CHOICES).

    Examples
    --------
    >>> eight = np.full(8, 0.7, dtype=np.float32)
    >>> float(total(eight) / np.float32(8) - eight[0]), float(total(eight, "pairwise") / np.float32(8) - eight[0])
    (-5.960464477539063e-08, 0.0)
    >>> total(np.array([1.0, 0.0]), times=np.array([[3, 5], [8, 0]])).tolist()
    [[3.0], [8.0]]
    """
    if times is not None:  # what occurs no time may be nan or inf
        return np.where(times > 0, x * times.astype(x.dtype), 0).sum(axis=-1, keepdims=True)
    if sums == "pairwise":
        return x.sum()
    if sums == "in order" or x.size < _ROWS:
        return _in_order(x)
    lanes = _LANES[x.itemsize] if x.size >= _LANES[x.itemsize] else 1
    full = x.size // lanes
    block = x[: full * lanes].reshape(full, lanes)
    rows = full // _ROWS
    partial = [_in_order(block[i : rows * _ROWS : _ROWS]) for i in range(_ROWS)] if rows else []
    rest = block[rows * _ROWS :]
    if partial:
        head = partial[0]
        for row in rest:
            head = head + row
        for other in partial[1:]:
            head = head + other
    else:
        head = _in_order(rest)
    tail = _in_order(x[full * lanes :])
    return _in_order(np.concatenate([[tail], np.atleast_1d(head)]).astype(x.dtype))


def _in_order(x: Floats) -> Any:
    """Add along the first axis, one after the other."""
    if x.shape[0] == 0:
        return x.dtype.type(0)
    return np.cumsum(x, axis=0, dtype=x.dtype)[-1]


def mean(x: Floats, sums: str = "lanes", times: Floats | None = None) -> Any:
    """The mean, rounded to the precision of ``x``."""
    return total(x, sums, times) / count(x, times)


def std(x: Floats, ddof: int, by: str, sums: str = "lanes", about: Any = None, times: Floats | None = None) -> Any:
    """The standard deviation as ``by`` says (see CHOICES), nan where ddof leaves nothing; around ``about`` if given.

    Examples
    --------
    >>> constant = np.full(8, 0.7, dtype=np.float32)
    >>> float(std(constant, 1, "welford")), float(std(constant, 1, "two passes")).__round__(10)
    (0.0, 6.37e-08)
    """
    value = variance(x, ddof, by, sums, about, times)
    if times is not None:
        return np.sqrt(np.where(value >= 0, value, np.nan)).astype(x.dtype)
    return x.dtype.type(np.sqrt(value)) if value >= 0 else x.dtype.type(np.nan)


def variance(x: Floats, ddof: int, by: str, sums: str = "lanes", about: Any = None, times: Floats | None = None) -> Any:
    """The square of ``std``, in the precision of ``x``; as the difference of squares it can come out below zero.

    Examples
    --------
    >>> float(variance(np.array([0.0, 1.0]), 1, "two passes"))
    0.5
    """
    n = count(x, times)
    left = n - x.dtype.type(ddof)
    if times is None and left <= 0:
        return x.dtype.type(np.nan)
    if times is not None:
        left = np.where(left > 0, left, x.dtype.type(np.nan))
    if by == "welford":
        exact = x.astype(np.float64)
        return exact.var(ddof=ddof) if times is None else _squares(exact, mean(exact, sums, times), sums, times) / left
    centre = mean(x, sums, times) if about is None else about
    if by == "squares":
        return (mean(x * x, sums, times) - centre * centre) * (n / left)
    squares = _squares(x, centre, sums, times)
    if by == "nanstd":
        bessel = np.float32(n) / np.float32(left)  # a ratio of whole numbers: torch makes it float32
        return squares / n * bessel.astype(x.dtype)
    return squares / left


def _squares(x: Floats, centre: Any, sums: str, times: Floats | None) -> Any:
    """The sum of squared deviations."""
    return total((x - centre) ** 2, sums, times)

"""Sums, means and standard deviations in the precision and the order in which the frameworks do them.

In float32 the order of additions decides whether the mean of eight rewards of .7 is .7 or 6e-8 beside it, and with it
what a constant group gets (59.6 in one framework): so the order is followed, in float64 too.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "mean", "std", "total", "variance"]

Floats: TypeAlias = NDArray[Any]
_LANES = {4: 8, 8: 4}  # by bytes a number: torch's lanes on AVX2 and AVX-512, measured on torch 2.13 for n up to 500
_ROWS = 4  # independent partial sums


def total(x: Floats, sums: str = "lanes") -> Any:
    """The sum of a one-dimensional array in its own precision; ``sums`` is the order of additions (see CHOICES).

    Examples
    --------
    >>> eight = np.full(8, 0.7, dtype=np.float32)
    >>> float(total(eight) / np.float32(8) - eight[0]), float(total(eight, "pairwise") / np.float32(8) - eight[0])
    (-5.960464477539063e-08, 0.0)
    """
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


def mean(x: Floats, sums: str = "lanes") -> Any:
    """The mean, rounded to the precision of ``x``."""
    return total(x, sums) / x.dtype.type(x.size)


def std(x: Floats, ddof: int, by: str, sums: str = "lanes", about: Any = None) -> Any:
    """The standard deviation as ``by`` says (see CHOICES), nan where ddof leaves nothing; around ``about`` if given.

    Examples
    --------
    >>> constant = np.full(8, 0.7, dtype=np.float32)
    >>> float(std(constant, 1, "welford")), float(std(constant, 1, "two passes")).__round__(10)
    (0.0, 6.37e-08)
    """
    value = variance(x, ddof, by, sums, about)
    return x.dtype.type(np.sqrt(value)) if value >= 0 else x.dtype.type(np.nan)


def variance(x: Floats, ddof: int, by: str, sums: str = "lanes", about: Any = None) -> Any:
    """The square of ``std``, in the precision of ``x``; as the difference of squares it can come out below zero.

    Examples
    --------
    >>> float(variance(np.array([0.0, 1.0]), 1, "two passes"))
    0.5
    """
    one = x.dtype.type
    if x.size - ddof <= 0:
        return one(np.nan)
    if by == "welford":
        return x.astype(np.float64).var(ddof=ddof)
    centre = mean(x, sums) if about is None else about
    if by == "squares":
        return (mean(x * x, sums) - centre * centre) * (one(x.size) / one(x.size - ddof))
    deviations = (x - centre) ** 2
    if by == "nanstd":
        bessel = np.float32(x.size) / np.float32(x.size - ddof)  # a ratio of whole numbers: torch makes it float32
        return mean(deviations, sums) * one(bessel)
    return total(deviations, sums) / one(x.size - ddof)

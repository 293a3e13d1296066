"""What the functions of stdial accept: each check returns float64 arrays, or names the argument and what is allowed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FloatArray", "a_threshold", "between", "counts", "probabilities", "scalar_or_array", "sizes", "together"]

FloatArray = NDArray[np.float64]

LARGEST_WHOLE = 2.0**53  # beyond it float64 no longer holds every whole number


def numbers(name: str, value: ArrayLike, allowed: str) -> FloatArray:
    """`value` as float64, or a ValueError that names it: text, objects and complex numbers are not numbers here."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; it must be {allowed}") from None


def refuse(name: str, value: FloatArray, fine: NDArray[np.bool_], allowed: str) -> None:
    """Raise a ValueError that shows the first value that is not `fine`."""
    if not fine.all():
        first = value[~fine].ravel()[0] if value.ndim else value[()]
        raise ValueError(f"{name} is {first:g}; it must be {allowed}")


def probabilities(name: str, value: ArrayLike) -> FloatArray:
    """Success probabilities: numbers from 0 to 1.

    >>> probabilities("p", [0, 0.5])
    array([0. , 0.5])
    >>> probabilities("p", 7)
    Traceback (most recent call last):
    ValueError: p is 7; it must be a number from 0 to 1
    """
    return between(name, value, 0.0, 1.0, "a number from 0 to 1")


def between(name: str, value: ArrayLike, low: float, high: float, allowed: str) -> FloatArray:
    """Numbers from `low` to `high`, both included; NaN is refused."""
    array = numbers(name, value, allowed)
    refuse(name, array, (array >= low) & (array <= high), allowed)
    return array


def sizes(value: ArrayLike, *, infinite: bool = True, name: str = "size") -> FloatArray:
    """Group sizes: whole numbers of at least 2, or (where `infinite`) math.inf for the large-group limit.

    >>> sizes([2, 8, float("inf")])
    array([ 2.,  8., inf])
    >>> sizes(1)
    Traceback (most recent call last):
    ValueError: size is 1; it must be a whole number of at least 2, or inf
    """
    allowed = "a whole number of at least 2" + (", or inf" if infinite else "")
    array = numbers(name, value, allowed)
    whole = (array >= 2) & (array <= LARGEST_WHOLE) & (np.floor(array) == array)
    refuse(name, array, whole | (np.isposinf(array) & infinite), allowed)
    return array


def counts(name: str, value: ArrayLike, most: FloatArray, what: str) -> tuple[FloatArray, FloatArray]:
    """Whole numbers from 0 to `most`, broadcast with it; `what` says in words what the upper end is.

    >>> counts("right", 9, np.asarray(8.0), "the group size")
    Traceback (most recent call last):
    ValueError: right is 9; it must be a whole number from 0 to the group size, here 8
    """
    array = numbers(name, value, f"a whole number from 0 to {what}")
    array, most = together(name, array, "size", most)
    fine = (array >= 0) & (array <= most) & (np.floor(array) == array)
    if not fine.all():
        limit = most[~fine].ravel()[0] if most.ndim else most[()]
        refuse(name, array, fine, f"a whole number from 0 to {what}, here {limit:g}")
    return array, most


def a_threshold(value: float) -> float:
    """The reward from which an answer is right: one finite number.

    >>> a_threshold("high")
    Traceback (most recent call last):
    ValueError: threshold is 'high'; it must be a finite number
    """
    number = numbers("threshold", value, "a finite number")
    if number.ndim or not np.isfinite(number):
        raise ValueError(f"threshold is {value!r}; it must be a finite number")
    return float(number)


def together(name: str, value: FloatArray, other: str, beside: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two arguments, broadcast.

    >>> together("p", np.zeros(2), "size", np.zeros(3))
    Traceback (most recent call last):
    ValueError: p has shape (2,); it must broadcast with size, of shape (3,)
    """
    try:
        both = np.broadcast_arrays(value, beside)
    except ValueError:
        raise ValueError(
            f"{name} has shape {value.shape}; it must broadcast with {other}, of shape {beside.shape}"
        ) from None
    return both[0], both[1]


def scalar_or_array(result: FloatArray) -> FloatArray:
    """A float64 scalar for scalar arguments, the array itself otherwise (numpy's own habit)."""
    scalar: FloatArray = result[()]
    return scalar

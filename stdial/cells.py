"""Columns of a pool: checked, frozen, and merged into cells of equal (right, tries)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Cells", "cells_of", "column", "counts", "entries", "frozen", "rates"]

_NESTED = (tuple, list, set, frozenset, np.ndarray)


@dataclass(frozen=True)
class Cells:
    """The distinct outcomes of a pool, sorted: one entry per different (right, tries), or per different bare rate.

    ``right`` and ``tries`` are None for bare rates; ``rate`` is right / tries; ``problems`` how many problems fell into
    the cell; ``index`` the cell of each row of the pool.
    """

    right: NDArray[np.int64] | None
    tries: NDArray[np.int64] | None
    rate: NDArray[np.float64]
    problems: NDArray[np.float64]
    index: NDArray[np.intp]


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """The same array, read-only."""
    values.setflags(write=False)
    return values


def column(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Numbers as one float64 column, or a ValueError that names the first entry that is none."""
    array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; it must be one number a row")
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        at, bad = next((i, v) for i, v in enumerate(array.tolist()) if not _is_number(v))
        raise ValueError(f"{name}[{at}] is {bad!r}; it must be a number") from None
    _refuse(name, array, ~np.isfinite(numbers), "a finite number")
    return numbers


def counts(name: str, values: ArrayLike, least: int) -> NDArray[np.int64]:
    """Whole numbers of at least ``least``."""
    numbers = column(name, values)
    _refuse(name, numbers, (numbers != np.floor(numbers)) | (numbers < least), f"a whole number of at least {least}")
    return numbers.astype(np.int64)


def rates(values: ArrayLike) -> NDArray[np.float64]:
    """Pass rates in [0, 1]."""
    numbers = column("rate", values)
    _refuse("rate", numbers, (numbers < 0) | (numbers > 1), "a number from 0 to 1")
    return numbers


def entries(name: str, values: Iterable[Any], rows: int) -> NDArray[Any]:
    """One label a row (ids or a facet) as a frozen column; nested lists become tuples."""
    labels = values if isinstance(values, np.ndarray) else list(values)
    if len(labels) != rows:
        raise ValueError(f"{name} has {len(labels)} entries; it must have one a row, {rows} in all")
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind != "O":
        return frozen(labels.copy())
    nested = (tuple(label) if isinstance(label, _NESTED) else label for label in labels)
    return frozen(np.fromiter(nested, dtype=object, count=rows))


def cells_of(
    right: NDArray[np.int64] | None,
    tries: NDArray[np.int64] | None,
    rate: NDArray[np.float64],
    problems: NDArray[Any],
) -> Cells:
    """Merge rows of equal (right, tries), or of equal bare rate."""
    if right is None or tries is None:
        distinct, index = np.unique(rate, return_inverse=True)
        return Cells(None, None, frozen(distinct), _total(index, problems), frozen(index))
    of_tries, tried = _rank(tries)
    of_right, solved = _rank(right)
    index, keys = _rank(of_tries * len(solved) + of_right)
    k, n = solved[keys % len(solved)], tried[keys // len(solved)]
    return Cells(frozen(k), frozen(n), frozen(k / n), _total(index, problems), frozen(index))


def _total(index: NDArray[np.intp], problems: NDArray[Any]) -> NDArray[np.float64]:
    return frozen(np.bincount(index, weights=problems))


def _rank(values: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Position of each value among the distinct ones, and these; by counting where the range is small."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 1024:
        distinct, index = np.unique(values, return_inverse=True)
        return index, distinct
    seen = np.bincount(values - low) > 0
    return (np.cumsum(seen) - 1)[values - low], np.flatnonzero(seen) + low


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _refuse(name: str, values: NDArray[Any], bad: NDArray[np.bool_], allowed: str) -> None:
    if bad.any():
        at = int(np.argmax(bad))
        shown = f"{values[at]:.12g}" if values.dtype.kind == "f" else values[at]
        raise ValueError(f"{name}[{at}] is {shown}; it must be {allowed}")

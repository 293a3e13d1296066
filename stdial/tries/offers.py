"""Sizes to choose from, what a group of each is worth to each cell, and the steps that budgets take through them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray
from stdial.lazily import lazily
from stdial.tries.knapsack import Queue, hull_steps, queue

__all__ = ["Offer"]

_FIRST = 8  # sizes whose hull is looked at first; then four times as many
_MOST_RESULTS = 64
_SURE = 1 - 1e-9  # how far below a slope others must stay, so that no rounding brings them before it

T = TypeVar("T")


class Offer:
    """Ascending sizes and their worth, [cells, sizes], to cells of so many problems; what is found of them is kept.

    >>> offer = Offer(np.array([2, 3, 4]), np.array([[0.1, 0.3, 0.35]]), np.array([10.0]))
    >>> offer.queue(30).steps.length.tolist()
    [3, 1]
    """

    def __init__(self, sizes: NDArray[np.int64], worth: FloatArray, problems: FloatArray) -> None:
        self.sizes, self.worth, self.problems = sizes, worth, problems
        self._queues: dict[int, Queue] = {}
        self._results: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        with self._lock:
            queues = sum(found.nbytes for found in self._queues.values())
            return self.worth.nbytes + queues + len(self._results) * (200 + 40 * len(self.problems))

    @lazily
    def served(self) -> FloatArray:
        """What one group of each size for every problem is worth: [sizes]."""
        served: FloatArray = self.problems @ self.worth
        return served

    def queue(self, budget: float) -> Queue:
        """The hulls' steps, steepest first: all that a budget reaches, and every cell's first.

        They are those of the hulls over all sizes, though only as many sizes are looked at as it takes: beyond them no step
        between neighbours, and so no step of a hull, is as steep as the last one that the budget reaches.
        """
        for many, beyond in self._parts:
            found = self._within(many)
            edge = found.reached(budget)
            if edge < len(found.order) and (beyond < _SURE * found.steps.slope[found.order[edge]]).all():
                firsts = (beyond < _SURE * found.first_slope) | (beyond <= 0)
                if firsts.all():
                    return found
        return self._within(len(self.sizes))

    @lazily
    def _parts(self) -> list[tuple[int, FloatArray]]:
        """How many sizes to look at, and for each cell how steep it can get beyond them."""
        many = [_FIRST << 2 * i for i in range(9) if _FIRST << 2 * i < len(self.sizes)]
        if not many:
            return []
        rise = np.diff(self.worth[:, _FIRST - 1 :], axis=1) / np.diff(self.sizes[_FIRST - 1 :])
        steepest = np.maximum.reduceat(rise, [n - _FIRST for n in many], axis=1)
        beyond = np.maximum.accumulate(steepest[:, ::-1], axis=1)[:, ::-1]
        return list(zip(many, beyond.T, strict=True))

    def _within(self, many: int) -> Queue:
        """The queue of the first sizes alone."""
        found = self._queues.get(many)
        if found is None:
            found = queue(hull_steps(self.worth[:, :many], self.sizes[:many]), self.problems)
            with self._lock:
                self._queues[many] = found
        return found

    def result(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns for this key, kept: a plan from these sizes for some budget."""
        with self._lock:
            if key in self._results:
                known: T = self._results[key]
                return known
        made = make()
        with self._lock:
            if len(self._results) >= _MOST_RESULTS:
                self._results.clear()
            self._results[key] = made
        return made

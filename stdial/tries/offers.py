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

_FIRST = 8  # sizes whose hull is looked at first; then twice as many
_MOST_RESULTS = 64
_SURE = 1 - 1e-9  # how far below a slope others must stay, so that no rounding brings them before it
_COLUMNS = 256  # sizes at a time, so that a sum over many cells needs little memory

T = TypeVar("T")


def _summed(problems: FloatArray, worth: FloatArray) -> FloatArray:
    """Worth over all problems, one sum a size: [sizes].

    Cell after cell for every size, unlike a matrix product, whose last bit depends on which sizes stand beside it and on how
    they lie in memory; where two sizes are worth the same, that would decide between them.
    """
    whole = np.empty(worth.shape[1])
    for low in range(0, len(whole), _COLUMNS):
        part = np.multiply(problems[:, None], worth[:, low : low + _COLUMNS], order="C")
        many = part.shape[1]
        part = part if many > 1 else np.repeat(part, 2, axis=1)  # a single column would be added pairwise
        whole[low : low + many] = np.add.reduce(part, axis=0)[:many]
    return whole


class Offer:
    """Ascending sizes and their worth to cells of so many problems; what is found of them is kept.

    Parameters
    ----------
    sizes : whole numbers, ascending.
    worth_of : worth of some of these sizes, [cells, sizes].
    problems : how many problems each cell holds.
    rises : whether the worth is known to rise with the size, to bend down, and to bring less a rollout the larger the size is.
        Then only the sizes that matter to a budget are looked at.

    >>> worth = np.array([[0.1, 0.3, 0.35]])
    >>> offer = Offer(np.array([2, 3, 4]), lambda sizes: worth[:, sizes - 2], np.array([10.0]))
    >>> offer.queue(30).steps.length.tolist()
    [3, 1]
    """

    def __init__(
        self,
        sizes: NDArray[np.int64],
        worth_of: Callable[[NDArray[np.int64]], FloatArray],
        problems: FloatArray,
        rises: bool = False,
    ) -> None:
        self.sizes, self.problems, self.rises = sizes, problems, rises
        self._of = worth_of
        self._worth = worth_of(sizes[: _FIRST if rises else None])
        self._queues: dict[int, tuple[Queue, FloatArray]] = {}
        self._results: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        with self._lock:
            queues = sum(found.nbytes for found, _ in self._queues.values())
            return self._worth.nbytes + queues + len(self._results) * (200 + 40 * len(self.problems))

    def worth(self, low: int, high: int) -> FloatArray:
        """Worth of the sizes at these positions: [cells, high - low]."""
        held = self._worth
        return held[:, low:high] if high <= held.shape[1] else self._of(self.sizes[low:high])

    def at(self, cell: NDArray[np.intp], column: NDArray[np.intp]) -> FloatArray:
        """Worth in each pair of a cell and the position of a size, 0 at position -1: [pairs]."""
        held, where = self._worth, column
        if int(column.max(initial=0)) >= held.shape[1]:
            some, where = np.unique(np.maximum(column, 0), return_inverse=True)
            held = self._of(self.sizes[some])
        return np.where(column < 0, 0.0, held[cell, where])

    def whole(self, low: int, high: int) -> FloatArray:
        """What one group of the size for every problem is worth, for the sizes at these positions."""
        if not self.rises:
            return self._whole[low:high]
        return _summed(self.problems, self.worth(low, high))

    @lazily
    def _whole(self) -> FloatArray:
        return _summed(self.problems, self._worth)

    def queue(self, budget: float) -> Queue:
        """The hulls' steps, steepest first: all that a budget reaches, and every cell's first.

        They are those of the hulls over all sizes, though only as many sizes are looked at as it takes: beyond them no step
        between neighbours, and so no step of a hull, is as steep as the last one that the budget reaches.
        """
        many = min(_FIRST, len(self.sizes))
        while True:
            found, beyond = self._within(many)
            if many == len(self.sizes):
                return found
            edge = found.reached(budget)
            if edge < len(found.order):
                last = found.steps.slope[found.order[edge]]
                if ((beyond < _SURE * last) & ((beyond < _SURE * found.first_slope) | (beyond <= 0))).all():
                    return found
            many = min(2 * many, len(self.sizes))

    def _within(self, many: int) -> tuple[Queue, FloatArray]:
        """The queue of the first sizes alone, and for each cell how steep it can get beyond them."""
        known = self._queues.get(many)
        if known is not None:
            return known
        if self.rises and many > self._worth.shape[1]:
            self._worth = self._of(self.sizes[:many])
        found = queue(hull_steps(self.worth(0, many), self.sizes[:many]), self.problems)
        with self._lock:
            self._queues[many] = found, self._beyond(many)
        return self._queues[many]

    def _beyond(self, many: int) -> FloatArray:
        if many == len(self.sizes):
            return np.zeros(len(self.problems))
        if self.rises:  # the next step is the steepest
            two: FloatArray = np.diff(self.worth(many - 1, many + 1), axis=1)[:, 0] / np.diff(
                self.sizes[many - 1 : many + 1]
            )
            return two
        return self._steepest[:, self._parts.index(many)]

    @lazily
    def _parts(self) -> list[int]:
        """Where the parts of the sizes end that are looked at one after the other."""
        return [_FIRST << i for i in range(16) if _FIRST << i < len(self.sizes)]

    @lazily
    def _steepest(self) -> FloatArray:
        """How steep a cell gets beyond each of these ends: [cells, ends]."""
        rise = np.diff(self._worth[:, _FIRST - 1 :], axis=1) / np.diff(self.sizes[_FIRST - 1 :])
        steepest = np.maximum.reduceat(rise, [n - _FIRST for n in self._parts], axis=1)
        beyond: FloatArray = np.maximum.accumulate(steepest[:, ::-1], axis=1)[:, ::-1]
        return beyond

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

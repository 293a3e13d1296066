"""What a group of each size is worth to each cell of a pool: posterior means of the chances (THEORY.md section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray, numbers
from stdial.expectation import expected_update, weight_each
from stdial.method import Method
from stdial.pool import Pool
from stdial.silence import mixed_rate

__all__ = ["DEFAULT_LARGEST", "GOALS", "Gains", "Sizes"]

GOALS = ("mixed", "update")
DEFAULT_LARGEST = 4096  # where the user sets no largest size
MOST = 65_536  # a larger group is no plan


@dataclass(frozen=True)
class Sizes:
    """The group sizes that a trainer allows."""

    smallest: int = 2
    largest: int | None = None
    multiple_of: int = 1
    powers_of_two: bool = False

    def __post_init__(self) -> None:
        _whole("smallest", self.smallest, 2, MOST)
        _whole("multiple_of", self.multiple_of, 1, MOST)
        if self.largest is not None:
            _whole("largest", self.largest, self.smallest, MOST)
        if not self.up_to(self.limit).size:
            wish = f"multiples of {self.multiple_of}" if self.multiple_of > 1 else "sizes"
            wish += " that are powers of two" if self.powers_of_two else ""
            raise ValueError(
                f"largest is {self.largest}; it must leave a size to choose: {wish} from {self.smallest} to {self.limit}"
            )

    @property
    def limit(self) -> int:
        """The largest size that is looked at."""
        if self.largest is not None:
            return int(self.largest)
        return max(DEFAULT_LARGEST, min(2 * self.smallest * self.multiple_of, MOST))

    def up_to(self, cap: int) -> NDArray[np.int64]:
        """Return the allowed sizes up to `cap`, ascending.

        >>> Sizes(multiple_of=4, largest=16).up_to(100)
        array([ 4,  8, 12, 16])
        >>> Sizes(powers_of_two=True, smallest=4).up_to(40)
        array([ 4,  8, 16, 32])
        """
        cap = min(cap, self.limit)
        if self.powers_of_two:
            sizes = 2 ** np.arange(1, max(2, int(cap).bit_length()), dtype=np.int64)
            sizes = sizes[sizes % self.multiple_of == 0]
        else:
            sizes = np.arange(self.multiple_of, cap + 1, self.multiple_of, dtype=np.int64)
        return sizes[(sizes >= self.smallest) & (sizes <= cap)]


class Gains:
    """Posterior mean, in each cell of a pool, of the chance of a mixed group and of the expected update."""

    def __init__(self, pool: Pool, method: Method) -> None:
        self._p, self._weights = pool.posterior()
        self._points = self._p.ndim == 2  # bare rates: each cell is its own point
        self._method = method
        self._held: dict[str, tuple[NDArray[np.int64], FloatArray]] = {}

    def of(self, goal: str, sizes: NDArray[np.int64]) -> FloatArray:
        """Worth of one group of each size in each cell: [cells, sizes]. What was computed once is kept."""
        known, worth = self._held.get(goal, (sizes[:0], np.zeros((len(self._weights), 0))))
        lacking = np.setdiff1d(sizes, known)
        if lacking.size:
            known = np.concatenate([known, lacking])
            worth = np.concatenate([worth, self._worth(goal, lacking)], axis=1)
            self._held[goal] = known, worth
        order = np.argsort(known)
        return np.take(worth, order[np.searchsorted(known, sizes, sorter=order)], axis=1)

    def _worth(self, goal: str, sizes: NDArray[np.int64]) -> FloatArray:
        p = self._p if self._points else self._p[:, None]
        G = sizes.astype(np.float64)
        worth = mixed_rate(p, G) if goal == "mixed" else expected_update(p, G, self._method)
        if self._points:
            return worth
        averaged: FloatArray = self._weights @ worth
        return averaged

    def at(self, goal: str, cells: NDArray[np.intp], sizes: NDArray[np.int64]) -> FloatArray:
        """Worth of one group in each pair (cell, size), 0 at size 0: [pairs]."""
        result = np.zeros(len(cells))
        live = sizes > 0
        if self._points and goal == "update":
            p, G = self._p[cells[live], 0], sizes[live].astype(np.float64)
            result[live] = p * (1 - p) * weight_each(p, G, self._method)
        elif self._points:
            result[live] = mixed_rate(self._p[cells[live], 0], sizes[live])
        elif live.any():
            distinct, where = np.unique(sizes[live], return_inverse=True)
            result[live] = self.of(goal, distinct)[cells[live], where]
        return result


def _whole(name: str, value: float, low: int, high: int) -> None:
    allowed = f"a whole number from {low} to {high}"
    number = numbers(name, value, allowed)
    if number.ndim or not (low <= number <= high and number == np.floor(number)):
        raise ValueError(f"{name} is {value!r}; it must be {allowed}")

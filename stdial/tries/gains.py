"""What a group of each size is worth to each cell of a pool: posterior means of the chances (THEORY.md section 5)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import numbers
from stdial.method import Method
from stdial.pool import Pool
from stdial.tries.offers import Offer
from stdial.tries.worth import Worth

__all__ = ["DEFAULT_LARGEST", "GOALS", "MOST_KEPT", "Gains", "Sizes", "Table", "forget_beyond", "gains_of"]

GOALS = ("mixed", "update")
DEFAULT_LARGEST = 4096  # where the user sets no largest size
MOST = 65_536  # a larger group is no plan
MOST_KEPT = 64 << 20  # bytes, of all pools together
_MOST_OFFERS = 3 << 20  # bytes in one table
_MOST_SURE = 4096  # up to here neighbouring sizes differ by much more than rounding


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


class Gains(NamedTuple):
    """Posterior mean, in each cell of a pool, of the chance of a mixed group and of the expected update."""

    mixed: Table
    update: Table

    def of(self, goal: str) -> Table:
        """The one to have most of: "mixed" or "update"."""
        return self.mixed if goal == "mixed" else self.update


class Table(Worth):
    """What a group of each size is worth to each cell of a pool, and the offers made of it."""

    def __init__(self, pool: Pool, method: Method | None) -> None:
        super().__init__(*pool.posterior(), method)
        self._problems = pool.cells.problems
        self._offers: OrderedDict[Hashable, Offer] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        return super().nbytes + self._bytes_of_offers()

    def offer(self, sizes: NDArray[np.int64]) -> Offer:
        """These sizes to choose from, which `Sizes.up_to` gave; the last few offers are kept."""
        key = (len(sizes), *sizes[:3].tolist(), int(sizes[-1]))  # three tell multiples from powers of two
        with self._lock:
            if key in self._offers:
                self._offers.move_to_end(key)
                return self._offers[key]
        made = Offer(sizes, self.columns, self._problems, rises=self.rises and sizes[-1] <= _MOST_SURE)
        with self._lock:
            self._offers[key] = made
        while self._bytes_of_offers() > _MOST_OFFERS:
            with self._lock:
                if self._offers:
                    self._offers.popitem(last=False)
        return made

    def _bytes_of_offers(self) -> int:
        with self._lock:
            return sum(offer.nbytes for offer in self._offers.values())


def gains_of(pool: Pool, method: Method) -> Gains:
    """What groups are worth to this pool, with what its earlier plans computed: that depends on no budget or restriction.

    >>> from stdial import DAPO, GRPO
    >>> pool = Pool([0, 4], 8)
    >>> gains_of(pool, GRPO).update is gains_of(pool, DAPO).update  # of a drawn group, silent or not
    True
    """
    of_method = (method.exponent, method.ddof, method.epsilon, method.leave_one_out)
    return Gains(_table(pool, (), None), _table(pool, of_method, method))


def _table(pool: Pool, key: Hashable, method: Method | None) -> Table:
    with _lock:
        own = _kept.pop(pool, None) or {}
        _kept[pool] = own  # last: the least recently planned goes first
        if key in own:
            return own[key]
    made = Table(pool, method)
    with _lock:
        return own.setdefault(key, made)


def forget_beyond(most: int = MOST_KEPT) -> int:
    """Drop what was computed for the pools that were planned longest ago, until the rest takes at most so many bytes.

    A pool that takes more by itself is not kept at all. Returns the bytes that are kept.
    """
    with _lock:
        bytes_of = {pool: sum(table.nbytes for table in own.values()) for pool, own in _kept.items()}
        kept = sum(bytes_of.values())
        for pool, size in bytes_of.items():
            if kept <= most:
                break
            del _kept[pool]
            kept -= size
    return kept


_kept: WeakKeyDictionary[Pool, dict[Hashable, Table]] = WeakKeyDictionary()  # goes with its pool
_lock = threading.Lock()


def _whole(name: str, value: float, low: int, high: int) -> None:
    allowed = f"a whole number from {low} to {high}"
    number = numbers(name, value, allowed)
    if number.ndim or not (low <= number <= high and number == np.floor(number)):
        raise ValueError(f"{name} is {value!r}; it must be {allowed}")

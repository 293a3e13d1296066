"""One size for all: what the plan is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stdial.arguments import FloatArray
from stdial.tries.gains import Gains, Table
from stdial.tries.offers import Offer

__all__ = ["Even", "best_even", "even_split", "figure"]


@dataclass(frozen=True)
class Even:
    """The best even split of a budget: every group has the same size; what does not cover all problems covers some.

    Attributes
    ----------
    size : the common group size, 0 where the budget pays for no group.
    problems : how many problems get a group (which ones is left to chance).
    rollouts, mixed, update : as in `Plan`, in expectation.
    """

    size: int
    problems: float
    rollouts: float
    mixed: float
    update: float


def even_split(gains: Gains, offer: Offer, budget: float) -> Even:
    """The size of an offer that brings most of what it counts when all groups have it."""
    size, some = best_even(offer, budget)
    mixed, update = (figure(table, offer, size, some) for table in (gains.mixed, gains.update))
    return Even(size, some, size * some, mixed, update)


def best_even(offer: Offer, budget: float) -> tuple[int, float]:
    """That size, and how many problems it serves; 0 and 0 where the budget pays for no group."""
    total = float(offer.problems.sum())
    served = np.minimum(total, np.floor(budget / offer.sizes))
    if total == 0 or not served.any():
        return 0, 0.0
    if not offer.rises:
        best = int(np.argmax(served / total * offer.whole(0, len(served))))
    else:
        best = _best_of_rising(offer, served / total, budget / total)
    return int(offer.sizes[best]), float(served[best])


def _best_of_rising(offer: Offer, share: FloatArray, each: float) -> int:
    """Of the sizes that serve all problems the largest, or one of those beyond, where a rollout brings less and less."""
    start, many = max(int(np.searchsorted(offer.sizes, each, side="right")) - 1, 0), 8
    while True:
        end = min(start + many, len(share))
        whole = offer.whole(start, end)
        value = share[start:end] * whole
        best = int(np.argmax(value))
        if value[best] <= 0:  # no group of any size is worth anything
            return 0
        if end == len(share) or (1 + 1e-9) * each / float(offer.sizes[end - 1]) * float(whole[-1]) < value[best]:
            return start + best
        many *= 4


def figure(table: Table, offer: Offer, size: int, some: float) -> float:
    """What groups of one size bring to some of the problems, in expectation."""
    if not size:
        return 0.0
    cells, every = np.arange(len(offer.problems)), np.full(len(offer.problems), size)
    return some / float(offer.problems.sum()) * float(offer.problems @ table.at(cells, every))

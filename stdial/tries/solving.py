"""A pool, a budget and the sizes allowed: the best choice of sizes, from as many of them as it takes (THEORY.md section 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from stdial.arguments import numbers
from stdial.mixing import POINTS
from stdial.pool import Pool, a_pool
from stdial.tries.gains import GOALS, Sizes, Table
from stdial.tries.knapsack import Choice, Steps, exact, exact_is_cheap, greedy
from stdial.tries.offers import Offer

__all__ = ["Solved", "TooMany", "checked", "solved"]

_MOST_ENTRIES = 1 << 25  # chances in an array, 0.27 GB: outcomes times sizes, or times points of a posterior
_FIRST_CAP = 16  # sizes looked at first; doubled while the plan comes near


class TooMany(ValueError):
    """A plan of so many different outcomes and sizes would take gigabytes."""


def checked(pool: Pool, budgets: Sequence[float], goal: str, allowed: Sizes) -> Sizes:
    """The sizes that are allowed, where all else is in range too; ValueError otherwise."""
    if goal not in GOALS:
        raise ValueError(f"goal is {goal!r}; it must be 'mixed' or 'update'")
    of_rollouts = "a whole number of at least 0, rollouts in all"
    for budget in budgets:
        spend = numbers("budget", budget, of_rollouts)
        if spend.ndim or not (0 <= spend < 2**53 and spend == np.floor(spend)):
            raise ValueError(f"budget is {budget}; it must be {of_rollouts}")
    _refuse_too_many(a_pool(pool), 1)
    return allowed


class Solved(NamedTuple):
    """A choice for a budget, the sizes that it was made from, and each cell's first step."""

    offer: Offer
    choice: Choice
    first: Steps


def solved(pool: Pool, table: Table, allowed: Sizes, budget: float) -> Solved:
    """Solve with sizes up to a cap, and with twice as many while some problem gets more than half of it."""
    problems = pool.cells.problems
    total = float(problems.sum())
    share = budget / total if total else 0.0
    first = int(allowed.up_to(allowed.limit)[0])
    most = int(min(allowed.limit, max(budget, first)))
    cap = min(most, math.floor(max(_FIRST_CAP, 2 * share, 2 * first)))
    spend = budget if budget >= first else 0.0
    while True:
        sizes = allowed.up_to(min(most, _at_least(cap)))
        _refuse_too_many(pool, len(sizes))
        offer = table.offer(sizes)
        found, steps = offer.result(spend, partial(_greedy, offer, spend))
        if cap >= most or 2 * int(found.size.max(initial=0)) <= cap:
            break
        cap = min(2 * cap, most)
    if found.gap > 0:
        some, every = allowed.up_to(cap), allowed.up_to(most)
        of_them = next((sizes for sizes in (every, some) if exact_is_cheap(problems, sizes, spend)), None)
        if of_them is not None:
            offer = table.offer(of_them)
            found = offer.result(("exact", spend), partial(exact, offer, spend, found.marginal))
    return Solved(offer, found, steps)


def _at_least(size: int) -> int:
    """The next power of two: offers of alike budgets are the same then, and found only once."""
    return 1 << (size - 1).bit_length()


def _greedy(offer: Offer, spend: float) -> tuple[Choice, Steps]:
    steps = offer.queue(spend)
    return greedy(offer, steps, spend), steps.first


def _refuse_too_many(pool: Pool, sizes: int) -> None:
    """A plan that would take gigabytes is refused before it does."""
    kinds = len(pool.cells.rate)
    if kinds * max(sizes, 1 if pool.tries is None else POINTS) > _MOST_ENTRIES:
        raise TooMany(
            f"pool has {kinds:,} different outcomes, too many for the {sizes:,} sizes in question; allow fewer sizes (largest, "
            "multiple_of, powers_of_two), or give fewer outcomes, such as rounded rates"
        )

"""What budgets buy, planned and with one size for all: the figures of plans without the plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stdial.method import GRPO, Method, a_method
from stdial.pool import Pool
from stdial.tries.even import best_even, figure
from stdial.tries.gains import Sizes, forget_beyond, gains_of
from stdial.tries.solving import checked, solved

__all__ = ["Bought", "bought"]


class Bought(NamedTuple):
    """What a budget buys of the goal, planned and with one size for all: figures of a `Plan` without the plan."""

    budget: float
    planned: float
    even: float


def bought(
    pool: Pool,
    budgets: Sequence[float],
    goal: str = "mixed",
    method: Method = GRPO,
    smallest: int = 2,
    largest: int | None = None,
    multiple_of: int = 1,
    powers_of_two: bool = False,
) -> list[Bought]:
    """What several budgets buy; arguments as in `plan`.

    >>> from stdial import Pool
    >>> [round(found.planned, 2) for found in bought(Pool.from_rates([0.5, 0.3]), [2, 4])]
    [0.5, 0.92]
    """
    allowed = checked(pool, budgets, goal, Sizes(smallest, largest, multiple_of, powers_of_two))
    gains = gains_of(pool, a_method(method))
    table, told = gains.of(goal), []
    try:
        for budget in budgets:
            offer, choice, _ = solved(pool, table, allowed, float(budget))
            planned = float(table.at(choice.cell, choice.size) @ choice.problems)
            told.append(Bought(float(budget), planned, figure(table, offer, *best_even(offer, float(budget)))))
        return told
    finally:
        forget_beyond()

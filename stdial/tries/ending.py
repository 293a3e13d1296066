"""Why a plan ends before its budget does: what is held of the pool leaves nothing that more rollouts could add."""

from __future__ import annotations

import numpy as np

from stdial.pool import FEW, Pool
from stdial.tries.gains import Sizes
from stdial.tries.plan import Plan

__all__ = ["ending", "hopeless"]


def hopeless(pool: Pool) -> float:
    """How many problems are held to have a rate of exactly 0 or 1, in expectation: no group of theirs is ever mixed.

    Of the fitted distribution its mass there, which Jeffreys' prior has none of; bare rates are taken as they are.

    >>> hopeless(Pool.from_rates([0, 0.5, 1, 1])), hopeless(Pool([0, 4], 8))
    (3.0, 0.0)
    """
    if pool.tries is not None and pool.size < FEW:
        return 0.0  # the prior has no mass at a point; only the grid that stands for it does
    p, weights = pool.posterior()
    ends = (p <= 0) | (p >= 1)
    mass = weights @ ends.astype(np.float64) if p.ndim == 1 else ends[:, 0].astype(np.float64)
    return float(pool.cells.problems @ mass)


def ending(plan: Plan, sizes: Sizes | None = None) -> str:
    """Why a plan spends less than its budget though whole groups would fit into the rest; "" where it does not.

    Parameters
    ----------
    plan : the plan.
    sizes : the sizes that were allowed; from 2 on if left out.

    Examples
    --------
    >>> from stdial.tries import plan
    >>> pool = Pool.from_rates([0.5, 0, 0])
    >>> print(ending(plan(pool, 10_000)))
    It ends at 54 of 10,000 rollouts, since more would add nothing. 2 of the 3 problems have a rate of 0 or 1, and a rate without \
tries is taken as it is: no group of theirs is ever mixed. The others are as good as sure of a mixed group.
    >>> ending(plan(pool, 8))
    ''
    """
    if plan.marginal > 0 or plan.rollouts >= plan.budget or plan.pool.size == 0:
        return ""
    allowed = Sizes() if sizes is None else sizes
    lost, total = hopeless(plan.pool), plan.pool.size
    said = [f"It ends at {plan.rollouts:,.0f} of {plan.budget:,.0f} rollouts, since more would add nothing."]
    if lost >= 0.05 and plan.pool.tries is None:
        said.append(
            f"{lost:,.0f} of the {total:,.0f} problems have a rate of 0 or 1, and a rate without tries is taken as it is: no group "
            "of theirs is ever mixed."
        )
    elif lost >= 0.05:
        said.append(
            f"The distribution fitted to the pool holds {lost:,.1f} of the {total:,.0f} problems to be hopeless: their answers "
            "always agree, in groups of any size. Which ones these are, or whether their rates are only near 0 or 1, the logged "
            "tries do not tell."
        )
    top = int(allowed.up_to(allowed.limit)[-1])
    capped = float(plan.choice.problems[plan.choice.size == top].sum())
    if capped > 0:
        said.append(f"{capped:,.0f} have groups of {top:,}, the largest that is allowed.")
    if total - lost - capped >= 0.5:
        others = "The others" if lost >= 0.05 or capped > 0 else "All problems"
        mixed = (
            "as good as sure of a mixed group"
            if plan.goal == "mixed"
            else "as near to their largest update as can be computed"
        )
        said.append(f"{others} are {mixed}.")
    return " ".join(said)

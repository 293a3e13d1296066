"""What to change: cards with a number, how well it is known, its price, and what is not known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stdial import by_size, mass, per_problem, tries
from stdial.digits import digits
from stdial.method import DR_GRPO, GRPO, Method
from stdial.pool import FEW, Pool

if TYPE_CHECKING:
    from stdial.reading import Groups, Reading
    from stdial.tries import Plan

__all__ = [
    "Card", "about_rewards", "advice", "extremes", "if_tries_were", "of_pool", "recommended",
]  # fmt: skip

_CERTAIN = 0.9  # a problem whose next group is silent with this chance may be set aside
_SUPPOSED = (8, 16, 64)
_Z95 = 1.959963984540054
_MOVES = "These are the rates of the model that was logged; another model, or this one later, has others."


@dataclass(frozen=True)
class Card:
    """One thing to change. All texts are plain; they may hold names of the file's columns.

    Attributes
    ----------
    name : short and unique.
    title : what to do.
    number : what the data say.
    interval : how well that is known.
    price : what it costs.
    unknown : what the data do not say.
    """

    name: str
    title: str
    number: str
    interval: str
    price: str
    unknown: str


def if_tries_were(pool: Pool, size: int, supposed: tuple[int, ...] = _SUPPOSED) -> dict[int, float]:
    """The silent share of bare rates if each had been counted from n tries, for a few n: what not knowing n costs.

    Each rate is rounded to the nearest multiple of 1/n, so this is a supposition and no estimate.

    >>> {n: round(share, 2) for n, share in if_tries_were(Pool.from_rates([0, 0.26, 0.5, 1.0] * 20), 8).items()}
    {8: 0.5, 16: 0.51, 64: 0.52}
    """
    found = {}
    for n in supposed:
        right = np.rint(pool.rate * n).astype(np.int64)
        found[n] = Pool(right, n, pool.problems).silent_rate(size)
    return found


def extremes(pool: Pool, size: int, method: Method) -> tuple[float, float, float]:
    """Share of the update on problems with rates below .1 or from .9, with a 95% interval over problems.

    As `Pool.mass_share`: counted where G is at most every row's tries, else each problem's posterior, plug-in for bare rates.
    The interval is that of a ratio of two means over problems, from their spread.

    >>> [round(x, 3) for x in extremes(Pool([0, 1, 4, 8, 31] * 25, 32), 8, GRPO)]
    [0.202, 0.138, 0.266]
    """
    cells = pool.cells
    estimate = "plug-in" if cells.tries is None else "unbiased" if size <= by_size.logged(pool) else "deconvolved"
    update = mass.updates(pool, size, method, estimate)
    outer = (cells.rate < 0.1 - 1e-12) | (cells.rate >= 0.9 - 1e-12)
    many, total = cells.problems, float(cells.problems @ update)
    if total <= 0:
        return math.nan, math.nan, math.nan
    share = float(many @ (update * outer)) / total
    problems = float(many.sum())
    spread = float(many @ (update * (outer - share)) ** 2) * problems / max(problems - 1, 1)
    reach = _Z95 * math.sqrt(spread) / total
    return share, max(share - reach, 0.0), min(share + reach, 1.0)


def advice(reading: Reading, size: int, method: Method = GRPO) -> list[Card]:
    r"""What a reading suggests to change at group size G, most far-reaching first.

    Parameters
    ----------
    reading : what ``stdial.reading.read`` returned.
    size : group size G.
    method : whose update the plan looks at.

    Examples
    --------
    >>> from stdial.reading import read
    >>> found = read(b"id,right,tries\n" + b"".join(b"q%d,%d,8\n" % (i, i % 9) for i in range(90)))
    >>> [card.name for card in advice(found, 8)]
    ['redraw', 'larger', 'plan', 'extremes']
    """
    columns = about_rewards(reading)
    if reading.pool is None:
        return [_observed(reading), _threshold(reading), *columns]
    return of_pool(reading.pool, size, columns, method)


def of_pool(pool: Pool, size: int, columns: Sequence[Card] = (), method: Method = GRPO) -> list[Card]:
    """The cards of a pool; those that are about reward columns stand before the last."""
    now = by_size.at(pool, size)
    cards = [_redraw(pool, now)]
    if pool.tries is None:
        cards.insert(0, _ask_for_tries(pool, size))
    elif not now.counted:
        cards.append(_log_more(pool, now))
    if by_size.logged(pool) == 1:  # one try says which problems there are, not how they differ
        return [*cards, *columns]
    if size * 2 <= 1024:
        cards.append(_larger(pool, now))
    return [*cards, *_plan(pool, size, method), *_aside(pool, size), *columns, _extremes(pool, size)]


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else math.nan


def _share(x: float, problems: float) -> str:
    """A share as percent, to the digits that so many problems carry."""
    return f"{100 * x:.{digits(problems)}f}%" if math.isfinite(x) else "none"


def _count(n: float, one: str, many: str) -> str:
    return f"{n:,.0f} {one if round(n) == 1 else many}"


def _silent_share(pool: Pool, found: by_size.Silent) -> str:
    """The best estimate; where only wide bounds are known, these."""
    if found.known or pool.tries is None:
        return _share(found.best, pool.size)
    return f"between {_share(found.low, pool.size)} and {_share(found.high, pool.size)}"


def _known(pool: Pool, found: by_size.Silent) -> str:
    low, high = _share(found.low, pool.size), _share(found.high, pool.size)
    if pool.tries is None:
        return "Not known: plug-in from rates without tries, which overstates silence."
    if found.counted:
        return f"95% interval {low} to {high}, from {pool.size:,.0f} problems."
    prior = "Jeffreys' prior" if pool.size < FEW else "the fitted distribution"
    n = by_size.logged(pool)
    tried = _count(n, "try does", "tries do")
    return f"Anything from {low} to {high} is possible at two standard errors: {tried} not fix it; {prior}."


def _redraw(pool: Pool, now: by_size.Silent) -> Card:
    share = _silent_share(pool, now)
    share = share[:1].upper() + share[1:]
    if now.best >= 1:
        price = "No price is enough: every group is silent, and a batch never fills."
    else:
        ends = f" ({1 / (1 - now.low):.2f} to {1 / (1 - now.high):.2f})" if now.high < 0.999 else ""
        price = f"{1 / (1 - now.best):.2f} times the rollouts for a full batch{ends}; the step is as many times longer."
    return Card(
        "redraw", "Drop silent groups and draw other prompts", f"{share} of groups are silent at G = {now.size}.",
        _known(pool, now), price,
        "Weights between problems do not change by it. " + _MOVES,
    )  # fmt: skip


def _larger(pool: Pool, now: by_size.Silent) -> Card:
    then = by_size.at(pool, 2 * now.size)
    cost = [f"{found.size / (1 - found.best):.1f}" if found.best < 1 else "no end of" for found in (now, then)]
    before, after = (_silent_share(pool, found) for found in (now, then))
    return Card(
        "larger", f"Double the group to {then.size}", f"Silent groups at G = {now.size}: {before}; at {then.size}: {after}.",
        _known(pool, then),
        f"Twice the rollouts a prompt; {cost[1]} rollouts for each mixed group in place of {cost[0]}.",
        "Whether the longer average step helps: the sum of the updates at equal rollouts falls as groups grow.",
    )  # fmt: skip


def recommended(pool: Pool, size: int, method: Method = GRPO) -> Plan | None:
    """The plan with most mixed groups for as many rollouts as groups of `size` for all take.

    None where it would take gigabytes, and where one try of each problem says nothing of how they differ.

    >>> recommended(Pool([0, 1, 4, 7] * 25, 8), 8).rollouts
    800.0
    """
    if by_size.logged(pool) == 1:
        return None
    try:
        return tries.plan(per_problem.coarser(pool), int(size * pool.size), method=method)
    except tries.TooMany:
        return None


def _plan(pool: Pool, size: int, method: Method) -> list[Card]:
    plan = recommended(pool, size, method)
    if plan is None:
        return []
    even = plan.uniform
    gain = plan.mixed / even.mixed - 1 if even.mixed > 0 else math.nan
    spread = _Z95 * math.sqrt(plan.variance)
    none = float(plan.choice.problems[plan.choice.size == 0].sum())
    best = "no plan is better" if plan.gap == 0 else f"the best plan has at most {plan.gap:.2g} more"
    number = f"{plan.mixed:,.0f} mixed groups in place of {even.mixed:,.0f}"
    card = Card(
        "plan", "Give each problem its own number of tries",
        f"{number} ({100 * gain:+.1f}%) for the same rollouts." if math.isfinite(gain) else f"{number}.",
        f"One pass gives {plan.mixed - spread:,.0f} to {plan.mixed + spread:,.0f}, 19 times of 20, if the posteriors hold; {best}.",
        f"No more rollouts than {size} a problem; {_count(none, 'problem gets', 'problems get')} none.",
        "A problem that looks easy or dead from few tries may be neither: its posterior allows for that, the pool's shape decides.",
    )  # fmt: skip
    return [card]


def _aside(pool: Pool, size: int) -> list[Card]:
    chance, many = per_problem.silent_cells(pool, size), np.asarray(pool.cells.problems, dtype=np.float64)
    certain = chance >= _CERTAIN
    some, lost = float(many[certain].sum()), float(many[certain] @ (1 - chance[certain]))
    if not some:
        return []
    total = float(many @ (1 - chance))
    spread = _Z95 * math.sqrt(float(many[certain] @ (chance * (1 - chance))[certain]))
    share = _share(_ratio(some, float(many.sum())), pool.size)
    few = "rates without tries" if pool.tries is None else _count(by_size.logged(pool), "try", "tries")
    card = Card(
        "aside", "Set aside problems that are all but decided",
        f"{_count(some, 'problem', 'problems')} ({share}): the next group is silent with a chance of {_CERTAIN:.0%} or more.",
        f"In one pass they would give {max(lost - spread, 0):,.1f} to {lost + spread:,.1f} mixed groups, of {total:,.1f} in all.",
        f"Those groups; it saves {some * size:,.0f} rollouts a pass, {share} of them.",
        f"Whether they stay decided while the model learns; {few} do not tell a rate of 0 from a small one. Try them again later.",
    )  # fmt: skip
    return [card]


def _extremes(pool: Pool, size: int) -> Card:
    (ours, *ends), (plain, *_) = (extremes(pool, size, method) for method in (GRPO, DR_GRPO))
    low, high = (_share(end, pool.size) for end in ends)
    how = (
        "plug-in, too wide or too narrow by an unknown amount"
        if pool.tries is None
        else "from the spread over problems"
    )
    return Card(
        "extremes", "Choose who gets the gradient",
        f"Rates below .1 or from .9 get {_share(ours, pool.size)} of GRPO's update, {_share(plain, pool.size)} of Dr. GRPO's.",
        f"GRPO's: 95% interval {low} to {high}, {how}.",
        "None in rollouts: one option of the framework. The step's length changes with it, and so the learning rate.",
        "Which of the two your problems need; and an adaptive optimiser hides any common scale.",
    )  # fmt: skip


def _ask_for_tries(pool: Pool, size: int) -> Card:
    supposed = if_tries_were(pool, size)
    listed = ", ".join(f"{_share(share, pool.size)} if n were {n}" for n, share in supposed.items())
    return Card(
        "tries", "Find out how many tries each rate was counted from",
        f"Silent share at G = {size}: {_share(pool.silent_rate(size, 'plug-in'), pool.size)} by the plug-in, {listed}.",
        "None: without n there is no interval, no estimate free of bias, and no plan that allows for chance.",
        "Nothing but a look into the evaluation's settings; the number is then said where the file is read.",
        "How much of the spread between problems is chance.",
    )  # fmt: skip


def _log_more(pool: Pool, now: by_size.Silent) -> Card:
    n, (low, high) = by_size.logged(pool), (_share(end, pool.size) for end in (now.low, now.high))
    tried = np.asarray(pool.tries, dtype=np.float64)
    more = float(np.asarray(pool.problems) @ np.maximum(now.size - tried, 0))
    return Card(
        "log", f"Log {now.size} tries of each problem",
        f"With {_count(n, 'try', 'tries')} a problem the share at G = {now.size} is only bounded: {low} to {high}.",
        "With as many tries as the group is large, the share is counted, and its interval narrows with the number of problems.",
        f"{more:,.0f} more rollouts, once; a random part of the problems is enough for the share.",
        "Rates that moved between the old tries and the new ones.",
    )  # fmt: skip


def _observed(reading: Reading) -> Card:
    n, silent = reading.problems, reading.silent_groups
    low, high = _wilson(silent, n)
    price = f"{n / (n - silent):.2f} times the rollouts" if silent < n else "no price is enough: all are silent"
    return Card(
        "redraw", "Drop silent groups and draw other prompts",
        f"{silent:,} of {n:,} groups ({_share(silent / n, n)}) have rewards that are all equal.",
        f"95% interval {_share(low, n)} to {_share(high, n)} for groups of the size that was logged.", f"For a full batch {price}.",
        "Other group sizes: rewards of many values say nothing about them without a threshold. " + _MOVES,
    )  # fmt: skip


def _threshold(reading: Reading) -> Card:
    return Card(
        "threshold", "Say from which reward on an answer is right",
        f"Mean sigma of the rewards is {reading.mean_sigma:.3f}; the update is sigma times the slope of score on reward.",
        "Counted from the logged groups.", "Nothing; the threshold is said where the file is read.",
        "The slope, which can differ between problems.",
    )  # fmt: skip


def about_rewards(reading: Reading) -> list[Card]:
    """One card for each reward column beside the one trained on that leaves nearly all groups silent by itself."""
    cards = []
    for name, groups in list(reading.rewards.items())[1:]:
        silent = int(groups.silent.sum())
        n = len(groups.mean)
        if silent < 0.5 * n:
            continue
        low, high = _wilson(silent, n)
        constant = "It is constant: " if _constant(groups) else ""
        found = Card(
            f"reward {name}", f"Do not count on the reward {name}",
            f"{constant}{silent:,} of {n:,} groups are silent by it alone; its mean sigma is {float(groups.sigma.mean()):.4f}.",
            f"95% interval of that share {_share(low, n)} to {_share(high, n)}.",
            "None: leaving it out saves its computation. As part of a sum it moves few groups.",
            "Whether it keeps the model from unlearning what it rewards.",
        )  # fmt: skip
        cards.append(found)
    return cards


def _constant(groups: Groups) -> bool:
    return bool(groups.low.min() == groups.high.max())


def _wilson(count: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson's)."""
    z2 = _Z95**2
    centre = (count + z2 / 2) / (n + z2)
    reach = _Z95 * math.sqrt(count * (n - count) / n + z2 / 4) / (n + z2)
    return max(0.0, centre - reach), min(1.0, centre + reach)

"""The plan: which problems get how many rollouts from a budget."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import stdial
from stdial import elsewhere, tries
from stdial.charts import plan as charts
from stdial.tries import Bought, Plan
from stdial.web import pools
from stdial.web.apart import long_apart
from stdial.web.page import Values
from stdial.web.params import PARAMS
from stdial.web.pools import Chosen
from stdial.web.stage import Choice, Control, Number, Run, Slider, Stage, Table, Toggle, num
from stdial.web.views.pool_words import exact, many_cells
from stdial.web.words import count, decimal, percent

__all__ = ["USES", "budget", "csv", "heavy", "meanwhile", "planned", "stage"]

# Not p, though one pool is all at p: which pool it is, its token says.
USES = (
    "pool", "budget_in", "per_problem", "budget", "goal", "method", "smallest", "largest", "multiple", "powers",
)  # fmt: skip
_HEADING = "The plan: a budget spread over the problems"
_METHODS = {"grpo": stdial.GRPO, "dr-grpo": stdial.DR_GRPO, "dapo": stdial.DAPO}
_NAMES = {"grpo": "GRPO", "dr-grpo": "Dr. GRPO", "dapo": "DAPO"}
_curves: OrderedDict[Hashable, list[Bought]] = OrderedDict()  # of the pools that everybody has
_lock = threading.Lock()
_MOST_CURVES = 256
_MANY_ENTRIES = 20_000  # kinds of problems times the sizes looked at first: about 0.1 s
_BUDGETS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # rollouts a problem, for what a budget buys


def budget(v: Values, chosen: Chosen) -> int:
    """Rollouts in all."""
    return int(v.per_problem * chosen.pool.size) if v.budget_in == "problem" else int(v.budget)


def heavy(v: Values, chosen: Chosen) -> bool:
    """Whether the plan may take longer than some hundredths of a second: many sizes are looked at for many kinds of problems."""
    sizes = 2 * max(v.smallest, budget(v, chosen) / max(1, chosen.pool.size))
    return bool(sizes * len(chosen.pool.cells.rate) > _MANY_ENTRIES)


def planned(v: Values, chosen: Chosen) -> Plan:
    """The plan that the link asks for; ValueError where its restrictions leave no size."""
    return _made(v, chosen)[0]


def _made(v: Values, chosen: Chosen) -> tuple[Plan, list[Bought]]:
    """The plan, and what other budgets buy where the pool has few kinds of problems; the curve does not depend on the budget."""
    pool, asked = chosen.pool, _asked(v)
    key = chosen.token, v.goal, v.goal == "update" and v.method, v.smallest, v.largest, v.multiple, v.powers
    curve = _kept_curve(key)
    budgets = [] if curve or many_cells(pool) else [int(per * pool.size) for per in _BUDGETS]
    if heavy(v, chosen):
        small = elsewhere.nameless(pool)
        there, found = long_apart(elsewhere.planned, small, budget(v, chosen), budgets, asked, keep=not chosen.private)
        best = dataclasses.replace(there, pool=pool)
    else:
        best, found = elsewhere.planned(pool, budget(v, chosen), budgets, asked)
    if found and not chosen.private:
        with _lock:
            _curves[key] = found
            while len(_curves) > _MOST_CURVES:
                _curves.popitem(last=False)
    return best, curve or found


def _kept_curve(key: Hashable) -> list[Bought]:
    with _lock:
        if key in _curves:
            _curves.move_to_end(key)
        return _curves.get(key, [])


def _asked(v: Values) -> tuple[str, stdial.Method, int, int | None, int, bool]:
    """What the link asks of a plan besides its budget, in the order of `tries.plan`."""
    return v.goal, _METHODS[v.method], v.smallest, v.largest or None, v.multiple, v.powers


def csv(v: Values, chosen: Chosen) -> str:
    """The sizes as CSV, or the reason why there are none."""
    try:
        return planned(v, chosen).to_csv() or ""
    except ValueError as error:
        return f"No plan: {error}.\n"


def stage(v: Values, chosen: Chosen) -> Stage:
    """The plan beside one size for all, for the link's pool and budget."""
    try:
        best, curve = _made(v, chosen)
    except ValueError as error:
        return Stage(heading=_HEADING, answer=[f"No plan: {error}."], controls=_controls(v, chosen))
    return Stage(
        heading=_HEADING,
        answer=_answer(best, chosen),
        text=[_proof(best), *_ending(best, v), _basis(chosen)],
        controls=_controls(v, chosen),
        charts=[charts.sizes(best, chosen.name), *([charts.bought(curve, best, chosen.name)] if curve else [])],
        tables=[_beside(best, v.method), *_nothing(best)],
    )


def meanwhile(v: Values, chosen: Chosen) -> Stage:
    """What stands there until the plan is made."""
    return Stage(heading=_HEADING, answer=["The plan is being computed."], controls=_controls(v, chosen))


def _controls(v: Values, chosen: Chosen) -> list[Control]:
    amount: Control = (
        Slider(
            "per_problem",
            "Rollouts a problem",
            v.per_problem,
            low=0,
            high=64,
            step=0.5,
            digits=1,
            hint="On average over the pool.",
        )
        if v.budget_in == "problem" and v.per_problem <= 64
        else Number("per_problem", "Rollouts a problem", v.per_problem, low=0, high=1024)
        if v.budget_in == "problem"
        else Number("budget", "Rollouts in all", v.budget, low=0, high=10**12, step=1)
    )
    return [
        pools.control({**v, "pool": chosen.name}, chosen.uploaded, hint=chosen.origin),
        Choice("budget_in", "Budget", v.budget_in, options=[("problem", "A problem"), ("total", "In all")]),
        amount,
        Choice(
            "goal", "What to have most of", v.goal, options=[("mixed", "Mixed groups"), ("update", "Expected update")]
        ),
        Choice("method", "Method", v.method, options=list(_NAMES.items())),
        Number("smallest", "Smallest size", v.smallest, low=2, high=1024, step=1),
        Number("largest", "Largest size", v.largest, low=0, high=4096, step=1, hint="0 means no limit."),
        Number("multiple", "Multiples of", v.multiple, low=1, high=64, step=1),
        Toggle("powers", PARAMS["powers"].label, v.powers),
    ]


def _answer(best: Plan, chosen: Chosen) -> list[Run]:
    ours, even = _goal(best), _goal(best.uniform, best.goal)
    what = "mixed groups" if best.goal == "mixed" else "of summed update"
    if best.rollouts == 0:
        return [
            num(count(best.budget)),
            " rollouts for ",
            num(count(best.pool.size)),
            " problems buy no group that teaches anything.",
        ]
    more: list[Run] = ["."]
    if even > 0:
        gain = ours / even - 1
        more = [": ", num(percent(gain)), " more."] if gain > 5e-4 else [": no better than one size for all."]
    return [
        num(count(best.rollouts)), f" rollouts on {chosen.label}: the plan has ", num(_figure(best.goal, ours)), f" {what}, ",
        "one size of ", num(str(best.uniform.size)), " for all has ", num(_figure(best.goal, even)), *more,
    ]  # fmt: skip


def _proof(best: Plan) -> list[Run]:
    if best.gap == 0:
        return ["Proved best: no other choice of sizes within this budget has more in expectation."]
    unit = "mixed groups" if best.goal == "mixed" else "of update"
    return ["Within ", num(f"{best.gap:.2g}"), f" {unit} of the best that any choice of sizes could have."]


def _ending(best: Plan, v: Values) -> list[list[Run]]:
    """Why the plan ends before the budget does, where that is so."""
    why = tries.ending(best, tries.Sizes(v.smallest, v.largest or None, v.multiple, v.powers))
    return [[why]] if why else []


def _basis(chosen: Chosen) -> list[Run]:
    if exact(chosen):
        return ["Each problem counts at its rate, which is exact in this made-up pool."]
    if chosen.pool.tries is None:
        return ["Each problem counts at its rate: the number of tries is not known, so a rate of 0 is given up."]
    return [
        "Each problem counts by what its tries leave possible, not by its observed rate: 0 of 8 still has a chance."
    ]


def _beside(best: Plan, method: str) -> Table:
    even, size = best.uniform, best.choice.size
    without = float(best.choice.problems[size == 0].sum())
    used = size[size > 0]
    rows = [
        ["Rollouts spent", count(even.rollouts), count(best.rollouts)],
        ["Mixed groups, expected", _figure("mixed", even.mixed), _figure("mixed", best.mixed)],
        [f"Summed update, {_NAMES[method]}", _figure("update", even.update), _figure("update", best.update)],
        ["Problems with a group", count(even.problems), count(best.pool.size - without)],
        ["Problems that get nothing", count(best.pool.size - even.problems), count(without)],
        ["Smallest size used", _or_none(even.size), _or_none(int(used.min()) if used.size else 0)],
        ["Largest size used", _or_none(even.size), _or_none(int(used.max()) if used.size else 0)],
    ]
    return Table(
        ["", "One size for all", "Plan"], rows, numeric=[1, 2], cards=True,
        caption="One size: the best even split of the same budget. Expectations, each group divided by its own size.",
    )  # fmt: skip


def _nothing(best: Plan) -> list[Table]:
    """The problems that get nothing, hard and easy ones apart, and what stands in their way."""
    left = best.left
    if not len(left.cell):
        return []
    rate = best.pool.cells.rate[left.cell]
    never, dear = left.size == 0, left.size > best.budget
    hard = rate < 0.5
    parts = [
        ("hard ones", ~never & ~dear & hard),
        ("easy ones", ~never & ~dear & ~hard),
        ("all, hard and easy", ~never & dear),
        ("their answers always agree", never),
    ]
    rows = []
    for words, mask in parts:
        if mask.any():
            first = left.size[mask]
            rows.append(
                [
                    words,
                    _span(rate[mask].min(), rate[mask].max()),
                    count(left.problems[mask].sum()),
                    _whole_span(first.min(), first.max()),
                    _worth(best, first, left.worth[mask]),
                ]
            )
    unit = "mixed groups" if best.goal == "mixed" else "of update"
    caption = f"Problems that get nothing. The budget ends where one more rollout brings {best.marginal:.3g} {unit}."
    columns = ["", "Observed rate", "Problems", "First useful size", "What a rollout of it would bring"]
    return [Table(columns, rows, numeric=[1, 2, 3, 4], cards=True, caption=caption)]


def _worth(best: Plan, size: Any, worth: Any) -> str:
    low, high = float(worth.min()), float(worth.max())
    if float(size.min()) > best.budget:
        return "more than the budget"
    return f"{low:.3g}" if high - low <= 1e-3 * high else f"{low:.3g} to {high:.3g}"


def _whole_span(low: float, high: float) -> str:
    return "none" if high == 0 else str(int(low)) if low == high else f"{int(low)} to {int(high)}"


def _span(low: float, high: float) -> str:
    return decimal(low, 3) if high - low < 5e-4 else f"{decimal(low, 3)} to {decimal(high, 3)}"


def _figure(goal: str, x: float) -> str:
    """Expected groups or update: whole where there are many."""
    return count(x) if x >= 1000 else decimal(x, 1 if goal == "mixed" and x >= 10 else 2)


def _or_none(size: int) -> str:
    return str(size) if size else "none"


def _goal(found: Any, goal: str = "") -> float:
    return float(getattr(found, goal or found.goal))

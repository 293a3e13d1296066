"""What a lesson's answer may call: a short list of the package's functions by name, with plain arguments. Nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stdial import expectation, group, tries
from stdial.method import DAPO, DR_GRPO, GRPO, Method

__all__ = ["CALLS", "compute"]

_METHODS = {"grpo": GRPO, "dr-grpo": DR_GRPO, "dapo": DAPO}


def compute(call: str, args: Mapping[str, Any]) -> float:
    """The number that a lesson asks for.

    Parameters
    ----------
    call : a name in `CALLS`.
    args : its arguments; a `method` is named as in a link.

    Raises
    ------
    ValueError
        Where the name is not in the list.

    Examples
    --------
    >>> round(compute("update", {"right": 1, "size": 8, "method": "grpo"}), 4)
    0.3307
    """
    if call not in CALLS:
        raise ValueError(f"call must be one of {', '.join(CALLS)}, not {call!r}")
    given = {name: _METHODS.get(value, value) if name == "method" else value for name, value in args.items()}
    return float(CALLS[call](**given))


def _moved_by_a_constant(rewards: list[float], constant: float, method: Method) -> float:
    """The largest change of any answer's push when every reward gets the same constant added."""
    before = group.advantages_of(rewards, method)
    return float(np.abs(group.advantages_of(np.asarray(rewards) + constant, method) - before).max())


def _boost(p: float, size: int, method: Method) -> float:
    """How much more than Dr. GRPO a method favours p over .5."""
    weights = expectation.weight(np.array([p, 0.5]), size, method)
    plain = expectation.weight(np.array([p, 0.5]), size, DR_GRPO)
    return float(weights[0] / weights[1] / (plain[0] / plain[1]))


def _first_boosting_size(p: float, method: Method) -> int:
    """The smallest group size at which a method treats p differently from Dr. GRPO."""
    return next(size for size in range(2, 1025) if abs(_boost(p, size, method) - 1) > 1e-9)


def _p_of_silence(share: float, size: int) -> float:
    """The lower success probability at which that share of groups is silent, by bisection (silence falls up to .5)."""
    low, high = 0.0, 0.5
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expectation.silent_rate(middle, size) > share else (low, middle)
    return (low + high) / 2


def _made_up_silence(pool: str, mean: float, size: int) -> float:
    """The silent share of a made-up pool with that mean pass rate."""
    from stdial import presets

    return presets.pool(pool, mean).silent_rate(size)


def _big_math_silence(size: int) -> float:
    """The silent share on Big-Math, the best estimate."""
    from stdial import bigmath

    return bigmath.load().silent_rate(size)


def _extreme_mass(size: int, method: Method) -> float:
    """The share of Big-Math's summed update that problems below .1 or from .9 on get."""
    from stdial import bigmath

    pool = bigmath.load()
    return pool.mass_share(0, 0.1, size, method) + pool.mass_share(0.9, 1, size, method)


def _run(method: str, what: str, steps: int) -> float:
    """A figure of the Training run page at its defaults: a method's rollouts over GRPO's, or its hardest quarter."""
    from stdial.web import link, pools
    from stdial.web.page import Values
    from stdial.web.views import training_run

    values = Values({**link.defaults(), "steps": steps})
    threads = {thread.method.name: thread for thread in training_run.story(values, pools.chosen(values)).threads}
    mine, spent = threads[method], threads["GRPO"].rollouts[-1]
    if what == "rollouts":
        return float(mine.rollouts[-1] / spent)
    if what == "hardest quarter at GRPO's rollouts":
        return float(np.interp(spent, mine.rollouts, mine.hardest_quarter))
    return float(mine.hardest_quarter[-1])


CALLS: Mapping[str, Callable[..., Any]] = {
    "update": group.update,
    "std": group.std,
    "moved by a constant": _moved_by_a_constant,
    "expected update": expectation.expected_update,
    "fidelity": expectation.fidelity,
    "weight": expectation.weight,
    "silent rate": expectation.silent_rate,
    "boost": _boost,
    "first boosting size": _first_boosting_size,
    "p of silence": _p_of_silence,
    "size for fidelity": tries.size_for_fidelity,
    "size by law": tries.size_by_law,
    "price": tries.price,
    "made-up silence": _made_up_silence,
    "Big-Math silence": _big_math_silence,
    "extreme mass": _extreme_mass,
    "training run": _run,
}

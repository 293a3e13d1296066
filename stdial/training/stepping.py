"""The steps of a controlled run, drawn or in expectation: what `controlled.run` collects into a Run."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stdial import expectation, group
from stdial.arguments import numbers, sizes
from stdial.method import Method, a_method
from stdial.pool import Pool, a_pool

__all__ = [
    "CLIP",
    "TENTHS",
    "Settings",
    "Step",
    "by_tenth",
    "checked",
    "expected_move",
    "expected_moves",
    "starting_rates",
    "tenths",
    "walk",
]

Floats = NDArray[np.float64]

CLIP = (0.02, 0.98)  # the paper's: a starting rate outside would hardly ever meet a live group
TENTHS = 10
_COMPARE_UNTIL = 32  # up to this G, comparing G uniform numbers with p is faster than Generator.binomial
_EXACT_UNTIL = 512  # up to so many different rates the mean-field run computes E[c] itself, beyond it interpolates
_TABLE = 1 << 12  # intervals of the interpolation up to G = 1,024; beyond, as many more as the weight is narrower


class Step(NamedTuple):
    """One step: ``rates`` after it [prompts]; in it, the silent share of first tries, summed c by tenth, rollouts."""

    rates: Floats
    silent: float
    mass: Floats
    rollouts: float


@dataclass(frozen=True)
class Settings:
    """Checked arguments of a run, and the starting rates."""

    start: Floats
    method: Method
    size: int
    steps: int
    learning_rate: float
    tries: int
    redraw: bool
    seed: int
    sampled: bool


def starting_rates(pool: Pool, prompts: int, seed: int) -> Floats:
    """Starting rates of a run: [prompts], drawn from the pool's rates strictly inside (0, 1) and clipped.

    Systematic sampling: every rate comes up as often as its share of the pool says, rounded up or down at random; so a
    pool of as many single problems as there are prompts is taken whole. The order is random.

    >>> from stdial import Pool
    >>> starting_rates(Pool([0, 1, 100], 100), 3, seed=0)
    array([0.02, 0.02, 0.02])
    """
    rates = np.asarray(pool.rate, dtype=np.float64)
    weight = np.where((rates > 0) & (rates < 1), np.asarray(pool.problems, dtype=np.float64), 0.0)
    if not weight.sum() > 0:
        raise ValueError(
            f"pool is {pool!r}; it must have a problem with a pass rate strictly between 0 and 1: others never move"
        )
    generator = np.random.default_rng(seed)
    order = np.argsort(rates, kind="stable")
    upto = np.cumsum(weight[order])
    marks = (np.arange(prompts) + generator.random()) * (upto[-1] / prompts)
    chosen = np.minimum(np.searchsorted(upto, marks, side="right"), np.flatnonzero(weight[order])[-1])
    return np.asarray(generator.permutation(rates[order[chosen]].clip(*CLIP)))


def checked(
    pool: Pool,
    method: Method,
    size: int,
    steps: int,
    learning_rate: float,
    prompts: int,
    tries: int | None,
    redraw: bool,
    seed: int,
    sampled: bool,
) -> Settings:
    """Settings of a run from the arguments of `stdial.training.run`, or a ValueError that names the wrong one."""
    a_method(method)
    a_pool(pool)
    if np.ndim(size):
        raise ValueError(f"size is {size!r}; it must be one whole number of at least 2")
    G = int(sizes(size, infinite=False))
    if tries is None:
        tries = 4 if method.drop_silent else 1
    for name, value, least in (("steps", steps, 1), ("prompts", prompts, 1), ("tries", tries, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}")
    rate = float(numbers("learning_rate", learning_rate, "a finite number greater than 0"))
    if not (math.isfinite(rate) and rate > 0):
        raise ValueError(f"learning_rate is {learning_rate!r}; it must be a finite number greater than 0")
    return Settings(starting_rates(pool, prompts, seed), method, G, steps, rate, tries, redraw, seed, sampled)


def walk(settings: Settings) -> Iterator[Step]:
    """Yield the run's steps, drawn or in expectation."""
    return _sampled(settings) if settings.sampled else _mean_field(settings)


def _sampled(settings: Settings) -> Iterator[Step]:
    """Draw groups. Tries after the first are drawn from the same rates: the policy moves once a step."""
    G, prompts = settings.size, len(settings.start)
    update = np.asarray(group.update(np.arange(G + 1), G, settings.method))
    tenth = tenths(settings.start)
    generator = np.random.default_rng((settings.seed, 1))
    rates = settings.start
    theta = np.log(rates) - np.log1p(-rates)
    for _ in range(settings.steps):
        k = _binomial(generator, G, rates)
        moved = update[k]
        silent = np.flatnonzero((k == 0) | (k == G))
        share, groups = len(silent) / prompts, prompts
        for _ in range(settings.tries - 1):
            if not len(silent):
                break
            groups += len(silent)
            tried = generator.integers(0, prompts, len(silent)) if settings.redraw else silent
            k = _binomial(generator, G, rates[tried])
            moved += np.bincount(tried, update[k], prompts)
            silent = tried[(k == 0) | (k == G)]
        theta = theta + settings.learning_rate * moved
        rates = 1 / (1 + np.exp(-theta))
        yield Step(rates, share, by_tenth(tenth, moved), float(groups * G))


def _binomial(generator: np.random.Generator, G: int, rates: Floats) -> NDArray[np.intp]:
    """K ~ Binomial(G, rate) for every rate.

    Small G compares G uniform float32 numbers, multiples of 2^-24, with the rate: exact but for that rounding of p.
    """
    if G > _COMPARE_UNTIL:
        return np.asarray(generator.binomial(G, rates), dtype=np.intp)
    uniform = generator.random((G, len(rates)), dtype=np.float32)
    return np.asarray((uniform < rates.astype(np.float32)).sum(axis=0, dtype=np.intp))


def _mean_field(settings: Settings) -> Iterator[Step]:
    """Move by expectations; prompts that start alike stay alike, so that only different rates are computed."""
    start, of_prompt, count = np.unique(settings.start, return_inverse=True, return_counts=True)
    prompts, G = len(settings.start), settings.size
    tries = 1 if settings.redraw else settings.tries
    tenth = tenths(start)
    rates = start
    theta = np.log(rates) - np.log1p(-rates)
    for _ in range(settings.steps):
        silent = np.asarray(expectation.silent_rate(rates, G))
        share = float(silent @ count) / prompts
        moved = expected_moves(rates, G, settings.method, tries)
        if settings.redraw:
            drawn = _geometric(np.float64(share), settings.tries) * prompts
            moved = moved * (drawn / prompts)
        else:
            drawn = _geometric(silent, settings.tries) @ count
        theta = theta + settings.learning_rate * moved
        rates = 1 / (1 + np.exp(-theta))
        yield Step(rates[of_prompt], share, by_tenth(tenth, moved * count), float(drawn) * G)


def expected_moves(rates: Floats, G: int, method: Method, tries: int) -> Floats:
    """`expected_move` for many rates: beyond 512 different ones the weight w_G is interpolated, to about 1e-9 of itself.

    >>> from stdial import GRPO
    >>> rates = np.concatenate([np.linspace(0.02, 0.98, 1000), [1e-12, 1 - 1e-9]])
    >>> float(abs(expected_moves(rates, 8, GRPO, 4) / expected_move(rates, 8, GRPO, 4) - 1).max()) < 1e-9
    True
    """
    if len(rates) <= _EXACT_UNTIL or np.unique(rates).size <= _EXACT_UNTIL:
        return expected_move(rates, G, method, tries)
    update = rates * (1 - rates) * _between(rates, _table(G, replace(method, name="", drop_silent=False)))
    return update * _geometric(np.asarray(expectation.silent_rate(rates, G)), tries) if tries > 1 else update


@functools.lru_cache(maxsize=64)
def _table(G: int, method: Method) -> Floats:
    """w_G at rates equally spaced in the angle arcsin sqrt p, and one more on each side: it is even around both ends."""
    angle = np.linspace(0, math.pi / 2, _TABLE * max(1, math.ceil(math.sqrt(G / 1024))) + 1)
    w = np.asarray(expectation.weight(np.sin(angle) ** 2, G, method))
    return np.concatenate([w[1:2], w, w[-2:-1]])


def _between(rates: Floats, table: Floats) -> Floats:
    """Cubic interpolation through the four nodes around each rate (Lagrange's)."""
    intervals = len(table) - 3
    place = np.arcsin(np.sqrt(rates)) * (intervals / (math.pi / 2))
    i = np.minimum(place.astype(np.intp), intervals - 1)
    x = place - i
    before, here, there, after = table[i], table[i + 1], table[i + 2], table[i + 3]
    outer = (x + 1) * (x - 2) / 2
    inner = x * (x - 1) / 6
    return np.asarray(outer * (here * (x - 1) - there * x) + inner * (after * (x + 1) - before * (x - 2)))


def expected_move(rates: Floats, G: int, method: Method, tries: int) -> Floats:
    """Expected update of a prompt in a step: E[c] times the expected number of tries."""
    update = np.asarray(expectation.expected_update(rates, G, method))
    return update * _geometric(np.asarray(expectation.silent_rate(rates, G)), tries) if tries > 1 else update


def _geometric(silent: Floats | np.float64, tries: int) -> Floats:
    """Return 1 + S + ... + S^(m-1) = (1 - S^m) / (1 - S), the expected tries (THEORY.md section 4)."""
    total = np.ones_like(silent)
    for _ in range(tries - 1):
        total = 1 + silent * total
    return np.asarray(total)


def tenths(start: Floats) -> NDArray[np.intp]:
    """Tenth that a starting rate lies in, 0 to 9, closed below and at 1; a rate that rounding put just below counts up.

    >>> tenths(np.array([0.02, 0.3, 1.0]))
    array([0, 3, 9])
    """
    return np.minimum((start * TENTHS + 1e-9).astype(np.intp), TENTHS - 1)


def by_tenth(tenth: NDArray[np.intp], values: Floats) -> Floats:
    """Sum of the values in every tenth: [10].

    >>> by_tenth(np.array([0, 9, 9]), np.array([1.0, 2.0, 3.0]))
    array([1., 0., 0., 0., 0., 0., 0., 0., 0., 5.])
    """
    return np.asarray(np.bincount(tenth, values, TENTHS), dtype=np.float64)

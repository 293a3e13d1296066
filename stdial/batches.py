"""How a training batch fills when silent groups are dropped: dynamic sampling's loop, exactly (THEORY.md section 4).

Generation batches of b prompts are drawn until B prompts with a mixed group are kept; what is kept beyond B is thrown
away. With independent draws the number kept after j generations is Binomial(j b, q), q = 1 - mean silent rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stdial.arguments import FloatArray, between, sizes
from stdial.expectation import silent_rate
from stdial.pool import Pool

__all__ = ["LARGEST", "Batch", "fill", "fill_from", "generation_batch_for", "generations_for", "not_full_from"]

_BLOCK = 4096
_MOST_TERMS = 4_000_000
LARGEST = 10**9
_TOGETHER = 62  # numbers looked at in one call, in a search
_MOST_SUMMED = 1 << 20  # generations of one pass whose chances are added one by one


@dataclass(frozen=True)
class Batch:
    """What to expect while one training batch fills.

    Attributes
    ----------
    kept : share of drawn prompts that are kept, 1 - mean silent rate.
    generations : expected number of generation batches, at most the cap; inf where nothing is ever kept.
    rollouts : expected rollouts, generations x prompts x group size.
    capped : chance that the cap is reached and the batch is not full (the trainer stops there); 0 without a cap.
    one_pass_generations, one_pass_capped : the same for one pass through the pool without replacement, where the end
        of the pass counts as a cap too; None where the number of problems is not known. Not exact: a binomial with
        the right mean and variance stands in for the number kept.
    pool_kept : expected number of problems kept in one pass; None likewise.
    warning : what stands in the way, in words, or "".
    """

    kept: float
    generations: float
    rollouts: float
    capped: float
    one_pass_generations: float | None = None
    one_pass_capped: float | None = None
    pool_kept: float | None = None
    warning: str = ""


def fill(
    silent: float,
    train_batch: int,
    generation_batch: int,
    size: int,
    cap: int = 0,
    problems: float | None = None,
    variance: float = 0.0,
) -> Batch:
    """Expected generations, rollouts and chance of running into the cap, for a mean silent rate.

    Parameters
    ----------
    silent
        Mean silent rate of the prompts, from 0 to 1.
    train_batch
        B, prompts with mixed groups that a training step needs.
    generation_batch
        b, prompts drawn in one generation.
    size
        G, rollouts a prompt.
    cap
        Most generations allowed (`max_num_gen_batches`); 0 means no cap.
    problems
        Number of problems in the pool, for the one-pass figures.
    variance
        Variance of the silent rate over problems, for the one-pass figures.

    Returns
    -------
    A `Batch`.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Examples
    --------
    >>> loop = fill(0.431, train_batch=512, generation_batch=512, size=8, cap=2)
    >>> round(loop.generations, 4), round(loop.capped, 4), round(loop.rollouts)
    (2.0, 0.0, 8192)

    Source: THEORY.md section 4, "filling a batch".
    """
    silent = float(between("silent", silent, 0.0, 1.0, "a number from 0 to 1"))
    B, b = _whole("train_batch", train_batch, 1), _whole("generation_batch", generation_batch, 1)
    cap, G = _whole("cap", cap, 0), float(sizes(size, infinite=False))
    q = 1.0 - silent
    generations = _expected(lambda j: _short(B, j * b, q), B, b, q, cap)
    capped = float(_short(B, np.array([float(cap) * b]), q)[0]) if cap else 0.0
    whole = Batch(q, generations, generations * b * G, capped, warning=_warning(q, B, b, cap, capped, problems))
    if problems is None:
        return whole
    one_pass = _one_pass(silent, B, b, cap, float(problems), float(variance))
    return Batch(q, generations, generations * b * G, capped, *one_pass, float(problems) * q, whole.warning)


def fill_from(
    pool: Pool, size: int, train_batch: int, generation_batch: int, cap: int = 0, estimate: str = "best"
) -> Batch:
    """`fill` for a pool: the mean silent rate by that estimate, its variance over problems by their posteriors.

    >>> from stdial import Pool
    >>> fill_from(Pool.from_rates([0.02, 0.5], problems=[40, 60]), 8, 32, 64).warning
    ''

    Arguments as in `fill`, and the estimate as in `Pool.silent_rate`.
    """
    mean, variance = _silence(pool, size, estimate)
    return fill(mean, train_batch, generation_batch, size, cap, pool.size, variance)


def not_full_from(
    pool: Pool, size: int, train_batch: int, generation_batch: int, generations: ArrayLike, estimate: str = "best"
) -> tuple[FloatArray, FloatArray]:
    """Chances that the batch is not full after each of these numbers of generations: independent draws, and one pass.

    They are `capped` and `one_pass_capped` of `fill_from` with that cap, for many caps at once.

    >>> from stdial import Pool
    >>> pool = Pool.from_rates([0.02, 0.5], problems=[40, 60])
    >>> [chance.round(3).tolist() for chance in not_full_from(pool, 8, 32, 64, [1, 2])]
    [[0.004, 0.0], [0.0, 0.0]]
    """
    B, b = _whole("train_batch", train_batch, 1), _whole("generation_batch", generation_batch, 1)
    js = between("generations", generations, 1, LARGEST, "whole numbers of at least 1")
    mean, variance = _silence(pool, size, estimate)
    once = _short_of_pass(mean, B, b, float(pool.size), variance)
    return _short(B, js * b, 1.0 - mean), once(np.minimum(js, math.ceil(pool.size / b)))


def _silence(pool: Pool, size: int, estimate: str) -> tuple[float, float]:
    """Mean of the silent rate over a pool by that estimate, and its variance over problems by their posteriors."""
    G = float(sizes(size, infinite=False))
    p, mass = pool.distribution
    silent = silent_rate(p, G)
    mean = pool.silent_rate(G, estimate)
    variance = float(mass @ silent**2 - (mass @ silent) ** 2)
    return mean, min(max(variance, 0.0), mean * (1.0 - mean))


def generation_batch_for(silent: float, train_batch: int, cap: int, miss: float = 0.01) -> float:
    """Smallest generation batch with which the cap is hit with a chance of at most `miss`; inf where none is.

    >>> generation_batch_for(0.431, train_batch=512, cap=2)
    481.0
    """
    q = 1.0 - float(between("silent", silent, 0.0, 1.0, "a number from 0 to 1"))
    B, cap = _whole("train_batch", train_batch, 1), _whole("cap", cap, 1)
    miss = float(between("miss", miss, 0.0, 1.0, "a number from 0 to 1"))
    return _smallest(lambda b: _short(B, cap * b, q) <= miss)


def generations_for(silent: float, train_batch: int, generation_batch: int, miss: float = 0.01) -> float:
    """Smallest cap that is hit with a chance of at most `miss`; inf where none is.

    >>> generations_for(0.431, train_batch=512, generation_batch=300)
    4.0
    """
    q = 1.0 - float(between("silent", silent, 0.0, 1.0, "a number from 0 to 1"))
    B, b = _whole("train_batch", train_batch, 1), _whole("generation_batch", generation_batch, 1)
    miss = float(between("miss", miss, 0.0, 1.0, "a number from 0 to 1"))
    return _smallest(lambda j: _short(B, j * b, q) <= miss)


def _smallest(enough: Callable[[FloatArray], NDArray[np.bool_]]) -> float:
    """The smallest whole number that is enough, where every larger one is too; inf beyond what is looked at.

    Many are looked at together: a call costs more than what it computes.
    """
    powers = 2.0 ** np.arange(math.floor(math.log2(LARGEST)) + 1.0)
    found = np.flatnonzero(enough(powers))
    if not found.size:
        return math.inf
    high = powers[found[0]]
    low = high // 2
    while high - low > 1:
        inside = np.unique(np.floor(np.linspace(low, high, _TOGETHER + 2)))[1:-1]
        fine = enough(inside)
        at = int(np.argmax(fine)) if fine.any() else len(inside)
        low, high = np.concatenate([[low], inside, [high]])[at : at + 2]
    return float(high)


def _short(B: int, n: FloatArray, q: FloatArray | float) -> FloatArray:
    """P(X < B) for X ~ Binomial(n, q), by the incomplete beta function, which also takes a broken n."""
    from scipy import special

    q = np.minimum(q, 1.0)
    tail = special.betainc(np.maximum(n - B + 1.0, 1e-300), float(B), 1.0 - q)
    return np.where(n <= B - 1.0, 1.0, tail)


def _expected(short: Callable[[FloatArray], FloatArray], B: int, b: int, q: float, cap: int) -> float:
    """Sum over j >= 0 (j < cap) of the chance of not being full after j generations."""
    most = cap or math.inf
    if q <= 0.0:
        return most
    spread = math.sqrt(B * (1.0 - q)) / q / b  # standard deviation of the generations needed, without rounding up
    if 100 * spread > _MOST_TERMS and not cap:  # so smooth that rounding up adds its mean exactly, (b - 1)/(2 b)
        return B / (b * q) + (b - 1) / (2 * b)
    # Chernoff: up to this many generations the batch is full with less than e^-50
    surely = max(0, math.floor((B - 10 * math.sqrt(B) - 50) / (q * b)))
    start = float(min(surely, most))
    total = start
    while start < most:
        j = start + np.arange(min(_BLOCK, most - start))
        terms = short(j)
        total += float(terms.sum())
        start += len(j)
        if terms[-1] < 1e-18:
            break
    return total


def _one_pass(silent: float, B: int, b: int, cap: int, N: float, variance: float) -> tuple[float, float]:
    """Expected generations and chance of ending short, for draws without replacement until the pass ends."""
    short = _short_of_pass(silent, B, b, N, variance)
    ends = math.ceil(N / b)
    ends = min(cap, ends) if cap else ends
    return _sum(short, ends), float(short(np.array([float(ends)]))[0])


def _short_of_pass(silent: float, B: int, b: int, N: float, variance: float) -> Callable[[FloatArray], FloatArray]:
    """The chance of not being full after j generations of one pass, for an array of j."""
    if not (N >= 1 and math.isfinite(N)):
        raise ValueError(f"problems is {N:g}; it must be a number of at least 1")
    if not 0 <= variance <= silent * (1 - silent) + 1e-9:
        raise ValueError(f"variance is {variance:g}; it must be from 0 to silent x (1 - silent)")

    def short(j: FloatArray) -> FloatArray:
        n = np.minimum(j * b, N)
        mean = n * (1 - silent)
        spread = n * silent * (1 - silent) - n * (n - 1) / max(N - 1, 1.0) * variance
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = np.where(mean > 0, np.clip(1.0 - spread / mean, 1 - silent, 1.0), 1.0)
            found = np.where(mean > 0, _short(B, mean / chance, chance), 1.0)
        certain = chance >= 1.0 - 1e-12  # nothing is left to chance: the number kept is its mean
        return np.where(certain & (mean > 0), (mean < B - 1e-9).astype(np.float64), found)

    return short


def _sum(short: Callable[[FloatArray], FloatArray], ends: int) -> float:
    """Sum of short(j) over j from 0 to `ends` - 1; it falls from 1 to 0, so of very many terms only the fall is looked at.

    >>> round(_sum(lambda j: np.clip(1 - j / 2e9, 0, 1), 10**12), 1)
    1000000000.5
    """
    low, high = 0, ends
    if ends > _MOST_SUMMED:
        low, high = (_first_below(short, level, ends) for level in (1.0, 1e-18))
    if high - low <= _MOST_SUMMED:
        return low + float(short(np.arange(low, high, dtype=np.float64)).sum())
    j = np.linspace(low, high, _MOST_SUMMED >> 4)  # so slow a fall that the trapezoid rule has all its digits
    terms = short(j)
    return low + float(np.trapezoid(terms, j)) + float(terms[0] - terms[-1]) / 2


def _first_below(short: Callable[[FloatArray], FloatArray], level: float, ends: int) -> int:
    low, high = -1, ends
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if short(np.array([float(middle)]))[0] < level else (middle, high)
    return high


def _warning(q: float, B: int, b: int, cap: int, capped: float, problems: float | None) -> str:
    if problems is not None and problems * q < B:
        return (
            f"one pass through the pool keeps {problems * q:,.0f} of {problems:,.0f} problems, "
            f"fewer than one batch of {B:,}"
        )
    if q == 0:
        return "every group is silent: the batch never fills"
    if cap and capped > 0.01:
        return f"{capped:.1%} of batches are not full after {cap} generations of {b:,}"
    return ""


def _whole(name: str, value: float, low: int) -> int:
    if not (low <= value <= LARGEST and value == int(value)):
        raise ValueError(f"{name} is {value}; it must be a whole number from {low} to {LARGEST}")
    return int(value)

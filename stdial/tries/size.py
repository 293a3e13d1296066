"""The smallest group size that does it, exactly, and the paper's law beside it (THEORY.md section 3)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stdial.arguments import LARGEST_WHOLE, FloatArray, probabilities, scalar_or_array, sizes, together
from stdial.expectation import weight_each
from stdial.method import GRPO
from stdial.silence import mixed_rate, silent_chance

__all__ = ["price", "size_by_law", "size_for_fidelity", "size_for_mixed"]

Short = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]  # (p, size, target) -> log of how far it falls short

_WHOLE = 1e-9  # the law rounds up only beyond this, relative: 5.000000000001 rollouts are 5


def size_for_fidelity(p: ArrayLike, loss: ArrayLike) -> FloatArray:
    """Smallest group size whose GRPO update has `fidelity` of at least 1 - loss, exactly.

    Parameters
    ----------
    p
        Success probability, from 0 to 1.
    loss
        Share of the large-group update that may be lost, from 0 to 1. Broadcasts with `p`.

    Returns
    -------
    Whole numbers as floats, at least 2; inf where no size up to 2**53 does (such as at p = 0 or 1, or loss = 0).

    Raises
    ------
    ValueError
        For a p or a loss outside these ranges.

    Examples
    --------
    >>> size_for_fidelity([0.5, 0.1, 0.05, 0], 0.1)
    array([ 7., 22., 42., inf])

    Source: arXiv 2607.00152, its table of group sizes, which prints the law; THEORY.md section 3.
    """
    p, loss = _pairs(p, "loss", loss)
    start = np.maximum(np.ceil(_law(p, loss)), 2.0)
    reachable = (loss > 0) & (p > 0) & (p < 1) & (start <= LARGEST_WHOLE)
    found = _smallest(p, loss, start, reachable, _infidelity)
    return scalar_or_array(np.where(found <= LARGEST_WHOLE, found, math.inf))


def size_for_mixed(p: ArrayLike, miss: ArrayLike) -> FloatArray:
    """Smallest group size whose group is mixed with probability of at least 1 - miss: silent rate <= miss.

    Parameters
    ----------
    p
        Success probability, from 0 to 1.
    miss
        Accepted chance of a silent group, from 0 to 1. Broadcasts with `p`.

    Returns
    -------
    Whole numbers as floats, at least 2; inf where no finite size does.

    Raises
    ------
    ValueError
        For a p or a miss outside these ranges.

    Examples
    --------
    >>> size_for_mixed([0.5, 0.05, 1], 0.1)
    array([ 5., 45., inf])

    Source: THEORY.md section 3.
    """
    p, miss = _pairs(p, "miss", miss)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        start = np.log(miss) / np.log1p(-np.minimum(p, 1.0 - p))  # the larger of the two branches alone
    start = np.maximum(np.ceil(start), 2.0)
    reachable = (miss > 0) & (p > 0) & (p < 1) & np.isfinite(start)
    return scalar_or_array(_smallest(p, miss, start, reachable, _silence_excess))


def size_by_law(p: ArrayLike, loss: ArrayLike) -> FloatArray:
    """Group size by the paper's attenuation law: 1/(8 loss p (1 - p)), rounded up. An approximation, for GRPO only.

    It undershoots `size_for_fidelity`, most near p = 0 and 1. Rounds up only beyond 1e-9 relative.

    Parameters
    ----------
    p
        Success probability, from 0 to 1.
    loss
        Share of the large-group update that may be lost, from 0 to 1. Broadcasts with `p`.

    Returns
    -------
    Whole numbers as floats, at least 2; inf at p = 0 and 1 and at loss = 0.

    Raises
    ------
    ValueError
        For a p or a loss outside these ranges.

    Examples
    --------
    >>> size_by_law([0.5, 0.1, 0.05], 0.1), size_for_fidelity([0.5, 0.1, 0.05], 0.1)
    (array([ 5., 14., 27.]), array([ 7., 22., 42.]))

    Source: arXiv 2607.00152, the attenuation law.
    """
    law = _law(*_pairs(p, "loss", loss))
    with np.errstate(invalid="ignore"):
        near = np.abs(law - np.rint(law)) <= _WHOLE * law
    return scalar_or_array(np.maximum(np.where(near, np.rint(law), np.ceil(law)), 2.0))


def price(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Rollouts paid for one mixed group: G / (1 - silent rate); inf at p = 0 and 1 and at size inf.

    Parameters
    ----------
    p
        Success probability, from 0 to 1.
    size
        G, a whole number of at least 2, or inf. Broadcasts with `p`.

    Raises
    ------
    ValueError
        For a p or a size outside these ranges.

    Examples
    --------
    >>> price(0.02, [2, 16, 64]).round(1)
    array([51. , 57.9, 88.2])

    Source: THEORY.md section 3.
    """
    with np.errstate(divide="ignore", over="ignore"):
        return scalar_or_array(np.asarray(sizes(size) / mixed_rate(p, size)))


def _law(p: FloatArray, loss: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", over="ignore"):
        law: FloatArray = 1.0 / (8.0 * loss * (p * (1.0 - p)))
    return law


def _silence_excess(p: FloatArray, size: FloatArray, miss: FloatArray) -> FloatArray:
    """Logarithm of silent rate / miss: at most 0 where the size is large enough."""
    silent = silent_chance(p, size)
    with np.errstate(divide="ignore"):
        return _signed(np.log(silent) - np.log(miss), silent <= miss)


def _infidelity(p: FloatArray, size: FloatArray, loss: FloatArray) -> FloatArray:
    """Logarithm of (1 - fidelity) / loss: at most 0 where the size is large enough."""
    fidelity = np.sqrt(p * (1.0 - p)) * weight_each(p, size, GRPO)
    with np.errstate(divide="ignore"):
        return _signed(np.log(np.maximum(1.0 - fidelity, 0.0)) - np.log(loss), fidelity >= 1.0 - loss)


def _signed(log_ratio: FloatArray, enough: NDArray[np.bool_]) -> FloatArray:
    """The comparison itself decides the sign: a rounded logarithm must not."""
    return np.where(enough, np.minimum(log_ratio, 0.0), np.maximum(log_ratio, 1e-300))


def _smallest(
    p: FloatArray, target: FloatArray, start: FloatArray, reachable: NDArray[np.bool_], short: Short
) -> FloatArray:
    """Smallest whole size >= 2 with short(p, size, target) <= 0, `short` falling in size; inf where not `reachable`.

    Interpolation between a size that fails and one that does converges in a few steps, since `short` is nearly a
    straight line of log size (fidelity) or bends little (silence); every third step halves the bracket regardless.
    """
    result = np.full(p.shape, math.inf)
    result[target >= 1.0] = 2.0  # everything may be lost: the smallest group does
    searched = reachable & (target < 1.0)
    p, target, high = p[searched], target[searched], start[searched]
    low, f_low, f_high = np.ones(p.shape), np.full(p.shape, math.inf), short(p, high, target)
    while (fails := f_high > 0).any():  # double until every upper end does
        low, f_low = np.where(fails, high, low), np.where(fails, f_high, f_low)
        high = np.where(fails, 2.0 * high, high)
        f_high[fails] = short(p[fails], high[fails], target[fails])
    step = 0
    while (wide := np.flatnonzero(high - low > np.maximum(1.0, high * 2.0**-52))).size:
        step += 1
        a, b = low[wide], high[wide]
        guess = np.floor((a + b) / 2) if step % 3 == 0 else _interpolate(a, b, f_low[wide], f_high[wide])
        guess = np.clip(guess, a + 1.0, b - 1.0)
        f = short(p[wide], guess, target[wide])
        done = f <= 0
        high[wide], f_high[wide] = np.where(done, guess, b), np.where(done, f, f_high[wide])
        low[wide], f_low[wide] = np.where(done, a, guess), np.where(done, f_low[wide], f)
    result[searched] = high
    return result


def _interpolate(a: FloatArray, b: FloatArray, f_a: FloatArray, f_b: FloatArray) -> FloatArray:
    """Where the line through (log a, f_a) and (log b, f_b) crosses 0; the geometric middle where an end is unknown."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        share = f_a / (f_a - f_b)
        share = np.where(np.isfinite(share), share, 0.5)
        guess: FloatArray = np.floor(a * (b / a) ** share)
    return guess


def _pairs(p: ArrayLike, name: str, share: ArrayLike) -> tuple[FloatArray, FloatArray]:
    return together("p", probabilities("p", p), name, probabilities(name, share))

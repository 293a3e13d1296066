"""What a pool says about an average over groups, cell by cell: plug-in, unbiased, posterior mean (THEORY.md section 5).

Everything here is an average over one sampled group, h_G(p) = E[f(K)] with K ~ Binomial(G, p): the silent rate, where
f marks the silent k, and the expected update, where f is the update magnitude.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stdial import expectation, group
from stdial.arguments import FloatArray, sizes
from stdial.method import Method, a_method

__all__ = ["ESTIMATES", "Average", "of_silence", "of_update", "unbiased"]

ESTIMATES = ("best", "unbiased", "deconvolved", "plug-in")
_CHUNK = 1 << 20  # probabilities held in memory at once


@dataclass(frozen=True)
class Average:
    """An average over a group of G answers, as a function of p and of the number right.

    ``by_rate(p)`` is h_G(p) = E[f(K)]; ``by_count(k)`` is f(k) for k = 0 to G (never called where G is infinite);
    ``ends_only`` says that f is 0 but at k = 0 and G.
    """

    size: float
    by_rate: Callable[[FloatArray], FloatArray]
    by_count: Callable[[FloatArray], FloatArray]
    ends_only: bool = False


def of_silence(size: float, side: str | None = None) -> Average:
    """The silent rate, or one branch of it: ``side`` "right" is all right, "wrong" all wrong."""
    if side not in (None, "right", "wrong"):
        raise ValueError(f"side is {side!r}; it must be None, 'right' or 'wrong'")
    return _of_silence(float(sizes(size)), side)


def of_update(size: float, method: Method) -> Average:
    """The update magnitude c of a method, per drawn group."""
    return _of_update(float(sizes(size)), a_method(method))


@functools.lru_cache(maxsize=512)  # equal ones are one object, by which a pool knows what it has computed
def _of_silence(G: float, side: str | None) -> Average:
    if side == "right":
        return Average(G, lambda p: expectation.all_right_rate(p, G), lambda k: 1.0 * (k == G), True)
    if side == "wrong":
        return Average(G, lambda p: expectation.all_wrong_rate(p, G), lambda k: 1.0 * (k == 0), True)
    return Average(G, lambda p: expectation.silent_rate(p, G), lambda k: 1.0 * ((k == 0) | (k == G)), True)


@functools.lru_cache(maxsize=512)
def _of_update(G: float, method: Method) -> Average:
    return Average(G, lambda p: expectation.expected_update(p, G, method), lambda k: group.update(k, G, method))


def unbiased(right: NDArray[np.int64], tries: NDArray[np.int64], average: Average) -> FloatArray:
    """E[f(K)] for K right among G of a problem's n tries, drawn without replacement (hypergeometric): [cells].

    Its mean over the tries is h_G(p) exactly; at G = n it is f(right). The case f = 1{K > 0} is the pass@k estimate of
    Chen et al. (2021). It needs G <= tries in every cell.

    >>> unbiased(np.array([1, 4]), np.array([8, 8]), of_silence(2)).round(4).tolist()
    [0.75, 0.4286]
    """
    G = int(average.size)
    if average.ends_only:
        at_none, at_all = average.by_count(np.array([0.0, G]))
        chance: FloatArray = at_none * _all_among(tries - right, tries, G) + at_all * _all_among(right, tries, G)
        return chance
    f = average.by_count(np.arange(G + 1.0))
    step = max(1, _CHUNK // (G + 1))
    parts = [
        np.einsum("ij,j->i", _hypergeometric(right[start : start + step], tries[start : start + step], G), f)
        for start in range(0, len(right), step)
    ]
    return np.concatenate(parts)


def _all_among(marked: NDArray[np.int64], tries: NDArray[np.int64], size: int) -> FloatArray:
    """Chance that all of ``size`` draws are marked ones: the product of (marked - j) / (tries - j)."""
    if len(tries) * size <= _CHUNK >> 4:
        drawn = np.arange(size)
        return np.asarray(np.prod(np.maximum(marked[:, None] - drawn, 0) / (tries[:, None] - drawn), axis=1))
    chance = np.ones(len(tries))
    for j in range(size):
        chance *= np.maximum(marked - j, 0) / (tries - j)
    return chance


def _hypergeometric(right: NDArray[np.int64], tries: NDArray[np.int64], size: int) -> FloatArray:
    """P(K = 0..size), [cells, size + 1]: ratios of neighbours multiplied outward from the mode, then normalised.

    The relative error stays at a few hundred rounding errors at any size, where factorials overflow and log-gammas
    cancel.
    """
    k, wrong = right[:, None].astype(np.float64), (tries - right)[:, None].astype(np.float64)
    drawn = np.arange(float(size))  # the ratio at K leads from K to K + 1
    up = (k - drawn) * (size - drawn)
    down = (drawn + 1) * (wrong - size + drawn + 1)
    mode = np.floor((size + 1) * (k + 1) / (k + wrong + 2))
    mode = np.clip(mode, np.maximum(0, size - wrong), np.minimum(size, k))
    beyond = drawn >= mode
    rising = np.where(beyond, np.maximum(up, 0) / np.where(beyond, down, 1), 1.0)
    falling = np.where(beyond, 1.0, np.maximum(down, 0) / np.where(beyond, 1, up))
    result = np.ones((len(k), size + 1))
    result[:, 1:] = np.cumprod(rising, axis=1)
    result[:, :-1] *= np.cumprod(falling[:, ::-1], axis=1)[:, ::-1]
    total: FloatArray = result.sum(axis=1, keepdims=True)
    return result / total


def best_name(size: float, tries: NDArray[np.int64] | None, fitted: bool) -> str:
    """In words, which estimate the best one is made of at this size."""
    if tries is None:
        return "plug-in"
    posterior = "deconvolved" if fitted else "Jeffreys"
    if size <= tries.min():
        return "unbiased"
    return posterior if math.isinf(size) or size > tries.max() else f"unbiased and {posterior}"

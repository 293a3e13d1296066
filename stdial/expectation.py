"""Averages over drawn groups, k ~ Binomial(G, p): exact at every group size (THEORY.md section 2).

All functions broadcast; `size=math.inf` is the large-group limit. They hold 1e-12 relative for G up to 4096 and p down
to 1e-9, and are exact at p = 0 and 1. One identity carries them: k (G - k) C(G, k) = G (G - 1) C(G - 2, k - 1), so

    w_G(p) = E[c] / (p (1 - p)) = (G - 1)/G E[1 / (s_(J+1) + epsilon)^exponent],   J ~ Binomial(G - 2, p),

a sum of positive terms that has no 0/0 at the ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stdial import binomial
from stdial.arguments import FloatArray, probabilities, scalar_or_array, sizes
from stdial.limit import limit_objective, limit_weight
from stdial.method import GRPO, Method, a_method
from stdial.silence import all_right_rate, all_wrong_rate, mixed_rate, pairs, silent_rate

__all__ = [
    "Curves",
    "all_right_rate",
    "all_wrong_rate",
    "attenuation",
    "curves",
    "expected_update",
    "fidelity",
    "mixed_rate",
    "objective",
    "silent_rate",
    "weight",
]

_FEW_SIZES = 8  # below, a sum for each size by itself is quicker

LARGEST_OBJECTIVE = 10_000_000  # the objective sums over every k: beyond this, the limit is what is meant


def weight(p: ArrayLike, size: ArrayLike, method: Method) -> FloatArray:
    """Difficulty weight w_G(p) = E[c] / (p (1 - p)): how much a method favours p over the plain policy gradient.

    At p = 0 and 1 it is the limit of nearby p: G (sqrt(G-1)/G)^(2 - exponent) with ddof = epsilon = 0, the cap of the
    "bathtub" (sqrt(G - 1) for GRPO). At size inf it is (p(1-p))^(-exponent/2), infinite at the ends.

    Parameters
    ----------
    p, size
        As in `silent_rate`.
    method
        A `stdial.Method`; dropping silent groups changes nothing per drawn group.

    Raises
    ------
    ValueError
        For a p or a size outside its range.

    Examples
    --------
    >>> from stdial import GRPO
    >>> round(float(weight(0, 8, GRPO)), 4), round(float(weight(0.05, 8, GRPO) / weight(0.5, 8, GRPO)), 2)
    (2.6458, 1.33)

    Source: arXiv 2607.00152, the implicit weighting; THEORY.md section 2 for finite G.
    """
    p, size = pairs(p, size)
    return scalar_or_array(_weights(p, size, a_method(method)))


def expected_update(p: ArrayLike, size: ArrayLike, method: Method) -> FloatArray:
    """Expected update magnitude E[c] of one *drawn* group, silent ones included.

    For Dr. GRPO p (1 - p) (G - 1)/G; at size inf p (1 - p) / (sqrt(p (1 - p)) + epsilon)^exponent; 0 at p = 0 and 1.

    Parameters
    ----------
    p, size
        As in `silent_rate`.
    method
        A `stdial.Method`; DAPO's value per drawn group is GRPO's.

    Raises
    ------
    ValueError
        For a p or a size outside its range.

    Examples
    --------
    >>> from stdial import GRPO, DR_GRPO
    >>> round(float(expected_update(0.05, 8, GRPO)), 4), round(float(expected_update(0.05, 8, DR_GRPO)), 4)
    (0.1175, 0.0416)

    Source: arXiv 2607.00152, the averaged identity; THEORY.md section 2.
    """
    p, size = pairs(p, size)
    return scalar_or_array(_times(p * (1.0 - p), _weights(p, size, a_method(method))))


def fidelity(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Share of GRPO's large-group update that groups of this size deliver: E[c] / sqrt(p (1 - p)), from 0 to 1.

    Arguments as in `silent_rate`; 0 at p = 0 and 1, and 1 in between at size inf.

    >>> round(float(fidelity(0.5, 8)), 4), round(float(fidelity(0.05, 8)), 4)
    (0.9278, 0.539)

    Source: arXiv 2607.00152, fidelity.
    """
    p, size = pairs(p, size)
    share = _times(np.sqrt(p * (1.0 - p)), _weights(p, size, GRPO))
    return scalar_or_array(np.where(np.isinf(size) & (p > 0) & (p < 1), 1.0, np.minimum(share, 1.0)))


def attenuation(p: ArrayLike, size: ArrayLike) -> FloatArray:
    """Return the paper's law for `fidelity`, 1 - 1/(8 G p (1 - p)): an approximation, for GRPO only.

    Arguments as in `silent_rate`. Wrong near p = 0 and 1: it is negative where 8 G p (1 - p) < 1, -inf at the ends.

    >>> round(float(attenuation(0.05, 8)), 2)
    0.67
    """
    p, size = pairs(p, size)
    spread = p * (1.0 - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        return scalar_or_array(np.where(spread > 0, 1.0 - 1.0 / (8.0 * size * spread), -math.inf))


def objective(p: ArrayLike, size: ArrayLike, method: Method) -> FloatArray:
    """Implicit objective F_G(p), the integral of `weight` from 0 to p: what the method really climbs.

    At size inf it is p for Dr. GRPO, 2 arcsin(sqrt p) for GRPO, an incomplete beta function in between; with exponent
    2 and epsilon 0 the integral diverges and the value is logit p, anchored at p = 1/2.

    Parameters
    ----------
    p, size
        As in `silent_rate`; finite sizes up to 10,000,000.
    method
        A `stdial.Method`.

    Raises
    ------
    ValueError
        For a p or a size outside its range.

    Examples
    --------
    >>> from stdial import GRPO, DR_GRPO
    >>> float(objective(1, math.inf, GRPO)) == math.pi, float(objective(0.5, 8, DR_GRPO))
    (True, 0.4375)

    Source: THEORY.md section 2, the exact objective at finite G: (1/G) sum_k (c_k / sigma_k^2) P(Bin(G-1, p) >= k).
    """
    p, size = pairs(p, size)
    finite = size[np.isfinite(size)]
    if finite.size and finite.max() > LARGEST_OBJECTIVE:
        allowed = f"at most {LARGEST_OBJECTIVE}, or inf, for the objective"
        raise ValueError(f"size is {finite.max():g}; it must be {allowed}")
    of = (a_method(method),)
    return scalar_or_array(_by_size(p, size, lambda q, G: _objective_at(q, G, of)[0]))


class Curves(NamedTuple):
    """Three quantities on a grid, each of shape [methods, sizes, p]."""

    update: FloatArray
    weight: FloatArray
    objective: FloatArray


def curves(p: ArrayLike, size: ArrayLike, methods: Sequence[Method]) -> Curves:
    """`expected_update`, `weight` and `objective` for every method, size and p at once: all frames of a chart.

    Parameters
    ----------
    p
        Success probabilities, shape [P].
    size
        Group sizes, shape [N], math.inf allowed.
    methods
        Any number M of methods.

    Returns
    -------
    `Curves`, each array of shape [M, N, P].

    >>> from stdial import GRPO, DR_GRPO
    >>> curves([0.05, 0.5], [2, 8, math.inf], [GRPO, DR_GRPO]).weight.shape
    (2, 3, 2)
    """
    grid = np.atleast_1d(probabilities("p", p))
    all_sizes = np.atleast_1d(sizes(size))
    methods = [a_method(method) for method in methods]
    w = np.empty((len(methods), all_sizes.size, grid.size))
    f = np.empty_like(w)
    for i, G in enumerate(all_sizes.tolist()):
        w[:, i] = _weight_at(grid, G, methods)
        f[:, i] = _objective_at(grid, G, methods)
    return Curves(_times(grid * (1.0 - grid), w), w, f)


def _weights(p: FloatArray, size: FloatArray, method: Method) -> FloatArray:
    """w_G(p) for every pair: size by size, or all together where many sizes have a few p each."""
    many = np.unique(size).size
    if many > _FEW_SIZES and p.size <= _FEW_SIZES * many and np.isfinite(size).all():
        return weight_each(p.ravel(), size.ravel(), method).reshape(p.shape)
    return _by_size(p, size, lambda q, G: _weight_at(q, G, (method,))[0])


def _weight_at(p: FloatArray, G: float, methods: Sequence[Method]) -> FloatArray:
    """w_G at one size, [methods, P]."""
    if math.isinf(G):
        return np.stack([limit_weight(p, m) for m in methods])
    front: FloatArray = np.array([_centring(G, m) * (G - 1) / G for m in methods])[:, None]
    if G <= 3 or all(m.exponent == 0 for m in methods):  # one value of the ratio: nothing to average
        flat: FloatArray = front * np.stack([np.full(p.shape, _ratio(np.ones(1), G, m)[0]) for m in methods])
        return flat
    n = int(G) - 2
    return front * binomial.mean(n, p, lambda j: np.stack([_ratio(j + 1, G, m) for m in methods]))


def weight_each(p: FloatArray, size: FloatArray, method: Method) -> FloatArray:
    """`weight` at finite sizes without checks, quick where every p has its own size: two arrays of shape [N].

    >>> weight_each(np.array([0.0, 0.5]), np.array([8.0, 2.0]), GRPO).round(4)
    array([2.6458, 1.    ])
    """
    averaged = binomial.mean_each(size - 2, p, lambda j, n: _ratio(j + 1, n + 2, method))
    ratios = np.where(size <= 3, _ratio(np.ones_like(size), size, method), averaged)  # as `weight` has it, to the bit
    weights: FloatArray = _centring(size, method) * (size - 1) / size * ratios
    return weights


def _objective_at(p: FloatArray, G: float, methods: Sequence[Method]) -> FloatArray:
    """F_G at one size, [methods, P]: E[sum of the first X ratios] / G with X ~ Binomial(G - 1, p)."""
    if math.isinf(G):
        return np.stack([limit_objective(p, m) for m in methods])
    front: FloatArray = np.array([_centring(G, m) / G for m in methods])[:, None]
    if G <= 3 or all(m.exponent == 0 for m in methods):
        straight: FloatArray = front * (G - 1) * np.stack([_ratio(np.ones(1), G, m)[0] * p for m in methods])
        return straight
    k = np.arange(1.0, G)
    sums = np.stack([np.concatenate([[0.0], np.cumsum(_ratio(k, G, m))]) for m in methods])
    return front * binomial.mean(int(G) - 1, p, lambda x: sums[:, x.astype(np.int64)])


def _ratio(k: FloatArray, G: float | FloatArray, method: Method) -> FloatArray:
    """c_k / sigma_k^2 = 1 / (s_k + epsilon)^exponent of a group with k of G right, 0 < k < G."""
    if method.exponent == 0:
        return np.ones_like(k)
    s = np.sqrt(np.maximum(k * (G - k), 1.0) / (G * (G - method.ddof)))  # the guard: k beyond the ends has no say
    ratio: FloatArray = (s + method.epsilon) ** -method.exponent
    return ratio


def _centring(G: Any, method: Method) -> Any:
    return G / (G - 1) if method.leave_one_out else 1.0


def _by_size(p: FloatArray, size: FloatArray, at: Callable[[FloatArray, float], FloatArray]) -> FloatArray:
    """Evaluate `at(p, G)` for every pair, one size at a time, each distinct p once."""
    if p.ndim == 0:
        return at(p.reshape(1), float(size)).reshape(())
    if p.size and p.ndim == 1 and size[0] == size[-1] and (size == size[0]).all() and (p[1:] > p[:-1]).all():
        return at(p, float(size[0]))  # a curve: there is nothing to sort
    result = np.empty(p.shape)
    for G in np.unique(size).tolist():
        here = size == G
        distinct, where = np.unique(p[here], return_inverse=True)
        result[here] = at(distinct, G)[where.reshape(-1)]
    return result


def _times(spread: FloatArray, w: FloatArray) -> FloatArray:
    """Spread times weight, 0 where the spread is 0 although the weight may be infinite there."""
    with np.errstate(invalid="ignore"):
        return np.where(spread == 0, 0.0, spread * w)

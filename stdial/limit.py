"""The large-group limit: the difficulty weight and the implicit objective as G grows without bound (THEORY.md 2)."""

from __future__ import annotations

import numpy as np

from stdial.arguments import FloatArray
from stdial.method import Method

__all__ = ["limit_objective", "limit_weight"]

_NODES = 20  # Gauss-Legendre nodes a panel: below 1e-15 where the nearest singularity is a panel's width away


def limit_weight(p: FloatArray, method: Method) -> FloatArray:
    """1 / (sqrt(p (1 - p)) + epsilon)^exponent; infinite at p = 0 and 1 for exponent > 0 and epsilon 0.

    >>> from stdial import GRPO
    >>> limit_weight(np.array([0.0, 0.5]), GRPO)
    array([inf,  2.])
    """
    if method.exponent == 0:
        return np.ones_like(p)
    with np.errstate(divide="ignore"):
        w: FloatArray = (np.sqrt(p * (1.0 - p)) + method.epsilon) ** -method.exponent
    return w


def limit_objective(p: FloatArray, method: Method) -> FloatArray:
    """Integral of `limit_weight` from 0 to p; where it diverges (exponent 2, epsilon 0), logit p.

    >>> from stdial import GRPO
    >>> bool(limit_objective(np.array([1.0]), GRPO)[0] == np.pi)
    True
    """
    exponent = method.exponent
    if exponent == 0:
        return p.copy()
    if method.epsilon > 0:
        return _with_epsilon(p, exponent, method.epsilon)
    if exponent == 2:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(p) - np.log1p(-p), dtype=np.float64)
    if exponent == 1:
        return np.asarray(2.0 * np.arctan2(np.sqrt(p), np.sqrt(1.0 - p)), dtype=np.float64)
    from scipy import special

    a = 1.0 - exponent / 2.0
    return np.asarray(special.betainc(a, a, p) * special.beta(a, a), dtype=np.float64)


def _with_epsilon(p: FloatArray, exponent: float, epsilon: float) -> FloatArray:
    """Quadrature in v = 2 arcsin(sqrt p), where sqrt(p (1 - p)) = sin(v)/2 and dp = sin(v)/2 dv.

    Below 1/2 the integrand s/(s + epsilon)^exponent changes over lengths of epsilon at v = 0: panels that halve toward
    0 resolve it. Above, the symmetry p <-> 1 - p is used.
    """
    low = np.minimum(p, 1.0 - p)
    ends = 2.0 * np.arcsin(np.sqrt(np.concatenate([low, [0.5]])))
    panels = max(1, int(np.ceil(np.log2(np.pi / epsilon))) + 4)
    node, node_weight = np.polynomial.legendre.leggauss(_NODES)
    total = np.zeros_like(ends)
    for j in range(panels):
        right = ends * 2.0**-j
        left = right / 2 if j < panels - 1 else np.zeros_like(right)
        half = (right - left)[:, None] / 2
        s = np.sin((left + right)[:, None] / 2 + half * node) / 2
        total += (s / (s + epsilon) ** exponent) @ node_weight * half[:, 0]
    below: FloatArray = total[:-1]
    return np.where(p <= 0.5, below, 2.0 * total[-1] - below)

"""Maximum-likelihood weights of a mixture with fixed components: the solver behind `stdial.mixing`.

Throughout, f [cells, points] holds each cell's likelihood at each point, scaled to a maximum of 1 in each cell; many
[cells] how often the cell was seen; weight [points] the mixture. scipy.optimize is imported only when a fit is asked for.

Products go through einsum, not BLAS, whose threads are up to twenty times slower than one where other work keeps the
processors busy, and no faster here otherwise.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray

__all__ = ["climb", "gradient_at", "levelled", "mixed", "sums"]

_GAP = 1e-7  # nats, a tenth of what is promised
_MOST_STEPS = 200


def climb(f: FloatArray, many: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The weights of a maximum, and the gradient there, whose largest entry is the gap; see `mixing.fit`."""
    weight = _start(f, many)
    gradient = gradient_at(f, many, weight)
    for _ in range(_MOST_STEPS):
        if gradient.max() < _GAP:
            break
        step = _newton(f, many, weight, gradient)
        better = _line_search(f, many, weight, step)
        trial = step if better is None else better
        slope = gradient_at(f, many, trial)
        if better is None and slope.max() >= gradient.max():
            break  # near the top float64 no longer sees the gain, but still sees the gap shrink; now neither
        weight, gradient = trial, slope
    return weight, gradient


def gradient_at(f: FloatArray, many: FloatArray, weight: FloatArray) -> FloatArray:
    """Gain in log-likelihood per mass moved to each point of the grid."""
    slope: FloatArray = np.einsum("i,ij->j", many / mixed(f, weight), f) - many.sum()
    return slope


def mixed(f: FloatArray, weight: FloatArray) -> FloatArray:
    """Each cell's likelihood under the mixture: f @ weight."""
    at = np.flatnonzero(weight)
    product: FloatArray = np.einsum("ij,j->i", f if len(at) == len(weight) else f[:, at], weight[at])
    return product


def _start(f: FloatArray, many: FloatArray) -> FloatArray:
    """Every cell's problems at the point that suits them best, on the coarsest part of the grid that suits all."""
    best = f.argmax(axis=1)
    share = many / many.sum()
    for stride in (16, 4):
        weight = sums(np.rint(best / stride).astype(np.intp) * stride, share, f.shape[1])
        if mixed(f, weight).min() > 1e-100:
            return weight
    return sums(best, share, f.shape[1])


def _newton(f: FloatArray, many: FloatArray, weight: FloatArray, gradient: FloatArray) -> FloatArray:
    from scipy.optimize import nnls

    at = np.flatnonzero((weight > 0) | _local_maxima(gradient))
    ratio = f[:, at] / mixed(f, weight)[:, None]
    # the sum-to-one constraint is exact: the misfit below is homogeneous in the weights (Lawson and Hanson, section 23)
    system = np.sqrt(many / many.sum())[:, None] * (ratio - 2)
    system = np.vstack([system, np.ones(len(at))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    try:
        solved, _ = nnls(system, target, maxiter=30 * len(at))
    except RuntimeError:  # no end within the allowed exchanges: an EM step, which always ascends
        ascended: FloatArray = weight * (1 + gradient / many.sum())
        return ascended
    step = np.zeros(f.shape[1])
    step[at] = solved / solved.sum()
    return step


def _local_maxima(gradient: FloatArray) -> NDArray[np.bool_]:
    padded = np.concatenate([[-np.inf], gradient, [-np.inf]])
    return (gradient >= padded[:-2]) & (gradient >= padded[2:]) & (gradient > 0)


def _line_search(f: FloatArray, many: FloatArray, weight: FloatArray, step: FloatArray) -> FloatArray | None:
    """The longest of the steps 1, 1/2, 1/4, ... that raises the log-likelihood enough; None where none does."""
    change = mixed(f, step) / mixed(f, weight) - 1
    promised = float((many * change).sum())
    share = 1.0
    while share > 1e-12:
        with np.errstate(divide="ignore"):  # a full step may leave a cell impossible: its gain is -inf
            gain = float((many * np.log1p(share * change)).sum())
        if gain >= share * promised / 3 > 0:
            moved: FloatArray = (1 - share) * weight + share * step
            return moved
        share /= 2
    return None


def levelled(f: FloatArray, weight: FloatArray, prior: FloatArray) -> FloatArray:
    """Of all distributions with the same cell probabilities, the closest to the prior in relative entropy.

    It is the prior mass times exp(a combination of the cells' likelihoods); Newton's method on the convex dual.
    """
    _, scale, basis = np.linalg.svd(f, full_matrices=False)
    basis = basis[scale > 1e-10 * scale[0]] * math.sqrt(f.shape[1])
    target = basis @ weight
    tilt = np.zeros(len(basis))
    mass, height = _tilted(prior, basis, target, tilt)
    for _ in range(60):
        miss = basis @ mass - target
        if np.abs(miss).max() < 1e-13:
            break
        curve = (basis * mass) @ basis.T - np.outer(basis @ mass, basis @ mass)
        step = np.linalg.lstsq(curve, -miss, rcond=1e-13)[0]
        share = 1.0
        trial = _tilted(prior, basis, target, tilt + step)
        while trial[1] > height + 1e-4 * share * float(miss @ step) + 1e-14 and share > 1e-6:
            share /= 2
            trial = _tilted(prior, basis, target, tilt + share * step)
        tilt = tilt + share * step
        mass, height = trial
    return mass


def _tilted(prior: FloatArray, basis: FloatArray, target: FloatArray, tilt: FloatArray) -> tuple[FloatArray, float]:
    exponent = tilt @ basis
    mass = prior * np.exp(exponent - exponent.max())
    total = float(mass.sum())
    return mass / total, math.log(total) + float(exponent.max() - tilt @ target)


def sums(index: NDArray[np.intp], values: FloatArray, length: int) -> FloatArray:
    """Values added up by their index."""
    return np.bincount(index, weights=values, minlength=length).astype(np.float64, copy=False)

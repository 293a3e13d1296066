"""The distribution of success probabilities over a pool, by nonparametric maximum likelihood (THEORY.md section 5).

The Kiefer-Wolfowitz estimate: of all distributions over p, the one that makes the observed (right, tries) most likely.
The likelihood is concave in it, so a duality gap proves how close to the maximum a fit is. scipy.optimize is imported
only when a fit is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray

__all__ = [
    "GRID",
    "Mixing",
    "fit",
    "jeffreys",
    "log_choose",
    "log_likelihood",
    "on_grid",
    "posterior",
    "posterior_mean",
]

POINTS = 801
_SINE = np.sin(np.linspace(0.0, math.pi / 2, POINTS))
_COSINE = _SINE[::-1]  # exactly symmetric, with exact 0 and 1 at the ends
GRID: FloatArray = _SINE**2  # equal steps of arcsin sqrt p, in which a binomial share has the same spread everywhere
GRID.setflags(write=False)

_GAP = 1e-7  # nats, a tenth of what is promised
_MOST_STEPS = 200
_TIED = 1e-3  # nats: where no point of the grid is this much worse, the maximum is reached by many distributions
_MOST_CELLS = 8192  # beyond this many, cells that no likelihood could tell apart are merged first
_BLOCK = 4096  # cells whose posterior is held in memory at once


@dataclass(frozen=True)
class Mixing:
    """A distribution over success probabilities.

    Attributes
    ----------
    p, weight : where its mass lies (ascending, in [0, 1]) and how much (positive, adding up to 1).
    log_likelihood : of the pool it was fitted to, in nats, binomial coefficients included.
    gap : at most so many nats below the highest log-likelihood that any distribution on the grid reaches.
    """

    p: FloatArray
    weight: FloatArray
    log_likelihood: float
    gap: float


def log_likelihood(right: NDArray[Any], tries: NDArray[Any], at: NDArray[np.intp] | None = None) -> FloatArray:
    """Log-likelihood k log p + (n - k) log(1 - p) at points of the grid: [cells, points].

    Parameters
    ----------
    right, tries : k and n, one entry a cell.
    at : positions on the grid; all 801 if left out.

    >>> np.exp(log_likelihood(np.array([0, 1]), np.array([2, 2]), np.array([0, 400, 800]))).round(4)
    array([[1.  , 0.25, 0.  ],
           [0.  , 0.25, 0.  ]])
    """
    chosen = slice(None) if at is None else at
    with np.errstate(divide="ignore"):  # log 0 = -inf is meant: an answer right at p = 0 has no likelihood
        log_sine, log_cosine = np.log(_SINE[chosen]), np.log(_COSINE[chosen])
    total = _times(2.0 * right, log_sine)
    total += _times(2.0 * (tries - right), log_cosine)
    return total


def _times(count: FloatArray, log: FloatArray) -> FloatArray:
    """Outer product in which 0 x -inf is 0."""
    with np.errstate(invalid="ignore"):
        product: FloatArray = np.multiply.outer(count, log)
    product[count == 0] = 0.0
    return product


def posterior(right: NDArray[Any], tries: NDArray[Any], prior: FloatArray) -> FloatArray:
    """Bayes' rule at the grid's points with prior mass: [cells, points with mass], each row adding up to 1.

    Parameters
    ----------
    right, tries : k and n, one entry a cell.
    prior : mass at each of the grid's points, [801].
    """
    at = np.flatnonzero(prior)
    log = log_likelihood(right, tries, at)
    log -= log.max(axis=1, keepdims=True)
    joint = np.exp(log, out=log)
    joint *= prior[at]
    joint /= joint.sum(axis=1, keepdims=True)
    return joint


def posterior_mean(right: NDArray[Any], tries: NDArray[Any], prior: FloatArray, values: FloatArray) -> FloatArray:
    """Posterior mean in each cell of a function whose values at the grid's points are given, [801]."""
    held = values[np.flatnonzero(prior)]
    blocks = [posterior(right[part], tries[part], prior) @ held for part in _blocks(len(right))]
    return np.concatenate(blocks)


def _blocks(cells: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, cells, _BLOCK))


def jeffreys() -> FloatArray:
    """Jeffreys' Beta(1/2, 1/2), which is uniform in arcsin sqrt p, as mass on the grid.

    The trapezoid rule in that angle is exact for polynomials in p of degree below 1600, so that posterior means under
    it are those of the Beta distribution while n + G stays below that.
    """
    mass = np.full(POINTS, 1.0 / (POINTS - 1))
    mass[[0, -1]] /= 2
    return mass


def on_grid(mixing: Mixing) -> FloatArray:
    """The mass of a fitted distribution at each of the grid's points, [801]."""
    at = np.rint(np.arcsin(np.sqrt(mixing.p)) / (math.pi / 2) * (POINTS - 1)).astype(np.intp)
    return _sums(at, mixing.weight, POINTS)


def fit(right: NDArray[Any], tries: NDArray[Any], problems: FloatArray) -> Mixing:
    """The nonparametric maximum-likelihood mixing distribution of cells that hold ``problems`` problems each.

    A constrained Newton method (Y. Wang, "On fast computation of the non-parametric maximum likelihood estimate of a
    mixing distribution", JRSS B 2007): the support takes in every local maximum of the gradient, the weights solve the
    quadratic approximation of the log-likelihood by non-negative least squares, a line search makes sure of ascent.
    It stops when max over the grid of sum_i N_i f_i(p) / f_i(mixture) - N, which bounds what is left to gain, is
    below 1e-6 nats.

    Few tries leave the maximum to many distributions: then the one closest to Jeffreys' in relative entropy is taken.
    Beyond 8,192 different cells, those of alike tries that lie closer than about an eighth of their own spread are merged
    before the fit.

    Parameters
    ----------
    right, tries : k and n, one entry a cell.
    problems : how many problems each cell holds, at least 0.

    >>> found = fit(np.array([0, 4]), np.array([4, 4]), np.array([30.0, 10.0]))
    >>> found.p.tolist(), found.weight.round(6).tolist()
    ([0.0, 1.0], [0.75, 0.25])
    """
    seen = problems > 0
    k, n, many = _merged(right[seen], tries[seen], problems[seen])
    log = log_likelihood(k, n)
    top = log.max(axis=1)
    f = np.exp(log - top[:, None])
    weight, gradient = _climb(f, many)
    if gradient.min() > -_TIED:
        level = _levelled(f, weight)
        slope = _gradient(f, many, level)
        if slope.max() < 10 * _GAP:
            weight, gradient = level, slope
    at = np.flatnonzero(weight)
    reached = float(many @ (np.log(f @ weight) + top + log_choose(k, n)))
    return Mixing(GRID[at], weight[at], reached, max(float(gradient.max()), 0.0))


def _climb(f: FloatArray, many: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The weights of a maximum and the gradient there, f scaled to a maximum of 1 in each cell."""
    weight = _start(f, many)
    gradient = _gradient(f, many, weight)
    for _ in range(_MOST_STEPS):
        if gradient.max() < _GAP:
            break
        step = _newton(f, many, weight, gradient)
        better = _line_search(f, many, weight, step)
        trial = step if better is None else better
        slope = _gradient(f, many, trial)
        if better is None and slope.max() >= gradient.max():
            break  # near the top float64 no longer sees the gain, but still sees the gap shrink; now neither
        weight, gradient = trial, slope
    return weight, gradient


def _gradient(f: FloatArray, many: FloatArray, weight: FloatArray) -> FloatArray:
    """Gain in log-likelihood per mass moved to each point of the grid."""
    slope: FloatArray = (many / (f @ weight)) @ f - many.sum()
    return slope


def _start(f: FloatArray, many: FloatArray) -> FloatArray:
    """Every cell's problems at the point that suits them best, on the coarsest part of the grid that suits all."""
    best = f.argmax(axis=1)
    share = many / many.sum()
    for stride in (16, 4):
        weight = _sums(np.rint(best / stride).astype(np.intp) * stride, share, POINTS)
        if (f @ weight).min() > 1e-100:
            return weight
    return _sums(best, share, POINTS)


def _newton(f: FloatArray, many: FloatArray, weight: FloatArray, gradient: FloatArray) -> FloatArray:
    from scipy.optimize import nnls

    at = np.flatnonzero((weight > 0) | _local_maxima(gradient))
    ratio = f[:, at] / (f @ weight)[:, None]
    # the sum-to-one constraint is exact: the misfit below is homogeneous in the weights (Lawson and Hanson, section 23)
    system = np.sqrt(many / many.sum())[:, None] * (ratio - 2)
    if len(system) > len(at):
        system = np.linalg.qr(system, mode="r")
    system = np.vstack([system, np.ones(len(at))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    try:
        solved, _ = nnls(system, target, maxiter=30 * len(at))
    except RuntimeError:  # no end within the allowed exchanges: an EM step, which always ascends
        ascended: FloatArray = weight * (1 + gradient / many.sum())
        return ascended
    step = np.zeros(POINTS)
    step[at] = solved / solved.sum()
    return step


def _local_maxima(gradient: FloatArray) -> NDArray[np.bool_]:
    padded = np.concatenate([[-np.inf], gradient, [-np.inf]])
    return (gradient >= padded[:-2]) & (gradient >= padded[2:]) & (gradient > 0)


def _line_search(f: FloatArray, many: FloatArray, weight: FloatArray, step: FloatArray) -> FloatArray | None:
    """The longest of the steps 1, 1/2, 1/4, ... that raises the log-likelihood enough; None where none does."""
    change = (f @ step) / (f @ weight) - 1
    promised = float(many @ change)
    share = 1.0
    while share > 1e-12:
        with np.errstate(divide="ignore"):  # a full step may leave a cell impossible: its gain is -inf
            gain = float(many @ np.log1p(share * change))
        if gain >= share * promised / 3 > 0:
            moved: FloatArray = (1 - share) * weight + share * step
            return moved
        share /= 2
    return None


def _levelled(f: FloatArray, weight: FloatArray) -> FloatArray:
    """Of all distributions with the same cell probabilities, the one closest to Jeffreys' in relative entropy.

    It is Jeffreys' mass times exp(a combination of the cells' likelihoods); Newton's method on the convex dual.
    """
    prior = jeffreys()
    _, scale, basis = np.linalg.svd(f, full_matrices=False)
    basis = basis[scale > 1e-10 * scale[0]] * math.sqrt(POINTS)
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


def _merged(k: NDArray[Any], n: NDArray[Any], many: FloatArray) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
    """Cells as they are or, if there are very many, by classes of alike n and rate, with the class means of k and n."""
    if len(k) <= _MOST_CELLS:
        return k, n, many
    count, coarse = len(k), 1.0
    while count > _MOST_CELLS:
        of_tries = np.floor(np.log(n) / (0.1 * coarse))
        spread = np.maximum(0.5 * np.exp(-0.05 * coarse * of_tries), math.pi / 2 / (POINTS - 1))
        of_rate = np.floor(np.arcsin(np.sqrt(k / n)) / (coarse * spread / 8))
        classes, index = np.unique(np.stack([of_tries, of_rate]), axis=1, return_inverse=True)
        count, coarse = classes.shape[1], 2 * coarse
    total = _sums(index, many, 0)
    return _sums(index, many * k, 0) / total, _sums(index, many * n, 0) / total, total


def _sums(index: NDArray[np.intp], values: FloatArray, length: int) -> FloatArray:
    return np.bincount(index, weights=values, minlength=length).astype(np.float64, copy=False)


def log_choose(k: NDArray[Any], n: NDArray[Any]) -> FloatArray:
    """Logarithm of the binomial coefficient "n choose k", one entry a cell."""
    return np.array(
        [math.lgamma(b + 1) - math.lgamma(a + 1) - math.lgamma(b - a + 1) for a, b in zip(k, n, strict=True)]
    )

"""The distribution of success probabilities over a pool, by nonparametric maximum likelihood (THEORY.md section 5).

The Kiefer-Wolfowitz estimate: of all distributions over p, the one that makes the observed (right, tries) most likely.
The likelihood is concave in it, so a duality gap proves how close to the maximum a fit is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial import maximum
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

_GAP = 1e-6  # nats, as promised
_TIED = 1e-3  # nats: where no point of the grid is this much worse, the maximum is reached by many distributions
_MOST_CELLS = 8192  # beyond this many, cells that no likelihood could tell apart are merged first
_MOST_TRIES = 8192  # more of them say hardly more on this grid: they enter the fit as so many, at the same rate
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
    blocks = [np.einsum("ij,j->i", posterior(right[part], tries[part], prior), held) for part in _blocks(len(right))]
    return np.concatenate(blocks)


def posterior_total(right: NDArray[Any], tries: NDArray[Any], prior: FloatArray, share: FloatArray) -> FloatArray:
    """The cells' posteriors added up, each times its share: mass at the grid's points with prior mass."""
    total = np.zeros(np.count_nonzero(prior))
    for part in _blocks(len(right)):  # never all posteriors at once
        total += share[part] @ posterior(right[part], tries[part], prior)
    return total


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
    return maximum.sums(at, mixing.weight, POINTS)


def fit(right: NDArray[Any], tries: NDArray[Any], problems: FloatArray) -> Mixing:
    """The nonparametric maximum-likelihood mixing distribution of cells that hold ``problems`` problems each.

    A constrained Newton method (Y. Wang, "On fast computation of the non-parametric maximum likelihood estimate of a
    mixing distribution", JRSS B 2007): the support takes in every local maximum of the gradient, the weights solve the
    quadratic approximation of the log-likelihood by non-negative least squares, a line search makes sure of ascent.
    It stops when max over the grid of sum_i N_i f_i(p) / f_i(mixture) - N, which bounds what is left to gain, is
    below 1e-6 nats.

    Few tries leave the maximum to many distributions: then the one closest to Jeffreys' in relative entropy is taken.
    Beyond 8,192 different cells, those of alike tries that lie closer than about an eighth of their own spread are merged
    before the fit, and tries beyond 8,192 enter it as 8,192 of the same rate.

    Parameters
    ----------
    right, tries : k and n, one entry a cell.
    problems : how many problems each cell holds, at least 0.

    >>> found = fit(np.array([0, 4]), np.array([4, 4]), np.array([30.0, 10.0]))
    >>> found.p.tolist(), found.weight.round(6).tolist()
    ([0.0, 1.0], [0.75, 0.25])
    """
    seen = problems > 0
    share = np.minimum(1.0, _MOST_TRIES / tries[seen])
    k, n, many = _merged(right[seen] * share, tries[seen] * share, problems[seen])
    log = log_likelihood(k, n)
    top = log.max(axis=1)
    f = np.exp(log - top[:, None])
    weight, gradient = maximum.climb(f, many)
    if gradient.min() > -_TIED:
        level = maximum.levelled(f, weight, jeffreys())
        slope = maximum.gradient_at(f, many, level)
        if slope.max() < _GAP:
            weight, gradient = level, slope
    at = np.flatnonzero(weight)
    reached = float((many * (np.log(maximum.mixed(f, weight)) + top + log_choose(k, n))).sum())
    return Mixing(GRID[at], weight[at], reached, max(float(gradient.max()), 0.0))


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
    total = maximum.sums(index, many, 0)
    return maximum.sums(index, many * k, 0) / total, maximum.sums(index, many * n, 0) / total, total


def log_choose(k: NDArray[Any], n: NDArray[Any]) -> FloatArray:
    """Logarithm of the binomial coefficient "n choose k", one entry a cell."""
    return np.array(
        [math.lgamma(b + 1) - math.lgamma(a + 1) - math.lgamma(b - a + 1) for a, b in zip(k, n, strict=True)]
    )

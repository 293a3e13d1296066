"""How well a pool fixes an average over groups: sampling intervals, and bounds beyond the logged tries.

n tries of each problem fix n moments of the distribution of p and no more. Beyond them an average over groups of G > n
lies between bounds, which a linear program finds (THEORY.md section 5).
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stdial import mixing
from stdial.arguments import FloatArray, between

__all__ = ["Z", "bounds", "sampling_interval"]

Z = 2.0
_MOST_ROWS = 200  # where the tries that occur have more cells in all, three of them stand for the others
_MOST_BINS = 129  # cells of one number of tries; above it neighbours are taken together,
_FEWER_BINS = 65  # ... and above this where tries differ


def sampling_interval(values: FloatArray, problems: FloatArray, level: float) -> tuple[float, float]:
    """The normal interval of a mean over problems of values in [0, 1], cut to [0, 1].

    Where all values agree, their spread says nothing; then at most the share 1 - (1 - level)^(1/N) of problems differs
    at this level (the "rule of three"), by at most 1 each.

    Parameters
    ----------
    values, problems : one entry a cell, and how many problems hold it.
    level : the coverage aimed at, 0 < level < 1.

    >>> low, high = sampling_interval(np.array([0.0, 1.0]), np.array([50.0, 50.0]), 0.95)
    >>> round(low, 4), round(high, 4)
    (0.4015, 0.5985)
    """
    coverage = float(between("level", level, 1e-9, 1 - 1e-9, "a number between 0 and 1"))
    total = float(problems.sum())
    mean = float(values @ problems) / total
    seen = values[problems > 0]
    if np.ptp(seen) < 1e-12:
        differ = 1 - (1 - coverage) ** (1 / total)
        return mean * (1 - differ), mean * (1 - differ) + differ
    variance = float((values - mean) ** 2 @ problems) / max(total - 1, 1)
    reach = NormalDist().inv_cdf(0.5 + coverage / 2) * (variance / total) ** 0.5
    return max(0.0, mean - reach), min(1.0, mean + reach)


def bounds(
    tries: NDArray[np.int64], problems: FloatArray, prior: FloatArray, height: FloatArray, z: float = Z
) -> tuple[float, float]:
    """The smallest and largest mean of h over all mixing distributions that the logged tries do not contradict.

    Those are the distributions on the grid whose probability of each number right lies within z standard errors of the
    fitted one; a standard error never counts as less than that of a cell in which no problem was seen (Wilson's
    z^2 / (N + z^2) in place of z s), or else a pool that is all right would prove p = 1.

    Where tries differ, the constraints are set at each of the tries m that occur, or at three of them where there are
    many, with all problems of at least m tries: m of a problem's n tries are m tries.

    Parameters
    ----------
    tries, problems : one entry a cell.
    prior : the fitted mass at each of the grid's points, [801].
    height : h at each of the grid's points, [801].

    >>> found = mixing.fit(np.array([0, 1, 2]), np.array([2, 2, 2]), np.array([50.0, 20.0, 30.0]))
    >>> at = mixing.GRID
    >>> low, high = bounds(np.array([2, 2, 2]), np.array([50.0, 20.0, 30.0]), mixing.on_grid(found), at**8)
    >>> round(low, 2), round(high, 2)
    (0.01, 0.38)
    """
    rows = np.vstack(_constraints(tries, problems, prior, z))
    fitted = float(prior @ height)
    least, most = float(height.min()), float(height.max())
    low, high = _smallest(height, rows), -_smallest(-height, rows)
    return max(min(low, fitted), least), min(max(high, fitted), most)


def _smallest(height: FloatArray, rows: FloatArray) -> float:
    """The least height @ mass with mass >= 0 adding up to 1 and |rows @ mass| <= 1."""
    from scipy.optimize import LinearConstraint, linprog, milp

    points, one = np.ones((1, rows.shape[1])), np.ones(len(rows))
    allowed = LinearConstraint(np.vstack([rows, points]), np.append(-one, 1.0), np.append(one, 1.0))
    # nothing is declared integer: a plain linear program, whose rows may here be bounded on both sides
    found = milp(height, constraints=[allowed], options={"presolve": False})
    if found.status != 0:  # the simplex method now and then gives up where an interior point does not
        both = np.vstack([rows, -rows])
        found = linprog(height, both, np.append(one, one), points, [1.0], method="highs-ipm")
    return float(found.fun if found.status == 0 else height.min())


def _constraints(tries: NDArray[np.int64], problems: FloatArray, prior: FloatArray, z: float) -> list[FloatArray]:
    """Rows a with |a @ mass| <= 1: cell probabilities, centred at the fitted ones, in units of what is allowed."""
    rows = []
    degrees = _degrees(tries, problems)
    for m in degrees:
        many = float(problems[tries >= m].sum())
        cell = _cells(m, _MOST_BINS if len(degrees) == 1 else _FEWER_BINS)
        fitted = cell @ prior
        reach = np.maximum(z * np.sqrt(np.maximum(fitted * (1 - fitted), 0) / many), z * z / (many + z * z))
        binding = (reach < fitted) | (reach < 1 - fitted)
        rows.append((cell[binding] - fitted[binding, None]) / reach[binding, None])
    return rows


def _degrees(tries: NDArray[np.int64], problems: FloatArray) -> list[int]:
    """The different tries, or the fewest, the median and the ninth decile over problems."""
    distinct, index = np.unique(tries[problems > 0], return_inverse=True)
    if len(distinct) > 1 and (distinct + 1).sum() > _MOST_ROWS:
        share = np.cumsum(np.bincount(index, weights=problems[problems > 0]))
        distinct = np.unique(distinct[np.searchsorted(share, np.array([0.0, 0.5, 0.9]) * share[-1])])
    return [int(m) for m in distinct]


@functools.lru_cache(maxsize=8)  # a third of the time of both bounds, and the same at every group size
def _cells(m: int, most: int) -> FloatArray:
    """P(K = k) for K ~ Binomial(m, p), p on the grid: [m + 1, points]; a long row in bins of equal arcsin sqrt(k/m)."""
    from scipy.special import bdtr

    last = np.arange(m + 1.0)
    if m >= most:
        last = np.unique(np.rint(m * np.sin(np.linspace(0, math.pi / 2, most)) ** 2))
    below: FloatArray = bdtr(last[:, None], m, mixing.GRID)
    cells: FloatArray = np.diff(below, axis=0, prepend=0.0)
    cells.flags.writeable = False
    return cells

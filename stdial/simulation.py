"""Drawn groups, to set beside the exact averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stdial import group
from stdial.method import Method

__all__ = ["mean_update"]


def mean_update(
    p: ArrayLike, size: int, method: Method, *, groups: int = 400, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean update magnitude of drawn groups, with its standard error.

    Parameters
    ----------
    p : success probabilities, in [0, 1], any shape.
    size : group size G, at least 2.
    method : a `stdial.Method`.
    groups : how many groups are drawn for each p, at least 2.
    seed : of the random numbers; equal seeds give equal draws.

    Returns
    -------
    mean, error : arrays of p's shape.

    Raises
    ------
    ValueError
        For a p, size or number of groups outside its range.

    Examples
    --------
    >>> from stdial import GRPO
    >>> mean, error = mean_update([0.0, 0.5], 8, GRPO)
    >>> float(mean[0]), bool(abs(mean[1] - 0.4639) < 4 * error[1])
    (0.0, True)

    Source: THEORY.md section 2, of which it is the check by drawing.
    """
    chances = np.asarray(p, float)
    if not np.all((chances >= 0) & (chances <= 1)):
        raise ValueError(f"p is {p!r}; it must be in [0, 1]")
    if groups < 2:
        raise ValueError(f"groups is {groups}; it must be a whole number of at least 2")
    right = np.random.default_rng(seed).binomial(size, chances[..., None], (*chances.shape, groups))
    table = group.update(np.arange(size + 1), size, method)
    drawn = table[right]
    return drawn.mean(-1), drawn.std(-1, ddof=1) / np.sqrt(groups)

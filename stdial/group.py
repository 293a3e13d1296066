"""One sampled group of G answers, k of them right: its standard deviation, advantages and update (THEORY.md section 1).

With rewards 1 (right) and 0 (wrong), mean score s+ of the right answers and s- of the wrong ones, the group's policy
gradient is g = (1/G) sum_i A_i s_i = c (s+ - s-). `update` is this c, `advantages` are the two values of A_i.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stdial.arguments import FloatArray, counts, scalar_or_array, sizes
from stdial.method import Method, a_method

__all__ = ["advantages", "advantages_of", "is_silent", "std", "std_of", "update", "update_of"]


def std(right: ArrayLike, size: ArrayLike) -> FloatArray:
    """Population standard deviation of a group's 0/1 rewards: sqrt(k (G - k)) / G, from 0 to 1/2.

    Parameters
    ----------
    right
        K, how many of the group's answers are right, a whole number from 0 to `size`.
    size
        G, a whole number of at least 2. Broadcasts with `right`.

    Raises
    ------
    ValueError
        For a count or a size outside these ranges.

    Examples
    --------
    >>> float(std(1, 8)).__round__(4)
    0.3307
    >>> std([0, 4, 8], 8)
    array([0. , 0.5, 0. ])

    Source: arXiv 2607.00152, the paper's sigma.
    """
    k, G = counts("right", right, sizes(size, infinite=False), "the group size")
    return scalar_or_array(np.sqrt(k * (G - k)) / G)


def advantages(right: ArrayLike, size: ArrayLike, method: Method) -> tuple[FloatArray, FloatArray]:
    """What every right answer and every wrong answer of a group gets: (A of a right one, A of a wrong one).

    A = (r - k/G) / (s + epsilon)^exponent with s the standard deviation of the method's ddof, times G/(G - 1) when the
    method leaves the reward itself out of its baseline. A silent group (k = 0 or k = G) has A = 0 under every method.

    Parameters
    ----------
    right, size
        As in `std`; they broadcast.
    method
        A `stdial.Method`.

    Raises
    ------
    ValueError
        For a count or a size outside its range.

    Examples
    --------
    >>> from stdial import GRPO, DR_GRPO
    >>> lone, others = advantages(1, 8, GRPO)
    >>> round(float(lone), 4), round(float(others), 4)
    (2.6458, -0.378)
    >>> [float(a) for a in advantages(1, 8, DR_GRPO)]
    [0.875, -0.125]

    Source: arXiv 2607.00152; THEORY.md section 1.
    """
    k, G = counts("right", right, sizes(size, infinite=False), "the group size")
    scale = _scale(k * (G - k), G, a_method(method))
    return scalar_or_array((G - k) * scale), scalar_or_array(0.0 - k * scale)


def update(right: ArrayLike, size: ArrayLike, method: Method) -> FloatArray:
    """Update magnitude c of a group: sigma^2 / (s + epsilon)^exponent; sigma for GRPO, sigma^2 for Dr. GRPO.

    Parameters
    ----------
    right, size
        As in `std`; they broadcast.
    method
        A `stdial.Method`. Dropping silent groups changes nothing here: their c is 0 anyway.

    Raises
    ------
    ValueError
        For a count or a size outside its range.

    Examples
    --------
    >>> from stdial import GRPO, DR_GRPO
    >>> round(float(update(1, 8, GRPO)), 4), float(update(1, 8, DR_GRPO))
    (0.3307, 0.109375)

    Source: arXiv 2607.00152, the identity; THEORY.md section 1.
    """
    k, G = counts("right", right, sizes(size, infinite=False), "the group size")
    spread = k * (G - k)
    return scalar_or_array(spread / G * _scale(spread, G, a_method(method)))


def _scale(spread: FloatArray, G: FloatArray, method: Method) -> FloatArray:
    """1 / (G (s + epsilon)^exponent) where spread = k (G - k) > 0, and 0 for silent groups."""
    live = spread > 0
    s = np.sqrt(np.where(live, spread, 1.0) / (G * (G - method.ddof)))
    centre = G - 1 if method.leave_one_out else G
    return np.where(live, (s + method.epsilon) ** -method.exponent / centre, 0.0)


def is_silent(rewards: ArrayLike) -> Any:
    """Whether all rewards of a group are equal: the group teaches nothing, whatever the method.

    Decided by max == min in the rewards' own precision, never by a computed mean or standard deviation: eight float32
    rewards of .7 have a mean that is off by 6e-8.

    Parameters
    ----------
    rewards
        One group's rewards; with more axes, groups along the last one.

    Returns
    -------
    A bool, or an array of bools of shape ``rewards.shape[:-1]``.

    Raises
    ------
    ValueError
        When there is no reward or one is not a finite number.

    Examples
    --------
    >>> is_silent([0.7] * 8), is_silent([0, 0, 1])
    (True, False)

    Source: THEORY.md section 1.
    """
    array = _rewards(rewards, least=1)
    silent = array.max(axis=-1) == array.min(axis=-1)
    return bool(silent) if array.ndim == 1 else silent


def std_of(rewards: ArrayLike, ddof: int = 0) -> float:
    """Return the standard deviation of one group's rewards (any numbers); exactly 0 for a silent group.

    >>> std_of([1, 0, 0, 0, 0, 0, 0, 0]).__round__(4)
    0.3307
    """
    array = _one_group(rewards)
    if is_silent(array):
        return 0.0
    deviation = _deviations(array)
    largest = float(np.abs(deviation).max())  # scaling first keeps tiny and huge rewards from under- and overflowing
    return largest * float(np.sqrt(np.sum((deviation / largest) ** 2) / (array.size - ddof)))


def advantages_of(rewards: ArrayLike, method: Method) -> FloatArray:
    """Advantages of one group with any rewards: (r - mean) / (s + epsilon)^exponent, 0 for a silent group.

    Parameters
    ----------
    rewards
        The group's rewards, a sequence of at least 2 finite numbers.
    method
        A `stdial.Method`.

    Returns
    -------
    A float64 array, one advantage a reward.

    Raises
    ------
    ValueError
        For fewer than 2 rewards, more than one axis, or a reward that is not a finite number.

    Examples
    --------
    >>> from stdial import GRPO
    >>> advantages_of([1, 0, 0, 0], GRPO).round(4)
    array([ 1.7321, -0.5774, -0.5774, -0.5774])
    >>> advantages_of([0.7, 0.7, 0.7], GRPO)
    array([0., 0., 0.])

    Source: THEORY.md section 1, "any reward".
    """
    array, method = _one_group(rewards), a_method(method)
    if is_silent(array):
        return np.zeros(array.size)
    scaled: FloatArray = _deviations(array) / (std_of(array, method.ddof) + method.epsilon) ** method.exponent
    if method.leave_one_out:
        scaled = scaled * (array.size / (array.size - 1))
    return scaled


def update_of(rewards: ArrayLike, method: Method) -> float:
    """Update magnitude c of one group with any rewards: g = c beta, beta the slope of score on reward.

    c = sigma^2 / (s + epsilon)^exponent with sigma the population standard deviation of the rewards, times G/(G - 1)
    for a method that leaves one out; 0 for a silent group. For 0/1 rewards it equals `update`.

    >>> from stdial import GRPO
    >>> update_of([1, 0.5, 0, 0.5], GRPO).__round__(4)
    0.3536

    Source: THEORY.md section 1, "any reward".
    """
    array, method = _one_group(rewards), a_method(method)
    if is_silent(array):
        return 0.0
    c: float = std_of(array) ** 2 / (std_of(array, method.ddof) + method.epsilon) ** method.exponent
    return c * array.size / (array.size - 1) if method.leave_one_out else c


def _one_group(rewards: ArrayLike) -> NDArray[Any]:
    array = _rewards(rewards, least=2)
    if array.ndim != 1:
        raise ValueError(f"rewards has shape {array.shape}; it must be one group: a sequence of at least 2 numbers")
    return array


def _rewards(rewards: ArrayLike, least: int) -> NDArray[Any]:
    """Rewards in their own precision (silence is decided there), each a finite number."""
    allowed = f"at least {least} finite number{'s' if least > 1 else ''}"
    array = np.asarray(rewards)
    if array.dtype.kind not in "biuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"rewards is {rewards!r}; it must be {allowed}") from None
    if array.ndim == 0 or array.shape[-1] < least:
        raise ValueError(f"rewards has shape {array.shape}; it must be {allowed}")
    if not np.isfinite(array).all():
        raise ValueError(f"rewards holds {array[~np.isfinite(array)].ravel()[0]}; it must be {allowed}")
    return array


def _deviations(array: NDArray[Any]) -> FloatArray:
    """Rewards minus their mean. A constant is taken off first, so that a large common one costs no digits."""
    shifted = array.astype(np.float64)
    shifted = shifted - shifted.min()
    centred: FloatArray = shifted - shifted.mean()
    return centred

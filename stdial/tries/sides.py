"""The two sides of a larger group at equal rollouts: what adds up, what a trainer steps along, and its noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stdial.arguments import FloatArray, between, probabilities, scalar_or_array, sizes, together
from stdial.expectation import expected_update
from stdial.method import GRPO

__all__ = ["Sides", "sides", "split"]


class Sides(NamedTuple):
    """GRPO's update from a number of rollouts, split into groups of G.

    Attributes
    ----------
    groups : rollouts / G, as a real number.
    total : the groups' expected updates added up; it falls with G.
    average : the expected update of one group, which is what a trainer that averages over its batch steps along; it rises.
    noise : standard deviation of a mixed group's direction, in units of the spread of one answer's score: 1/sqrt(G).
    """

    groups: FloatArray
    total: FloatArray
    average: FloatArray
    noise: FloatArray


def sides(p: ArrayLike, size: ArrayLike, rollouts: float) -> Sides:
    """Sum, average and noise of GRPO's updates for prompts at p when the rollouts are given and G is chosen.

    The noise takes the answers' scores as independent with equal spread v around the mean of the right or of the wrong ones: the
    group's (1/G) sum A_i s_i then has variance v mean(A^2)/G, and in a mixed group the mean of A^2 is 1 for GRPO.

    Parameters
    ----------
    p
        Success probability, from 0 to 1.
    size
        G, a whole number of at least 2; broadcasts with `p`.
    rollouts
        Answers in all, a number of at least 0.

    Raises
    ------
    ValueError
        For an argument outside its range.

    Examples
    --------
    >>> two = sides(0.05, [2, 8, 64], 1024)
    >>> two.total.round(1), two.average.round(4), two.noise.round(3)
    (array([24.3, 15. ,  3.3]), array([0.0475, 0.1175, 0.206 ]), array([0.707, 0.354, 0.125]))

    Source: THEORY.md section 3, "two sides of a larger G".
    """
    p, G = together("p", probabilities("p", p), "size", sizes(size, infinite=False))
    spent = float(between("rollouts", rollouts, 0.0, math.inf, "a number of at least 0"))
    return split(np.asarray(expected_update(p, G, GRPO)), G, spent)


def split(average: FloatArray, size: FloatArray, rollouts: float) -> Sides:
    """`sides` of known averages, without checks.

    >>> split(np.array([0.1175]), np.array([8.0]), 1024).total.round(1)
    array([15.])
    """
    groups = rollouts / size
    columns = (groups, groups * average, average, 1.0 / np.sqrt(size))
    return Sides(*(scalar_or_array(np.asarray(column)) for column in columns))

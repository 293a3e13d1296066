"""A framework's setting beside the paper's methods at one group size: one factor, a factor for each k, and what is left over."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stdial import group
from stdial.frameworks.arithmetic import Floats
from stdial.frameworks.compare import Updates, ratio, updates
from stdial.frameworks.convention import Convention
from stdial.frameworks.lookup import get
from stdial.method import DR_GRPO, GRPO

__all__ = ["Beside", "beside"]

_METHODS = {"GRPO": GRPO, "Dr. GRPO": DR_GRPO}
_CONSTANT = 1e-3  # eps of 1e-4 bends the factor by less, and no learning rate is known better
_REST = 1e-5  # float32 statistics leave 1e-7


@dataclass(frozen=True)
class Beside:
    """What a setting's update is of the paper's, by number of right answers.

    paper : the paper's c by k, of "GRPO" and "Dr. GRPO". factors : this setting's c over it, nan for silent groups.
    partner : the paper's method that it is one constant times, or, where it is of neither, GRPO.
    constant : whether one factor does it for every live k. least, most : the extremes of the factor to the partner, and
        least_at, most_at the k where they are.
    rest : the summed advantages of the group of size ``size`` where they are farthest from 0, and rest_at that k; 0 where
        advantages cancel for every k.
    """

    size: int
    convention: Convention
    updates: Updates
    paper: Mapping[str, Floats]
    factors: Mapping[str, Floats]
    partner: str
    constant: bool
    least: float
    most: float
    least_at: int
    most_at: int
    rest: float
    rest_at: int

    @property
    def factor(self) -> float:
        """The factor to the partner; the middle of the extremes where it depends on k."""
        return (self.least + self.most) / 2

    @property
    def exact(self) -> bool:
        """Whether it is the partner itself, to three decimals."""
        return self.constant and abs(self.factor - 1) < 5e-4

    @property
    def cancels(self) -> bool:
        """Whether the advantages of every group sum to 0."""
        return self.rest == 0.0


def beside(
    framework: str, options: Mapping[str, Any], size: int, dtype: str = "float64", right: Sequence[int] | None = None
) -> Beside:
    """A framework's setting beside the paper at group size ``size``, for every k or for those in ``right``.

    Raises
    ------
    ValueError
        As ``updates``; and where ``right`` holds no k with both right and wrong answers.

    Examples
    --------
    >>> one = beside("TRL", {"scale_rewards": "group"}, 8)
    >>> one.partner, round(one.factor, 3), one.constant, one.cancels
    ('GRPO', 0.935, True, True)
    >>> other = beside("NeMo-RL", {}, 8)
    >>> other.constant, other.rest_at, round(other.rest, 2)
    (False, 1, -1.65)

    Source: THEORY.md section 1; at G of 2 and 3 GRPO is proportional to Dr. GRPO, and the name follows the division.
    """
    convention = get(framework).setting(options).convention
    got = updates(framework, options, size, dtype, right)
    paper = _paper(tuple(got.right.tolist()), size)
    factors = {name: ratio(got.c, c) for name, c in paper.items()}
    order = ("GRPO", "Dr. GRPO") if convention.divide == "std" else ("Dr. GRPO", "GRPO")
    if not np.isfinite(factors["GRPO"]).any():
        raise ValueError(f"right is {got.right.tolist()}; it must hold a k from 1 to {size - 1}")
    partner = next((name for name in order if _spread(factors[name]) <= _CONSTANT), "GRPO")
    factor = factors[partner]
    low, high = int(np.nanargmin(factor)), int(np.nanargmax(factor))
    sums = got.sum * size
    far = int(np.argmax(np.abs(sums).round(9)))  # of equals the first
    rest = float(sums[far]) if abs(sums[far]) > _REST * max(1.0, float(np.nanmax(np.abs(got.right_answer)))) else 0.0
    return Beside(
        size=size, convention=convention, updates=got, paper=paper, factors=factors, partner=partner,
        constant=_spread(factor) <= _CONSTANT, least=float(factor[low]), most=float(factor[high]),
        least_at=int(got.right[low]), most_at=int(got.right[high]), rest=rest, rest_at=int(got.right[far]),
    )  # fmt: skip


@functools.lru_cache(maxsize=64)  # the same for every framework that is put beside it
def _paper(right: tuple[int, ...], size: int) -> dict[str, Floats]:
    """The paper's c by k, of each of its methods; read-only."""
    found = {name: np.asarray(group.update(right, size, method), dtype=float) for name, method in _METHODS.items()}
    for array in found.values():
        array.flags.writeable = False
    return found


def _spread(factor: Floats) -> float:
    """How far the factor is from constant, relative to its largest; inf where it is 0 somewhere."""
    live = factor[np.isfinite(factor)]
    least, most = float(live.min()), float(live.max())
    return (most - least) / most if most > 0 and least > 0 else float("inf")

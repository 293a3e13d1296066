"""One size for all: what the plan is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray
from stdial.tries.gains import GOALS, Gains

__all__ = ["Even", "even_split"]


@dataclass(frozen=True)
class Even:
    """The best even split of a budget: every group has the same size; what does not cover all problems covers some.

    Attributes
    ----------
    size : the common group size, 0 where the budget pays for no group.
    problems : how many problems get a group (which ones is left to chance).
    rollouts, mixed, update : as in `Plan`, in expectation.
    """

    size: int
    problems: float
    rollouts: float
    mixed: float
    update: float


def even_split(
    gains: Gains, goal: str, sizes: NDArray[np.int64], worth: FloatArray, problems: FloatArray, budget: float
) -> Even:
    """The size that brings most of the goal when all groups have it; `worth` is that of each cell and size."""
    total = float(problems.sum())
    served = np.minimum(total, np.floor(budget / sizes)) if len(sizes) else np.zeros(0)
    if total == 0 or not served.any():
        return Even(0, 0.0, 0.0, 0.0, 0.0)
    best = int(np.argmax(served / total * (problems @ worth)))
    size, some = int(sizes[best]), float(served[best])
    cells, every = np.arange(len(problems)), np.full(len(problems), size)
    mixed, update = (some / total * float(problems @ gains.at(name, cells, every)) for name in GOALS)
    return Even(size, some, size * some, mixed, update)

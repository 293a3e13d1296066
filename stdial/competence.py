"""A pool whose model grows: how many groups become all right, beside the share that DAPO logged (THEORY.md section 4)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from stdial.arguments import FloatArray, between, probabilities, scalar_or_array, sizes
from stdial.dropping import distribution
from stdial.expectation import all_right_rate
from stdial.pool import Pool

__all__ = ["Logged", "all_right_share", "course", "grown", "logged", "mean_rate"]

_FILE = Path(__file__).parent / "data" / "dapo_fig3b.json"
_MOST = 700  # logits; beyond, e^by is no float


@dataclass(frozen=True)
class Logged:
    """DAPO's logged share of prompts whose samples were all right, against the training step.

    Attributes
    ----------
    step, share : the points.
    samples : answers of each prompt; the share is the mean of p to this power.
    size : group size of the training.
    source, note : where the numbers come from, and how they were read.
    """

    step: FloatArray
    share: FloatArray
    samples: int
    size: int
    source: str
    note: str

    def first_step(self, share: float) -> float:
        """The first logged step with at least that share; inf where the log never reaches it.

        >>> logged().first_step(0.5)
        5067.0
        """
        reached = self.step[self.share >= share]
        return float(reached[0]) if len(reached) else float("inf")


@cache
def logged() -> Logged:
    """The log that the package ships.

    >>> logged().samples, len(logged().step)
    (32, 17)
    """
    content = json.loads(_FILE.read_text(encoding="utf-8"))
    step, share = (np.asarray(content[name], dtype=np.float64) for name in ("step", "share"))
    for values in (step, share):
        values.setflags(write=False)
    return Logged(step, share, content["samples"], content["size"], content["source"], content["note"])


def grown(p: ArrayLike, by: ArrayLike) -> FloatArray:
    """Success probabilities after `by` is added to their logits; 0 and 1 stay where they are.

    >>> grown([0.0, 0.5, 1.0], 1.0).round(3)
    array([0.   , 0.731, 1.   ])

    Raises
    ------
    ValueError
        For a p outside [0, 1], or a `by` beyond 700 either way.
    """
    p, shift = probabilities("p", p), between("by", by, -_MOST, _MOST, f"a number of logits from -{_MOST} to {_MOST}")
    up, down = np.exp(np.minimum(shift, 0.0)), np.exp(np.minimum(-shift, 0.0))  # of e^by the part that cannot overflow
    right, wrong = p * up, (1.0 - p) * down
    return scalar_or_array(right / (right + wrong))


def all_right_share(pool: Pool, size: int, by: ArrayLike = 0.0) -> FloatArray:
    """Mean chance that a group is all right, E[p^G], once every problem's logit has grown by `by` (broadcasts).

    Each problem counts by its posterior, so that what was never solved in the tries logged is not taken for impossible.

    >>> round(float(all_right_share(Pool.from_rates([0.5, 0.9]), 32)), 4)
    0.0172
    """
    p, mass = distribution(pool)
    G = sizes(size, infinite=False)
    return scalar_or_array(all_right_rate(grown(p, np.asarray(by)[..., None]), G) @ mass)


def mean_rate(pool: Pool, by: ArrayLike = 0.0) -> FloatArray:
    """Mean success probability of the pool once every problem's logit has grown by `by` (broadcasts).

    >>> float(mean_rate(Pool.from_rates([0.25, 0.75]), 0.0))
    0.5
    """
    p, mass = distribution(pool)
    return scalar_or_array(grown(p, np.asarray(by)[..., None]) @ mass)


def course(pool: Pool, size: int, by: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """`mean_rate` and `all_right_share` for many `by`, [N] each, in one pass over the pool's distribution.

    >>> rate, share = course(Pool.from_rates([0.25, 0.75]), 32, [0.0, 1.0])
    >>> rate.round(4).tolist(), share.round(4).tolist()
    ([0.5, 0.6831], [0.0001, 0.0123])
    """
    p, mass = distribution(pool)
    G, shift = sizes(size, infinite=False), np.asarray(by, dtype=np.float64)
    p_then = grown(p, shift[:, None])
    share = all_right_rate(p_then, G)
    return np.array([row @ mass for row in p_then]), np.array([row @ mass for row in share])

"""The batch that is left once its silent groups are dropped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Left", "batch_left"]


@dataclass(frozen=True)
class Left:
    """What is left of a batch once its silent groups are dropped: mean, and where 9 of 10 batches lie."""

    mean: float
    low: int
    high: int


def batch_left(silent: float, batch: int) -> Left:
    """Prompts with a mixed group in a batch whose prompts are drawn independently: Binomial(batch, 1 - silent).

    >>> batch_left(0.4, 100)
    Left(mean=60.0, low=52, high=68)
    """
    from scipy.special import bdtr

    below = bdtr(np.arange(batch + 1.0), batch, 1.0 - silent)
    low, high = (int(np.searchsorted(below, level)) for level in (0.05, 0.95))
    return Left(batch * (1.0 - silent), low, high)

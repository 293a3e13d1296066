"""Silence and the update by the values of a facet: which kind of problem teaches, and which gets the gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stdial import estimates, expectation, mass
from stdial.arguments import FloatArray
from stdial.method import DR_GRPO, GRPO
from stdial.pool import Pool
from stdial.remembered import remembered

__all__ = ["Part", "by_facet"]


@dataclass(frozen=True)
class Part:
    """The problems under one value of a facet.

    Attributes
    ----------
    value : the facet's value; None for problems without one.
    problems : how many.
    rate : their mean observed rate.
    silent : share of their groups that is silent, at this G.
    dr_grpo, grpo : their share of the pool's summed update.
    share : their share of the problems.
    """

    value: Any
    problems: float
    share: float
    rate: float
    silent: float
    dr_grpo: float
    grpo: float


def by_facet(pool: Pool, facet: str, size: int) -> list[Part]:
    """The parts of a pool under each value of a facet, most problems first.

    Counted where G is at most every row's tries; beyond them each problem's posterior, its prior fitted to the whole pool.
    A problem with several values counts under each of them, so shares may add up to more than 1.

    Raises
    ------
    ValueError
        For a facet that the pool has not.

    Examples
    --------
    >>> pool = Pool([0, 4, 8, 4], 8, facets={"topic": ["a", "a", "a", "b"]})
    >>> [(part.value, part.problems, round(part.silent, 2), part.grpo) for part in by_facet(pool, "topic", 8)]
    [('a', 3.0, 0.67, 0.5), ('b', 1.0, 0.0, 0.5)]
    """
    many = np.asarray(pool.problems, dtype=np.float64)
    silent, plain, ours = (values[pool.cells.index] for values in _values(pool, size))
    total = float(many.sum()), float(many @ plain), float(many @ ours)
    rows = remembered(pool, ("facet", facet), lambda: _rows(pool, facet))
    found = []
    for label, at in rows.items():
        n = float(many[at].sum())
        if n <= 0:
            continue
        sums = (n, float(many[at] @ plain[at]), float(many[at] @ ours[at]))
        share, of_plain, of_ours = (s / t if t > 0 else math.nan for s, t in zip(sums, total, strict=True))
        means = float(many[at] @ pool.rate[at]) / n, float(many[at] @ silent[at]) / n
        found.append(Part(label, n, share, *means, of_plain, of_ours))
    return sorted(found, key=lambda part: -part.problems)


def _rows(pool: Pool, facet: str) -> dict[Any, NDArray[np.intp]]:
    """The rows under each value of a facet."""
    rows: dict[Any, list[int]] = {label: [] for label in pool.values(facet)}
    for i, label in enumerate(pool.facets[facet].tolist()):
        for value in dict.fromkeys(label) if isinstance(label, tuple) else (label,):
            rows[value].append(i)
    return {label: np.array(at, dtype=np.intp) for label, at in rows.items()}


def _values(pool: Pool, size: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Silent rate, Dr. GRPO's and GRPO's update in each of the pool's cells."""
    cells = pool.cells
    if cells.right is None or cells.tries is None:
        estimate, silent = "plug-in", np.asarray(expectation.silent_rate(cells.rate, size), dtype=np.float64)
    elif (cells.tries >= size).all():
        estimate, silent = "unbiased", estimates.unbiased(cells.right, cells.tries, estimates.of_silence(size))
    else:
        p, weights = pool.posterior()
        estimate, silent = "deconvolved", np.asarray(weights @ expectation.silent_rate(p, size))
    return silent, mass.updates(pool, size, DR_GRPO, estimate), mass.updates(pool, size, GRPO, estimate)

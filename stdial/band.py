"""Filters: what is lost when only problems with pass rates from a to b are kept, or only those that one reward tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stdial import per_problem
from stdial.arguments import FloatArray
from stdial.arguments import between as in_range
from stdial.method import GRPO, Method
from stdial.pool import Pool

if TYPE_CHECKING:
    from stdial.reading import Groups

__all__ = ["Band", "Crossed", "band", "between", "crossed", "inside"]

_NEAR = 1e-12


@dataclass(frozen=True)
class Band:
    """What a filter on the observed pass rate keeps and loses.

    Attributes
    ----------
    low, high : the band; both ends belong to it.
    problems, kept : of the pool, and inside.
    mixed, mixed_kept : expected mixed groups of one pass, one group of G a problem; of the pool, and inside.
    update, update_kept : summed expected update of that pass, likewise.
    mixed_spread, update_spread : standard deviation of the share that a random subset of the same size keeps.
    """

    low: float
    high: float
    problems: float
    kept: float
    mixed: float
    mixed_kept: float
    update: float
    update_kept: float
    mixed_spread: float
    update_spread: float

    @property
    def share(self) -> float:
        """Share of the problems that is kept; a random subset of the same size keeps this of everything, on average."""
        return self.kept / self.problems

    @property
    def mixed_share(self) -> float:
        """Share of the mixed groups that is kept; NaN where there are none."""
        return self.mixed_kept / self.mixed if self.mixed > 0 else float("nan")

    @property
    def update_share(self) -> float:
        """Share of the update that is kept; NaN where there is none."""
        return self.update_kept / self.update if self.update > 0 else float("nan")

    @property
    def silent(self) -> float:
        """Share of silent groups in a pass over what is kept; NaN where nothing is."""
        return 1 - self.mixed_kept / self.kept if self.kept > 0 else float("nan")


def inside(pool: Pool, low: float, high: float) -> NDArray[np.bool_]:
    """The rows whose observed rate is from low to high, both included: [rows].

    >>> inside(Pool([0, 1, 4, 8], 8), 0.125, 0.5).tolist()
    [False, True, True, False]
    """
    return between(pool.rate, low, high)


def between(rate: FloatArray, low: float, high: float) -> NDArray[np.bool_]:
    """Which rates are from low to high, both included; `inside` for an array of rates.

    >>> between(np.array([0.1, 0.5]), 0.2, 0.5).tolist()
    [False, True]
    """
    least = float(in_range("low", low, 0, 1, "a number from 0 to 1"))
    most = float(in_range("high", high, least, 1, f"a number from low = {least:g} to 1"))
    return np.asarray((rate >= least - _NEAR) & (rate <= most + _NEAR))


def band(pool: Pool, low: float, high: float, size: int, method: Method = GRPO) -> Band:
    """What is kept when only problems with observed rates from low to high are trained on.

    Each problem counts by its posterior, since the filter picks by the very answers that its rate was counted from: a "0 of
    8" outside the band would still have taught something. Bare rates are taken as they are.

    Parameters
    ----------
    pool : problems.
    low, high : the band, from 0 to 1; both ends belong to it.
    size : group size G.
    method : whose update.

    Raises
    ------
    ValueError
        For an argument out of range.

    Examples
    --------
    >>> found = band(Pool([0, 1, 4, 8], 8), 0.1, 0.9, 8)
    >>> found.kept, round(found.mixed_share, 3), round(found.update_share, 3)
    (2.0, 0.737, 0.763)
    """
    kept = between(pool.cells.rate, low, high)
    many = np.asarray(pool.cells.problems, dtype=np.float64)
    mixed, update = 1 - per_problem.silent_cells(pool, size), per_problem.update_cells(pool, size, method)
    problems, some = float(many.sum()), float(many[kept].sum())
    return Band(
        low, high, problems, some,
        float(many @ mixed), float(many[kept] @ mixed[kept]), float(many @ update), float(many[kept] @ update[kept]),
        _spread(mixed, many, some), _spread(update, many, some),
    )  # fmt: skip


def _spread(values: NDArray[np.float64], many: NDArray[np.float64], some: float) -> float:
    """Standard deviation of a random subset's share of the summed values, drawn without replacement."""
    problems = float(many.sum())
    mean = float(many @ values) / problems
    if problems <= 1 or mean <= 0:
        return 0.0
    variance = float(many @ (values - mean) ** 2) / (problems - 1)
    return float(np.sqrt(max(some * (1 - some / problems) * variance, 0.0)) / (problems * mean))


@dataclass(frozen=True)
class Crossed:
    """Groups kept because one reward column tells their answers apart, trained on another column.

    Attributes
    ----------
    problems : groups in all.
    kept : groups whose rewards in the filter's column are not all equal.
    silent : of these, how many are silent in the column that is trained on: let through for nothing.
    missed : groups that the filter dropped though the trained column tells their answers apart.
    """

    problems: int
    kept: int
    silent: int
    missed: int


def crossed(chosen_by: Groups, trained_on: Groups) -> Crossed:
    """Filter on one reward column, train on another; both of the same problems.

    >>> from stdial.reading import Groups
    >>> ends = np.array([0.0, 0.0]), np.array([1.0, 0.0])
    >>> one = Groups(np.array([8.0, 8.0]), np.array([0.5, 0.0]), np.array([0.5, 0.0]), *ends)
    >>> two = Groups(np.array([8.0, 8.0]), np.array([0.0, 0.5]), np.array([0.0, 0.5]), ends[0], ends[1][::-1])
    >>> crossed(one, two)
    Crossed(problems=2, kept=1, silent=1, missed=1)
    """
    if len(chosen_by.mean) != len(trained_on.mean):
        raise ValueError(
            f"trained_on has {len(trained_on.mean)} groups; it must have {len(chosen_by.mean)}, as chosen_by has"
        )
    kept, silent = ~chosen_by.silent, trained_on.silent
    return Crossed(len(kept), int(kept.sum()), int((kept & silent).sum()), int((~kept & ~silent).sum()))

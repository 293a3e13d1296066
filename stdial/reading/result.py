"""What a reading gives: the Pool, the groups, the guess with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial.lazily import lazily

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from stdial.pool import Pool

__all__ = ["Groups", "Reading"]


@dataclass(frozen=True)
class Groups:
    """Per problem what its rewards show, one array entry a problem.

    ``n`` is nan where the number of tries is not known; ``silent`` is whether all rewards are equal (largest equals
    smallest, not a small spread).
    """

    n: NDArray[np.float64]
    mean: NDArray[np.float64]
    sigma: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Whether a group's rewards are all equal."""
        return np.asarray(self.low == self.high)

    def take(self, at: NDArray[Any]) -> Groups:
        """The groups of a mask or of positions."""
        return Groups(self.n[at], self.mean[at], self.sigma[at], self.low[at], self.high[at])


@dataclass(frozen=True, eq=False)
class Reading:
    """A file that became a Pool.

    Attributes
    ----------
    pool : the ``Pool``, or None where rewards have more than two values and no threshold was given.
    groups : a pandas DataFrame with one row a problem: id (where there is one), step (where each step is read), n, mean,
        sigma (population standard deviation), min, max, silent; with a column "problems" where a row stands for several.
    mapping : role -> column, such as ``{"id": "qid", "reward": "correct"}``.
    warnings : what was inferred, dropped or converted, one sentence each.
    reasons : role -> why that column.
    alternatives : role -> the columns that could be chosen instead, best first.
    columns : all columns of the table.
    notes : what was done that changes no number (encoding, decompression).
    rows : data rows looked at.
    preview : the first rows, each cell as text of at most 200 characters (None where missing).
    facets : the facet columns.
    rewards : for each reward column of a rollout log its ``Groups``, the chosen one first.
    """

    pool: Pool | None
    stats: Groups
    ids: NDArray[Any] | None
    mapping: Mapping[str, str]
    warnings: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rows: int = 0
    preview: tuple[tuple[str | None, ...], ...] = ()
    facets: tuple[str, ...] = ()
    rewards: Mapping[str, Groups] = field(default_factory=dict)
    steps: NDArray[Any] | None = None
    weights: NDArray[np.int64] | None = None
    source: pa.Table | None = None
    row_problem: NDArray[np.int64] | None = None

    @lazily
    def groups(self) -> pd.DataFrame:
        """One row a problem: id, n, mean, sigma, min, max, silent."""
        import pandas as pd

        found = self.stats
        table: dict[str, Any] = {} if self.ids is None else {"id": self.ids}
        if self.steps is not None:
            table["step"] = self.steps
        table |= {"n": _whole(found.n), "mean": found.mean, "sigma": found.sigma, "min": found.low, "max": found.high}
        if self.weights is not None:
            table["problems"] = self.weights
        return pd.DataFrame(table | {"silent": found.silent})

    @property
    def problems(self) -> int:
        """How many problems there are."""
        return len(self.stats.mean) if self.weights is None else int(self.weights.sum())

    @property
    def rollouts(self) -> int | None:
        """How many rollouts there are in all; None where tries are not known."""
        return None if np.isnan(self.stats.n).any() else int(self._total(self.stats.n))

    @property
    def silent_groups(self) -> int:
        """How many problems have rewards that are all equal."""
        return int(self._total(self.stats.silent))

    @property
    def mean_sigma(self) -> float:
        """Mean over problems of the standard deviation of the rewards."""
        return self._total(self.stats.sigma) / self.problems

    def _total(self, values: NDArray[Any]) -> float:
        return float(values.sum() if self.weights is None else values @ self.weights)

    def rollouts_of(self, problem: int, most: int = 200) -> pa.Table | None:
        """The rows of one problem (its place in ``groups``), every column; None where the file's rows are not at hand."""
        if self.source is None or self.row_problem is None:
            return None
        rows = np.flatnonzero(self.row_problem == problem)[:most]
        return self.source.take(rows)

    def __repr__(self) -> str:
        what = ", ".join(f"{role} {column!r}" for role, column in self.mapping.items())
        return f"<Reading of {self.problems:,} problems: {what}; {len(self.warnings)} warnings>"


def _whole(values: NDArray[np.float64]) -> NDArray[Any]:
    return values if np.isnan(values).any() else values.astype(np.int64)

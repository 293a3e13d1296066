"""Before and after: two readings of the same problems, joined on the id, and what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial import estimates
from stdial.arguments import FloatArray, sizes
from stdial.lazily import lazily
from stdial.pool import Pool

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STATES", "Comparison", "Difference", "compare"]

STATES = ("all wrong", "live", "all right")
_Z95 = 1.959963984540054


@dataclass(frozen=True)
class Difference:
    """A mean over the joined problems before and after, and its change with a paired 95% interval."""

    before: float
    after: float
    low: float
    high: float

    @property
    def change(self) -> float:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed between two pools of the same problems.

    Attributes
    ----------
    before, after : the joined problems, row by row alike.
    ids : their ids.
    gone, new : ids that are only in one of the two, as counts.
    rate : mean pass rate.
    moved : [3, 3] problems that went from each of `STATES` (rows) to each (columns).
    change : difference of each problem's rate, [problems].
    distance : that difference in its standard errors under Jeffreys' prior on both sides, [problems]; NaN for bare rates.
    """

    before: Pool
    after: Pool
    ids: NDArray[Any]
    gone: int
    new: int
    rate: Difference
    moved: NDArray[np.int64]
    change: FloatArray
    distance: FloatArray

    @property
    def risen(self) -> int:
        """Problems whose rate rose by more than two of its standard errors."""
        return int((self.distance > 2).sum())

    @property
    def fallen(self) -> int:
        """Problems whose rate fell by more than two of its standard errors."""
        return int((self.distance < -2).sum())

    def silent(self, size: int) -> Difference | None:
        """The silent share at G before and after; None where a problem has fewer than G tries on either side.

        Counted over every choice of G of a problem's tries, so that the difference is unbiased.

        >>> found = compare(Pool([0, 4], 8, ids=["a", "b"]), Pool([4, 4], 8, ids=["a", "b"]))
        >>> found.silent(8).before, found.silent(8).after
        (0.5, 0.0)
        """
        average = estimates.of_silence(float(sizes(size)))
        sides = []
        for pool in (self.before, self.after):
            cells = pool.cells
            if cells.right is None or cells.tries is None or cells.tries.min() < average.size:
                return None
            sides.append(estimates.unbiased(cells.right, cells.tries, average)[cells.index])
        return _difference(*sides)

    @lazily
    def order(self) -> NDArray[np.intp]:
        """The joined problems, largest changes first."""
        return np.argsort(-np.abs(np.nan_to_num(self.distance) + 1e-6 * self.change), kind="stable")

    @lazily
    def places(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """The different pairs of rates before and after, to three decimals, and how many problems have each."""
        rates = np.round(np.column_stack([self.before.rate, self.after.rate]), 3)
        return np.unique(rates, axis=0, return_counts=True)

    def largest(self, most: int) -> list[tuple[Any, float, float, float, float]]:
        """The problems that changed most: id, rate before and after, change, and change in standard errors.

        >>> compare(Pool([0, 4], 8, ids=["a", "b"]), Pool([4, 4], 8, ids=["a", "b"])).largest(1)[0][:4]
        ('a', 0.0, 0.5, 0.5)
        """
        at = self.order[:most]
        columns = (self.ids, self.before.rate, self.after.rate, self.change, self.distance)
        return list(zip(*(column[at].tolist() for column in columns), strict=True))

    def table(self) -> pd.DataFrame:
        """One row a joined problem, largest changes first: id, right, tries and rate before and after, change, distance."""
        import pandas as pd

        columns: dict[str, Any] = {"id": self.ids}
        for name in ("right", "tries", "rate"):
            for when, pool in (("before", self.before), ("after", self.after)):
                values = getattr(pool, name)
                if values is not None:
                    columns[f"{name} {when}"] = values
        columns |= {"change": self.change, "standard errors": self.distance}
        return pd.DataFrame(columns).iloc[self.order].reset_index(drop=True)


def compare(before: Pool, after: Pool) -> Comparison:
    """Join two pools on the id and say what changed.

    Parameters
    ----------
    before, after : pools with ids, each problem once.

    Raises
    ------
    ValueError
        Where a side has no ids, or an id twice, or no id is in both.

    Examples
    --------
    >>> found = compare(Pool([0, 4, 1], 8, ids=["a", "b", "x"]), Pool([4, 8], 8, ids=["b", "a"]))
    >>> found.ids.tolist(), found.change.tolist(), found.gone, found.moved.tolist()
    (['a', 'b'], [1.0, 0.0], 1, [[0, 0, 1], [0, 1, 0], [0, 0, 0]])
    """
    left, right = _labels("before", before), _labels("after", after)
    place = {label: i for i, label in enumerate(right)}
    pairs = [(i, place[label]) for i, label in enumerate(left) if label in place]
    if not pairs:
        raise ValueError("no id of before is in after: there is nothing to compare")
    at, to = (np.array(side, dtype=np.intp) for side in zip(*pairs, strict=True))
    one, two = before.take(at), after.take(to)
    moved = np.zeros((3, 3), dtype=np.int64)
    np.add.at(moved, (_state(one), _state(two)), 1)
    assert one.ids is not None
    return Comparison(
        one, two, one.ids, len(left) - len(pairs), len(right) - len(pairs),
        _difference(one.rate, two.rate), moved, two.rate - one.rate, _distance(one, two),
    )  # fmt: skip


def _labels(name: str, pool: Pool) -> list[str]:
    """Ids as text, so that a number in one file finds its text in the other."""
    if pool.ids is None:
        raise ValueError(f"{name} has no ids; both sides need a column that names the problem")
    labels = [str(label).strip() for label in pool.ids.tolist()]
    if len(set(labels)) < len(labels):
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise ValueError(f"{name} has the id {twice!r} more than once; each problem must have one row")
    return labels


def _state(pool: Pool) -> NDArray[np.intp]:
    return np.where(pool.rate == 0, 0, np.where(pool.rate == 1, 2, 1)).astype(np.intp)


def _difference(before: FloatArray, after: FloatArray) -> Difference:
    gap = after - before
    reach = _Z95 * float(gap.std(ddof=1)) / len(gap) ** 0.5 if len(gap) > 1 else float("nan")
    mean = float(gap.mean())
    return Difference(float(before.mean()), float(after.mean()), max(mean - reach, -1.0), min(mean + reach, 1.0))


def _distance(before: Pool, after: Pool) -> FloatArray:
    """The change of each rate in standard errors: means and variances of Beta(k + 1/2, n - k + 1/2)."""
    sides = []
    for pool in (before, after):
        if pool.right is None or pool.tries is None:
            return np.full(len(before.rate), np.nan)
        total = pool.tries + 1.0
        mean = (pool.right + 0.5) / total
        sides.append((mean, mean * (1 - mean) / (total + 1)))
    (p, v), (q, w) = sides
    return np.asarray((q - p) / np.sqrt(v + w))

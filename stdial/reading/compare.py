"""Before and after: two readings of the same problems, joined on the id."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial.reading.result import Reading

if TYPE_CHECKING:
    import pandas as pd

    from stdial.pool import Pool

__all__ = ["Comparison", "compare"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed for the problems that are in both, in the order of the first.

    Attributes
    ----------
    ids : the shared ids, as text.
    before, after : mean reward (pass rate) of each.
    silent_before, silent_after : whether all its rewards were equal.
    only_before, only_after : ids that are in one of the two.
    """

    ids: NDArray[Any]
    before: Floats
    after: Floats
    silent_before: Flags
    silent_after: Flags
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]

    @property
    def became_silent(self) -> Flags:
        """Live before, silent after."""
        return ~self.silent_before & self.silent_after

    @property
    def became_live(self) -> Flags:
        """Silent before, live after."""
        return self.silent_before & ~self.silent_after

    @property
    def change(self) -> Floats:
        """After minus before, problem by problem."""
        return self.after - self.before

    @property
    def mean_change(self) -> float:
        """Mean change over the shared problems."""
        return float(self.change.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean change, from its spread over problems; nan for a single problem."""
        if len(self.ids) < 2:
            return math.nan, math.nan
        half = 1.959963984540054 * float(self.change.std(ddof=1)) / math.sqrt(len(self.ids))
        return self.mean_change - half, self.mean_change + half

    def table(self) -> pd.DataFrame:
        """One row a shared problem: id, before, after, change, and "became silent", "became live" or "" in what."""
        import pandas as pd

        what = np.where(self.became_silent, "became silent", np.where(self.became_live, "became live", ""))
        columns = {"id": self.ids, "before": self.before, "after": self.after, "change": self.change, "what": what}
        return pd.DataFrame(columns)


def compare(before: Reading | Pool, after: Reading | Pool) -> Comparison:
    """Join two readings (or pools) on their ids.

    Parameters
    ----------
    before, after : readings or pools with one id a problem; two steps of one file are two readings, with ``at_step``.

    Raises
    ------
    ValueError
        Where one has no ids, an id occurs twice, or no id is shared.

    Examples
    --------
    >>> from stdial import Pool
    >>> found = compare(Pool([0, 4], 8, ids=["a", "b"]), Pool([2, 8], 8, ids=["a", "b"]))
    >>> found.became_live.tolist(), found.became_silent.tolist(), found.mean_change
    ([True, False], [False, True], 0.375)
    """
    first, second = _looked_up("before", before), _looked_up("after", after)
    shared = [name for name in first if name in second]
    if not shared:
        some = ", ".join(list(first)[:3]), ", ".join(list(second)[:3])
        raise ValueError(f"before has ids such as {some[0]}, after such as {some[1]}; they must share some")
    one = np.array([first[name] for name in shared])
    other = np.array([second[name] for name in shared])
    ids = np.empty(len(shared), dtype=object)
    ids[:] = shared
    return Comparison(
        ids,
        one[:, 0],
        other[:, 0],
        one[:, 1] > 0,
        other[:, 1] > 0,
        tuple(name for name in first if name not in second),
        tuple(name for name in second if name not in first),
    )


def _looked_up(which: str, given: Reading | Pool) -> dict[str, tuple[float, float]]:
    """Id -> mean reward and whether it is silent."""
    if isinstance(given, Reading):
        ids, rate, silent = given.ids, given.stats.mean, given.stats.silent
        if given.pool is not None:
            rate = given.pool.rate
    else:
        ids, rate, silent = given.ids, given.rate, (given.rate == 0) | (given.rate == 1)
    if ids is None:
        raise ValueError(f"{which} has no ids; read it with id= naming the column that names the problem")
    found: dict[str, tuple[float, float]] = {}
    for name, p, s in zip(ids.tolist(), rate.tolist(), silent.tolist(), strict=True):
        if name is None:
            continue
        if str(name) in found:
            raise ValueError(f"{which} has the id {name!r} more than once; each problem needs an id of its own")
        found[str(name)] = (p, float(s))
    return found

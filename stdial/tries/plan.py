"""The plan: which group size each problem of a pool gets from a budget of rollouts (THEORY.md section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray
from stdial.lazily import lazily
from stdial.method import GRPO, Method, a_method
from stdial.pool import Pool
from stdial.safe import as_csv
from stdial.tries.even import Even, even_split
from stdial.tries.gains import Gains, Sizes, forget_beyond, gains_of
from stdial.tries.knapsack import Choice, Steps
from stdial.tries.solving import checked, solved

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Even", "Left", "Plan", "plan", "plans"]


class Left(NamedTuple):
    """Problems that get no group, by cell: how many, the first size worth paying (0: none is), a rollout's worth in it."""

    cell: NDArray[np.intp]
    problems: FloatArray
    size: NDArray[np.int64]
    worth: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """Group sizes for a pool and a budget, from `plan`.

    Attributes
    ----------
    goal : "mixed" or "update": what was made as large as possible.
    budget : rollouts that could be spent.
    rollouts : rollouts that are spent, at most the budget; fewer where no further group is worth anything.
    mixed : expected number of mixed groups.
    update : summed expected update of the method, each group divided by its own size.
    gap : in the goal's units, at most so much more could be had; 0 when the plan is proved optimal.
    marginal : what one more rollout would bring at the edge of the budget, in the goal's units.
    uniform : the same figures for the best even split of the same budget.
    pool, method : what was planned.
    choice : the plan by cell of the pool (`pool.cells`): cell, size, problems.
    """

    goal: str
    budget: float
    rollouts: float
    mixed: float
    update: float
    gap: float
    marginal: float
    uniform: Even
    pool: Pool
    method: Method
    choice: Choice
    _chance: FloatArray  # of a mixed group, for each entry of the choice
    _first: Steps  # the first step of each cell that has one

    def __repr__(self) -> str:
        figures = f"{self.mixed:,.6g} mixed groups, update {self.update:,.6g}, gap {self.gap:.3g}"
        return f"<Plan of {self.rollouts:,.0f} of {self.budget:,.0f} rollouts for {self.goal}: {figures}>"

    @property
    def variance(self) -> float:
        """Of the number of mixed groups in one pass, if the posteriors hold."""
        return float(self.choice.problems @ (self._chance * (1 - self._chance)))

    @lazily
    def table(self) -> pd.DataFrame:
        """One line for each row of the pool and group size: columns row, size, problems; size 0 means no group.

        Problems add up to the pool's. Rows with the same (right, tries) are alike; the larger sizes go to the first.
        """
        import pandas as pd

        row, entry, problems = self._by_row
        return pd.DataFrame({"row": row, "size": self.choice.size[entry], "problems": problems})

    @lazily
    def sizes(self) -> pd.DataFrame:
        """The table to hand on: id (or cell), right, tries, rate, size, problems, mixed.

        `mixed` is the chance of a mixed group by the row's posterior; right and tries are missing for bare rates.
        """
        import pandas as pd

        row, entry, problems = self._by_row
        pool = self.pool
        columns: dict[str, Any] = {}
        if pool.ids is not None:
            columns["id"] = pool.ids[row]
        elif pool.right is None or pool.tries is None:
            columns["cell"] = [f"rate {rate:.6g}" for rate in pool.rate[row].tolist()]
        else:
            pairs = zip(pool.right[row].tolist(), pool.tries[row].tolist(), strict=True)
            columns["cell"] = [f"{k} of {n}" for k, n in pairs]
        for name, values in (("right", pool.right), ("tries", pool.tries)):
            columns[name] = pd.array([pd.NA] * len(row), dtype="Int64") if values is None else values[row]
        columns |= {"rate": pool.rate[row], "size": self.choice.size[entry], "problems": problems}
        return pd.DataFrame(columns | {"mixed": self._chance[entry]})

    def to_csv(self, path: Any = None) -> str | None:
        """`sizes` as CSV, to a path or file, or as text when left out; ids that a spreadsheet would run are defused."""
        text = as_csv(self.sizes)
        if path is None:
            return text
        if hasattr(path, "write"):
            path.write(text)
        else:
            Path(path).write_text(text, encoding="utf-8", newline="")
        return None

    @lazily
    def unserved(self) -> pd.DataFrame:
        """Problems that get no group and why: row, problems, size (the first one worth paying), worth, reason.

        `worth` is what a rollout of that first group would bring, in the goal's units, to compare with `marginal`.
        """
        import pandas as pd

        row, entry, problems = self._by_row
        none = self.choice.size[entry] == 0
        row, cell, problems = row[none], self.choice.cell[entry[none]], problems[none]
        block, worth = self._of_first
        wanted = np.unique(cell)
        reasons = dict(zip(wanted.tolist(), (self._reason(block[c], worth[c]) for c in wanted.tolist()), strict=True))
        return pd.DataFrame(
            {
                "row": row,
                "problems": problems,
                "size": block[cell],
                "worth": worth[cell],
                "reason": pd.Series([reasons[c] for c in cell.tolist()], dtype=object),
            }
        )

    @lazily
    def left(self) -> Left:
        """`unserved` by cell of the pool, without reasons: what a page needs at every move."""
        none = (self.choice.size == 0) & (self.choice.problems > 1e-9 * max(1.0, float(self.choice.problems.sum())))
        cell = self.choice.cell[none]
        block, worth = self._of_first
        return Left(cell, self.choice.problems[none], block[cell], worth[cell])

    @lazily
    def _of_first(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Of each cell the first size that is worth paying, 0 where none is, and what a rollout of it brings."""
        cells = len(self.pool.cells.rate)
        block, worth = np.zeros(cells, dtype=np.int64), np.zeros(cells)
        block[self._first.cell], worth[self._first.cell] = self._first.length, self._first.slope
        return block, worth

    def _reason(self, size: int, worth: float) -> str:
        if size == 0:
            return "its answers always agree: no group of any allowed size teaches anything"
        unit = "mixed groups" if self.goal == "mixed" else "of update"
        if size > self.budget:
            return f"its first useful group takes {size} rollouts, more than the whole budget"
        return (
            f"a first group of {size} would bring {worth:.3g} {unit} a rollout; "
            f"the budget ends where a rollout brings {self.marginal:.3g}"
        )

    @lazily
    def _by_row(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
        """Split the cells' choices over the pool's rows: row, entry of the choice, problems."""
        order = np.lexsort((-self.choice.size, self.choice.cell))
        index = self.pool.cells.index
        rows = np.argsort(index, kind="stable")
        of_rows, of_entries = self.pool.problems[rows].astype(np.float64), self.choice.problems[order]
        row_ends, entry_ends = np.cumsum(of_rows), np.cumsum(of_entries)
        ends = np.union1d(row_ends, entry_ends)  # all problems in one line, cut where a row or an entry ends
        starts = np.concatenate([[0.0], ends[:-1]])
        middle, length = (starts + ends) / 2, ends - starts
        real = length > 1e-9 * max(1.0, float(ends[-1]) if len(ends) else 1.0)  # broken counts add up to dust
        middle, length = middle[real], length[real]
        row = rows[np.minimum(np.searchsorted(row_ends, middle), len(rows) - 1)]
        entry = order[np.minimum(np.searchsorted(entry_ends, middle), len(order) - 1)]
        by_row = np.lexsort((-self.choice.size[entry], row))
        whole = self.pool.problems.dtype.kind in "iu"
        problems = np.rint(length[by_row]).astype(np.int64) if whole else length[by_row]
        return row[by_row], entry[by_row], problems


def plan(
    pool: Pool,
    budget: float,
    goal: str = "mixed",
    method: Method = GRPO,
    smallest: int = 2,
    largest: int | None = None,
    multiple_of: int = 1,
    powers_of_two: bool = False,
) -> Plan:
    """Choose a group size (or none) for every problem, so that a budget of rollouts teaches most.

    Each problem counts by its posterior, not by its observed rate: "0 of 8" is not given up. A pool of bare rates
    takes the rates as they are. Small pools are solved exactly by dynamic programming; large ones by greedy steps on
    the concave hulls of the gains, with the gap that this can leave stated: at most the gain of one step.

    Parameters
    ----------
    pool
        A `stdial.Pool`.
    budget
        Rollouts in all, a whole number of at least 0.
    goal
        "mixed": the expected number of mixed groups; "update": the summed expected update of the method.
    method
        A `stdial.Method`; it sets the figure `update`, and the plan where that is the goal.
    smallest, largest
        Allowed group sizes, from 2 up; largest None looks at sizes up to 4,096.
    multiple_of, powers_of_two
        Allow only multiples of this, or only powers of two.

    Returns
    -------
    A `Plan`.

    Raises
    ------
    ValueError
        For an argument out of range, or restrictions that leave no size; `TooMany` where the pool has so many different
        outcomes that the sizes in question would take gigabytes.

    Examples
    --------
    >>> from stdial import Pool
    >>> best = plan(Pool.from_rates([0.5, 0.3]), 4)
    >>> best.table["size"].tolist(), round(best.mixed, 2), best.gap
    ([2, 2], 0.92, 0.0)

    Source: THEORY.md section 3, "the plan".
    """
    return plans(pool, [budget], goal, method, smallest, largest, multiple_of, powers_of_two)[0]


def plans(
    pool: Pool,
    budgets: Sequence[float],
    goal: str = "mixed",
    method: Method = GRPO,
    smallest: int = 2,
    largest: int | None = None,
    multiple_of: int = 1,
    powers_of_two: bool = False,
) -> list[Plan]:
    """`plan` for several budgets; what they share is computed once, and kept for a while for plans to come."""
    allowed = checked(pool, budgets, goal, Sizes(smallest, largest, multiple_of, powers_of_two))
    gains = gains_of(pool, a_method(method))
    try:
        return [_planned(pool, gains, goal, method, allowed, float(budget)) for budget in budgets]
    finally:
        forget_beyond()


def _planned(pool: Pool, gains: Gains, goal: str, method: Method, allowed: Sizes, budget: float) -> Plan:
    offer, choice, first = solved(pool, gains.of(goal), allowed, budget)
    chance, update = (table.at(choice.cell, choice.size) for table in gains)
    return Plan(
        goal=goal,
        budget=budget,
        rollouts=float(choice.size @ choice.problems),
        mixed=float(chance @ choice.problems),
        update=float(update @ choice.problems),
        gap=choice.gap,
        marginal=choice.marginal,
        uniform=even_split(gains, offer, budget),
        pool=pool,
        method=method,
        choice=choice,
        _chance=chance,
        _first=first,
    )

"""Choosing one size a problem within a budget: a multiple-choice knapsack (THEORY.md section 3, "the plan").

Each problem of cell i takes one size from {0} and the allowed ones and brings worth[i, size]. The upper concave hull of
these points has falling slopes, so taking its steps in the order of their slope is optimal for the relaxed problem that
may split a step, and optimal outright at every budget it lands on. In between the relaxed value bounds what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray

__all__ = ["Choice", "Menu", "Queue", "Steps", "exact", "exact_is_cheap", "greedy", "hull_steps", "queue"]

_DUST = 1e-12  # slopes that agree to this are the same slope
_WORK = 10_000_000  # sums an exact solution may cost
_CALLS = 20_000


@dataclass(frozen=True)
class Choice:
    """How many problems of which cell get which size; `bound` is at least what any choice could bring."""

    cell: NDArray[np.intp]
    size: NDArray[np.int64]
    problems: FloatArray
    value: float
    bound: float
    marginal: float  # worth of a rollout at the edge of the budget: the slope of the first step not fully taken

    def __post_init__(self) -> None:
        for array in (self.cell, self.size, self.problems):
            array.flags.writeable = False  # plans share it

    @property
    def gap(self) -> float:
        """How much better a choice might be; 0 when it is proved optimal (to 1e-12 relative)."""
        missing = self.bound - self.value
        return missing if missing > _DUST * max(self.bound, 0.0) else 0.0


@dataclass(frozen=True)
class Steps:
    """Steps of all cells' hulls, a cell's in order: from one vertex (a column of worth, -1 for none) to the next."""

    cell: NDArray[np.intp]
    start: NDArray[np.intp]
    end: NDArray[np.intp]
    length: NDArray[np.int64]
    slope: FloatArray


@dataclass(frozen=True)
class Queue:
    """Steps in the order of their slopes, the steepest first.

    Attributes
    ----------
    steps : in any order that keeps a cell's own.
    order : positions of the steps, steepest first.
    cost : rollouts for all steps up to each of the order.
    first : the first step of each cell that has one.
    first_slope : its slope, 0 where there is none: one entry a cell.
    """

    steps: Steps
    order: NDArray[np.intp]
    cost: FloatArray
    first: Steps
    first_slope: FloatArray

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return 8 * (7 * len(self.order) + len(self.first_slope))

    def reached(self, budget: float) -> int:
        """How many steps are paid in full."""
        return int(np.searchsorted(self.cost, budget * (1 + 1e-15), side="right"))


def queue(steps: Steps, problems: FloatArray) -> Queue:
    """Put the steps of cells that hold so many problems into the order of their slopes.

    >>> steps = hull_steps(np.array([[0.1, 0.3, 0.35], [0.9, 0.9, 0.9]]), np.array([2, 3, 4]))
    >>> queue(steps, np.array([10.0, 1.0])).cost
    array([ 2., 32., 42.])
    """
    order = np.argsort(-steps.slope, kind="stable")
    begins = np.flatnonzero(steps.start < 0)
    first = Steps(*(values[begins] for values in vars(steps).values()))
    first_slope = np.zeros(len(problems))
    first_slope[first.cell] = first.slope
    return Queue(steps, order, np.cumsum(problems[steps.cell[order]] * steps.length[order]), first, first_slope)


def hull_steps(worth: FloatArray, sizes: NDArray[np.int64]) -> Steps:
    """Steps with a gain on the upper concave hull of (0, 0) and (sizes, worth), for every cell.

    A cell whose worth bends down at every size has all its points on the hull. For the others one pass over the sizes
    keeps the hull so far as a stack. Points on a straight line stay vertices (short steps waste less of a budget).

    >>> steps = hull_steps(np.array([[0.1, 0.3, 0.35]]), np.array([2, 3, 4]))
    >>> steps.length, steps.slope.round(3)
    (array([3, 1]), array([0.1 , 0.05]))
    """
    cells, columns = worth.shape
    x = np.concatenate([[0.0], sizes])
    y = np.concatenate([np.zeros((cells, 1)), worth], axis=1)
    slopes = np.empty((cells, columns + 1))
    slopes[:, 1:] = np.diff(y, axis=1) / np.diff(x)
    stack = np.tile(np.arange(columns + 1, dtype=np.intp), (cells, 1))
    depth = np.full(cells, columns, dtype=np.intp)  # position of the top; vertex 0 is always there
    bent = np.flatnonzero((slopes[:, 2:] > slopes[:, 1:-1] * (1 + _DUST)).any(axis=1))
    if bent.size:
        stack[bent], slopes[bent], depth[bent] = _stacks(x, y[bent])
    slopes[:, 0] = np.inf
    slopes = np.minimum.accumulate(slopes, axis=1)  # equal slopes differ by dust: a cell's own order comes first
    inside = (np.arange(columns + 1) <= depth[:, None]) & (np.arange(columns + 1) > 0)
    cell, place = np.nonzero(inside)
    start, end = stack[cell, place - 1], stack[cell, place]
    real = y[cell, end] - y[cell, start] > 4e-16 * y[cell, end]  # what rounding made is no gain
    real &= slopes[cell, place] > 0
    cell, start, end, place = cell[real], start[real], end[real], place[real]
    return Steps(cell, start - 1, end - 1, (x[end] - x[start]).astype(np.int64), slopes[cell, place])


def _stacks(x: FloatArray, y: FloatArray) -> tuple[NDArray[np.intp], FloatArray, NDArray[np.intp]]:
    """For each row the hull's vertices, the slope of the step to each, and the position of the last one."""
    cells, columns = y.shape
    stack = np.zeros((cells, columns), dtype=np.intp)
    depth = np.zeros(cells, dtype=np.intp)
    slopes = np.zeros((cells, columns))
    everyone = np.arange(cells)
    for j in range(1, columns):
        open_ = everyone
        while open_.size:
            top = stack[open_, depth[open_]]
            slope = (y[open_, j] - y[open_, top]) / (x[j] - x[top])
            above = (depth[open_] > 0) & (slope > slopes[open_, depth[open_]] * (1 + _DUST))
            fixed = open_[~above]
            depth[fixed] += 1
            stack[fixed, depth[fixed]] = j
            slopes[fixed, depth[fixed]] = slope[~above]
            open_ = open_[above]
            depth[open_] -= 1
    return stack, slopes, depth


class Menu(Protocol):
    """What may be chosen: sizes, ascending, and their worth to cells of so many problems; `Offer` is one.

    `rises` says that each size is worth more than those below it.
    """

    sizes: NDArray[np.int64]
    problems: FloatArray
    rises: bool

    def worth(self, low: int, high: int) -> FloatArray:
        """Worth of the sizes at these positions: [cells, high - low]."""
        ...

    def at(self, cell: NDArray[np.intp], column: NDArray[np.intp]) -> FloatArray:
        """Worth in each pair of a cell and the position of a size, 0 at position -1: [pairs]."""
        ...


def greedy(menu: Menu, queued: Queue, budget: float) -> Choice:
    """Steps in the order of their slopes while the budget lasts, then single moves that still fit into the rest."""
    steps, order, cost, taken = queued.steps, queued.order, queued.cost, queued.reached(budget)
    everyone = np.arange(len(menu.problems))
    level = np.full(len(everyone), -1, dtype=np.intp)  # column of the size that a cell's problems have
    level[steps.cell[order[:taken]]] = steps.end[order[:taken]]  # a later step of the same cell overwrites
    rest = budget - (cost[taken - 1] if taken else 0.0)
    entries = everyone, level, menu.problems.astype(np.float64)
    bound = marginal = 0.0
    if taken < len(order):
        edge = order[taken]
        marginal = float(steps.slope[edge])
        bound = marginal * rest
        some = np.floor(rest / steps.length[edge] + 1e-12)
        entries = _move(entries, int(steps.cell[edge]), int(steps.end[edge]), some)
        rest -= some * steps.length[edge]
    base = float(np.sum(menu.at(everyone, level) * menu.problems))
    cell, column, many = _fill(menu, entries, rest)
    kept = many > 0
    cell, column, many = cell[kept], column[kept], many[kept]
    value = float(np.sum(menu.at(cell, column) * many))
    return Choice(cell, np.where(column < 0, 0, menu.sizes[column]), many, value, max(base + bound, value), marginal)


Entries = tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]  # cell, position of its size or -1, how many problems


def _move(entries: Entries, entry: int, to: int, some: float) -> Entries:
    """Give `some` of an entry's problems another size."""
    cell, column, many = entries[0], entries[1], entries[2].copy()
    many[entry] -= some
    return np.append(cell, cell[entry]), np.append(column, to), np.append(many, some)


def _fill(menu: Menu, entries: Entries, rest: float) -> Entries:
    """Spend what is left on the move that gains most, while one fits."""
    sizes = menu.sizes
    cheapest = int(np.diff(sizes, prepend=0).min())
    while rest >= cheapest:
        cell, column, many = entries
        now, has = np.where(column < 0, 0, sizes[column]), menu.at(cell, column)
        if menu.rises:  # the largest size within reach gains most
            reach = np.searchsorted(sizes, now + rest, side="right") - 1
            gain = np.where((reach > column) & (many >= 1), menu.at(cell, reach) - has, 0.0)
            entry = int(np.argmax(gain))
            to, gained = int(reach[entry]), gain[entry]
        else:
            low, high = np.searchsorted(
                sizes, [now.min(), now.max() + rest], side="right"
            ).tolist()  # others: out of reach
            dear = sizes[None, low:high] - now[:, None]
            gain = menu.worth(low, high)[cell] - has[:, None]
            gain = np.where((dear > 0) & (dear <= rest) & (many[:, None] >= 1), gain, 0.0)
            entry, to = divmod(int(np.argmax(gain)), high - low) if high > low else (0, 0)
            gained, to = (gain[entry, to], low + to) if high > low else (0.0, 0)
        if gained <= 0:
            break
        dearer = int(sizes[to] - now[entry])
        some = float(min(np.floor(many[entry]), np.floor(rest / dearer)))
        entries = _move(entries, entry, to, some)
        rest -= some * dearer
    return entries


def exact_is_cheap(problems: FloatArray, sizes: NDArray[np.int64], budget: float) -> bool:
    """Whether dynamic programming over single problems stays within a fraction of a second."""
    total = float(problems.sum())
    width = min(budget, total * float(sizes[-1]))
    whole = bool((problems == np.floor(problems)).all())
    return whole and total * len(sizes) <= _CALLS and total * len(sizes) * width <= _WORK


def exact(menu: Menu, budget: float, marginal: float) -> Choice:
    """Best choice of all, by dynamic programming: best[b] is the most that the problems so far bring for b rollouts."""
    sizes, problems, worth = menu.sizes, menu.problems, menu.worth(0, len(menu.sizes))
    each = np.repeat(np.arange(len(problems)), problems.astype(np.int64))
    width = int(min(budget, len(each) * float(sizes[-1])))
    best = np.zeros(width + 1)
    choices = np.full((len(each), width + 1), -1, dtype=np.int32)
    for i, cell in enumerate(each.tolist()):
        grown = best.copy()
        for j, size in enumerate(sizes.tolist()):
            if size > width:
                break
            offer = best[: width + 1 - size] + worth[cell, j]
            better = offer > grown[size:] * (1 + 1e-15)  # dust is no reason to pay more
            grown[size:][better] = offer[better]
            choices[i, size:][better] = j
        best = grown
    left = int(np.argmax(best >= best.max() * (1 - 1e-15)))
    column = np.empty(len(each), dtype=np.intp)
    for i in range(len(each) - 1, -1, -1):
        column[i] = choices[i, left]
        left -= 0 if column[i] < 0 else int(sizes[column[i]])
    pairs, many = np.unique(np.stack([each, column]), axis=1, return_counts=True)
    value = float(np.sum(menu.at(pairs[0], pairs[1]) * many))
    size = np.where(pairs[1] < 0, 0, sizes[pairs[1]])
    return Choice(pairs[0], size, many.astype(np.float64), value, value, marginal)

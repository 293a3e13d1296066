"""What a group of each size is worth to each cell: posterior means, computed once for each size (THEORY.md section 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stdial.arguments import FloatArray
from stdial.expectation import expected_update, weight_each
from stdial.method import Method
from stdial.silence import mixed_rate

__all__ = ["Columns", "Worth"]

_TOGETHER = 8
_MANY = 512
_FAINT = 1e-300
_SLOW = 1.5  # exponents up to here


class Columns:
    """Worth of the sizes that were asked for so far.

    Parameters
    ----------
    p, weights : the cells' posteriors, as `Pool.posterior` has them.
    method : whose expected update it is; None for the chance of a mixed group.
    """

    def __init__(self, p: FloatArray, weights: FloatArray, method: Method | None) -> None:
        self._p, self._weights, self._method = p, weights, method
        self._held = np.full(1, -1, dtype=np.intp), np.zeros((len(weights), 0))  # each size's column, columns

    @property
    def nbytes(self) -> int:
        """Bytes that are kept."""
        return self._weights.nbytes + sum(array.nbytes for array in self._held)

    def __call__(self, sizes: NDArray[np.int64]) -> FloatArray:
        """Worth of one group of each of these sizes in each cell: [cells, sizes]."""
        column, worth = self.of(sizes)
        return np.take(worth, column, axis=1)

    def of(self, sizes: NDArray[np.int64]) -> tuple[NDArray[np.intp], FloatArray]:
        """The columns of these sizes, and what they are columns of."""
        column, worth = self._held  # read once: another thread may put a longer pair in its place
        top = int(sizes.max(initial=0))
        if top >= len(column):
            column = np.concatenate([column, np.full(top + 1 - len(column), -1, dtype=np.intp)])
        found = column[sizes]
        if (found < 0).any():
            lacking = np.unique(sizes[found < 0])
            column = column.copy()
            column[lacking] = worth.shape[1] + np.arange(len(lacking))
            worth = np.concatenate([worth, self._worth(lacking)], axis=1)
            self._held = column, worth
            found = column[sizes]
        return found, worth

    def _worth(self, sizes: NDArray[np.int64]) -> FloatArray:
        """Each size by itself: its worth must not depend, in its last digits, on the sizes that it was asked for with."""
        p, G = self._p.ravel(), sizes.astype(np.float64)[:, None]
        if self._method is None:
            worth = mixed_rate(p, G)
        else:  # few at a time are averaged one by one, many of few p together
            worth = np.concatenate(
                [expected_update(p, G[i : i + _TOGETHER], self._method) for i in range(0, len(G), _TOGETHER)]
            )
        if self._p.ndim == 2:
            return worth.T
        # Four alike columns: what a product of larger matrices has in its tiles, to the bit (of one column it has not).
        averaged: FloatArray = np.matmul(self._weights, np.repeat(worth[:, :, None], 4, axis=2))[:, :, 0].T
        return averaged


class Worth:
    """What one group is worth to each cell: the chance that it is mixed, or its expected update.

    Attributes
    ----------
    rises : whether it rises with the size, bends down, and brings less a rollout the larger it is, and all that by more than
        rounding. So does the expected update of methods without constants in the standard deviation (THEORY.md section 2). The
        chance of a mixed group does too, as does the update at the exponent 2, but they come so near to their limits that
        rounding decides: below, what is missing falls as slowly as 1/G.
    """

    def __init__(self, p: FloatArray, weights: FloatArray, method: Method | None) -> None:
        self.columns = Columns(p, weights, method)
        self._p, self._method = p, method
        self._many = p.ndim == 2 and len(p) > _MANY  # of very many bare rates hardly two have the same size
        constants = method is None or method.ddof or method.epsilon or method.leave_one_out
        faint = bool(((p > 0) & (p < _FAINT)).any())  # their worth has lost digits: sizes tie there
        self.rises = not constants and not faint and method is not None and method.exponent <= _SLOW

    @property
    def nbytes(self) -> int:
        """Bytes that are kept."""
        return self.columns.nbytes

    def at(self, cells: NDArray[np.intp], sizes: NDArray[np.int64]) -> FloatArray:
        """Worth of one group in each pair (cell, size), 0 at size 0: [pairs]."""
        result = np.zeros(len(cells))
        live = sizes > 0
        if not self._many:
            column, worth = self.columns.of(sizes[live])
            result[live] = worth[cells[live], column]
        elif self._method is not None:
            p, G = self._p[cells[live], 0], sizes[live].astype(np.float64)
            result[live] = p * (1 - p) * weight_each(p, G, self._method)
        else:
            result[live] = mixed_rate(self._p[cells[live], 0], sizes[live])
        return result

"""A pool of problems, each with so many right answers of so many tries, and what it says (THEORY.md section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stdial import bounds, estimates, mixing
from stdial.arguments import FloatArray, between
from stdial.estimates import Average
from stdial.lazily import lazily
from stdial.method import Method
from stdial.mixing import Mixing
from stdial.records import Records

__all__ = ["Pool", "a_pool"]

Function = Callable[[FloatArray], FloatArray]  # h(p), for an array of p
_MOST_KEPT, _MOST_KEPT_CELLS = 32, 2048  # half a megabyte a pool at most; pools of more cells compute anew
FEW = 50  # pools of fewer problems take Jeffreys' prior in place of a fitted one


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Pool(Records):
    """Problems with ``right`` of ``tries`` answers right, one entry a row; a row may stand for many alike problems.

    Parameters
    ----------
    right : whole numbers from 0 to tries.
    tries : whole numbers of at least 1; one number serves all rows.
    problems : how many problems share each row, 1 each if left out; 0 is allowed, and so are expected (broken) counts.
    facets : name -> one entry a row: a value, or a tuple where a problem counts under several.
    ids : one identifier a row.
    notes : findings of whoever read the data, in words.

    Attributes
    ----------
    right, tries : int arrays [rows], or None for a pool of bare rates.
    rate : float array [rows], right / tries.
    problems : array [rows].
    facets, ids, notes : as given; lists become tuples, arrays are read-only.
    size : number of problems.
    mean_rate, mean_sigma : means over problems of the observed rate p and of sqrt(p (1 - p)).

    Raises
    ------
    ValueError
        Where an argument is out of range; the message names it, its row (from 0), its value and what is allowed.

    Examples
    --------
    >>> pool = Pool([0, 1, 8], 8, problems=[2, 1, 1], facets={"source": ["web", "web", "book"]})
    >>> pool.size, pool.mean_rate
    (4, 0.28125)
    >>> pool.where("source", "book").size
    1
    """

    def silent_rate(self, size: float, estimate: str = "best", side: str | None = None) -> float:
        """Share of sampled groups in which all rewards are equal, averaged over the pool's problems.

        Parameters
        ----------
        size : group size G, a whole number of at least 2, or inf.
        estimate : "plug-in" takes each observed rate for the truth and overstates silence; "unbiased" averages over the
            groups of G among a problem's tries (G <= tries); "deconvolved" is the posterior mean under the fitted
            `mixing` (under Jeffreys' Beta(1/2, 1/2) for fewer than 50 problems); "best" is unbiased in the rows with
            G <= tries and deconvolved in the others, and the plug-in for bare rates.
        side : "right" counts only groups that are all right, "wrong" only those that are all wrong.

        Raises
        ------
        ValueError
            For an argument out of range, and where an estimate does not apply: unbiased with tries < size, unbiased or
            deconvolved without tries.

        Examples
        --------
        >>> pool = Pool([0, 1, 4, 8], 8)
        >>> pool.silent_rate(8), round(pool.silent_rate(8, "plug-in"), 4)
        (0.5, 0.5879)
        """
        return self._mean(self._values(estimates.of_silence(size, side), estimate))

    def silent_interval(self, size: float, level: float = 0.95, side: str | None = None) -> tuple[float, float]:
        """How far the silent rate is known: (low, high).

        Where G <= every row's tries, the sampling interval at this level, from the spread of the unbiased estimate over
        problems. Else the `bounds` of the silent rate over all mixing distributions that the tries allow, always at
        z = 2, and widened to hold the best estimate where it takes another prior or mixes both.

        Raises
        ------
        ValueError
            For an argument out of range, and for bare rates: without tries nothing says how far off they are.

        Examples
        --------
        >>> low, high = Pool([0, 1, 4, 8] * 25, 8).silent_interval(8)
        >>> round(low, 3), round(high, 3)
        (0.402, 0.598)
        """
        average = estimates.of_silence(size, side)
        _, tries = self._counted("silent_interval")
        seen = self.cells.problems > 0
        between("level", level, 1e-9, 1 - 1e-9, "a number between 0 and 1")
        if average.size <= tries[seen].min():
            return bounds.sampling_interval(self._values(average, "unbiased"), self.cells.problems, level)
        if (average.size, side) not in self._silence_bounds:
            low, high = self.bounds(average.by_rate)
            best = self._mean(self._values(average, "best"))
            self._silence_bounds[average.size, side] = (min(low, best), max(high, best))
        return self._silence_bounds[average.size, side]

    def expected_update(self, size: float, method: Method, estimate: str = "best") -> float:
        """Mean over problems of the update magnitude E[c] per drawn group; estimates as in `silent_rate`.

        >>> from stdial import GRPO
        >>> round(Pool([0, 1, 4, 8], 8).expected_update(8, GRPO), 4)
        0.2077
        """
        return self._mean(self._values(estimates.of_update(size, method), estimate))

    def mass_share(self, low: float, high: float, size: float, method: Method, estimate: str = "best") -> float:
        """Share of the pool's summed E[c] that falls to problems with low <= observed rate < high.

        The band is closed at high = 1; ends count as met within 1e-12. NaN where the pool has no update at all.

        >>> from stdial import DR_GRPO
        >>> round(Pool([0, 1, 4, 8], 8).mass_share(0.0, 0.2, 8, DR_GRPO), 4)
        0.3043
        """
        least = float(between("low", low, 0, 1, "a number from 0 to 1"))
        most = float(between("high", high, least, 1, f"a number from low = {least:g} to 1"))
        mass = self._values(estimates.of_update(size, method), estimate) * self.cells.problems
        rate = self.cells.rate
        inside = (rate >= least - 1e-12) & ((rate < most - 1e-12) | (most == 1))
        total = float(mass.sum())
        return float(mass[inside].sum()) / total if total > 0 else math.nan

    def mixing(self) -> Mixing:
        """The distribution of p over the pool, by nonparametric maximum likelihood; fitted once, see `mixing.fit`.

        It takes the problems' tries as chosen without regard to how hard they are.

        Raises
        ------
        ValueError
            For bare rates.

        Examples
        --------
        >>> Pool([0, 4], 4, problems=[30, 10]).mixing().weight.round(6).tolist()
        [0.75, 0.25]
        """
        return self._fitted

    def bounds(self, h: Function) -> tuple[float, float]:
        """Smallest and largest mean of h(p) over problems that the logged tries leave possible; see `bounds.bounds`.

        Parameters
        ----------
        h : a function of an array of p in [0, 1].

        >>> low, high = Pool([0, 1, 2], 2, problems=[50, 20, 30]).bounds(lambda p: p**8)
        >>> round(low, 2), round(high, 2)
        (0.01, 0.38)
        """
        _, tries = self._counted("bounds")
        height = np.asarray(h(mixing.GRID), dtype=np.float64)
        return bounds.bounds(tries, self.cells.problems, mixing.on_grid(self._fitted), height)

    def posterior(self) -> tuple[FloatArray, FloatArray]:
        """What is known of p in each cell: (p, weights), so that ``(weights * h(p)).sum(-1)`` is the mean of h there.

        Returns
        -------
        p : [m] points in [0, 1]; for bare rates [cells, 1], the rates themselves.
        weights : [cells, m], each row adding up to 1; ``weights[pool.cells.index]`` has one row per row of the pool.
            The prior is the fitted `mixing`, Jeffreys' for fewer than 50 problems; bare rates are taken as they are.

        Examples
        --------
        >>> p, weights = Pool([0], 8).posterior()
        >>> bool(abs((weights * p).sum() - 0.5 / 9) < 1e-12)
        True
        """
        cells = self.cells
        if cells.right is None or cells.tries is None:
            return cells.rate[:, None], np.ones((len(cells.rate), 1))
        at = np.flatnonzero(self._prior)
        return mixing.GRID[at], mixing.posterior(cells.right, cells.tries, self._prior)

    @lazily
    def distribution(self) -> tuple[FloatArray, FloatArray]:
        """The distribution of p over the pool, as points and masses that add up to 1: the mean of the cells' posteriors.

        >>> p, mass = Pool.from_rates([0.25, 0.5], problems=[3, 1]).distribution
        >>> p.tolist(), mass.tolist()
        ([0.25, 0.5], [0.75, 0.25])
        """
        cells = self.cells
        share = cells.problems / cells.problems.sum()
        if cells.right is None or cells.tries is None:
            return cells.rate, share
        at = np.flatnonzero(self._prior)
        return mixing.GRID[at], mixing.posterior_total(cells.right, cells.tries, self._prior, share)

    def row_mean(self, h: Function) -> FloatArray:
        """Posterior mean of h(p) in each row, [rows]: what to say of a single problem.

        "0 of 8" is not dead: the chance that the next 8 answers agree is

        >>> Pool([0], 8).row_mean(lambda p: p**8 + (1 - p) ** 8).round(2).tolist()
        [0.71]
        """
        return self._posterior_mean(h)[self.cells.index]

    def best_is(self, size: float) -> str:
        """Which estimate "best" is at this size, in words for a label.

        "plug-in", "unbiased", "deconvolved", "Jeffreys", "unbiased and deconvolved" or "unbiased and Jeffreys".

        >>> Pool([0, 4], 4, problems=[30, 30]).best_is(16)
        'deconvolved'
        """
        G = estimates.of_silence(size).size
        tries = None if self.cells.tries is None else self.cells.tries[self.cells.problems > 0]
        return estimates.best_name(G, tries, fitted=self.size >= FEW)

    def remember(
        self,
        fitted: Mixing,
        silence: Mapping[float, tuple[float, float]],
        others: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        """Take a stored fit of this very pool, and stored intervals (size -> low, high), in place of computing them.

        `others` are bounds by a name that their owner knows, for `remembered`.
        """
        self.__dict__["_fitted"] = fitted
        self.__dict__["_others"] = dict(others or {})
        self._silence_bounds.update({(float(size), None): ends for size, ends in silence.items()})

    def remembered(self, name: str) -> tuple[float, float] | None:
        """Stored bounds of that name, where `remember` took some.

        >>> Pool([0, 4], 8).remembered("retry 8 4") is None
        True
        """
        found: dict[str, tuple[float, float]] = self.__dict__.get("_others", {})
        return found.get(name)

    @lazily
    def _fitted(self) -> Mixing:
        right, tries = self._counted("mixing")
        return mixing.fit(right, tries, self.cells.problems)

    @lazily
    def _prior(self) -> FloatArray:
        return mixing.on_grid(self._fitted) if self.size >= FEW else mixing.jeffreys()

    @lazily
    def _silence_bounds(self) -> dict[tuple[float, str | None], tuple[float, float]]:
        return {}

    def _counted(self, what: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if self.cells.right is None or self.cells.tries is None:
            raise ValueError(f"tries is unknown in a pool of bare rates; {what} needs right and tries in every row")
        return self.cells.right, self.cells.tries

    def _posterior_mean(self, h: Function, prior: FloatArray | None = None) -> FloatArray:
        """The posterior mean of h(p) in each cell, under the pool's own prior if none is given."""
        cells = self.cells
        if cells.right is None or cells.tries is None:  # the rates as they are: there is no prior to fit
            return np.asarray(h(cells.rate), dtype=np.float64)
        height = np.asarray(h(mixing.GRID), dtype=np.float64)
        return mixing.posterior_mean(cells.right, cells.tries, self._prior if prior is None else prior, height)

    def _deconvolved(self, average: Average) -> FloatArray:
        prior = self._prior
        if math.isinf(average.size) and self.size < FEW:  # a limit jumps at p = 0 and 1, where Jeffreys has no mass
            prior = prior.copy()
            prior[[0, -1]] = 0.0
        return self._posterior_mean(average.by_rate, prior)

    def _values(self, average: Average, estimate: str) -> FloatArray:
        """An average over groups in each cell, by the estimate of that name; a page asks for few of them many times."""
        if len(self.cells.rate) > _MOST_KEPT_CELLS:
            return self._computed(average, estimate)
        kept = self._kept_values
        values = kept.get((average, estimate))
        if values is None:
            values = self._computed(average, estimate)
            values.flags.writeable = False
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[average, estimate] = values
        return values

    @lazily
    def _kept_values(self) -> dict[tuple[Average, str], FloatArray]:
        return {}

    def _computed(self, average: Average, estimate: str) -> FloatArray:
        if estimate not in estimates.ESTIMATES:
            known = ", ".join(repr(name) for name in estimates.ESTIMATES)
            raise ValueError(f"estimate is {estimate!r}; it must be one of {known}")
        if estimate == "plug-in" or (estimate == "best" and self.tries is None):
            return average.by_rate(self.cells.rate)
        right, tries = self._counted(f"estimate {estimate!r}")
        if estimate == "deconvolved":
            return self._deconvolved(average)
        counted = tries >= average.size
        beyond = ~counted & (self.cells.problems > 0)
        if estimate == "unbiased" and beyond.any():
            fewest = int(tries[beyond].min())
            raise ValueError(
                f"size is {average.size:g}; for estimate 'unbiased' it must be at most {fewest}, the tries"
            )
        values = self._deconvolved(average) if beyond.any() else np.zeros(len(tries))
        if counted.any():
            values[counted] = estimates.unbiased(right[counted], tries[counted], average)
        return values


def a_pool(pool: object) -> Pool:
    """The pool itself, or a ValueError for anything else: a list of rates, for instance.

    >>> a_pool([0.5])
    Traceback (most recent call last):
    ValueError: pool is [0.5]; it must be a Pool, such as Pool(right, tries) or Pool.from_rates(rate)
    """
    if not isinstance(pool, Pool):
        raise ValueError(f"pool is {pool!r}; it must be a Pool, such as Pool(right, tries) or Pool.from_rates(rate)")
    return pool

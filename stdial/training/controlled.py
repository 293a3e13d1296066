"""The controlled run (THEORY.md section 6): prompts that are Bernoulli-logit policies, trained by sampled groups.

Every prompt is a policy p = sigmoid(theta) of its own. A step draws k ~ Binomial(G, p) right answers of each prompt
and moves theta by learning_rate * c(k), c the method's update magnitude. The mean-field twin moves it by the
expectation of that. This is a simulation: no text, no model, nothing shared between prompts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stdial import expectation
from stdial.lazily import lazily
from stdial.method import Method
from stdial.pool import Pool
from stdial.training.stepping import TENTHS, Step, by_tenth, checked, expected_moves, tenths, walk

__all__ = ["Mass", "Run", "run", "simulate"]

Floats = NDArray[np.float64]

_AT_ONCE = 8  # steps: their rates and what is made of them stay near the processor


class Mass(NamedTuple):
    """Shares of one step's summed update, by tenth of the starting rate: [0, .1), ..., [.9, 1]; each adds up to 1.

    measured : from the drawn groups. predicted : from the expected update at this G and the step's rates.
    """

    measured: Floats
    predicted: Floats


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run; arrays by step start with the state before the first one where they have steps + 1 entries.

    rates : [steps + 1, prompts] pass rates. silent : [steps] share of first tries that were silent.
    rollouts_by_step : [steps + 1] rollouts spent so far. mass_by_step : [steps, 10] summed c by tenth of the starting
    rate. tries, redraw, seed, sampled, learning_rate : as in `run`.
    """

    method: Method
    size: int
    learning_rate: float
    tries: int
    redraw: bool
    seed: int
    sampled: bool
    rates: Floats
    silent: Floats
    mass_by_step: Floats
    rollouts_by_step: Floats

    @property
    def rollouts(self) -> int:
        """Rollouts spent in all (rounded in a mean-field run, where they are expected numbers)."""
        return round(float(self.rollouts_by_step[-1]))

    @lazily
    def mean_rate(self) -> Floats:
        """[steps + 1] mean pass rate."""
        return np.asarray(self.rates.mean(axis=1))

    @lazily
    def hardest_quarter(self) -> Floats:
        """[steps + 1] mean pass rate of the prompts whose starting rate is at most its 25% quantile (ties included)."""
        start = self.rates[0]
        return np.asarray(self.rates[:, start <= np.quantile(start, 0.25)].mean(axis=1))

    @lazily
    def silent_predicted(self) -> Floats:
        """[steps] mean of p^G + (1-p)^G over the prompts at each step."""
        before = self.rates[:-1]
        parts = [before[i : i + _AT_ONCE] for i in range(0, len(before), _AT_ONCE)]
        return np.concatenate([expectation.silent_rate(part, self.size).mean(axis=1) for part in parts])

    @lazily
    def r2_silent(self) -> float:
        """Coefficient of determination of the silent share: 1 - sum (measured - predicted)^2 / sum (measured - mean)^2.

        NaN where the measured share never changes.
        """
        around_mean = float(((self.silent - self.silent.mean()) ** 2).sum())
        around_theory = float(((self.silent - self.silent_predicted) ** 2).sum())
        return 1 - around_theory / around_mean if around_mean > 0 else math.nan

    @lazily
    def tenth(self) -> NDArray[np.intp]:
        """[prompts] tenth of the starting rate, 0 to 9."""
        return tenths(self.rates[0])

    @property
    def mass(self) -> Mass:
        """Gradient mass at the first step, where the paper measures it."""
        return self.mass_at(0)

    @property
    def mass_limit(self) -> Floats:
        """[10] predicted shares at the first step if groups were infinitely large."""
        return self.limit_at(0)

    def mass_at(self, step: int) -> Mass:
        """Gradient mass at a step, 0 to steps - 1; NaN where no group was live. E[c] of many different rates as in `run`."""
        tries = 1 if self.redraw else self.tries  # redrawing scales all prompts alike
        expected = expected_moves(self.rates[step], self.size, self.method, tries)
        return Mass(_shares(self.mass_by_step[step]), _shares(by_tenth(self.tenth, expected)))

    def limit_at(self, step: int) -> Floats:
        """[10] predicted shares at a step for infinitely large groups."""
        return _shares(by_tenth(self.tenth, expectation.expected_update(self.rates[step], math.inf, self.method)))


def run(
    pool: Pool,
    method: Method,
    size: int = 8,
    steps: int = 150,
    learning_rate: float = 0.5,
    prompts: int = 6000,
    tries: int | None = None,
    redraw: bool = False,
    seed: int = 0,
    *,
    sampled: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """Train ``prompts`` prompts whose starting rates come from the pool.

    Parameters
    ----------
    pool : starting rates: observed rates strictly inside (0, 1), drawn in proportion to their
        problems (`starting_rates`), clipped to [.02, .98].
    method : a `stdial.Method`.
    size : group size G, a whole number of at least 2.
    steps, prompts : whole numbers of at least 1.
    learning_rate : a finite number > 0.
    tries : groups that may be drawn in all until one is live: 4 for a method that drops silent groups, else 1.
    redraw : silent groups are replaced by groups of other prompts (any prompt of the run, uniformly), as DAPO does in
        its up to ``tries`` rounds a step; else the same prompt is tried again, as in the paper's run.
    seed : of the starting rates and of every draw, a whole number of at least 0; methods share both on one seed.
    sampled : False for the mean-field twin: every quantity moves by its expectation. It is exact where the prompts have
        at most 512 different starting rates; beyond that E[c] is interpolated, to about 1e-9.
    progress : called with (steps done, steps) after every step; whatever it raises stops the run.

    Raises
    ------
    ValueError
        For an argument out of range, and for a pool without a rate strictly inside (0, 1).

    Examples
    --------
    >>> from stdial import GRPO, DAPO, Pool
    >>> pool = Pool([1, 2, 4, 6, 7], 8)
    >>> trained = run(pool, GRPO, steps=50, prompts=200)
    >>> trained.rates.shape, trained.rollouts
    ((51, 200), 80000)
    >>> bool(trained.hardest_quarter[-1] > trained.hardest_quarter[0])
    True
    >>> run(pool, DAPO, steps=50, prompts=200).rollouts > trained.rollouts
    True

    Source: arXiv 2607.00152, the controlled run; THEORY.md sections 4 and 6.
    """
    settings = checked(pool, method, size, steps, learning_rate, prompts, tries, redraw, seed, sampled)
    rates = np.empty((steps + 1, prompts))
    silent, mass, rollouts = np.empty(steps), np.empty((steps, TENTHS)), np.zeros(steps + 1)
    rates[0] = settings.start
    for done, step in enumerate(walk(settings)):
        rates[done + 1], silent[done], mass[done] = step.rates, step.silent, step.mass
        rollouts[done + 1] = rollouts[done] + step.rollouts
        if progress is not None:
            progress(done + 1, steps)
    return Run(
        method, settings.size, learning_rate, settings.tries, redraw, seed, sampled, rates, silent, mass, rollouts
    )


def simulate(
    pool: Pool,
    method: Method,
    size: int = 8,
    steps: int = 150,
    learning_rate: float = 0.5,
    prompts: int = 6000,
    tries: int | None = None,
    redraw: bool = False,
    seed: int = 0,
    *,
    sampled: bool = True,
) -> Iterator[Step]:
    """Yield the steps of `run` one at a time, for who wants to watch and stop; the arguments are the same.

    >>> from stdial import GRPO, Pool
    >>> first = next(simulate(Pool([1, 2, 4], 8), GRPO, prompts=100))
    >>> first.rates.shape, first.rollouts
    ((100,), 800.0)
    """
    return walk(checked(pool, method, size, steps, learning_rate, prompts, tries, redraw, seed, sampled))


def _shares(mass: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(mass / mass.sum())

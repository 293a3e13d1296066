"""Several methods on one seed, told side by side: the small arrays that pictures of a run need.

A run of 6,000 prompts over 150 steps holds millions of rates; its story holds a few thousand numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stdial.method import DAPO, DR_GRPO, GRPO, Method
from stdial.pool import Pool
from stdial.training.controlled import Run, run

__all__ = ["Settings", "Story", "Thread", "tell"]

Floats = NDArray[np.float64]

PROMPTS = 6000
FOLLOWED = 12
_MASS_FRAMES = 16


@dataclass(frozen=True)
class Settings:
    """What a story is made from, apart from the pool: as in `run`; `seeds` runs are made with seed, seed + 1, ..."""

    size: int = 8
    alpha: float = 1.0
    learning_rate: float = 0.5
    steps: int = 150
    tries: int = 4
    redraw: bool = False
    seed: int = 0
    seeds: int = 1

    def methods(self) -> list[Method]:
        """Dr. GRPO, GRPO and DAPO; the dial takes GRPO's place in the last two where it is turned."""
        turned = self.alpha not in (0.0, 1.0)
        name = f"alpha {self.alpha:.3g}"
        middle = Method(name, exponent=self.alpha) if turned else GRPO
        dropped = Method(f"DAPO, {name}", exponent=self.alpha, drop_silent=True) if turned else DAPO
        return [DR_GRPO, middle, dropped]


@dataclass(frozen=True)
class Thread:
    """One method's part. Arrays by step; `low` and `high` are the extremes over seeds, equal to the run for one seed.

    mean_rate, hardest_quarter, hardest_low, hardest_high, twin : [steps + 1] (twin: the mean-field run's hardest
    quarter). silent, silent_predicted : [steps], first tries. r2 : of the silent share. rollouts : [steps + 1].
    mass_steps : [m] steps at which mass is told; mass, mass_predicted, mass_limit : [m, 10]. followed : [steps + 1, 12]
    rates of a dozen prompts, from hard to easy.
    """

    method: Method
    mean_rate: Floats
    hardest_quarter: Floats
    hardest_low: Floats
    hardest_high: Floats
    twin: Floats
    silent: Floats
    silent_predicted: Floats
    r2: float
    rollouts: Floats
    mass_steps: NDArray[np.int64]
    mass: Floats
    mass_predicted: Floats
    mass_limit: Floats
    followed: Floats


@dataclass(frozen=True)
class Story:
    """The threads of all methods, and how many prompts each trained."""

    settings: Settings
    prompts: int
    threads: tuple[Thread, ...]


def tell(
    pool: Pool, settings: Settings, *, prompts: int = PROMPTS, progress: Callable[[int, int], object] | None = None
) -> Story:
    """Run every method of the settings, sampled and mean-field.

    Parameters
    ----------
    pool, settings, prompts : as in `run`.
    progress : called with (runs done, runs) before each; whatever it raises stops the story.

    Raises
    ------
    ValueError
        As `run`.

    Examples
    --------
    >>> from stdial import Pool
    >>> story = tell(Pool([1, 3, 5, 7], 8), Settings(steps=20), prompts=200)
    >>> [thread.method.name for thread in story.threads]
    ['Dr. GRPO', 'GRPO', 'DAPO']

    Source: THEORY.md section 6.
    """
    methods = settings.methods()
    total = len(methods) * (settings.seeds + 1)
    threads: list[Thread] = []
    for i, method in enumerate(methods):
        runs = []
        for j in range(settings.seeds + 1):
            if progress is not None:
                progress(i * (settings.seeds + 1) + j, total)
            twin = j == settings.seeds
            runs.append(_run(pool, method, settings, prompts, settings.seed + (0 if twin else j), sampled=not twin))
        threads.append(_thread(runs[:-1], runs[-1]))
    return Story(settings, prompts, tuple(threads))


def _run(pool: Pool, method: Method, settings: Settings, prompts: int, seed: int, *, sampled: bool) -> Run:
    dropping = method.drop_silent
    return run(
        pool,
        method,
        settings.size,
        settings.steps,
        settings.learning_rate,
        prompts,
        tries=settings.tries if dropping else 1,
        redraw=dropping and settings.redraw,
        seed=seed,
        sampled=sampled,
    )


def _thread(runs: Sequence[Run], twin: Run) -> Thread:
    first = runs[0]
    hardest = np.stack([one.hardest_quarter for one in runs])
    steps = np.unique(np.linspace(0, len(first.silent) - 1, _MASS_FRAMES).round().astype(np.int64))
    masses = [first.mass_at(int(step)) for step in steps]
    order = np.argsort(first.rates[0], kind="stable")
    followed = order[np.linspace(0, order.size - 1, FOLLOWED).round().astype(int)]
    return Thread(
        method=first.method,
        mean_rate=first.mean_rate,
        hardest_quarter=first.hardest_quarter,
        hardest_low=hardest.min(0),
        hardest_high=hardest.max(0),
        twin=twin.hardest_quarter,
        silent=first.silent,
        silent_predicted=first.silent_predicted,
        r2=first.r2_silent,
        rollouts=first.rollouts_by_step,
        mass_steps=steps,
        mass=np.stack([mass.measured for mass in masses]),
        mass_predicted=np.stack([mass.predicted for mass in masses]),
        mass_limit=np.stack([first.limit_at(int(step)) for step in steps]),
        followed=first.rates[:, followed],
    )

"""What the recorded run consists of: one frozen description for each training run, and the list of them all."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from stdial.method import DAPO, DR_GRPO, GRPO, Method

__all__ = ["METHODS", "WARM_UP_SEEDS", "RunSettings", "recorded_runs"]

METHODS: dict[str, Method] = {method.name: method for method in (GRPO, DR_GRPO, DAPO)}
WARM_UP_SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class RunSettings:
    """One training run.

    method : GRPO, Dr. GRPO or DAPO (which draws until ``prompts`` groups are live, at most ``rounds`` times).
    verifier : ``exact`` or ``near``. seed : of the warm-up, the prompts' order and every draw.
    optimizer : ``adam`` (betas .9 and .95) or ``sgd``. steps : batches. updates : optimizer steps on each batch.
    prompts, size : groups in a batch, and G. clip : how far a ratio may leave 1 before it is clipped.
    probes : live groups measured by autograd at every step.

    >>> RunSettings("GRPO", "exact", 0).name
    'GRPO, exact, adam 0.0003, seed 0'
    """

    method: str
    verifier: str
    seed: int
    optimizer: str = "adam"
    learning_rate: float = 3e-4
    steps: int = 250
    updates: int = 1
    prompts: int = 64
    size: int = 8
    clip: float = 0.2
    rounds: int = 8
    probes: int = 2

    @property
    def name(self) -> str:
        """What sets the run apart, in words."""
        words = [self.method, self.verifier, f"{self.optimizer} {self.learning_rate:g}", f"seed {self.seed}"]
        if self.updates > 1:
            words.append(f"{self.updates} updates")
        if self.size != 8:
            words.append(f"G {self.size}")
        return ", ".join(words)


def recorded_runs() -> list[RunSettings]:
    """Every training run of the record, the three methods on the same seeds throughout.

    >>> len(recorded_runs()) == len({run.name for run in recorded_runs()})
    True
    """
    runs: list[RunSettings] = []

    def add(verifier: str, optimizer: str, rates: tuple[float, ...], seeds: tuple[int, ...]) -> None:
        runs.extend(
            RunSettings(method, verifier, seed, optimizer, rate)
            for rate, seed, method in itertools.product(rates, seeds, METHODS)
        )

    add("exact", "adam", (3e-4,), WARM_UP_SEEDS)
    # Thrice the steps without dynamic sampling: about the rollouts that DAPO spends in its 250 steps.
    runs = [replace(run, steps=750) if run.method != DAPO.name else run for run in runs]
    add("near", "adam", (3e-4,), WARM_UP_SEEDS)
    add("exact", "adam", (1e-4, 1e-3), WARM_UP_SEEDS[:2])
    add("exact", "sgd", (3e-3, 1e-2), WARM_UP_SEEDS[:2])
    several = RunSettings("GRPO", "exact", 0, steps=40, updates=4, probes=4)
    runs.extend(replace(several, learning_rate=rate) for rate in (1e-5, 1e-4, 3e-4))
    wide = RunSettings("GRPO", "exact", 0, prompts=16, size=32)
    runs.extend(replace(wide, method=method) for method in ("GRPO", "Dr. GRPO"))
    return runs

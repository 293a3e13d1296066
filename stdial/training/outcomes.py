"""Pass rates of the recorded runs at equal steps and at equal rollouts, by method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stdial.training.record import Evaluations, Record

__all__ = ["curve", "final_rates", "matching_runs", "rates_at_rollouts"]


def matching_runs(
    record: Record,
    method: str,
    *,
    verifier: str = "exact",
    optimizer: str = "adam",
    learning_rate: float = 3e-4,
    seeds: tuple[int, ...] | None = None,
) -> list[int]:
    """Numbers of the runs with these settings, one update a batch and G = 8, by seed."""
    runs = record.runs
    fits = (runs.method == method) & (runs.verifier == verifier) & (runs.optimizer == optimizer)
    fits &= np.isclose(runs.learning_rate, learning_rate) & (runs.updates == 1) & (runs.size == 8)
    if seeds is not None:
        fits &= np.isin(runs.seed, seeds)
    return [int(number) for number in runs.run[fits]]


def curve(record: Record, run: int, *, split: str = "pool", by: str = "all", level: str = "all") -> Evaluations:
    """Evaluations of one run, in the order of steps.

    >>> from stdial.training import record
    >>> int(curve(record.load(), 0).step[0])
    0
    """
    rows = record.evaluations
    return rows.take((rows.run == run) & (rows.split == split) & (rows.by == by) & (rows.level == level))


def final_rates(
    record: Record, step: int, *, split: str = "pool", by: str = "all", level: str = "all", **settings: object
) -> dict[str, list[float]]:
    """Pass rates at one step, by method one number a seed; methods without such a run are left out."""
    found: dict[str, list[float]] = {}
    for method in dict.fromkeys(record.runs.method):
        for run in matching_runs(record, method, **settings):  # type: ignore[arg-type]
            rows = curve(record, run, split=split, by=by, level=level)
            if (rows.step == step).any():
                found.setdefault(method, []).append(float(rows.rate[rows.step == step][0]))
    return found


def rates_at_rollouts(
    record: Record, rollouts: int, *, split: str = "pool", by: str = "all", level: str = "all", **settings: object
) -> dict[str, list[float]]:
    """Pass rates after so many rollouts, linear between evaluations; runs that spend fewer are left out."""
    found: dict[str, list[float]] = {}
    for method in dict.fromkeys(record.runs.method):
        for run in matching_runs(record, method, **settings):  # type: ignore[arg-type]
            rows = curve(record, run, split=split, by=by, level=level)
            if rows.rollouts[-1] >= rollouts:
                found.setdefault(method, []).append(float(np.interp(rollouts, rows.rollouts, rows.rate)))
    return found

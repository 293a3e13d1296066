"""Pass rates of the recorded runs at equal steps and at equal rollouts, and what they say of the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stdial import expectation
from stdial.method import GRPO
from stdial.training.statement import METHODS, Finding, make

if TYPE_CHECKING:
    from stdial.training.record import Record
    from stdial.training.tables import Evaluations

__all__ = [
    "curve",
    "final_rates",
    "matching_runs",
    "of_grpo_and_dr_grpo",
    "of_held_out",
    "of_learning_rates",
    "of_methods",
    "rates_at_rollouts",
]

STEPS, ROLLOUTS = 250, 128_000  # of a run without dynamic sampling


def matching_runs(
    record: Record,
    method: str,
    *,
    verifier: str = "exact",
    optimizer: str = "adam",
    learning_rate: float = 3e-4,
    size: int = 8,
    seeds: tuple[int, ...] | None = None,
) -> list[int]:
    """Numbers of the runs with these settings, one update a batch, by seed."""
    runs = record.runs
    fits = (runs.method == method) & (runs.verifier == verifier) & (runs.optimizer == optimizer)
    fits &= np.isclose(runs.learning_rate, learning_rate) & (runs.updates == 1) & (runs.size == size)
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
    record: Record, step: int, *, split: str = "pool", by: str = "all", level: str = "all", **settings: Any
) -> dict[str, list[float]]:
    """Pass rates at one step, by method one number a seed; methods without such a run are left out."""
    found: dict[str, list[float]] = {}
    for method in dict.fromkeys(record.runs.method):
        for run in matching_runs(record, method, **settings):
            rows = curve(record, run, split=split, by=by, level=level)
            if (rows.step == step).any():
                found.setdefault(method, []).append(float(rows.rate[rows.step == step][0]))
    return found


def rates_at_rollouts(
    record: Record, rollouts: int, *, split: str = "pool", by: str = "all", level: str = "all", **settings: Any
) -> dict[str, list[float]]:
    """Pass rates after so many rollouts, linear between evaluations; runs that spend fewer are left out."""
    found: dict[str, list[float]] = {}
    for method in dict.fromkeys(record.runs.method):
        for run in matching_runs(record, method, **settings):
            rows = curve(record, run, split=split, by=by, level=level)
            if rows.rollouts[-1] >= rollouts:
                found.setdefault(method, []).append(float(np.interp(rollouts, rows.rollouts, rows.rate)))
    return found


def of_methods(record: Record) -> Finding | None:
    """Which method is ahead after as many steps, and which after as many rollouts."""
    at_steps, at_rollouts = final_rates(record, STEPS), rates_at_rollouts(record, ROLLOUTS)
    if len(at_steps) < len(METHODS) or len(at_rollouts) < len(METHODS):
        return None
    spent = {method: _rollouts_of(record, method) for method in METHODS}
    most = int(min(record.steps.rollouts[record.steps.run == run].max() for run in _main_runs(record)))
    at_most = rates_at_rollouts(record, most)
    return make(
        "methods",
        "The method that is ahead at equal steps is ahead at equal rollouts.",
        _best(at_steps) == _best(at_rollouts) == _best(at_most),
        f"Pool pass rate after {STEPS} steps: {_words(at_steps)}; for these DAPO spends"
        f" {spent['DAPO'] / spent['GRPO']:.1f} times the rollouts. After {ROLLOUTS:,} rollouts: {_words(at_rollouts)}."
        f" After {most:,}: {_words(at_most)}.",
        after_steps=at_steps,
        after_rollouts=at_rollouts,
        after_most_rollouts=at_most,
        hardest_quarter_after_steps=final_rates(record, STEPS, by="quarter", level="hardest"),
        hardest_quarter_after_rollouts=rates_at_rollouts(record, ROLLOUTS, by="quarter", level="hardest"),
        rollouts=spent,
        most_rollouts=most,
    )


def _best(rates: dict[str, list[float]]) -> str:
    return max(rates, key=lambda method: float(np.mean(rates[method])))


def _words(rates: dict[str, list[float]]) -> str:
    return ", ".join(f"{method} {np.mean(rates[method]):.3f}" for method in METHODS)


def _main_runs(record: Record) -> list[int]:
    return [run for method in METHODS for run in matching_runs(record, method)]


def _rollouts_of(record: Record, method: str) -> float:
    """Rollouts that the method's main runs spend in ``STEPS`` steps, mean over seeds."""
    steps = record.steps
    chosen = (steps.step == STEPS) & np.isin(steps.run, matching_runs(record, method))
    return float(steps.rollouts[chosen].mean())


def of_grpo_and_dr_grpo(record: Record) -> Finding | None:
    """How far GRPO and Dr. GRPO end apart, beside how much their difficulty weights differ."""
    settings: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "adam": ({}, {}),
        "G 32": ({"size": 32}, {"size": 32}),
        "sgd": ({"optimizer": "sgd", "learning_rate": 3e-3}, {"optimizer": "sgd", "learning_rate": 3e-3}),
        "sgd, rescaled": ({"optimizer": "sgd", "learning_rate": 3e-3}, {"optimizer": "sgd", "learning_rate": 1e-2}),
    }
    gaps: dict[str, list[float]] = {}
    for name, (of_grpo, of_dr_grpo) in settings.items():
        first = final_rates(record, STEPS, **of_grpo).get("GRPO", [])
        second = final_rates(record, STEPS, **of_dr_grpo).get("Dr. GRPO", [])
        if first and len(first) == len(second):
            gaps[name] = [a - b for a, b in zip(first, second, strict=True)]
    if len(gaps) < len(settings):
        return None
    spread = {size: float(np.divide(*expectation.weight([0.0, 0.5], size, GRPO))) for size in (8, 32)}
    mean = {name: float(np.mean(values)) for name, values in gaps.items()}
    return make(
        "GRPO and Dr. GRPO",
        "At G = 8, once the step size is matched, GRPO and Dr. GRPO learn about equally fast.",
        abs(mean["adam"]) < 0.02 and abs(mean["sgd, rescaled"]) < 0.02,
        f"GRPO's pool pass rate minus Dr. GRPO's after {STEPS} steps: {mean['adam']:+.3f} with Adam, which hides any"
        f" common scale; {mean['sgd']:+.3f} with SGD at one learning rate, {mean['sgd, rescaled']:+.3f} with Dr. GRPO's"
        f" raised from 0.003 to 0.01; {mean['G 32']:+.3f} with Adam at G = 32. GRPO's difficulty weight varies"
        f" {spread[8]:.2f}-fold over p at G = 8, {spread[32]:.2f}-fold at G = 32.",
        gaps=gaps,
        weight_spread=spread,
    )


def of_learning_rates(record: Record) -> Finding | None:
    """Whether one method leads, on every seed, whatever optimizer and learning rate."""
    rates: dict[str, dict[str, list[float]]] = {}
    pairs = {(str(o), float(f"{r:g}")) for o, r in zip(record.runs.optimizer, record.runs.learning_rate, strict=True)}
    for optimizer, rate in sorted(pairs):
        found = rates_at_rollouts(record, ROLLOUTS, optimizer=optimizer, learning_rate=rate, seeds=(0, 1))
        if len(found) == len(METHODS):
            rates[f"{optimizer} {rate:g}"] = found
    if len(rates) < 2:
        return None
    leaders = {name: _leader(found) for name, found in rates.items()}
    distinct = {leader for leader in leaders.values() if leader}
    return make(
        "learning rates",
        "The same method leads whatever the optimizer and the learning rate.",
        len(distinct) == 1 if distinct else None,
        f"Pool pass rate after {ROLLOUTS:,} rollouts, mean of two seeds: "
        + "; ".join(f"{name}: {_words(found)}" for name, found in rates.items())
        + ".",
        rates=rates,
        leads_on_every_seed=leaders,
    )


def _leader(rates: dict[str, list[float]]) -> str | None:
    """Name the method that is ahead on every seed, if one is."""
    ahead = {max(rates, key=lambda method: rates[method][seed]) for seed in range(len(rates["GRPO"]))}
    return ahead.pop() if len(ahead) == 1 else None


def of_held_out(record: Record) -> Finding | None:
    """How much of what is learnt on the pool shows on problems never trained on."""
    pool, held = final_rates(record, STEPS), final_rates(record, STEPS, split="held out")
    if len(held) < len(METHODS):
        return None
    gaps = {method: float(np.mean(pool[method]) - np.mean(held[method])) for method in METHODS}
    words = ", ".join(f"{method} {np.mean(held[method]):.3f} ({gap:+.3f})" for method, gap in gaps.items())
    return make(
        "held out",
        "What is learnt on the pool carries over to problems never trained on.",
        max(gaps.values()) < 0.1,
        f"Held-out pass rate after {STEPS} steps, in brackets how much higher the pool's is: {words}.",
        held_out={method: held[method] for method in METHODS},
        gap=gaps,
    )

"""What held and what did not in a recorded run: every sentence is computed from the record's tables.

Each finding is a dict: ``name``, ``claim`` (what theory or common belief says), ``held`` (true, false, or None where
there is nothing to judge), ``sentence`` (what was measured) and ``numbers`` (the figures in it).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial import expectation
from stdial.training.outcomes import final_rates, rates_at_rollouts

if TYPE_CHECKING:
    from stdial.training.record import Probes, Record

__all__ = ["compute", "explained"]

Finding = dict[str, Any]
METHODS = ("GRPO", "Dr. GRPO", "DAPO")


def compute(record: Record) -> list[Finding]:
    """All findings that the record has the data for.

    >>> from stdial.training import record
    >>> compute(record.load()) == record.load().findings
    True
    """
    found = (part(record) for part in _PARTS)
    return [finding for finding in found if finding is not None]


def _finding(name: str, claim: str, held: bool | None, sentence: str, **numbers: Any) -> Finding:
    rounded = {key: _plain(value) for key, value in numbers.items()}
    return {"name": name, "claim": claim, "held": held, "sentence": sentence, "numbers": rounded}


def _plain(value: Any) -> Any:
    """JSON's own types, floats to six significant digits."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{float(value):.6g}") if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


def explained(log_norm: NDArray[np.float64], log_c: NDArray[np.float64]) -> float:
    """Share of the variance of log |g| that a straight line in log c explains.

    >>> explained(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    1.0
    """
    return round(float(np.corrcoef(log_norm, log_c)[0, 1] ** 2), 12)


def _first(record: Record, verifier: str | None = None, methods: tuple[str, ...] = METHODS) -> Probes:
    """Live groups measured on the first update of a batch, in runs of these methods at G = 8."""
    runs = record.runs
    fits = np.isin(runs.method, methods) & (runs.size == 8)
    if verifier is not None:
        fits &= runs.verifier == verifier
    probes = record.probes
    return probes.take((probes.update == 1) & np.isin(probes.run, runs.run[fits]))


def _identity(record: Record) -> Finding | None:
    probes = record.probes.take(record.probes.update == 1)
    if not len(probes):
        return None
    largest = float(probes.error.max())
    double = record.ladder.take((record.ladder.rung == "float64") & (record.ladder.k % 8 > 0))
    finest = float(double.error.max()) if len(double) else float("nan")
    in_double = f"; in float64 {finest:.1e} over {len(double)} groups" if len(double) else ""
    return _finding(
        "identity",
        "On the first update of a batch the group's gradient is c (s+ - s-) to rounding.",
        largest < 1e-5 and not finest > 1e-12,
        f"Over {len(probes):,} sampled groups the largest relative error in float32 is {largest:.1e}"
        f" (median {np.median(probes.error):.1e}){in_double}.",
        groups=len(probes),
        median=np.median(probes.error),
        largest=largest,
        largest_float64=finest,
    )


def _silent_groups(record: Record) -> Finding | None:
    silent = record.ladder.take(record.ladder.k % 8 == 0)
    if not len(silent):
        return None
    largest = float(silent.norm.max())
    return _finding(
        "silent groups",
        "A silent group has gradient 0.",
        largest == 0,
        f"The largest gradient norm of {len(silent)} silent groups is {largest:g}.",
        groups=len(silent),
        largest=largest,
    )


def _ladder(record: Record) -> Finding | None:
    rungs = {
        name: record.ladder.take((record.ladder.rung == name) & (record.ladder.k % 8 > 0))
        for name in dict.fromkeys(record.ladder.rung)
    }
    if "length, per answer" not in rungs:
        return None
    medians = {name: float(np.median(rows.error)) for name, rows in rungs.items()}
    worst = float(rungs["length, per answer"].scaled_error.max())
    group_mean = float(rungs["length, per group"].scaled_error.max())
    return _finding(
        "conventions",
        "Frameworks' conventions leave the identity as it is.",
        False,
        f"Median relative error: epsilon 1e-4 {medians['epsilon 1e-4']:.1e}, ddof 1 {medians['ddof 1']:.3f} (both are"
        f" factors). Averaging every answer over its own length bends the direction, by up to {worst:.2f}; one token"
        f" mean over the group is exact up to a factor ({group_mean:.0e}).",
        medians=medians,
        per_answer_largest_after_scaling=worst,
        per_group_largest_after_scaling=group_mean,
    )


def _coefficient(record: Record) -> Finding | None:
    shares: dict[str, float] = {}
    for verifier in ("exact", "near"):
        probes = _first(record, verifier, ("GRPO", "DAPO"))
        if len(probes) > 20:
            shares[verifier] = explained(np.log(probes.norm), np.log(probes.c))
    if "exact" not in shares:
        return None
    near = f", {shares['near']:.0%} where many strings are right" if "near" in shares else ""
    return _finding(
        "size of the update",
        "Sigma tells how far a group moves the weights.",
        min(shares.values()) > 0.5,
        f"Among live groups sigma explains {shares['exact']:.0%} of the variance of log |g| where one string is"
        f" right{near}: it is the exact coefficient, and |s+ - s-| does the rest.",
        explained=shares,
    )


def _contrast(record: Record) -> Finding | None:
    by_k: dict[str, list[float]] = {}
    for verifier in ("exact", "near"):
        probes = _first(record, verifier)
        if len(probes) > 100:
            by_k[verifier] = [float(np.median(probes.contrast[probes.k == k])) for k in range(1, 8)]
    if "exact" not in by_k:
        return None
    exact = by_k["exact"]
    near = ""
    if "near" in by_k:
        near = f" Where many strings are right it goes from {by_k['near'][0]:.0f} to {by_k['near'][-1]:.0f}."
    return _finding(
        "contrast",
        "The contrast |s+ - s-| is about the same for every k.",
        all(max(values) / min(values) < 1.25 for values in by_k.values()),
        f"Where one string is right its median goes from {exact[0]:.0f} at k = 1 to {exact[-1]:.0f} at k = 7: the same"
        f" sigma, {exact[-1] / exact[0]:.1f} times the step.{near}",
        median_by_k=by_k,
    )


def _silence(record: Record) -> Finding | None:
    steps = record.steps.take(np.isfinite(record.steps.silent_predicted) & np.isfinite(record.steps.silent_variance))
    if not len(steps):
        return None
    gap = steps.silent - steps.silent_predicted
    mean = float(gap.mean())
    error = float(np.sqrt(steps.silent_variance.sum())) / len(steps)
    spread = float(np.mean(gap**2 / steps.silent_variance))
    return _finding(
        "silence",
        "The silent share is the mean of p^G + (1 - p)^G.",
        abs(mean) < 3 * error and abs(spread - 1) < 4 * float(np.sqrt(2 / len(steps))),
        f"Over {len(steps):,} steps measured minus predicted is {mean:+.5f} on average (standard error {error:.5f});"
        f" the scatter of single steps is {spread:.2f} times the variance that independent groups have.",
        steps=len(steps),
        mean_difference=mean,
        standard_error=error,
        scatter=spread,
    )


def _mean_rate(record: Record) -> Finding | None:
    pool = record.problems.take(record.problems.split == "pool")
    if not len(pool):
        return None
    right = float(expectation.silent_rate(pool.p, 8).mean())
    wrong = float(expectation.silent_rate(float(pool.p.mean()), 8))
    return _finding(
        "mean pass rate",
        "The pool's mean pass rate tells how many groups are silent.",
        abs(right - wrong) < 0.02,
        f"At the start {right:.1%} of groups are silent at G = 8; from the mean pass rate it would be {wrong:.1%}.",
        from_distribution=right,
        from_mean=wrong,
    )


def _averages(record: Record) -> Finding | None:
    rows = record.averages
    if not len(rows):
        return None
    ratio = rows.norm / rows.expected_norm
    return _finding(
        "expected update",
        "On average a group's gradient is w_G(p) grad p, with w_G = (G - 1) / G for Dr. GRPO.",
        bool(rows.cosine.min() > 0.99 and np.abs(ratio - 1).max() < 0.1),
        f"Means over {int(rows.groups[0]):,} groups of a prompt have a cosine of at least {rows.cosine.min():.4f} with"
        f" it, and {ratio.min():.3f} to {ratio.max():.3f} times its length.",
        smallest_cosine=rows.cosine.min(),
        smallest_ratio=ratio.min(),
        largest_ratio=ratio.max(),
    )


def _later_updates(record: Record) -> Finding | None:
    runs = record.runs.take(record.runs.updates > 1)
    errors: dict[str, list[float]] = {}
    unclipped: dict[str, list[float]] = {}
    for run, rate, updates in zip(runs.run, runs.learning_rate, runs.updates, strict=True):
        probes = record.probes.take(record.probes.run == run)
        for store, values in ((errors, probes.error), (unclipped, probes.unclipped_error)):
            store[f"{rate:g}"] = [float(np.nanmedian(values[probes.update == u])) for u in range(2, updates + 1)]
    if not errors:
        return None
    words = "; ".join(f"{', '.join(f'{e:.3f}' for e in values)} at {rate}" for rate, values in errors.items())
    return _finding(
        "later updates",
        "The identity also describes the second and later updates on a batch.",
        max(max(values) for values in errors.values()) < 1e-3,
        f"Median relative error at updates 2, 3 and 4, by Adam's learning rate: {words}; without the clip it is"
        f" {max(max(values) for values in unclipped.values()):.3f} at most.",
        median=errors,
        median_without_clip=unclipped,
    )


def _methods(record: Record) -> Finding | None:
    equal_steps, equal_rollouts = final_rates(record, 250), rates_at_rollouts(record, 128_000)
    if len(equal_steps) < 3 or len(equal_rollouts) < 3:
        return None

    def words(rates: dict[str, list[float]]) -> str:
        return ", ".join(f"{method} {np.mean(rates[method]):.3f}" for method in METHODS)

    spent = {m: float(np.mean(_rollouts(record, m))) for m in METHODS}
    best_steps = max(METHODS, key=lambda m: float(np.mean(equal_steps[m])))
    best_rollouts = max(METHODS, key=lambda m: float(np.mean(equal_rollouts[m])))
    return _finding(
        "methods",
        "The method that is ahead at equal steps is ahead at equal rollouts.",
        best_steps == best_rollouts,
        f"Pool pass rate after 250 steps: {words(equal_steps)}; DAPO spends {spent['DAPO'] / spent['GRPO']:.1f} times"
        f" the rollouts. After 128,000 rollouts: {words(equal_rollouts)}.",
        after_250_steps=equal_steps,
        after_128000_rollouts=equal_rollouts,
        rollouts_of_250_steps=spent,
    )


def _rollouts(record: Record, method: str) -> list[float]:
    runs = record.runs
    fits = runs.run[_main(record, 3e-4, "adam") & (runs.method == method)]
    steps = record.steps.take(record.steps.step == 250)
    return [float(steps.rollouts[steps.run == run][0]) for run in fits if (steps.run == run).any()]


def _main(record: Record, rate: float, optimizer: str, verifier: str = "exact") -> NDArray[np.bool_]:
    runs = record.runs
    fits = np.isclose(runs.learning_rate, rate) & (runs.optimizer == optimizer) & (runs.verifier == verifier)
    return np.asarray(fits & (runs.updates == 1) & (runs.size == 8))


def _learning_rates(record: Record) -> Finding | None:
    orders: dict[str, list[str]] = {}
    rates: dict[str, dict[str, float]] = {}
    for optimizer, rate in sorted(
        {(o, float(f"{r:g}")) for o, r in zip(record.runs.optimizer, record.runs.learning_rate, strict=True)}
    ):
        found = rates_at_rollouts(record, 128_000, optimizer=optimizer, learning_rate=rate, seeds=(0, 1))
        if len(found) == 3:
            name = f"{optimizer} {rate:g}"
            rates[name] = {m: float(np.mean(found[m])) for m in METHODS}
            orders[name] = sorted(METHODS, key=lambda m: -rates[name][m])
    if len(orders) < 2:
        return None
    words = "; ".join(
        f"{name}: {', '.join(f'{m} {rates[name][m]:.3f}' for m in order)}" for name, order in orders.items()
    )
    return _finding(
        "learning rates",
        "The order of the methods does not depend on optimizer and learning rate.",
        len({tuple(order) for order in orders.values()}) == 1,
        f"Pool pass rate after 128,000 rollouts (two seeds), best first. {words}.",
        rates=rates,
    )


def _held_out(record: Record) -> Finding | None:
    pool, held = final_rates(record, 250), final_rates(record, 250, split="held out")
    if not pool or not held:
        return None
    gaps = {m: float(np.mean(pool[m]) - np.mean(held[m])) for m in pool}
    words = ", ".join(f"{m} {np.mean(held[m]):.3f} ({gap:+.3f})" for m, gap in gaps.items())
    return _finding(
        "held out",
        "What is learnt on the pool carries over to problems never trained on.",
        max(gaps.values()) < 0.1,
        f"Held-out pass rate after 250 steps, in brackets how much higher the pool's is: {words}.",
        held_out={m: float(np.mean(values)) for m, values in held.items()},
        gap=gaps,
    )


_PARTS: tuple[Callable[[Any], Finding | None], ...] = (
    _identity,
    _silent_groups,
    _silence,
    _mean_rate,
    _averages,
    _coefficient,
    _contrast,
    _ladder,
    _later_updates,
    _methods,
    _learning_rates,
    _held_out,
)

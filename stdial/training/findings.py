"""What held and what did not in a recorded run: every sentence is computed from the record's tables.

``python -m stdial.training.findings FILE`` computes them anew for a record that is there, and stores them in it.
Each finding is a dict: ``name``, ``claim`` (what theory or common belief says), ``held`` (true, false, or None where
there is nothing to judge), ``sentence`` (what was measured) and ``numbers`` (the figures in it).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial import binomial, expectation, group
from stdial.method import DR_GRPO, GRPO, Method
from stdial.training import outcomes
from stdial.training.statement import METHODS, Finding, make

if TYPE_CHECKING:
    from stdial.training.record import Record
    from stdial.training.tables import Probes

__all__ = ["compute", "explained"]

METHOD_OF = {method.name: method for method in (GRPO, DR_GRPO)}


def compute(record: Record) -> list[Finding]:
    """All findings that the record has the data for.

    >>> from stdial.training import record
    >>> compute(record.load()) == record.load().findings
    True
    """
    found = (part(record) for part in _PARTS)
    return [finding for finding in found if finding is not None]


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
    return make(
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
    return make(
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
    return make(
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
    return make(
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
    return make(
        "contrast",
        "The contrast |s+ - s-| is about the same for every k.",
        all(max(values) / min(values) < 1.25 for values in by_k.values()),
        f"Where one string is right its median goes from {exact[0]:.0f} at k = 1 to {exact[-1]:.0f} at k = 7: the same"
        f" sigma, {exact[-1] / exact[0]:.1f} times the step.{near}",
        median_by_k=by_k,
    )


def _silence(record: Record) -> Finding | None:
    steps = record.steps.take(np.isfinite(record.steps.silent_variance))
    if not len(steps):
        return None
    gap = steps.silent - steps.silent_predicted
    mean = float(gap.mean())
    error = float(np.sqrt(steps.silent_variance.sum())) / len(steps)
    scatter = float(np.mean(gap**2 / steps.silent_variance))
    tried = record.steps.take(np.isnan(record.steps.silent_variance) & np.isfinite(record.steps.silent_predicted))
    near = float((tried.silent - tried.silent_predicted).mean()) if len(tried) else None
    from_tries = "" if near is None else f" Where p is known from 64 fresh tries only, it is {near:+.5f}."
    return make(
        "silence",
        "The silent share is the mean of p^G + (1 - p)^G.",
        abs(mean) < 3 * error and abs(scatter - 1) < 4 * float(np.sqrt(2 / len(steps))),
        f"Over {len(steps):,} steps measured minus predicted is {mean:+.5f} on average (standard error {error:.5f});"
        f" the scatter of single steps is {scatter:.2f} times the variance that independent groups have.{from_tries}",
        steps=len(steps),
        mean_difference=mean,
        standard_error=error,
        scatter=scatter,
        mean_difference_from_tries=near,
    )


def _mean_rate(record: Record) -> Finding | None:
    pool = record.problems.take(record.problems.split == "pool")
    if not len(pool):
        return None
    right = float(expectation.silent_rate(pool.p, 8).mean())
    wrong = float(expectation.silent_rate(float(pool.p.mean()), 8))
    return make(
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
    noise = np.array(
        [
            _relative_noise(p, METHOD_OF[name]) / np.sqrt(n)
            for p, name, n in zip(rows.p, rows.method, rows.groups, strict=True)
        ]
    )
    farthest = float((np.abs(ratio - 1) / noise).max())
    return make(
        "expected update",
        "On average a group's gradient is w_G(p) grad p, with w_G = (G - 1) / G for Dr. GRPO.",
        bool(rows.cosine.min() > 0.99 and farthest < 4),
        f"Means over {int(rows.groups[0]):,} groups of a prompt have a cosine of at least {rows.cosine.min():.4f} with it"
        f" and {ratio.min():.3f} to {ratio.max():.3f} times its length, where the draws leave it open by"
        f" {noise.min():.1%} to {noise.max():.1%} (one standard error; the farthest of {len(rows)} is off by"
        f" {farthest:.1f} of them).",
        smallest_cosine=rows.cosine.min(),
        smallest_ratio=ratio.min(),
        largest_ratio=ratio.max(),
        farthest_in_standard_errors=farthest,
    )


def _relative_noise(p: float, method: Method, size: int = 8) -> float:
    """Standard deviation of one group's c over its mean: how much drawn means scatter at the least."""
    k = np.arange(size + 1.0)
    chance, c = binomial.probability(size, np.full(size + 1, p), k), group.update(k, size, method)
    mean = float(chance @ c)
    return float(np.sqrt(chance @ c**2 - mean**2)) / mean


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
    return make(
        "later updates",
        "The identity also describes the second and later updates on a batch.",
        max(max(values) for values in errors.values()) < 1e-3,
        f"Median relative error at updates 2, 3 and 4, by Adam's learning rate: {words}; without the clip, which shrinks |g|, it is"
        f" {max(max(values) for values in unclipped.values()):.3f} at most.",
        median=errors,
        median_without_clip=unclipped,
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
    outcomes.of_methods,
    outcomes.of_grpo_and_dr_grpo,
    outcomes.of_learning_rates,
    outcomes.of_held_out,
)

if __name__ == "__main__":
    from stdial.training import record as records

    for file in map(Path, sys.argv[1:]):
        records.replace_about(file, findings=compute(records.Record(file)))

"""Which convention made these advantages: every one of the table is tried on the rewards, and the ties are named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from stdial.frameworks.arithmetic import Floats
from stdial.frameworks.convention import Convention, describe
from stdial.frameworks.lookup import FRAMEWORKS
from stdial.frameworks.rules import apply, to_groups

__all__ = ["Match", "Tie", "identify"]

PAPER = "the paper (arXiv 2607.00152)"
_PAPER = {
    "GRPO": Convention(divide="std", zero_std="zero"),
    "Dr. GRPO": Convention(),
    "RLOO": Convention(centre="others"),
}
_ULPS = 4e-7  # a few roundings of float32, relative to the advantage or to 1
_DUST = 1e-4  # the most that rounding in nearly silent groups moves the mean of a whitened batch

PROBES: tuple[tuple[str, tuple[tuple[float, ...], ...], str], ...] = (
    ("a group of a single answer", ((1,),), "float64"),
    ("groups of different difficulty from the same batch", ((1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 1)), "float64"),
    ("a group of two answers", ((1, 0),), "float64"),
    ("a group of eight answers with one right", ((1, 0, 0, 0, 0, 0, 0, 0),), "float64"),
    ("partial-credit rewards", ((0, 0.25, 1, 1),), "float64"),
    ("rewards below zero", ((-1, -1, -1, 1),), "float64"),
    ("a nearly silent group, such as 1, 1, 1, .999", ((1, 1, 1, 0.999),), "float64"),
    ("a constant group of eight rewards of .7 in float32", ((0.7,) * 8,), "float32"),
    ("groups of different sizes", ((1, 0), (1, 0, 0)), "float64"),
)
"""Batches that tell conventions apart: in words, as rewards, and the precision that they are fed in."""


@dataclass(frozen=True)
class Match:
    """A framework and options that were tried, and how close they come.

    residual : the largest difference to the log. dtype : the precision that comes closest. factor : for a convention
    over the batch, what the rest of the batch would have to make of it (nan where the given groups are the batch).
    """

    framework: str
    options: Mapping[str, Any]
    setting: str
    convention: str
    residual: float
    dtype: str
    factor: float = float("nan")


@dataclass(frozen=True)
class Tie:
    """Matches that these groups cannot tell apart.

    fits : whether they reproduce the log to its own digits. apart : what would tell them apart, in words; empty for a
    single convention, and for conventions that differ in precision only.
    """

    name: str
    fits: bool
    residual: float
    matches: tuple[Match, ...]
    apart: tuple[str, ...]


@dataclass(frozen=True)
class _Log:
    """Logged advantages end to end: which are finite, their values (0 elsewhere), and how far off a fit may be."""

    finite: Floats
    values: Floats
    allowed: Floats

    @classmethod
    def of(cls, logged: Floats) -> _Log:
        finite = np.isfinite(logged)
        values = np.where(finite, logged, 0.0)
        return cls(finite, values, _digits(values) + _ULPS * np.maximum(1.0, np.abs(values)))


@dataclass(frozen=True)
class _Try:
    residual: float
    excess: float  # the difference over what the digits of the log allow, at most 1 for a fit
    dtype: str
    factor: float


def identify(groups: Sequence[Sequence[float]], advantages: Sequence[Sequence[float]]) -> list[Tie]:
    """The conventions that could have produced logged advantages, best first.

    All that fit to the digits of the log come first, as one tie, the closest and simplest of them first; then the
    others by residual. For conventions over the batch the given groups are tried as the whole batch and, since a log
    often holds only some of it, with one free factor.

    Parameters
    ----------
    groups : the rewards of a group or two (or more).
    advantages : the logged advantages, in the same shape; nan is allowed.

    Raises
    ------
    ValueError
        For rewards that are not finite, or shapes that differ.

    Examples
    --------
    >>> best = identify([[1, 0, 0, 0], [1, 1, 0, 0]], [[1.7320468, -0.5773489, -0.5773489, -0.5773489],
    ...                                               [0.999998, 0.999998, -0.999998, -0.999998]])[0]
    >>> best.fits, sorted({m.framework for m in best.matches})
    (True, ['ART (local backend)', 'ms-swift', 'rLLM'])
    >>> best.apart[:2]  # ms-swift only if it whitens a batch that is not all here
    ('a group of a single answer', 'groups of different difficulty from the same batch')
    """
    rewards = to_groups(groups)
    log = _Log.of(_logged(rewards, advantages))
    tried = {c: _try(c, rewards, log) for c in _conventions()}
    fitting: list[tuple[float, Convention, Match]] = []
    other: dict[str, list[tuple[float, Convention, Match]]] = {}
    for name, options, setting, convention in _candidates():
        result = tried[convention]
        if result is None:
            continue
        text = describe(convention)
        match = Match(name, options, setting, text, result.residual, result.dtype, result.factor)
        where = fitting if result.excess <= 1 else other.setdefault(text, [])
        where.append((result.excess, convention, match))
    ties = [_tie(group, fits=False) for group in other.values()]
    ties.sort(key=lambda tie: tie.residual)
    return ([_tie(fitting, fits=True)] if fitting else []) + ties


@cache
def _candidates() -> tuple[tuple[str, Mapping[str, Any], str, Convention], ...]:
    return tuple(_all())


def _all() -> Iterator[tuple[str, Mapping[str, Any], str, Convention]]:
    for method, convention in _PAPER.items():
        yield PAPER, {"method": method}, method, convention
    for framework in FRAMEWORKS.values():
        for options, setting in zip(framework.choices(), framework.settings, strict=True):
            yield framework.name, options, setting.name, setting.convention


@cache
def _conventions() -> tuple[Convention, ...]:
    return tuple(dict.fromkeys(convention for *_, convention in _candidates()))


def _logged(rewards: Sequence[Floats], advantages: Sequence[Sequence[float]]) -> Floats:
    """The logged advantages end to end, checked against the shape of the rewards."""
    if len(advantages) != len(rewards):
        raise ValueError(f"advantages has {len(advantages)} groups; it must have as many as groups, {len(rewards)}")
    out = []
    for i, (given, group) in enumerate(zip(advantages, rewards, strict=True)):
        values = np.asarray(given, dtype=float)
        if values.shape != group.shape:
            raise ValueError(f"advantages[{i}] has shape {values.shape}; groups[{i}] has {group.shape}")
        out.append(values)
    return np.concatenate(out)


def _digits(values: Floats) -> Floats:
    """Half a unit of the last logged digit, an entry an advantage: by decimals or by significant digits, the coarser."""
    # the shortest text that reads back: a fixed number of figures would show the rounding of some logged decimals;
    # a float32 that was rounded to four decimals and then widened has four, not sixteen
    single = values.astype(np.float32)
    written = single if (single == values).all() else values
    texts = [np.format_float_scientific(abs(x), trim="-").split("e") for x in written if x]
    figures = [(len(m.replace(".", "")), int(e)) for m, e in texts] or [(1, 0)]
    significant = min(max(n for n, _ in figures), 15)
    decimals = max(n - 1 - e for n, e in figures)
    size = np.floor(np.log10(np.maximum(np.abs(values), 1e-300)))
    half: Floats = 0.5 * np.maximum(10.0 ** (size - significant + 1), 10.0**-decimals)
    return half


def _try(convention: Convention, rewards: Sequence[Floats], log: _Log) -> _Try | None:
    """The best of float64 and float32, of the given groups as the batch and of a free factor; None where refused."""
    found = []
    for dtype in ("float64", "float32"):
        try:
            parts = apply(convention, rewards, dtype)
        except ValueError:
            return None
        found.append(_compare(np.concatenate(parts).astype(float), log, dtype, float("nan")))
        if convention.batch_scoped:
            found.extend(_with_factor(convention, rewards, log, dtype))
    return min(found, key=lambda t: (t.excess > 1, not np.isnan(t.factor), t.excess))


def _compare(made: Floats, log: _Log, dtype: str, factor: float) -> _Try:
    finite = np.isfinite(made)
    if (finite != log.finite).any():
        return _Try(float("inf"), float("inf"), dtype, factor)
    difference = np.abs(np.where(finite, made, 0.0) - log.values)
    return _Try(float(difference.max()), float((difference / log.allowed).max()), dtype, factor)


def _with_factor(convention: Convention, rewards: Sequence[Floats], log: _Log, dtype: str) -> Iterator[_Try]:
    """The convention with what the unseen rest of the batch does as one free factor (and, uncentred, one shift)."""
    plain = replace(convention, whiten=None, multiply="nothing")
    if convention.divide == "std" and convention.std_scope == "batch":
        plain = replace(plain, divide="nothing")
    made = np.concatenate(apply(plain, rewards, dtype)).astype(float)
    if not (np.isfinite(made).all() and log.finite.all()):
        return
    logged = log.values
    found = [(_slope(made, logged), 0.0)]
    if convention.whiten is not None:
        factor = _slope(made - made.mean(), logged - logged.mean())
        shift = float(logged.mean() - factor * made.mean())
        # centred groups have a batch mean of rounding dust; a group of one answer can have any
        if any(group.size == 1 for group in rewards) or abs(shift) < _DUST:
            found.append((factor, shift))
    for factor, shift in found:
        if factor > 0:
            fit = _compare(factor * made + shift, log, dtype, factor)
            # least squares does not minimise the largest residual: the rounded log is allowed twice as much here
            yield replace(fit, excess=fit.excess / 2)


def _slope(x: Floats, y: Floats) -> float:
    """The least-squares factor from x to y, 1 where x is all 0."""
    norm = float(x @ x)
    return float(x @ y) / norm if norm > 0 else 1.0


def _tie(found: Sequence[tuple[float, Convention, Match]], fits: bool) -> Tie:
    ordered = sorted(found, key=lambda f: (not np.isnan(f[2].factor), f[0]))
    matches = tuple(match for _, _, match in ordered)
    texts = list(dict.fromkeys(match.convention for match in matches))
    name = texts[0] if len(texts) == 1 else f"{len(texts)} conventions that agree here: " + "; or ".join(texts)
    conventions = list(dict.fromkeys(convention for _, convention, _ in ordered))
    return Tie(name, fits, min(m.residual for m in matches), matches, _apart(conventions) if fits else ())


def _apart(conventions: Sequence[Convention]) -> tuple[str, ...]:
    """The probes on which the conventions do not all return the same."""
    if len(conventions) < 2:
        return ()
    return tuple(text for text, groups, dtype in PROBES if len({_answer(c, groups, dtype) for c in conventions}) > 1)


@cache
def _answer(convention: Convention, groups: tuple[tuple[float, ...], ...], dtype: str) -> str:
    """What a convention returns for a probe, to five figures; two that print alike are alike in a log."""
    try:
        parts = apply(convention, to_groups(groups), dtype)
    except ValueError:
        return "refused"
    return " ".join(f"{0.0 if abs(x) < 1e-6 else float(x):.5g}" for x in np.concatenate(parts))

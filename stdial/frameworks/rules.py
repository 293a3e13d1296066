"""From rewards to advantages, for any convention: the one place where they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stdial.frameworks.arithmetic import Floats, mean, std, total, variance
from stdial.frameworks.convention import Convention, Whitening

__all__ = ["apply", "spreads", "to_groups"]

DTYPES: dict[str, type[Any]] = {"float64": np.float64, "float32": np.float32}


def to_groups(groups: Sequence[Sequence[float]], name: str = "groups") -> list[Floats]:
    """Check a batch of groups and return each as a float64 array.

    Raises
    ------
    ValueError
        For no group, an empty group, or a reward that is not a finite number.
    """
    out = []
    for i, group in enumerate(groups):
        try:
            values = np.asarray(group, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{name}[{i}] is {group!r}; rewards must be finite numbers") from None
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"{name}[{i}] has shape {values.shape}; it must be a list of at least one reward")
        if not np.isfinite(values).all():
            raise ValueError(f"{name}[{i}] is {values.tolist()}; rewards must be finite numbers")
        out.append(values)
    if not out:
        raise ValueError(f"{name} is empty; it must hold at least one group")
    return out


def apply(convention: Convention, groups: Sequence[Floats], dtype: str = "float64") -> list[Floats]:
    """The advantages of a batch of groups (each a float64 array), fed to the framework as ``dtype``.

    Raises
    ------
    ValueError
        Where the framework refuses: a group of one answer, or groups of different sizes.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; it must be float64 or float32")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # nan and inf are what the frameworks return
        return _apply(convention, groups, dtype)


def _apply(c: Convention, groups: Sequence[Floats], dtype: str) -> list[Floats]:
    sizes = [group.size for group in groups]
    if c.ragged == "refused" and len(set(sizes)) > 1:
        raise ValueError(f"groups have sizes {sorted(set(sizes))}; this framework needs groups of one size")
    if c.single == "refused" and 1 in sizes:
        raise ValueError("a group has 1 answer; this framework refuses groups of fewer than 2")
    rewards = [group.astype(DTYPES[dtype]).astype(_dtype(c.rewards_in, dtype)) for group in groups]
    if c.ragged == "whole batch" and len(set(sizes)) > 1:
        whole = np.concatenate(rewards)
        out = [_group(c, whole, None)]
        out = list(np.split(out[0], np.cumsum(sizes)[:-1]))
    else:
        by = _batch_std(c, rewards) if c.divide == "std" and c.std_scope == "batch" else None
        out = [_group(c, group, by) for group in rewards]
    if c.multiply != "nothing":
        nonzero = sum(int(np.count_nonzero(group)) for group in rewards)
        # torch divides a whole number by a tensor of whole numbers in float32, by way of the reciprocal
        factor = np.float32(1) / np.float32(max(nonzero, 1)) * np.float32(sum(sizes))
        out = [group * group.dtype.type(factor) for group in out]
    if c.clip:
        out = [np.clip(group, -c.clip, c.clip) for group in out]
    if c.whiten:
        out = _whiten(c.whiten, out, c.sums)
    return [group.astype(_dtype(c.result_in, group.dtype)) for group in out]


def spreads(convention: Convention, rewards: Floats) -> Floats:
    """The standard deviation that each answer of a group of 2 or more is divided by, one entry an answer."""
    c = convention
    x = _for_statistics(c.statistics_in, rewards)
    if c.std_scope == "others":
        # sums of whole numbers below 2^24 are exact in any order, so equal rewards have equal others; else each by itself
        small = x.size * float(np.abs(x).max()) ** 2 < 2**24
        exact = c.std_by == "squares" and small and bool((x == np.rint(x)).all())
        _, first, back = np.unique(x if exact else np.arange(x.size), return_index=True, return_inverse=True)
        by = [_spread(c, np.delete(x, i), x.dtype.type(0), None) for i in first]
        return np.array(by, dtype=x.dtype)[back]
    about = _centre(c, x) if c.std_about == "centre" else None
    return np.full(x.size, _spread(c, x, x.dtype.type(0), about), dtype=x.dtype)


def _dtype(said: str, given: Any) -> Any:
    """The dtype that a word of the table means; ``given`` is a dtype or its name."""
    return given if said == "as given" else DTYPES[said]


def _for_statistics(said: str, x: Floats) -> Floats:
    """The numbers as mean and standard deviation see them."""
    if said == "rounded to float32":
        return x.astype(np.float32).astype(x.dtype)
    return x.astype(_dtype(said, x.dtype))


def _batch_rewards(c: Convention, rewards: Sequence[Floats]) -> Floats:
    """The numbers whose standard deviation is the batch's: the rewards, or what centring leaves of them."""
    if c.std_of == "rewards":
        return np.concatenate(rewards)
    return np.concatenate([group - _centre(c, group) for group in rewards])


def _batch_std(c: Convention, rewards: Sequence[Floats]) -> Any:
    """The standard deviation of the whole batch, in the precision of the statistics."""
    batch = _for_statistics(c.statistics_in, _batch_rewards(c, rewards))
    # the centred rewards have mean 0 already; deviations are taken around it and not around its rounding
    return std(batch, c.ddof, c.std_by, c.sums, batch.dtype.type(0) if c.std_about == "centre" else None)


def _centre(c: Convention, x: Floats) -> Floats:
    """What is taken away from each reward of a group, in the precision of ``x``."""
    if c.centre == "none":
        return np.zeros_like(x)
    if c.centre == "mean":
        return np.full_like(x, mean(x, c.sums))
    others: Floats = (total(x, c.sums) - x) / x.dtype.type(x.size - 1)
    return others


def _centred(c: Convention, rewards: Floats, x: Floats) -> Floats:
    """The rewards less their centre; ``x`` are the rewards in the precision of the statistics."""
    if c.centre != "others" or c.others_by == "sum of the others":
        return rewards - _centre(c, x)
    n, rest = x.dtype.type(x.size), x.dtype.type(x.size - 1)
    scaled = rewards * n / rest - mean(x, c.sums) * n / rest
    centred: Floats = scaled if c.others_by == "scaled mean" else (n * rewards - total(x, c.sums)) / rest
    return centred


def _spread(c: Convention, x: Floats, fallback: np.floating, about: Floats | None) -> np.floating:
    """One standard deviation, with the fallback where there are too few numbers for it."""
    if c.std_scope == "others" and x.size < 2:
        return fallback
    value = std(x, c.ddof, c.std_by, c.sums, about)
    # mean of squares minus squared mean can be negative: the frameworks that compute so turn the nan into 0
    return fallback if c.std_by == "squares" and np.isnan(value) else value


def _group(c: Convention, rewards: Floats, batch_std: Any) -> Floats:
    """The advantages of one group before any step over the batch; `batch_std` is None where it divides by none."""
    one = rewards.dtype.type
    if rewards.size == 1 and c.single != "formula":
        if c.single == "zero":
            return np.zeros_like(rewards)
        if c.single == "raw":
            return rewards.copy()
        single = one if c.single == "raw over 1 + eps" else np.float32
        raw: Floats = rewards / one(single(1) + single(c.eps))
        return raw
    x = _for_statistics(c.statistics_in, rewards)
    if c.kind == "best minus second":
        return _best_only(c, rewards)
    centred = _centred(c, rewards, x)
    if c.divide == "nothing":
        return centred
    if c.divide == "mean":
        by: Floats = np.full_like(x, mean(x, c.sums))
        small, rule = by <= c.zero_at, c.zero_mean
    else:
        by = np.full_like(x, batch_std) if batch_std is not None else spreads(c, rewards)
        small, rule = by <= c.zero_at, c.zero_std
    divided: Floats = centred / _with_eps(by, c.eps, c.eps_enters)
    if rule == "divide":
        return divided
    return np.where(small, centred if rule == "undivided" else np.zeros_like(centred), divided)


def _best_only(c: Convention, rewards: Floats) -> Floats:
    """Only the best answer is paid, by how far it is ahead of the second best."""
    order = np.argsort(-rewards, kind="stable")
    out = np.zeros_like(rewards)
    ahead = rewards[order[0]] - rewards[order[1]]
    if c.divide == "std":
        ahead = ahead / _with_eps(spreads(c, rewards)[:1], c.eps, c.eps_enters)[0]
    out[order[0]] = ahead
    return out


def _with_eps(by: Floats, eps: float, enters: str) -> Floats:
    out: Floats = by + by.dtype.type(eps) if enters == "added" else np.sqrt(_inside(by * by, eps, enters))
    return out


def _inside(variances: Any, eps: float, enters: str) -> Any:
    """Put eps under the root: added to the variance, or the least it can be."""
    small = variances.dtype.type(eps)
    return variances + small if enters == "inside the root" else np.maximum(variances, small)


def _whiten(w: Whitening, groups: Sequence[Floats], sums: str) -> list[Floats]:
    """Shift (and scale) the whole batch by its own mean (and standard deviation)."""
    flat = np.concatenate(groups)
    x = _for_statistics(w.statistics_in, np.repeat(flat, w.tokens))
    centre = mean(x, sums)
    out = [group - group.dtype.type(centre) for group in groups]
    if not w.scale:
        return out
    one = x.dtype.type
    if w.eps_enters != "added":
        inverse = one(1) / np.sqrt(_inside(one(variance(x, w.ddof, w.std_by, sums)), w.eps, w.eps_enters))
        return [group * group.dtype.type(inverse) for group in out]
    by = (std(x, w.ddof, w.std_by, sums) if x.size > 1 else one(0)) + one(w.eps)
    return [group / group.dtype.type(by) for group in out]

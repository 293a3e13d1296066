"""From rewards to advantages, for any convention: the one place where they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stdial.frameworks.arithmetic import Floats, count, mean, std, total, variance
from stdial.frameworks.convention import Convention, Whitening

__all__ = ["apply", "apply_counted", "spreads", "to_groups"]

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
        factor = _per_nonzero(sum(int(np.count_nonzero(group)) for group in rewards), sum(sizes))
        out = [group * group.dtype.type(factor) for group in out]
    if c.clip:
        out = [np.clip(group, -c.clip, c.clip) for group in out]
    if c.whiten:
        step = _whitening(c.whiten, np.concatenate(out), c.sums)
        out = [step(group) for group in out]
    return [group.astype(_dtype(c.result_in, group.dtype)) for group in out]


def apply_counted(convention: Convention, rewards: Floats, times: Floats, dtype: str = "float64") -> Floats:
    """As ``apply``, for many groups of one size at once, each said by its different answers and how many there are of each.

    Parameters
    ----------
    rewards : [groups, kinds], the best first. times : how many answers of the group get each; their sum is 2 or more and
        the same for all, and of the first kind, the best, there is one (others may be as good).

    Returns
    -------
    What each kind gets, [groups, kinds]; where times is 0 it means nothing. As ``apply`` to a few roundings: of what is
    counted no order of additions is left.
    """
    c = convention
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = rewards.astype(DTYPES[dtype]).astype(_dtype(c.rewards_in, dtype))
        by = _batch_std(c, x, times) if c.divide == "std" and c.std_scope == "batch" else None
        out = _group(c, x, by, times)
        if c.multiply != "nothing":
            out = out * out.dtype.type(_per_nonzero(int(times[x != 0].sum()), int(times.sum())))
        if c.clip:
            out = np.clip(out, -c.clip, c.clip)
        if c.whiten:
            out = _whitening(c.whiten, out.ravel(), c.sums, times.ravel())(out)
        return out.astype(_dtype(c.result_in, out.dtype))


def _per_nonzero(nonzero: int, answers: int) -> Any:
    """Answers over nonzero rewards, as torch divides a whole number by a tensor of whole numbers: in float32, by way of the
    reciprocal.
    """
    return np.float32(1) / np.float32(max(nonzero, 1)) * np.float32(answers)


def spreads(convention: Convention, rewards: Floats, times: Floats | None = None) -> Floats:
    """The standard deviation that each answer of a group of 2 or more is divided by, one entry an answer."""
    c = convention
    x = _for_statistics(c.statistics_in, rewards)
    if c.std_scope == "others" and times is not None:
        less = np.maximum(
            times[..., None, :] - np.eye(times.shape[-1]), 0
        )  # for each kind of answer, one of it taken out
        return np.asarray(_spread(c, x[..., None, :], x.dtype.type(0), None, less)[..., 0])
    if c.std_scope == "others":
        # sums of whole numbers below 2^24 are exact in any order, so equal rewards have equal others; else each by itself
        small = x.size * float(np.abs(x).max()) ** 2 < 2**24
        exact = c.std_by == "squares" and small and bool((x == np.rint(x)).all())
        _, first, back = np.unique(x if exact else np.arange(x.size), return_index=True, return_inverse=True)
        by = [_spread(c, np.delete(x, i), x.dtype.type(0), None) for i in first]
        return np.array(by, dtype=x.dtype)[back]
    about = _centre(c, x, times) if c.std_about == "centre" else None
    return np.full_like(x, _spread(c, x, x.dtype.type(0), about, times))


def _dtype(said: str, given: Any) -> Any:
    """The dtype that a word of the table means; ``given`` is a dtype or its name."""
    return given if said == "as given" else DTYPES[said]


def _for_statistics(said: str, x: Floats) -> Floats:
    """The numbers as mean and standard deviation see them."""
    if said == "rounded to float32":
        return x.astype(np.float32).astype(x.dtype)
    return x.astype(_dtype(said, x.dtype))


def _batch_std(c: Convention, rewards: Sequence[Floats] | Floats, times: Floats | None = None) -> Any:
    """The standard deviation of the whole batch, in the precision of the statistics.

    Its numbers are the rewards, or what centring leaves of them.
    """
    if c.std_of == "rewards":
        batch = np.concatenate(rewards)
    elif times is None:
        batch = np.concatenate([group - _centre(c, group) for group in rewards])
    else:
        batch = (rewards - _centre(c, np.asarray(rewards), times)).ravel()
    batch = _for_statistics(c.statistics_in, batch)
    # the centred rewards have mean 0 already; deviations are taken around it and not around its rounding
    about = batch.dtype.type(0) if c.std_about == "centre" else None
    return std(batch, c.ddof, c.std_by, c.sums, about, None if times is None else times.ravel())


def _centre(c: Convention, x: Floats, times: Floats | None = None) -> Floats:
    """What is taken away from each reward of a group, in the precision of ``x``."""
    if c.centre == "none":
        return np.zeros_like(x)
    if c.centre == "mean":
        return np.full_like(x, mean(x, c.sums, times))
    others: Floats = (total(x, c.sums, times) - x) / (count(x, times) - x.dtype.type(1))
    return others


def _centred(c: Convention, rewards: Floats, x: Floats, times: Floats | None) -> Floats:
    """The rewards less their centre; ``x`` are the rewards in the precision of the statistics."""
    if c.centre != "others" or c.others_by == "sum of the others":
        return rewards - _centre(c, x, times)
    n = count(x, times)
    rest = n - x.dtype.type(1)
    if c.others_by == "scaled mean":
        return np.asarray(rewards * n / rest - mean(x, c.sums, times) * n / rest)
    return np.asarray((n * rewards - total(x, c.sums, times)) / rest)


def _spread(c: Convention, x: Floats, fallback: Any, about: Floats | None, times: Floats | None = None) -> Any:
    """One standard deviation, with the fallback where there are too few numbers for it."""
    if c.std_scope == "others" and times is None and x.size < 2:
        return fallback
    value = std(x, c.ddof, c.std_by, c.sums, about, times)
    # mean of squares minus squared mean can be negative: the frameworks that compute so turn the nan into 0
    none = c.std_by == "squares" and np.isnan(value)
    if times is None:
        return fallback if none else value
    return np.where(none | ((count(x, times) < 2) & (c.std_scope == "others")), fallback, value)


def _group(c: Convention, rewards: Floats, batch_std: Any, times: Floats | None = None) -> Floats:
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
        return _best_only(c, rewards, times)
    centred = _centred(c, rewards, x, times)
    if c.divide == "nothing":
        return centred
    if c.divide == "mean":
        by: Floats = np.full_like(x, mean(x, c.sums, times))
        small, rule = by <= c.zero_at, c.zero_mean
    else:
        by = np.full_like(x, batch_std) if batch_std is not None else spreads(c, rewards, times)
        small, rule = by <= c.zero_at, c.zero_std
    divided: Floats = centred / _with_eps(by, c.eps, c.eps_enters)
    if rule == "divide":
        return divided
    return np.where(small, centred if rule == "undivided" else np.zeros_like(centred), divided)


def _best_only(c: Convention, rewards: Floats, times: Floats | None) -> Floats:
    """Only the best answer is paid, by how far it is ahead of the second best."""
    out = np.zeros_like(rewards)
    best: Any
    if times is None:
        order = np.argsort(-rewards, kind="stable")
        best, second = (order[0],), rewards[order[1]]
    else:  # of the first kind there is one
        best, second = (..., 0), np.where(times[..., 1:] > 0, rewards[..., 1:], -np.inf).max(axis=-1)
    ahead = rewards[best] - second
    if c.divide == "std":
        ahead = ahead / _with_eps(spreads(c, rewards, times)[..., 0], c.eps, c.eps_enters)
    out[best] = ahead
    return out


def _with_eps(by: Floats, eps: float, enters: str) -> Floats:
    out: Floats = by + by.dtype.type(eps) if enters == "added" else np.sqrt(_inside(by * by, eps, enters))
    return out


def _inside(variances: Any, eps: float, enters: str) -> Any:
    """Put eps under the root: added to the variance, or the least it can be."""
    small = variances.dtype.type(eps)
    return variances + small if enters == "inside the root" else np.maximum(variances, small)


def _whitening(w: Whitening, batch: Floats, sums: str, times: Floats | None = None) -> Callable[[Floats], Floats]:
    """What shifts (and scales) a group by the mean (and the standard deviation) of the whole batch."""
    if times is None:
        x = _for_statistics(w.statistics_in, np.repeat(batch, w.tokens))
    else:
        x, times = _for_statistics(w.statistics_in, batch), times * w.tokens
    centre = np.squeeze(mean(x, sums, times))
    if not w.scale:
        return lambda group: group - group.dtype.type(centre)
    one = x.dtype.type
    if w.eps_enters != "added":
        inside = _inside(one(np.squeeze(variance(x, w.ddof, w.std_by, sums, times=times))), w.eps, w.eps_enters)
        inverse = one(1) / np.sqrt(inside)
        return lambda group: (group - group.dtype.type(centre)) * group.dtype.type(inverse)
    by = (np.squeeze(std(x, w.ddof, w.std_by, sums, times=times)) if x.size > 1 else one(0)) + one(w.eps)
    return lambda group: (group - group.dtype.type(centre)) / group.dtype.type(by)

"""A framework's update by number of right answers, beside the paper's, and from one framework to another."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stdial.frameworks.arithmetic import Floats
from stdial.frameworks.convention import Convention
from stdial.frameworks.lookup import get
from stdial.frameworks.rules import apply_counted

__all__ = ["Move", "Updates", "against_paper", "move", "ratio", "updates"]


@dataclass(frozen=True)
class Updates:
    """What a framework does with k right answers of G, k from 0 to G: an entry a k in every array.

    right_answer, wrong_answer : the advantage of each (nan where there is none).
    c : (1/G) times the summed advantages of the right answers, the update magnitude.
    sum : the summed advantages over G; not 0 where a convention does not centre, and the identity then has a rest.
    """

    right: Floats
    right_answer: Floats
    wrong_answer: Floats
    c: Floats
    sum: Floats


@dataclass(frozen=True)
class Move:
    """What to multiply the learning rate with so that the update stays what it was, by k (nan where either is 0).

    ``least`` and ``most`` are the extremes over live groups; ``constant`` says that one factor does it for every k.
    """

    right: Floats
    factor: Floats
    least: float
    most: float
    constant: bool


def updates(
    framework: str,
    options: Mapping[str, Any],
    size: int,
    dtype: str = "float64",
    right: Sequence[int] | None = None,
) -> Updates:
    """Advantages and c for every k right of ``size``, or for those in ``right``.

    One group for each k; together they form one batch, so that conventions over the batch have one to be over.

    Raises
    ------
    ValueError
        For a size that is not a whole number of at least 2, a k outside 0 to size, and as ``advantages``.

    Examples
    --------
    >>> updates("open-instruct", {"advantage_normalization_type": "standard"}, 4).c.round(4).tolist()
    [0.0, 0.433, 0.5, 0.433, 0.0]

    Source: THEORY.md section 1, g = (1/G) sum of A_i s_i.
    """
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 2:
        raise ValueError(f"size is {size!r}; it must be a whole number of at least 2")
    k = np.arange(size + 1) if right is None else np.asarray(right, dtype=int)
    if not k.size or k.min() < 0 or k.max() > size:
        raise ValueError(f"right is {k.tolist()}; it must hold whole numbers from 0 to size = {size}")
    return _updates(get(framework).setting(options).convention, tuple(k.tolist()), int(size), dtype)


@functools.lru_cache(maxsize=64)  # a page asks for the same ones in several places; half a megabyte at most
def _updates(convention: Convention, right: tuple[int, ...], size: int, dtype: str) -> Updates:
    k, some, rewards, times = _groups(right, size)
    got = np.where(times > 0, apply_counted(convention, rewards, times, dtype).astype(float), 0.0)
    first, others, wrong = (got * times).T
    of_right = np.where(some, first + others, 0.0)
    of_wrong = np.where(some, wrong, first + wrong)
    with np.errstate(invalid="ignore"):
        made = Updates(k, of_right / k, of_wrong / (size - k), of_right / size, (of_right + of_wrong) / size)
    for array in vars(made).values():
        array.flags.writeable = False  # everybody gets the same ones
    return made


@functools.lru_cache(maxsize=16)  # every framework of a table gets the same
def _groups(right: tuple[int, ...], size: int) -> tuple[Floats, Floats, Floats, Floats]:
    """A group for each k: which have a right answer, their different rewards, and how often each of these occurs; read-only."""
    k = np.array(right)
    some, rest = k > 0, np.maximum(k - 1, 0)
    # the first answer by itself, which is the one that pass@k pays, then the other right ones and the wrong ones
    rewards = np.stack([some, np.ones_like(k), np.zeros_like(k)], axis=-1).astype(float)
    times = np.stack([np.ones_like(k), rest, size - np.maximum(k, 1)], axis=-1).astype(float)
    made = (k, some, rewards, times)
    for array in made:
        array.flags.writeable = False
    return made


def against_paper(framework: str, options: Mapping[str, Any], size: int, dtype: str = "float64") -> Floats:
    """The framework's c over the paper's GRPO c, which is sigma, for every k right of ``size``; nan for silent groups.

    Examples
    --------
    >>> against_paper("TRL", {"scale_rewards": "group"}, 8).round(3)[1:8].tolist()
    [0.935, 0.935, 0.935, 0.935, 0.935, 0.935, 0.935]
    """
    got = updates(framework, options, size, dtype)
    sigma = np.sqrt(got.right * (size - got.right)) / size
    return ratio(got.c, sigma)


def move(
    framework: str,
    options: Mapping[str, Any],
    to_framework: str,
    to_options: Mapping[str, Any],
    size: int,
    dtype: str = "float64",
) -> Move:
    """The factor for the learning rate, by k, when a recipe moves from one framework to another at group size ``size``.

    Raises
    ------
    ValueError
        As ``updates``.

    Examples
    --------
    >>> moved = move("open-instruct", {"advantage_normalization_type": "standard"}, "verl", {}, 8)
    >>> round(moved.least, 3), round(moved.most, 3), moved.constant
    (1.069, 1.069, True)
    """
    before = updates(framework, options, size, dtype)
    after = updates(to_framework, to_options, size, dtype)
    factor = ratio(before.c, after.c)
    live = factor[np.isfinite(factor)]
    if not live.size:
        return Move(before.right, factor, np.nan, np.nan, False)
    least, most = float(live.min()), float(live.max())
    # 1e-3: eps of 1e-4 bends the factor by less, and no learning rate is known better
    return Move(before.right, factor, least, most, most - least <= 1e-3 * abs(most))


def ratio(top: Floats, bottom: Floats) -> Floats:
    """The ratio of top to bottom, nan where the update is 0 or only rounding dust."""
    dust = 1e-6 * float(np.nanmax(np.abs(bottom), initial=0.0))
    live = np.abs(bottom) > dust
    return np.where(live, top / np.where(live, bottom, 1.0), np.nan)

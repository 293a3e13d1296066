"""A convention: everything that decides which numbers a framework makes of a group's rewards."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from stdial.method import Method

__all__ = ["CHOICES", "Convention", "Whitening", "describe"]

CHOICES: dict[str, tuple[str, ...]] = {
    "kind": ("centred", "best minus second"),
    "centre": ("mean", "others", "none"),
    "divide": ("nothing", "std", "mean"),
    "std_scope": ("group", "others", "batch"),
    "std_of": ("rewards", "centred rewards"),
    "std_about": ("mean", "centre"),
    "eps_enters": ("added", "inside the root", "floor of the variance"),
    "std_by": ("welford", "two passes", "nanstd", "squares"),
    "zero_std": ("divide", "zero", "undivided"),
    "zero_mean": ("divide", "zero"),
    "others_by": ("sum of the others", "scaled mean", "scaled sum"),
    "single": ("formula", "zero", "raw", "raw over 1 + eps", "raw over float32 of 1 + eps", "refused"),
    "ragged": ("by group", "refused", "whole batch"),
    "multiply": ("nothing", "answers over nonzero rewards"),
    "sums": ("lanes", "in order", "pairwise"),
    "rewards_in": ("as given", "float32", "float64"),
    "statistics_in": ("as given", "float32", "float64", "rounded to float32"),
    "result_in": ("as given", "float32", "float64"),
}
"""The allowed words of every field; the rest of a convention is numbers.

kind: the advantage is the centred reward, divided or not; or the best reward minus the second best, for the best only.
centre: what is taken away; "others" leaves the answer itself out, and others_by says how that is written:
r - (sum - r) / (n - 1), or r n/(n-1) - mean n/(n-1), or (n r - sum) / (n - 1).
divide: by what. std_scope, std_of, std_about: whose standard deviation, of the rewards or of what is left after
centring, around their own mean or around the centre. eps_enters: (std + eps), sqrt(var + eps) or sqrt(max(var, eps)).
std_by: exact accumulation (torch.std along an axis); around the mean as rounded (numpy, torch.std of everything); the
same with Bessel's ratio in float32 (TRL's nanstd); mean of squares minus squared mean.
zero_std and zero_mean: what happens where the divisor is not above zero_at.
single: a group of one answer. ragged: groups of different sizes. sums: the order of additions.
statistics_in: the precision of mean and std; "rounded to float32" rounds the numbers but not the sums.
"""


def _check(obj: Any, where: str) -> None:
    for f in fields(obj):
        value, allowed = getattr(obj, f.name), CHOICES.get(f.name)
        if allowed and value not in allowed:
            raise ValueError(f"{where}.{f.name} is {value!r}; it must be one of {', '.join(allowed)}")
    if obj.ddof not in (0, 1):
        raise ValueError(f"{where}.ddof is {obj.ddof!r}; it must be 0 or 1")
    if not (isinstance(obj.eps, (int, float)) and 0 <= obj.eps < 1):
        raise ValueError(f"{where}.eps is {obj.eps!r}; it must be a number from 0 to 1")


@dataclass(frozen=True)
class Whitening:
    """A second step over the whole batch: subtract its mean, then (unless scale is False) divide by its std.

    ``tokens`` is how many tokens each answer has: a framework that whitens token by token counts every answer so often.
    """

    scale: bool = True
    ddof: int = 1
    eps: float = 0.0
    eps_enters: str = "added"
    std_by: str = "two passes"
    statistics_in: str = "as given"
    tokens: int = 1

    def __post_init__(self) -> None:
        _check(self, "whiten")
        if not (isinstance(self.tokens, int) and self.tokens >= 1):
            raise ValueError(f"whiten.tokens is {self.tokens!r}; it must be a whole number of at least 1")


@dataclass(frozen=True)
class Convention:
    """What a framework does to the rewards of a batch of groups; the words are explained at CHOICES.

    Examples
    --------
    >>> describe(Convention(divide="std", ddof=1, eps=1e-6))
    'reward minus the group mean, over (std + 1e-06) of the group, ddof 1'
    >>> Convention(divide="std", ddof=1, eps=1e-6).method("verl").epsilon
    1e-06
    >>> Convention(ddof=3)
    Traceback (most recent call last):
    ...
    ValueError: convention.ddof is 3; it must be 0 or 1

    Source: reference/frameworks.md and what the frameworks returned, tests/reference/framework_advantages.json.
    """

    kind: str = "centred"
    centre: str = "mean"
    others_by: str = "sum of the others"
    divide: str = "nothing"
    std_scope: str = "group"
    std_of: str = "rewards"
    std_about: str = "mean"
    ddof: int = 0
    eps: float = 0.0
    eps_enters: str = "added"
    std_by: str = "two passes"
    zero_std: str = "divide"
    zero_mean: str = "divide"
    zero_at: float = 0.0
    single: str = "formula"
    ragged: str = "by group"
    multiply: str = "nothing"
    clip: float = 0.0
    sums: str = "lanes"
    rewards_in: str = "as given"
    statistics_in: str = "as given"
    result_in: str = "as given"
    whiten: Whitening | None = field(default=None)

    def __post_init__(self) -> None:
        _check(self, "convention")
        for name in ("zero_at", "clip"):
            if not (isinstance(getattr(self, name), (int, float)) and getattr(self, name) >= 0):
                raise ValueError(f"convention.{name} is {getattr(self, name)!r}; it must be a number of at least 0")

    @property
    def batch_scoped(self) -> bool:
        """Whether an answer's advantage depends on the other groups of the batch."""
        return bool(self.whiten or self.multiply != "nothing" or (self.divide == "std" and self.std_scope == "batch"))

    def method(self, name: str, drop_silent: bool = False) -> Method | None:
        """The same thing as a stdial.Method, or None where no Method says it."""
        plain = self.kind == "centred" and self.centre != "none" and not self.batch_scoped and self.divide != "mean"
        own_std = self.std_scope == "group" and self.std_about == "mean" and self.eps_enters == "added"
        if not plain or (self.divide == "std" and not own_std):
            return None
        others = self.centre == "others"
        if self.divide == "nothing":
            return Method(name, exponent=0.0, leave_one_out=others, drop_silent=drop_silent)
        return Method(name, 1.0, self.ddof, float(self.eps), others, drop_silent)


def describe(convention: Convention) -> str:
    """One line that says what the convention computes.

    Examples
    --------
    >>> describe(Convention(centre="others"))
    'reward minus the mean of the others, undivided'
    """
    c = convention
    if c.kind == "best minus second":
        head = "best reward minus the second best, on the best answer only"
    else:
        head = {
            "mean": "reward minus the group mean",
            "others": "reward minus the mean of the others",
            "none": "reward",
        }[c.centre]
    if c.divide == "std":
        whose = {"group": "of the group", "others": "of the others", "batch": "of the whole batch"}[c.std_scope]
        after = " after centring" if c.std_of == "centred rewards" and c.std_scope == "batch" else ""
        head += f", over {_divisor('std', c.eps, c.eps_enters)} {whose}{after}, ddof {c.ddof}"
    elif c.divide == "mean":
        head += f", over {_divisor('mean', c.eps, 'added')} of the group"
    else:
        head += ", undivided"
    if c.multiply != "nothing":
        head += ", times answers over nonzero rewards of the batch"
    if c.whiten:
        w = c.whiten
        over = f"; over {_divisor('std', w.eps, w.eps_enters)}, ddof {w.ddof}" if w.scale else ""
        head += f"; then minus the batch mean{over}"
    return head


def _divisor(of: str, eps: float, enters: str) -> str:
    if eps == 0:
        return of
    if enters == "added":
        return f"({of} + {eps:g})"
    return f"sqrt(var + {eps:g})" if enters == "inside the root" else f"sqrt(max(var, {eps:g}))"

"""Which groups, or answers, a framework's filter keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stdial.frameworks.arithmetic import Floats, std
from stdial.frameworks.convention import Convention
from stdial.frameworks.rules import apply, spreads

__all__ = ["Filter", "kept_by"]

_KINDS = ("none", "std", "mean", "not all equal", "not all failed or solved", "any advantage", "advantage", "own std")


@dataclass(frozen=True)
class Filter:
    """A rule for what stays in the batch.

    kind : "none" keeps everything; "std" keeps a group whose std is above ``above``; "mean" one with
        low < mean < high; "not all equal" one with two different rewards; "not all failed or solved" one with a reward
        above 0 and one below 1; "any advantage" one with an advantage other than 0. Two rules look at single answers:
        "advantage" keeps answers with an advantage other than 0, "own std" those whose own divisor is not 0.
    single : whether a group of one answer is kept, where the rule treats it specially.
    keep_one : whether the first group stays where every group would go.
    on : whether the framework filters by default.
    rule : the rule in words, with the option that turns it on.
    """

    kind: str = "none"
    rule: str = ""
    on: bool = False
    above: float = 0.0
    ddof: int = 0
    std_by: str = "two passes"
    computed_in: str = "float64"
    low: float = 0.0
    high: float = 1.0
    single: str = "as the rule says"
    keep_one: bool = False

    def __post_init__(self) -> None:
        for name, allowed in (
            ("kind", _KINDS),
            ("single", ("as the rule says", "kept", "dropped")),
            ("computed_in", ("float64", "float32")),
            ("std_by", ("welford", "two passes", "nanstd")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"filter.{name} is {getattr(self, name)!r}; it must be one of {', '.join(allowed)}")
        if not self.low < self.high:
            raise ValueError(f"filter.low is {self.low!r}; it must be below filter.high, {self.high!r}")

    @property
    def per_answer(self) -> bool:
        """Whether single answers are dropped, and not whole groups."""
        return self.kind in ("advantage", "own std")


def kept_by(rule: Filter, convention: Convention, groups: Sequence[Floats], dtype: str) -> list[bool] | list[Floats]:
    """One bool a group, or, where the rule looks at single answers, one array of bools a group."""
    if rule.per_answer:
        return [_single(rule, x, y) for x, y in zip(groups, _answers(rule, convention, groups, dtype), strict=True)]
    if rule.kind == "any advantage":
        found = [bool((a != 0).any()) for a in apply(convention, groups, dtype)]
    else:
        found = [_GROUP_RULES[rule.kind](rule, x) for x in groups]
    out = [bool(_single(rule, x, np.array([k]))[0]) for x, k in zip(groups, found, strict=True)]
    if rule.keep_one and not any(out):
        out[0] = True
    return out


def _single(rule: Filter, group: Floats, found: Floats) -> Floats:
    if group.size > 1 or rule.single == "as the rule says":
        return found
    return np.full(found.size, rule.single == "kept")


def _answers(rule: Filter, convention: Convention, groups: Sequence[Floats], dtype: str) -> list[Floats]:
    if rule.kind == "advantage":
        return [a != 0 for a in apply(convention, groups, dtype)]
    given = np.float32 if dtype == "float32" else np.float64
    return [spreads(convention, x.astype(given)) != 0 for x in groups]


def _by_std(rule: Filter, x: Floats) -> bool:
    with np.errstate(divide="ignore", invalid="ignore"):
        return bool(std(x.astype(rule.computed_in), rule.ddof, rule.std_by) > rule.above)


_GROUP_RULES: dict[str, Callable[[Filter, Floats], bool]] = {
    "none": lambda _, x: True,
    "std": _by_std,
    "mean": lambda rule, x: rule.low < sum(x.tolist()) / x.size < rule.high,
    "not all equal": lambda _, x: bool(x.max() != x.min()),
    "not all failed or solved": lambda _, x: bool((x > 0).any() and (x < 1).any()),
}

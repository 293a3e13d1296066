"""How a setting behaves at the edges, found by trying it, and what changes from one framework to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stdial.frameworks.convention import Convention, describe
from stdial.frameworks.lookup import advantages, get
from stdial.frameworks.rules import to_groups
from stdial.frameworks.table import Framework, Setting

__all__ = [
    "Change", "baseline", "changes", "constant_group", "divisor", "dust", "reward_std", "setting_for", "single_answer",
    "unequal_sizes",
]  # fmt: skip

_DUST = 1e-6  # a constant group of 0s and 1s leaves less in every framework; of .7 in float32 far more
_SHOWN = 0.005  # less prints as 0.00


@dataclass(frozen=True)
class Change:
    """One thing that two settings do differently: what, and in words how each does it."""

    what: str
    before: str
    after: str


def constant_group(framework: str, options: Mapping[str, Any]) -> str:
    """What a constant group gets: 0, or the rounding dust of eight rewards of .7 in float32 where it is not 0.

    >>> constant_group("verl", {}), constant_group("OpenRLHF", {})
    ('0; eight .7 in float32: 0.06', '0; eight .7 in float32: 59.6')
    """
    plain = _largest(framework, options, [1.0] * 8, "float64")
    text, left = "0" if abs(plain) < _DUST else _number(plain), dust(framework, options)
    return text if left == "0" else f"{text}; eight .7 in float32: {left}"


def dust(framework: str, options: Mapping[str, Any]) -> str:
    """What eight rewards of .7 get in float32; less than .005 counts as 0.

    >>> dust("OpenRLHF", {}), dust("TRL", {})
    ('59.6', '0')
    """
    left = _largest(framework, options, [0.7] * 8, "float32")
    return "0" if abs(left) < _SHOWN else _number(left)


def single_answer(framework: str, options: Mapping[str, Any]) -> str:
    """What the only answer of a group gets, right and wrong.

    >>> single_answer("TRL", {}), single_answer("verl", {}), single_answer("torchtune", {}), single_answer("slime", {})
    ('refused', 'its raw reward', 'NaN', '0')
    """
    try:
        right, wrong = (float(a[0]) for a in advantages(framework, options, [[1.0], [0.0]]))
    except ValueError:
        return "refused"
    if np.isnan(right) or np.isnan(wrong):
        return "NaN"
    if abs(right) < _DUST and abs(wrong) < _DUST:
        return "0"
    raw = abs(right - 1) < 1e-3 and abs(wrong) < _DUST
    return "its raw reward" if raw else f"{_number(right)} if right, {_number(wrong)} if wrong"


def reward_std(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """What logs call reward_std, in its two senses (ddof 1): the mean of the groups' stds, and the std of all rewards.

    >>> [round(x, 3) for x in reward_std([[1, 1, 1, 1], [0, 0, 0, 0]])]
    [0.0, 0.535]
    """
    arrays = to_groups(groups)
    return float(np.mean([x.std(ddof=1) for x in arrays])), float(np.concatenate(arrays).std(ddof=1))


def setting_for(framework: str, method: str) -> tuple[dict[str, Any], Setting] | None:
    """The setting of a framework whose advantage is that of "GRPO" or "Dr. GRPO" (whatever ddof and eps), its default first.

    >>> setting_for("oat", "GRPO")[0], setting_for("torchtune", "Dr. GRPO")
    ({'critic_type': 'grpo'}, None)
    """
    chosen = get(framework)
    default = chosen.setting(chosen.default)
    found = [(o, s) for o, s in zip(chosen.choices(), chosen.settings, strict=True) if _is(s.convention, method)]
    return min(found, key=lambda pair: pair[1].when != default.when) if found else None


def _is(convention: Convention, method: str) -> bool:
    plain = convention.kind == "centred" and convention.centre == "mean" and not convention.batch_scoped
    return plain and convention.divide == {"GRPO": "std", "Dr. GRPO": "nothing"}[method]


def unequal_sizes(framework: str, options: Mapping[str, Any]) -> str:
    """What happens to groups of different sizes.

    >>> unequal_sizes("TRL", {}), unequal_sizes("slime", {}), unequal_sizes("verl", {})
    ('refused', 'the whole batch becomes one group', 'each by itself')
    """
    rule = get(framework).setting(options).convention.ragged
    return {"refused": "refused", "whole batch": "the whole batch becomes one group", "by group": "each by itself"}[
        rule
    ]


def baseline(convention: Convention) -> str:
    """What is taken away from a reward.

    >>> baseline(Convention(centre="others"))
    'mean of the other answers'
    """
    if convention.kind == "best minus second":
        return "the second best reward"
    return {"mean": "mean of the group", "others": "mean of the other answers", "none": "nothing"}[convention.centre]


def divisor(convention: Convention) -> str:
    """What the difference is divided by.

    >>> divisor(Convention(divide="std", ddof=1, eps=1e-6)), divisor(Convention())
    ('std of the group, ddof 1, eps 1e-06', 'nothing')
    """
    c = convention
    parts = []
    if c.divide == "std":
        whose = {"group": "the group", "others": "the other answers", "batch": "the whole batch"}[c.std_scope]
        parts.append(f"std of {whose}, ddof {c.ddof}, eps {c.eps:g}")
    elif c.divide == "mean":
        parts.append(f"mean of the group, eps {c.eps:g}")
    if c.multiply != "nothing":
        parts.append("nonzero rewards over answers of the batch")
    if c.whiten and c.whiten.scale:
        parts.append(f"std of what is left in the batch, ddof {c.whiten.ddof}, eps {c.whiten.eps:g}")
    return "; then by the ".join(parts) or "nothing"


def changes(
    framework: str, options: Mapping[str, Any], to_framework: str, to_options: Mapping[str, Any]
) -> tuple[Change, ...]:
    """What is different when a recipe moves, a line each; empty where nothing is.

    Examples
    --------
    >>> [c.what for c in changes("ART (local backend)", {}, "ART (tinker_native backend)", {})][:2]
    ['divided by', 'a constant group gets']
    >>> changes("verl", {}, "verl", {})
    ()
    """
    (one, first), (two, second) = (
        (get(name), get(name).setting(given).convention)
        for name, given in ((framework, options), (to_framework, to_options))
    )
    rows = [
        Change("baseline", baseline(first), baseline(second)),
        Change("divided by", divisor(first), divisor(second)),
        Change("a constant group gets", constant_group(one.name, options), constant_group(two.name, to_options)),
        Change(
            "the only answer of a group gets", single_answer(one.name, options), single_answer(two.name, to_options)
        ),
        Change("groups of different sizes", unequal_sizes(one.name, options), unequal_sizes(two.name, to_options)),
        Change("silent groups are dropped by", _filter(one), _filter(two)),
        Change("silence is shown by", _metrics(one), _metrics(two)),
    ]
    if rows[0].before == rows[0].after and rows[1].before == rows[1].after:  # how eps enters, say
        rows.insert(0, Change("advantage", describe(first), describe(second)))
    return tuple(row for row in rows if row.before != row.after)


def _filter(framework: Framework) -> str:
    on = "on by default: " if framework.filter.on and "default" not in framework.filter.rule else ""
    return on + framework.filter.rule


def _metrics(framework: Framework) -> str:
    return ", ".join(metric.name for metric in framework.metrics) or "no metric that was found"


def _largest(framework: str, options: Mapping[str, Any], rewards: list[float], dtype: str) -> float:
    values = advantages(framework, options, [rewards], dtype)[0]
    return float(values[int(np.argmax(np.abs(values)))])


def _number(value: float) -> str:
    digits = 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}".replace("-", "\u2212")

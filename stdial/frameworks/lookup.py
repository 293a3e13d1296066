"""What users call: a framework by name, its advantages, what its filter keeps, and settings to copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stdial.frameworks.arithmetic import Floats
from stdial.frameworks.filters import kept_by
from stdial.frameworks.rules import apply, to_groups
from stdial.frameworks.table import GOALS, Framework, load
from stdial.method import Method

__all__ = ["FRAMEWORKS", "advantages", "get", "kept", "method", "settings"]

FRAMEWORKS: Mapping[str, Framework] = load()


def get(name: str) -> Framework:
    """The framework of that name; a short name will do where it is the beginning of one name only, in any case.

    Raises
    ------
    ValueError
        Naming what the name could mean, or all frameworks where it means none.

    Examples
    --------
    >>> get("TRL").version, get("verifiers").name
    ('1.16.0', 'verifiers (GRPOTrainer)')
    >>> get("ART")
    Traceback (most recent call last):
    ...
    ValueError: name is 'ART'; it could be ART (local backend) or ART (tinker_native backend)
    """
    if isinstance(name, Framework):
        return name
    if name in FRAMEWORKS:
        return FRAMEWORKS[name]
    wanted = str(name).strip().lower()
    exact = [f for key, f in FRAMEWORKS.items() if key.lower() == wanted]
    found = exact or [f for key, f in FRAMEWORKS.items() if wanted and key.lower().startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"name is {name!r}; it could be {' or '.join(f.name for f in found)}")
    raise ValueError(f"name is {name!r}; it must be one of {', '.join(FRAMEWORKS)}")


def advantages(
    framework: str, options: Mapping[str, Any], groups: Sequence[Sequence[float]], dtype: str = "float64"
) -> list[Floats]:
    """What a framework returns for a batch of groups of rewards: one array a group, one advantage an answer.

    Parameters
    ----------
    framework : its name, as ``get`` takes it.
    options : names and values as in the reference rows; "default" is ignored, what is left out has its default. For
        TRL, options without scale_rewards are those of its RLOO trainer; no option at all is its GRPO trainer.
    groups : the rewards of each group; what is taken over the batch is taken over all of them.
    dtype : "float64" or "float32", what the rewards are fed in. A framework that computes in a precision of its own does
        so either way.

    Raises
    ------
    ValueError
        For an unknown framework, option or value; for rewards that are not finite; and where the framework refuses:
        groups of one answer, or of different sizes.

    Examples
    --------
    >>> [a.round(4).tolist() for a in advantages("TRL", {"scale_rewards": "group"}, [[1, 0, 0, 0], [1, 1, 1, 1]])]
    [[1.4997, -0.4999, -0.4999, -0.4999], [0.0, 0.0, 0.0, 0.0]]
    >>> advantages("NeMo-RL", {}, [[1, 0, 0, 0]])[0].round(3).tolist()
    [1.0, -0.577, -0.577, -0.577]
    >>> advantages("torchtune", {}, [[1]])[0].tolist()
    [nan]

    Source: tests/reference/framework_advantages.json, what the frameworks returned when run; Framework.read and .run.
    """
    chosen = get(framework).setting(options)
    return apply(chosen.convention, to_groups(groups), dtype)


def kept(
    framework: str, options: Mapping[str, Any], groups: Sequence[Sequence[float]], dtype: str = "float64"
) -> list[bool] | list[Floats]:
    """What the framework's filter keeps of a batch, when it is turned on.

    One bool a group; where the filter looks at single answers (``get(framework).filter.per_answer``: NeMo-RL, prime-rl,
    ART's local backend), one array of bools a group. Without a filter everything is kept.

    Raises
    ------
    ValueError
        As ``advantages``.

    Examples
    --------
    >>> kept("verl", {}, [[1, 0], [1, 1], [0]])
    [True, False, True]
    >>> kept("OpenRLHF", {}, [[0.5, 0.5], [-1, 1]])
    [True, False]
    >>> [k.tolist() for k in kept("NeMo-RL", {}, [[1, 0, 0, 0]])]
    [[False, True, True, True]]
    """
    chosen = get(framework)
    return kept_by(chosen.filter, chosen.setting(options).convention, to_groups(groups), dtype)


def method(framework: str, options: Mapping[str, Any] | None = None) -> Method | None:
    """The framework's convention as a Method for the rest of the package, or None where no Method says it.

    Examples
    --------
    >>> method("TRL", {"scale_rewards": "group"})
    Method(name='TRL', exponent=1.0, ddof=1, epsilon=0.0001, leave_one_out=False, drop_silent=False)
    >>> method("TRL", {"scale_rewards": "batch"}) is None
    True
    """
    chosen = get(framework)
    setting = chosen.setting(chosen.default if options is None else options)
    return setting.convention.method(chosen.name, drop_silent=chosen.filter.on)


def settings(framework: str, goal: str) -> str:
    """How to get ``goal`` ("grpo", "dr-grpo" or "dynamic-sampling") in the framework: text ready to copy.

    Raises
    ------
    ValueError
        For an unknown framework or goal.

    Examples
    --------
    >>> print(settings("oat", "grpo"))
    # oat, 2026 (c1a074c): GRPO
    --critic_type grpo
    """
    chosen = get(framework)
    if goal not in GOALS:
        raise ValueError(f"goal is {goal!r}; it must be one of {', '.join(GOALS)}")
    title = {"grpo": "GRPO", "dr-grpo": "Dr. GRPO", "dynamic-sampling": "dynamic sampling"}[goal]
    return f"# {chosen.name}, {chosen.version}: {title}\n{chosen.recipes[goal].strip()}"

"""Options as texts: short for a link, and in the framework's own full spelling for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stdial.frameworks.lookup import get
from stdial.frameworks.table import Framework, Option, flat, word

__all__ = ["options_text", "read_options", "spelled", "spelled_changed"]


def options_text(options: Mapping[str, Any]) -> str:
    """Options as one text that ``read_options`` reads.

    >>> options_text({"reward_norm": {"std_level": None, "mean_leave1out": True}})
    'reward_norm.std_level=null,reward_norm.mean_leave1out=true'
    """
    return ",".join(f"{name}={word(value)}" for name, value in flat(options).items() if name != "default")


def read_options(framework: str, text: str) -> dict[str, Any]:
    """The options that a text names, as the nearest setting of the table spells them; an empty text means the default.

    The text is name=value pairs separated by commas, with the names and values of the table.

    Raises
    ------
    ValueError
        For a part that is no name=value, a name or value that is unknown, or an unknown combination.

    Examples
    --------
    >>> read_options("TRL", "scale_rewards=none")
    {'scale_rewards': 'none', 'multi_objective_aggregation': 'sum_then_normalize'}
    >>> read_options("TRL", "scale_rewards=maybe")
    Traceback (most recent call last):
    ...
    ValueError: option scale_rewards is 'maybe'; TRL allows group, batch, none
    """
    chosen = get(framework)
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ValueError(f"option {part!r} has no value; it must be spelled name=value")
        given[name] = _value(chosen, name, value)
    found = chosen.setting(given or chosen.default)
    for choice, setting in zip(chosen.choices(), chosen.settings, strict=True):
        if setting.when == found.when:
            return choice
    raise AssertionError(f"{chosen.name} has a setting that is none of its choices")


def spelled(framework: str, options: Mapping[str, Any]) -> list[str]:
    """Options in the framework's own full spelling, one text an option, as its recipes write them.

    Examples
    --------
    >>> spelled("verl", {"adv_estimator": "grpo", "norm_adv_by_std_in_grpo": False})
    ['algorithm.adv_estimator=grpo', 'algorithm.norm_adv_by_std_in_grpo=False']
    >>> spelled("slime", {"grpo_std_normalization": False}), spelled("slime", {"grpo_std_normalization": True})
    (['--disable-grpo-std-normalization'], ['no --disable-grpo-std-normalization'])
    """
    chosen = get(framework)
    recipes = "\n".join(chosen.recipes.values())
    return [
        _spelled(chosen.options[name], value, recipes)
        for name, value in flat(options).items()
        if name in chosen.options
    ]


def spelled_changed(framework: str, options: Mapping[str, Any]) -> list[str]:
    """The same without what is at its default, unless everything is.

    >>> spelled_changed("verl", {"adv_estimator": "grpo", "norm_adv_by_std_in_grpo": False})
    ['algorithm.norm_adv_by_std_in_grpo=False']
    """
    known, given = get(framework).options, flat(options)
    changed = {k: v for k, v in given.items() if k in known and ("null" if v is None else v) != known[k].default}
    names = spelled(framework, changed or given)
    return [name for name in names if not name.startswith("no --")] or names


def _spelled(option: Option, value: Any, recipes: str) -> str:
    name = option.spelling
    if name.startswith("--"):
        if not isinstance(value, bool):
            return f"{name} {word(value)}"
        against = "disable" in name and "disable" not in option.name
        return name if value is not against else f"no {name}"
    if isinstance(value, bool) and (f"{name}=True" in recipes or f"{name}=False" in recipes):
        return f"{name}={value}"
    return f'{name}="{value}"' if isinstance(value, str) and f'{name}="' in recipes else f"{name}={word(value)}"


def _value(chosen: Framework, name: str, text: str) -> Any:
    """The allowed value of that option that prints as the text; a number where the option takes one."""
    option = chosen.options.get(name)
    if option is None or option.values:
        for value in option.values if option else ():
            if word(value) == text.lower() or value == text:
                return None if value == "null" else value
        return text
    try:
        return float(text)
    except ValueError:
        return text

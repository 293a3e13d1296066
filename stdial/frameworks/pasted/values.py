"""Names and numbers in a pasted log: which role a name has, and which number a text is."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["PasteError", "number", "one_column", "role_of", "short"]

_REWARD = {"reward", "rewards", "score", "scores", "acc", "accuracy", "correct", "is_correct", "r"}
_REWARD_ENDS = ("_reward", "_rewards", "_reward_func", "_score", "_scores")
_ADVANTAGE = {"advantage", "advantages", "adv", "advs", "a"}
_GROUP = {
    "group", "group_id", "group_index", "uid", "prompt", "prompt_id", "question", "question_id", "problem", "problem_id", "query",
    "id", "index", "input", "step", "global_step", "traj_group_id",
}  # fmt: skip
_NOT_FINITE = {
    "nan": float("nan"),
    "none": float("nan"),
    "null": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


class PasteError(ValueError):
    """A pasted log that cannot be read: the message says where, what stands there, and what could."""


def role_of(name: str) -> str:
    """What a column, key or label holds: "reward", "advantage", "group", or "" for anything else.

    >>> role_of("Advantages"), role_of("accuracy_reward"), role_of("uid"), role_of("critic/score/mean")
    ('advantage', 'reward', 'group', '')
    """
    plain = re.sub(r"[^a-z0-9]+", "_", name.strip().lower().rsplit("/", 1)[-1]).strip("_")
    if plain in _ADVANTAGE or plain.endswith(("_advantage", "_advantages")):
        return "advantage"
    if plain in _REWARD or plain.endswith(_REWARD_ENDS):
        return "reward"
    return "group" if plain in _GROUP else ""


def one_column(names: list[str], role: str) -> str | None:
    """The name of that role; a plain name goes before a compound one.

    Raises
    ------
    PasteError
        Where several could be it.
    """
    found = [name for name in names if role_of(name) == role]
    plain = [name for name in found if name.strip().lower() in _REWARD | _ADVANTAGE]
    found = plain if len(plain) == 1 else found
    if len(found) > 1:
        listed = ", ".join(short(name) for name in found[:6])
        raise PasteError(f"{len(found)} columns could be the {role}: {listed}; keep one of them, or name it {role}")
    return found[0] if found else None


def number(value: Any, where: str, role: str) -> float:
    """A number from a cell, a token or a JSON value; right or wrong words count as 1 and 0 for a reward.

    Raises
    ------
    PasteError
        Naming where it stands.
    """
    if isinstance(value, bool) and role == "reward":
        return float(value)
    if value is None and role == "advantage":
        return float("nan")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise PasteError(f"{where}: {short(str(value))} is too large a number") from None
    if isinstance(value, str):
        text = value.strip().strip("\"'").replace("\u2212", "-")
        if _NUMBER.fullmatch(text):
            return float(text)
        if role == "reward" and text.lower() in ("true", "false"):
            return float(text.lower() == "true")
        if text.lower() in _NOT_FINITE:
            return _NOT_FINITE[text.lower()]
    raise PasteError(f"{where}: {short(value)} is not a number")


def short(value: Any) -> str:
    """A stranger's value, printable and short enough to show.

    >>> short("abc"), short("x" * 40)
    ("'abc'", "'xxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    text = value if isinstance(value, str) else f"{value!r}"
    clean = "".join(c for c in text if c.isprintable())
    return f"'{clean[:24]}...'" if len(clean) > 24 else f"'{clean}'"

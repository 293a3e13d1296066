"""A pasted text to checked groups of rewards and advantages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stdial.frameworks.pasted.lines import SCALAR, from_labels, from_table, has_labels, header_of
from stdial.frameworks.pasted.records import Groups, from_json
from stdial.frameworks.pasted.values import PasteError, short

__all__ = ["LONGEST", "MOST_ANSWERS", "Log", "read", "written"]

LONGEST = 20_000  # characters: a group or two, and then some
MOST_ANSWERS = 1024
_SINGLE = re.compile(r"'((?:[^'\\\n]|\\.)*)'")
_WORDS = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}


@dataclass(frozen=True)
class Log:
    """Groups of rewards with the advantages beside them, and in words how the text was read."""

    groups: tuple[tuple[float, ...], ...]
    advantages: tuple[tuple[float, ...], ...]
    how: str


def read(text: str) -> Log:
    r"""Rewards and advantages of a group or two, from text, CSV, JSON or JSON lines.

    Labels and columns go by the names that logs use (reward, score, acc; advantage, adv; and for the group prompt, uid,
    group, step); advantages may be nan.

    Raises
    ------
    PasteError
        A ValueError that names the line or entry and its value, for a text that is empty, longer than LONGEST, of more
        than MOST_ANSWERS answers, or no such log.

    Examples
    --------
    >>> log = read("group,reward,advantage\na,1,0.7071\na,0,-0.7071\nb,0,0\nb,0,0")
    >>> log.groups, log.how
    (((1.0, 0.0), (0.0, 0.0)), 'a table with a header: 2 groups of 2 answers')
    >>> read("rewards: 1 0 x 0\nadvantages: 1 -1 0 0")
    Traceback (most recent call last):
    ...
    stdial.frameworks.pasted.values.PasteError: line 1: 'x' is not a number
    """
    if not text.strip():
        raise PasteError("the text is empty; paste the rewards and the advantages of a group or two")
    if len(text) > LONGEST:
        raise PasteError(
            f"the text has {len(text):,} characters; at most {LONGEST:,} are read: a group or two is enough"
        )
    clean = (
        text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").replace("\u2212", "-").replace("\x00", "")
    )
    kind, groups = _read(clean)
    return _checked(groups, kind)


def written(groups: Sequence[Sequence[float]], advantages: Sequence[Sequence[float]]) -> str:
    r"""Groups as a text that ``read`` reads, advantages with six decimals.

    >>> print(written([[1, 0]], [[0.70703678, -0.70703678]]))
    rewards: 1, 0
    advantages: 0.707037, -0.707037
    """
    blocks = [
        f"rewards: {', '.join(f'{x:g}' for x in r)}\nadvantages: {', '.join(f'{x:.6f}' for x in a)}"
        for r, a in zip(groups, advantages, strict=True)
    ]
    return "\n\n".join(blocks)


def _read(text: str) -> tuple[str, Groups]:
    if text.lstrip()[:1] in ("{", "["):
        found, problem = _json(text)
        if not problem:
            return "JSON", from_json(found)
        lines = [(i + 1, line) for i, line in enumerate(text.splitlines()) if line.strip()]
        if len(lines) > 1 and all(line.lstrip()[0] == "{" for _, line in lines):
            return "JSON lines", _from_json_lines(lines)
        if not has_labels(text) or len(lines) == 1:
            raise PasteError(f"the JSON breaks at {problem}")
    if header_of(text) is not None:
        return "a table with a header", from_table(text)
    if has_labels(text):
        return "labelled numbers", from_labels(text)
    if re.search(r"(reward|score)s?/mean|advantages?/mean", text):
        raise PasteError("these are means over a batch; the reward and the advantage of each answer are needed")
    return "a table without a header", from_table(text)


def _from_json_lines(lines: list[tuple[int, str]]) -> Groups:
    values = []
    for n, line in lines:
        value, problem = _json(line)
        if problem:
            raise PasteError(f"line {n} is no JSON: {short(line.strip())} breaks at {problem.removeprefix('line 1, ')}")
        values.append(value)
    return from_json(values, "line" if [n for n, _ in lines] == list(range(1, len(lines) + 1)) else "")


def _json(text: str) -> tuple[Any, str]:
    """The value, also where it is spelled as Python prints it, and where it breaks ("" where it does not)."""
    python = _SINGLE.sub(lambda m: json.dumps(m[1]), SCALAR.sub(r"\2", text))
    python = re.sub(r"(?<![\d.])\.(?=\d)", "0.", re.sub(r"(?<=\d)\.(?![\d])", ".0", python))
    python = re.sub(r"\b(None|True|False|nan|inf)\b", lambda m: _WORDS[m[0]], python)
    problem = ""
    for spelling in (text, python):
        try:
            return json.loads(spelling), ""
        except json.JSONDecodeError as error:
            problem = problem or f"line {error.lineno}, column {error.colno}: {error.msg}"
        except (ValueError, RecursionError):
            problem = problem or "line 1: it is nested too deep, or a number is too long"
    return None, problem


def _checked(groups: Groups, kind: str) -> Log:
    answers = sum(len(rewards) for rewards, _ in groups)
    if answers > MOST_ANSWERS:
        raise PasteError(f"the text has {answers:,} answers; at most {MOST_ANSWERS:,} are read")
    for i, (rewards, advantages) in enumerate(groups):
        if len(rewards) != len(advantages):
            raise PasteError(
                f"group {i + 1} has {len(rewards)} rewards but {len(advantages)} advantages; they must be as many"
            )
        for j, reward in enumerate(rewards):
            if not math.isfinite(reward) or abs(reward) > 1e30:
                raise PasteError(
                    f"group {i + 1}, answer {j + 1}: the reward is {reward:g}; it must be a finite number up to 1e30"
                )
        for j, value in enumerate(advantages):
            if math.isfinite(value) and abs(value) > 1e30:
                raise PasteError(f"group {i + 1}, answer {j + 1}: the advantage is {value:g}; it must be at most 1e30")
    sizes = sorted({len(rewards) for rewards, _ in groups})
    of = (
        f"{sizes[0]} answers"
        if sizes == [sizes[0]] and sizes[0] != 1
        else "1 answer"
        if sizes == [1]
        else f"{sizes[0]} to {sizes[-1]} answers"
    )
    many = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
    return Log(tuple(tuple(r) for r, _ in groups), tuple(tuple(a) for _, a in groups), f"{kind}: {many} of {of}")

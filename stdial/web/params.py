"""Every choice that a link can carry: one typed table (name, kind, range, default)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["COURTESIES", "PARAMS", "SHARED", "VERSION", "Param"]

VERSION = "1"

Kind = Literal["int", "float", "choice", "flag", "bits", "numbers", "text", "names"]


@dataclass(frozen=True)
class Param:
    """One value of a link.

    Parameters
    ----------
    name : its key in the address.
    label : the words on its control.
    kind : "int", "float", "choice", "flag" (0 or 1), "bits" (a row of 0s and 1s), "numbers" (a comma-separated list),
        "names" (a comma-separated list of parameter names) or "text" (plain text, shown as its sender's).
    default : the value without a link.
    low, high : the range of a number, of each number of a list, or of the length of a text or list.
    choices : what a choice may be; empty where the choices depend on data, then the page checks them.

    Examples
    --------
    >>> PARAMS["G"].read("24")
    24
    >>> PARAMS["G"].read("1")
    Traceback (most recent call last):
    ValueError: G must be a whole number from 2 to 1024
    """

    name: str
    label: str
    kind: Kind
    default: Any
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What a value may be, in words."""
        low, high = f"{self.low:g}", f"{self.high:.15g}"
        match self.kind:
            case "int":
                return f"a whole number from {low} to {high}"
            case "float":
                return f"a number from {low} to {high}"
            case "flag":
                return "0 or 1"
            case "bits":
                return f"{low} to {high} digits, each 0 or 1"
            case "numbers":
                return f"2 to 64 numbers from {low} to {high}, separated by commas"
            case "names":
                return "names of parameters, separated by commas"
            case "choice" if self.choices:
                return "one of " + ", ".join(self.choices)
            case _:
                return f"a text of at most {high} characters"

    def read(self, text: str) -> Any:
        """The value that a link's text stands for.

        Raises
        ------
        ValueError
            Where the text is no allowed value; the message says what is allowed.
        """
        try:
            return self.check(self._parse(text))
        except (ValueError, OverflowError):
            raise ValueError(f"{self.name} must be {self.allowed}") from None

    def write(self, value: Any) -> str:
        """The value as a link spells it; numbers keep every digit."""
        if self.kind == "flag":
            return "1" if value else "0"
        if self.kind == "numbers":
            return ",".join(_number(x) for x in value)
        if self.kind == "names":
            return ",".join(value)
        return _number(value) if self.kind in ("int", "float") else str(value)

    def check(self, value: Any) -> Any:
        """The value itself, in its proper type, when it is allowed (ValueError otherwise). Takes JSON values."""
        if self.kind == "int":
            return self._in_range(_whole(value))
        if self.kind == "float":
            return self._in_range(_real(value))
        if self.kind == "flag":
            if value not in (0, 1):
                raise ValueError(f"{self.name} must be {self.allowed}")
            return bool(value)
        if self.kind == "numbers":
            if isinstance(value, str):
                value = self._parse(value)
            if not isinstance(value, list | tuple) or not 2 <= len(value) <= 64:
                raise ValueError(f"{self.name} must be {self.allowed}")
            return tuple(self._in_range(_real(x)) for x in value)
        if self.kind == "names":
            if not isinstance(value, list | tuple) or len(value) > 40 or not all(x in PARAMS for x in value):
                raise ValueError(f"{self.name} must be {self.allowed}")
            return tuple(value)
        return self._text(value)

    def _parse(self, text: str) -> Any:
        match self.kind:
            case "int":
                if not re.fullmatch(r"[+-]?\d{1,18}(\.0*)?", text):
                    raise ValueError(text)
                return int(text.split(".")[0])
            case "float":
                return _plain_float(text)
            case "flag":
                return {"0": 0, "1": 1}.get(text)
            case "numbers":
                return [_plain_float(part) for part in text[:4000].split(",")]
            case "names":
                return [part for part in text[:1000].split(",") if part]
            case _:
                return text

    def _in_range(self, value: Any) -> Any:
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name} must be {self.allowed}")
        return value

    def _text(self, value: Any) -> str:
        good = isinstance(value, str) and (self.low if self.kind == "bits" else 0) <= len(value) <= self.high
        if good and self.kind == "bits":
            good = bool(re.fullmatch("[01]*", value))
        if good and self.choices:
            good = value in self.choices
        if not good:
            raise ValueError(f"{self.name} must be {self.allowed}")
        return "".join(c for c in value if c.isprintable() or c in "\n")


def _plain_float(text: str) -> float:
    """A decimal number; no underscores, no words such as inf or nan."""
    if not re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*", text[:60]):
        raise ValueError(text)
    return _real(float(text))


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("not a number")
    try:
        number = float(value)
    except OverflowError:  # JSON holds whole numbers of any length
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def _whole(value: Any) -> int:
    number = _real(value)
    if number != int(number):
        raise ValueError(f"{value!r} is not a whole number")
    return int(number)


def _number(value: float) -> str:
    """Shortest text that reads back as the same number."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


METHODS = ("grpo", "dr-grpo", "dapo")


def _table(*params: Param) -> Mapping[str, Param]:
    return {param.name: param for param in params}


PARAMS = _table(
    # shared by pages
    Param("G", "Group size", "int", 8, 2, 1024),
    Param("p", "Success probability", "float", 0.5, 0, 1),
    Param("k", "Right answers", "int", 1, 0, 1024),
    Param("alpha", "Exponent", "float", 1.0, 0, 2),
    Param("pool", "Which problems", "choice", "bigmath", 1, 200),
    Param("method", "Method", "choice", "grpo", choices=METHODS),
    Param("seed", "Seed", "int", 0, 0, 2**31 - 1),
    # One group
    Param("marks", "Answers", "bits", "", 0, 16),
    Param("mode", "Rewards", "choice", "marks", choices=("marks", "rewards")),
    Param("rewards", "Rewards, typed", "numbers", (0.2, 0.5, 0.5, 1.0), -1e6, 1e6),
    Param("shift", "Add to every reward", "float", 0.0, -10, 10),
    # Difficulty
    Param("view", "What to draw", "choice", "update", choices=("update", "weight", "objective")),
    Param("dots", "Simulated groups", "flag", False),
    # Silence
    Param("mean", "Mean pass rate", "float", 0.5, 0.05, 0.95),
    Param("m", "Tries in all", "int", 4, 1, 16),
    Param("train_batch", "Train batch", "int", 512, 1, 100_000),
    Param("generation_batch", "Generation batch", "int", 512, 1, 100_000),
    Param("cap", "Generation cap", "int", 10, 0, 1000),
    Param("grow", "Competence", "float", 0.0, -4, 8),
    # How many tries
    Param("loss", "Update that may be lost", "float", 0.1, 0.005, 0.5),
    Param("miss", "Chance of a silent group", "float", 0.1, 0.001, 0.5),
    Param("spend", "Rollouts to spend", "int", 1024, 2, 1_000_000),
    Param("budget_in", "Budget", "choice", "problem", choices=("problem", "total")),
    Param("per_problem", "Rollouts a problem", "float", 8.0, 0, 1024),
    Param("budget", "Rollouts in all", "int", 1_000_000, 0, 10**12),
    Param("goal", "What to have most of", "choice", "mixed", choices=("mixed", "update")),
    Param("smallest", "Smallest size", "int", 2, 2, 1024),
    Param("largest", "Largest size", "int", 0, 0, 4096),
    Param("multiple", "Multiples of", "int", 1, 1, 64),
    Param("powers", "Powers of two only", "flag", False),
    # Your data
    Param("near", "Nearly silent below", "float", 0.25, 0, 1e6),
    Param("keep_from", "Keep rates from", "float", 0.1, 0, 1),
    Param("keep_to", "to", "float", 0.9, 0, 1),
    Param("facet", "Cut by", "choice", "1", 1, 2),
    Param("filter_by", "Filter on", "choice", "1", 1, 2),
    Param("train_on", "Train on", "choice", "2", 1, 2),
    Param("order", "Order of the problems", "choice", "silent", choices=("silent", "most-silent", "update", "file")),
    Param("problem", "Problem", "int", 1, 1, 10**9),
    Param("want", "Settings for", "choice", "dynamic-sampling", choices=("dynamic-sampling", "dr-grpo", "grpo")),
    # Training run (with "m" of Silence)
    Param("t", "Step", "int", 150, 0, 400),
    Param("steps", "Steps in all", "int", 150, 20, 400),
    Param("lr", "Learning rate", "float", 0.5, 0.05, 5),
    Param("redraw", "DAPO draws other prompts", "flag", False),
    Param("band", "Seeds", "int", 1, 1, 5),
    Param("against", "Compare at equal", "choice", "steps", choices=("steps", "rollouts")),
    Param("recorded", "Recorded run", "choice", "0", 1, 2),
    # Frameworks
    Param("framework", "Framework", "choice", "TRL", 0, 60),
    Param("setting", "Setting", "choice", "", 0, 200),
    Param("number", "Its number", "text", "", 0, 20),
    Param("to", "To", "choice", "open-instruct", 0, 60),
    Param("to_setting", "Setting there", "choice", "", 0, 200),
    # For a class
    Param("part", "What to show", "choice", "lessons", choices=("lessons", "sheet", "proof")),
    Param("line", "Line of the proof", "int", 8, 1, 8),
    Param("lesson", "Question", "choice", "", 0, 40),
    # what a sender chose for the receiver (the share dialog)
    Param("lock", "Locked controls", "names", ()),
    Param("hide", "Hidden controls", "names", ()),
    Param("guess", "Answer hidden until a guess", "flag", False),
    Param("title", "The sender's title", "text", "", 0, 80),
    Param("ask", "The sender's question", "text", "", 0, 280),
    Param("slides", "Large type", "flag", False),
)

SHARED = ("G", "p", "k", "alpha", "pool", "method", "seed")
# What a sender chose, or a lesson asks: it belongs to one page and does not travel on, but for the large type.
COURTESIES = ("lesson", "lock", "hide", "guess", "title", "ask", "slides")

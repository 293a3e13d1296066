"""What a reading can end in when it is not a table of rates: a refusal, or a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

__all__ = ["KINDS", "Kind", "ReadingError", "Refused", "Unclear"]

Kind = Literal["empty", "no rows", "no rates", "not a table", "out of range", "steps", "dates", "too large"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_LONGEST = 1000  # characters of a reason: names and cells in it come from the file


class ReadingError(ValueError):
    """A file that did not become a Pool: either ``Refused`` or ``Unclear``.

    Attributes
    ----------
    columns : the columns of the table, where one was found.
    preview : its first rows, each cell as text of at most 200 characters (None where missing).
    """

    columns: tuple[str, ...] = ()
    preview: tuple[tuple[str | None, ...], ...] = ()


class Refused(ReadingError):
    """There is nothing to read, or what is there cannot be right.

    Parameters
    ----------
    reason : one sentence that names columns and rows (data rows, counted from 1).
    kind : one of ``KINDS``.
    table : for kind "steps" the log itself (a pyarrow Table, numbers as float64), to be plotted; else None.

    Examples
    --------
    >>> str(Refused("the file is empty", "empty"))
    'the file is empty'
    """

    def __init__(self, reason: str, kind: Kind, table: Any = None) -> None:
        reason = reason if len(reason) <= _LONGEST else reason[: _LONGEST - 1] + "\u2026"
        super().__init__(reason)
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; it must be one of {', '.join(KINDS)}")
        self.reason = reason
        self.kind: Kind = kind
        self.table = table

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.kind, self.table)


class Unclear(ReadingError):
    """Two readings are plausible, or a column must be confirmed: a question with its choices.

    Parameters
    ----------
    question : one sentence.
    choices : what can be chosen, mostly columns.
    answers : pairs of a label and the keyword arguments of ``read`` that this answer stands for, ready to be offered as
        buttons; there can be more of them than choices (a difficulty column has two directions).

    Examples
    --------
    >>> asked = Unclear("which column?", ["a", "b"], [("a", {"rate": "a"}), ("b", {"rate": "b"})])
    >>> asked.choices, asked.answers[1]
    (('a', 'b'), ('b', {'rate': 'b'}))
    """

    def __init__(
        self,
        question: str,
        choices: Iterable[str],
        answers: Iterable[tuple[str, Mapping[str, Any]]] = (),
    ) -> None:
        self.question = question
        self.choices = tuple(choices)
        self.answers = tuple((label, dict(options)) for label, options in answers)
        super().__init__(question)

    def __str__(self) -> str:
        return f"{self.question} Choices: {', '.join(self.choices)}."

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.question, self.choices, self.answers)

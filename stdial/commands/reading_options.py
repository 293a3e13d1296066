"""The options that say how to read a file, shared by all subcommands that read one."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stdial.reading import Unclear

__all__ = ["add_reading_options", "as_options", "read_as_said"]

_COLUMNS = {
    "id": 'the column that names the problem ("" for none)',
    "right": "the column of right answers",
    "tries": "the column of tries, or their number",
    "rate": "the column of pass rates",
    "reward": "the column of rewards, one row a rollout",
    "rewards": 'the column of lists of rewards, or "first .. last" for one column a rollout',
    "group": "the column that says which rows form one group",
    "problems": "the column that says how many problems share a row",
    "step": "the column that tells training steps (or models) apart",
}


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add FILE and the reading options to a subcommand's parser."""
    parser.add_argument(
        "file", metavar="FILE", help="a table: CSV, JSON, JSON Lines, Parquet or Arrow, also compressed"
    )
    group = parser.add_argument_group("reading options", "where the guess is to be overruled")
    for name, text in _COLUMNS.items():
        group.add_argument(f"--{name}", metavar="C", help=text)
    group.add_argument("--at-step", metavar="S", help="the step to read where there are several")
    group.add_argument("--each-step", action="store_true", help="read each step as problems of its own")
    group.add_argument("--facet", metavar="C", action="append", help="a column to cut the pool by; may be repeated")
    group.add_argument("--high-is", choices=("hard", "easy"), help="what a high value of a difficulty column means")
    group.add_argument("--threshold", metavar="X", type=float, help="a reward of at least X is a right answer")


def read_as_said(options: argparse.Namespace) -> Any:
    """The ``Reading`` of ``options.file`` under these options; a question is a ValueError that names the options to answer with."""
    from stdial.reading import Unclear, read

    given = {name: getattr(options, name) for name in (*_COLUMNS, "at_step", "each_step", "high_is", "threshold")}
    given["facets"] = options.facet
    try:
        return read(options.file, **{name: value for name, value in given.items() if value is not None})
    except Unclear as asked:
        raise ValueError(_question(asked)) from asked


def _question(asked: Unclear) -> str:
    if not asked.answers:
        return str(asked)
    return f"{asked.question} Choices: {', '.join(f'{label} ({as_options(said)})' for label, said in asked.answers)}."


def as_options(said: Mapping[str, Any]) -> str:
    """Keyword arguments of ``read`` as options of the command line.

    >>> as_options({"step": "step", "at_step": "200"}), as_options({"each_step": True, "id": ""})
    ('--step step --at-step 200', "--each-step --id ''")
    """
    words = []
    for name, value in said.items():
        option = "--facet" if name == "facets" else f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, (list, tuple)) else (value,):
            words += [option] if each is True else [option, shlex.quote(str(each))]
    return " ".join(words)

"""The options that say how to read a file, shared by all subcommands that read one."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add_reading_options", "read_as_said"]

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
    """The ``Reading`` of ``options.file`` under these options."""
    from stdial.reading import read

    given = {name: getattr(options, name) for name in (*_COLUMNS, "at_step", "each_step", "high_is", "threshold")}
    given["facets"] = options.facet
    return read(options.file, **{name: value for name, value in given.items() if value is not None})

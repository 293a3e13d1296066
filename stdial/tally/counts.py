"""The counting, as narwhals expressions that every engine runs in its own way.

First a look at the reward column (or the right and tries columns) alone: what kind of rewards they are and how many are
missing. A reward that cannot be read is refused here, before the expensive part. Then two group-bys: rollouts to
problems, (id, facets) -> (right, tries), and problems to counts, (right, tries, facets) -> problems. Only the counts
leave the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from stdial.tally.keys import Frame, Key

__all__ = ["collected", "counted", "flag", "problems_of", "repeated_ids", "totals"]

REWARD, RIGHT, TRIES, PROBLEMS, NAMELESS = "reward", "right", "tries", "problems", "nameless"


def flag(condition: nw.Expr) -> nw.Expr:
    """1 where a condition holds, null elsewhere: engines count these in 8 bytes a group, and sum in 16 or more."""
    return nw.when(condition).then(nw.lit(1, nw.Int64))


def totals(frame: Frame, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
    """How many rows fulfil each condition: one scan of the columns that the conditions name, without any grouping."""
    flags = frame.select(*(flag(condition).alias(name) for name, condition in conditions.items()))
    found = collected(flags.select(*(nw.col(name).count() for name in conditions)))
    return {name: int(count[0]) for name, count in found.items()}


def problems_of(frame: Frame, keys: Sequence[Key], right: nw.Expr) -> Frame:
    """Rollouts to problems: one row per different (id, facets), with its right answers and its tries."""
    names = [key.column for key in keys]
    marked = frame.select(*names, flag(right).alias(RIGHT), nw.col(REWARD).alias(TRIES))
    return marked.group_by(*names, drop_null_keys=False).agg(nw.col(RIGHT).count(), nw.col(TRIES).count())


def counted(problems: Frame, facets: Sequence[Key], nameless: nw.Expr) -> Frame:
    """Problems to counts: how many there are of each (right, tries, facets), those without an id apart."""
    names = [RIGHT, TRIES, NAMELESS, *(key.column for key in facets)]
    return (
        problems.with_columns(nameless.alias(NAMELESS))
        .select(*names)
        .group_by(*names, drop_null_keys=False)
        .agg(nw.len().alias(PROBLEMS))
    )


def repeated_ids(frame: Frame, keys: Sequence[Key]) -> tuple[int, int]:
    """How many different (id, facets) are found in more than one row, and in how many rows."""
    names = [key.column for key in keys]
    shared = (
        frame.filter(~nw.col(names[0]).is_null())
        .group_by(*names, drop_null_keys=False)
        .agg(nw.len().alias("rows"))
        .filter(nw.col("rows") > 1)
    )
    found = collected(shared.select(nw.col("rows").count().alias("ids"), nw.col("rows").sum()))
    return int(found["ids"][0] or 0), int(found["rows"][0] or 0)


def collected(frame: Frame) -> dict[str, list[Any]]:
    """Run the engine and bring the result over as plain columns."""
    return frame.collect().to_dict(as_series=False)

"""The whole way from an opened source to a Reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stdial.reading.build import Problems, rows_of_problems
from stdial.reading.converted import VAST
from stdial.reading.describe import alternatives, preview
from stdial.reading.errors import ReadingError
from stdial.reading.guess import Columns, Guess
from stdial.reading.limits import Limits
from stdial.reading.options import Options
from stdial.reading.outcomes import is_form, reward_candidates
from stdial.reading.pools import reading_of_pool, stored_pool
from stdial.reading.profiles import numbers_of
from stdial.reading.progress import report
from stdial.reading.result import Groups, Reading
from stdial.reading.roles import settle
from stdial.reading.rollouts import grouped, problems_of_lists, problems_of_rollouts
from stdial.reading.source import Source
from stdial.reading.tables import Table, open_table

if TYPE_CHECKING:
    from stdial.pool import Pool

__all__ = ["read_source"]

_MOST_REWARDS = 8


def read_source(source: Source, limits: Limits, options: Options) -> Reading:
    """Read an opened source."""
    report("reading the table")
    table = open_table(source, limits)
    report("looking at the columns")
    columns = Columns(table)
    try:
        return _reading(table, columns, options.checked(table.names))
    except ReadingError as error:
        error.columns, error.preview = table.names, preview(columns)
        raise


def _reading(table: Table, columns: Columns, options: Options) -> Reading:
    if options == Options() and (pool := stored_pool(table)) is not None:
        return reading_of_pool(pool, table)
    guess = settle(columns, options)
    report("grouping")
    problems = _problems(table, guess, options)
    warnings = [*table.lost, *([] if table.header else ["no header: columns are called by their place"])]
    warnings += [w for w in problems.warnings if w not in guess.warnings] + guess.warnings
    mapping = dict(guess.mapping)
    return Reading(
        pool=_pool(problems, warnings),
        stats=problems.stats,
        ids=problems.ids,
        mapping=mapping,
        warnings=tuple(warnings),
        reasons=guess.reasons,
        alternatives=alternatives(columns, guess),
        columns=table.names,
        notes=table.notes,
        rows=columns.rows if table.whole else 0,
        preview=preview(columns),
        facets=tuple(problems.facets),
        rewards=_reward_columns(columns, guess, problems),
        steps=problems.steps,
        weights=problems.weights,
        source=table.head if table.whole else None,
        row_problem=problems.row_problem,
    )


def _problems(table: Table, guess: Guess, options: Options) -> Problems:
    if guess.shape == "rollouts":
        return problems_of_rollouts(table, guess, options)
    if guess.shape in ("lists", "wide"):
        return problems_of_lists(table, guess, options)
    return rows_of_problems(table, guess, options)


def _pool(problems: Problems, warnings: list[str]) -> Pool | None:
    from stdial.pool import Pool

    rest = (problems.weights, problems.facets, problems.ids, warnings)
    if problems.right is not None and problems.tries is not None:
        return Pool(problems.right, problems.tries, *rest)
    if problems.rate is not None:
        return Pool.from_rates(problems.rate, *rest)
    return None


def _reward_columns(columns: Columns, guess: Guess, problems: Problems) -> dict[str, Groups]:
    """The groups under each reward column of a rollout log, the chosen one first."""
    if guess.shape != "rollouts" or problems.row_problem is None:
        return {}
    named = [*reward_candidates(columns), *(p for p in columns.all if is_form(p))]
    names = [n for n in dict.fromkeys(p.name for p in named) if n != guess.value][: _MOST_REWARDS - 1]
    found = {guess.value: problems.stats}
    for name in names:
        values = numbers_of(columns.table.head.column(name)).values
        kept = ~np.isnan(values) & (problems.row_problem >= 0)
        if np.abs(values[kept]).max(initial=0.0) > VAST:
            continue
        codes = problems.row_problem[kept]
        if len(np.unique(codes)) == len(problems.stats.mean):
            found[name] = grouped(codes, values[kept], None, len(problems.stats.mean))
    return found

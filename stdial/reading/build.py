"""From a settled reading to problems: rates, counts, groups, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial.reading.converted import as_counts, as_rates, refuse_bad, right_of_rates
from stdial.reading.errors import Refused, Unclear
from stdial.reading.guess import Guess
from stdial.reading.labels import Labels, labelled
from stdial.reading.options import Options
from stdial.reading.profiles import Numbers, numbers_of
from stdial.reading.result import Groups
from stdial.reading.steps import step_mask
from stdial.reading.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Problems", "count_phrase", "facet_values", "rows_of_problems", "warn_unequal"]

_MOST_PROBLEMS = 1e12  # times any group size this is still a whole number in float64

Floats = NDArray[np.float64]
_SUMMARIES = frozenset(("mean", "average", "avg", "total", "overall", "all", "sum", "summary"))


@dataclass
class Problems:
    """What was read, one entry a problem; ``right`` and ``tries`` are None where they are not known.

    ``row_problem`` is the problem of each row of the file, -1 for a row that is in none.
    """

    stats: Groups
    rate: Floats | None
    right: NDArray[np.int64] | None
    tries: NDArray[np.int64] | None
    ids: NDArray[Any] | None
    facets: Mapping[str, Any]
    steps: NDArray[Any] | None = None
    weights: NDArray[np.int64] | None = None
    row_problem: NDArray[np.int64] | None = None
    warnings: list[str] = field(default_factory=list)


def count_phrase(count: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> count_phrase(1, "row", "rows")
    '1 row'
    """
    return f"{count:,} {one if count == 1 else many}"


def facet_values(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column's values as facet entries: lists as tuples, missing ones as None."""
    values = column.to_pylist()
    entries = np.empty(len(values), dtype=object)
    entries[:] = [tuple(v) if isinstance(v, list) else (v or None) if isinstance(v, str) else v for v in values]
    return entries


@dataclass
class _Rows:
    """The used columns of all rows, cut down as rows are dropped; ``at`` are their places in the file."""

    table: pa.Table
    at: NDArray[np.int64]

    def keep(self, mask: NDArray[np.bool_]) -> _Rows:
        at = np.flatnonzero(mask)
        return _Rows(self.table.take(at), self.at[at])


def rows_of_problems(table: Table, guess: Guess, options: Options) -> Problems:
    """Tables with one row a problem: rates, or right and tries."""
    warnings: list[str] = []
    tries_column = guess.tries if isinstance(guess.tries, str) else None
    wanted = [guess.value, tries_column, guess.id, guess.group, guess.step, guess.weight, *guess.facets]
    whole = table.select([name for name in dict.fromkeys(wanted) if name is not None])
    rows = _Rows(whole, np.arange(whole.num_rows))
    value, tries = _outcome(rows.table, guess, tries_column, warnings, options)
    present = ~np.isnan(value)
    if not present.all():
        lost = int((~present).sum())
        what = "a rate" if guess.shape == "rates" else "a count"
        warnings.append(f"{count_phrase(lost, 'row', 'rows')} without {what} dropped")
    if guess.step is not None and options.at_step is not None:
        present &= step_mask(rows.table.column(guess.step), options.at_step)
    if not present.any():
        raise Refused(f"no row has a value in {guess.value}", "no rates")
    if _ends_in_summary(rows.table, value, present, guess, warnings):
        present[np.flatnonzero(present)[-1]] = False
    rows, value = rows.keep(present), value[present]
    tries = None if tries is None else tries[present]
    weights = _weights(rows.table, guess, present)
    first = _distinct_rows(table, rows, value, guess, options, warnings)
    rows, value = rows.keep(first), value[first]
    tries = None if tries is None else tries[first]
    found = _finished(rows, value, tries, guess, options, warnings, table)
    found.weights = None if weights is None else weights[first]
    return found


def _ends_in_summary(
    rows: pa.Table, value: Floats, present: NDArray[np.bool_], guess: Guess, warnings: list[str]
) -> bool:
    """Whether the last row is the mean or the sum of the others and its id says so; it is named in a warning."""
    at = np.flatnonzero(present)
    if guess.id is None or len(at) < 3:
        return False
    name = str(rows.column(guess.id)[int(at[-1])].as_py())
    before, last = value[at[:-1]], value[at[-1]]
    sums = (float(before.mean()), float(before.sum()))
    if name.strip().lower() not in _SUMMARIES or not any(abs(last - total) <= 6e-3 * max(1, total) for total in sums):
        return False
    warnings.append(f"the last row ({name}) sums up the others: dropped")
    return True


def _weights(rows: pa.Table, guess: Guess, present: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    """How many problems share each of the rows that are kept."""
    if guess.weight is None:
        return None
    if guess.group is not None or guess.id is not None:
        raise ValueError(f"problems is {guess.weight!r}, but rows with an id stand for one problem each")
    numbers = numbers_of(rows.column(guess.weight))
    refuse_bad(guess.weight, numbers.bad, "number of problems")
    shared = numbers.values[present]
    wrong = np.flatnonzero(~((shared >= 0) & (shared <= _MOST_PROBLEMS)) | (shared != np.floor(shared)))
    if len(wrong):
        row, shown = int(np.flatnonzero(present)[wrong[0]]) + 1, shared[wrong[0]]
        raise Refused(f"row {row}, {guess.weight}: {shown:g} is no number of problems", "out of range")
    if shared.sum() > _MOST_PROBLEMS:
        raise Refused(
            f"{guess.weight} adds up to {shared.sum():g} problems; at most {_MOST_PROBLEMS:g} are read", "out of range"
        )
    return shared.astype(np.int64)


def _outcome(
    rows: pa.Table, guess: Guess, tries_column: str | None, warnings: list[str], options: Options
) -> tuple[Floats, Floats | None]:
    """Rates (or right counts) and tries of each row, nan where missing."""
    numbers = numbers_of(rows.column(guess.value))
    given: Floats | None = None
    if isinstance(guess.tries, int):
        given = np.full(rows.num_rows, float(guess.tries))
    elif tries_column is not None:
        beside = numbers_of(rows.column(tries_column))
        given = beside.values
    if guess.shape == "fractions":
        right, tries = as_counts(numbers, _fraction_tries(numbers, guess), (guess.value, "the tries in the cell"))
        return right, tries
    if guess.shape == "counts":
        if given is None:
            raise Refused(f"{guess.value} counts right answers, but the tries are missing", "no rates")
        right, tries = as_counts(numbers, given, (guess.value, tries_column or "tries"))
        return right, tries
    if numbers.kind not in ("number", "percent", "mark", "empty"):
        raise Refused(f"{guess.value} holds no numbers but {_what(numbers)}, so it is no rate", _kind(numbers))
    rate = as_rates(numbers, guess.value, warnings)
    return (1 - rate if options.high_is == "hard" else rate), given


def _fraction_tries(numbers: Numbers, guess: Guess) -> Floats:
    if numbers.tries is None:
        raise Refused(f"{guess.value} holds no cells of right of tries, such as 7/8", "no rates")
    return numbers.tries


def _what(numbers: Numbers) -> str:
    return {"date": "dates", "list": "lists", "fraction": "right of tries", "text": "text"}.get(numbers.kind, "text")


def _kind(numbers: Numbers) -> Any:
    return "dates" if numbers.kind == "date" else "no rates"


def _distinct_rows(
    table: Table, rows: _Rows, value: Floats, guess: Guess, options: Options, warnings: list[str]
) -> NDArray[np.bool_]:
    """A mask without exact repeats; an id that then still repeats is a question."""
    every = np.ones(len(value), dtype=bool)
    if guess.id is None or options.group is not None:
        return every
    codes = labelled(rows.table.column(guess.id)).codes
    if guess.step is not None and options.at_step is None:
        codes = _combined(codes, labelled(rows.table.column(guess.step)).codes)
    named = codes >= 0
    if len(np.unique(codes[named])) == int(named.sum()):
        return every
    kept = _without_repeats(table, rows, codes)
    lost = int((~kept).sum())
    if lost:
        warnings.append(f"{count_phrase(lost, 'duplicate row', 'duplicate rows')} dropped")
    left = codes[kept & named]
    if len(np.unique(left)) == len(left):
        return kept
    return kept & _one_a_problem(rows, codes, kept, value, guess, warnings)


def _without_repeats(table: Table, rows: _Rows, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The first of each set of rows that agree in every column that does not only number the rows."""
    from stdial.reading.guess import Columns

    numbering = Columns(table).index
    names = [name for name in table.names if name not in numbering]
    whole = table.select(names)
    for name in names:
        codes = _combined(codes, labelled(whole.column(name)).codes[rows.at])
    _, first = np.unique(codes, return_index=True)
    kept = np.zeros(len(codes), dtype=bool)
    kept[first] = True
    return kept


def _combined(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    _, joined = np.unique((one + 1) * (int(other.max(initial=0)) + 2) + other + 1, return_inverse=True)
    return np.asarray(joined, dtype=np.int64)


def _one_a_problem(
    rows: _Rows, codes: NDArray[np.int64], kept: NDArray[np.bool_], value: Floats, guess: Guess, warnings: list[str]
) -> NDArray[np.bool_]:
    at = np.flatnonzero(kept & (codes >= 0))
    _, first, back = np.unique(codes[at], return_index=True, return_inverse=True)
    if guess.shape == "rates" and len(at) >= 1.5 * len(first) and (value[at] == value[at[first]][back]).all():
        for name in guess.facets:
            of_row = labelled(rows.table.column(name)).codes[at]
            if (of_row != of_row[first][back]).any():
                guess.facets = tuple(other for other in guess.facets if other != name)
        warnings.append(f"{guess.value} stands on every row of its problem: one rate a problem was kept")
        single = codes < 0
        single[at[first]] = True
        return single
    again = at[np.flatnonzero(np.bincount(back)[back] > 1)[:2]]
    where = " and ".join(f"row {rows.at[i] + 1}" for i in again)
    choices = [f"add up the rows of one {guess.id}", "each row is a problem of its own"]
    said = {guess.role: guess.value}
    raise Unclear(
        f"{guess.id} occurs more than once with different values ({where}): what are such rows?",
        choices,
        [(choices[0], {**said, "group": guess.id}), (choices[1], {**said, "id": ""})],
    )


def _finished(
    rows: _Rows,
    value: Floats,
    tries: Floats | None,
    guess: Guess,
    options: Options,
    warnings: list[str],
    table: Table,
) -> Problems:
    if guess.shape == "rates":
        given = guess.tries if isinstance(guess.tries, int) else tries
        named = guess.tries if isinstance(guess.tries, str) else None
        counted = right_of_rates(value, given, guess.value, named, warnings)
    else:
        counted = (value, tries if tries is not None else np.ones(len(value)))
    ids = labelled(rows.table.column(guess.id)) if guess.id is not None else None
    steps = labelled(rows.table.column(guess.step)) if guess.step is not None and options.at_step is None else None
    facets = {name: facet_values(rows.table.column(name)) for name in guess.facets}
    row_problem = np.full(table.head.num_rows, -1, dtype=np.int64) if table.whole else None
    if row_problem is not None:
        row_problem[rows.at] = np.arange(len(value))
    if counted is None:
        spread = np.sqrt(value * (1 - value))
        stats = Groups(np.full(len(value), np.nan), value, spread, np.floor(value), np.ceil(value))
        return Problems(stats, value, None, None, _named(ids), facets, _named(steps), None, row_problem, warnings)
    right, n = counted
    if guess.group is not None:
        return _added_up(rows, right, n, guess, facets, warnings)
    warn_unequal(n, warnings)
    return Problems(
        _of_counts(right, n), None, right.astype(np.int64), n.astype(np.int64), _named(ids), facets, _named(steps),
        None, row_problem, warnings,
    )  # fmt: skip


def _named(labels: Labels | None) -> NDArray[Any] | None:
    """Labels row by row, None where a row has none."""
    if labels is None:
        return None
    if not len(labels.values):
        return None
    if (labels.codes >= 0).all():
        return np.asarray(labels.values[labels.codes])
    entries = np.full(len(labels.codes), None, dtype=object)
    entries[labels.codes >= 0] = labels.values[labels.codes[labels.codes >= 0]]
    return entries


def _of_counts(right: Floats, n: Floats) -> Groups:
    rate = right / n
    return Groups(n, rate, np.sqrt(rate * (1 - rate)), (right == n).astype(float), (right > 0).astype(float))


def _added_up(
    rows: _Rows, right: Floats, n: Floats, guess: Guess, facets: Mapping[str, Any], warnings: list[str]
) -> Problems:
    """Rows of one group key summed, as the user said."""
    keys = labelled(rows.table.column(guess.group))
    _, first, back = np.unique(keys.codes, return_index=True, return_inverse=True)
    k, total = (np.bincount(back, values).astype(np.float64) for values in (right, n))
    warnings.append(f"the rows of one {guess.group} added up, as you said")
    warn_unequal(total, warnings)
    ids = _named(keys)
    return Problems(
        _of_counts(k, total), None, k.astype(np.int64), total.astype(np.int64), None if ids is None else ids[first],
        {name: values[first] for name, values in facets.items()}, warnings=warnings,
    )  # fmt: skip


def warn_unequal(n: Floats, warnings: list[str]) -> None:
    """Say that groups differ in size, or that they are all of one try."""
    if len(n) and n.min() != n.max():
        warnings.append(f"unequal tries: {int(n.min())} to {int(n.max())}")
    elif len(n) and n.max() == 1:
        warnings.append("one try a problem: every group of one is silent, and a rate needs more tries")

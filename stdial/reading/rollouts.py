"""From rollouts to problems: one row a rollout, a list of rewards a row, or one column a rollout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stdial.reading.build import Problems, count_phrase, facet_values, warn_unequal
from stdial.reading.converted import as_marks, refuse_bad
from stdial.reading.errors import Refused, Unclear
from stdial.reading.guess import Guess
from stdial.reading.labels import Labels, labelled
from stdial.reading.large import LargeText
from stdial.reading.options import Options
from stdial.reading.profiles import Numbers, lists_of, numbers_of, profile
from stdial.reading.result import Groups
from stdial.reading.steps import step_mask
from stdial.reading.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["grouped", "problems_of_lists", "problems_of_rollouts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def grouped(codes: Ints, values: Floats, weights: Ints | None, groups: int) -> Groups:
    """The groups of values that occur ``weights`` times each.

    >>> grouped(np.array([0, 0, 1]), np.array([0.0, 1.0, 1.0]), None, 2).silent.tolist()
    [False, True]
    """
    n = np.bincount(codes, weights, groups).astype(np.float64)
    weighted = values if weights is None else values * weights
    mean = np.bincount(codes, weighted, groups) / n
    apart = (values - mean[codes]) ** 2
    variance = np.bincount(codes, apart if weights is None else apart * weights, groups) / n
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, codes, values)
    np.maximum.at(high, codes, values)
    return Groups(n, mean, np.where(low == high, 0.0, np.sqrt(variance)), low, high)


def problems_of_rollouts(table: Table, guess: Guess, options: Options) -> Problems:
    """One row a rollout; a table that is not held in memory is counted where it lies."""
    warnings = list(guess.warnings)
    names = [n for n in dict.fromkeys((guess.key, guess.id, guess.step, guess.value)) if n is not None]
    if table.whole or guess.key is None:
        rows = table.select(list(dict.fromkeys([*names, *guess.facets])))
        weights = None
    else:
        rows = table.tally(names, guess.facets)
        weights = rows.column("rows").to_numpy().astype(np.int64)
    numbers = numbers_of(rows.column(guess.value))
    _refuse_unreadable(table, guess, numbers, rows)
    keys = None if guess.key is None else labelled(rows.column(guess.key))
    kept = _kept(rows, numbers, keys, weights, guess, options, warnings)
    codes, ids, steps = _groups(rows, guess, options, kept, keys)
    values = numbers.values[kept]
    if not len(values):
        raise Refused(f"no row has a value in {guess.value}", "no rates")
    weights = None if weights is None else weights[kept]
    used, codes = np.unique(codes, return_inverse=True) if not _dense(codes) else (None, codes)
    if used is not None:
        ids, steps = (None if a is None else a[used] for a in (ids, steps))
    facets = _facets(rows, guess, codes, kept, table, warnings)
    found = _outcome(codes, values, weights, ids, steps, facets, guess, options, warnings)
    if table.whole:
        row_problem = np.full(table.head.num_rows, -1, dtype=np.int64)
        row_problem[kept] = codes
        found.row_problem = row_problem
    return found


def _dense(codes: Ints) -> bool:
    return bool((np.bincount(codes) > 0).all()) if len(codes) else True


def _refuse_unreadable(table: Table, guess: Guess, numbers: Numbers, rows: pa.Table) -> None:
    if numbers.kind not in ("number", "mark", "percent", "empty"):
        raise Refused(f"{guess.value} holds no rewards but {numbers.kind}", "no rates")
    bad = numbers.bad
    if bad and isinstance(table.rows, LargeText):
        places = table.rows.find(guess.value, [text for _, text in bad])
        bad = tuple((place, bad[0][1]) for place in places) or bad
    refuse_bad(guess.value, bad, "reward")


def _kept(
    rows: pa.Table,
    numbers: Numbers,
    keys: Labels | None,
    weights: Ints | None,
    guess: Guess,
    options: Options,
    warnings: list[str],
) -> NDArray[np.bool_]:
    present = ~np.isnan(numbers.values)
    _warn_lost(~present, weights, "a reward", warnings)
    if keys is not None:
        named = keys.codes >= 0
        _warn_lost(present & ~named, weights, f"a value in {guess.key}", warnings)
        present = present & named
    if guess.step is not None and options.at_step is not None:
        present = present & step_mask(rows.column(guess.step), options.at_step)
    return present


def _warn_lost(lost: NDArray[np.bool_], weights: Ints | None, what: str, warnings: list[str]) -> None:
    count = int(lost.sum() if weights is None else weights[lost].sum())
    if count:
        warnings.append(f"{count_phrase(count, 'row', 'rows')} without {what} dropped")


def _groups(
    rows: pa.Table, guess: Guess, options: Options, kept: NDArray[np.bool_], keys: Labels | None
) -> tuple[Ints, NDArray[Any] | None, NDArray[Any] | None]:
    """Each kept row's group, and each group's id and step."""
    if keys is None:
        return np.arange(int(kept.sum())), None, None
    codes, ids = keys.codes[kept], keys.values
    if guess.group is not None and guess.id is not None:
        ids = _of_group(codes, len(ids), labelled(rows.column(guess.id)), kept)
    if guess.step is None or options.at_step is not None:
        return codes, ids, None
    steps = labelled(rows.column(guess.step))
    joined = codes * len(steps.values) + steps.codes[kept]
    used, dense = np.unique(joined, return_inverse=True)
    return dense.astype(np.int64), ids[used // len(steps.values)], steps.values[used % len(steps.values)]


def _of_group(codes: Ints, groups: int, labels: Any, kept: NDArray[np.bool_]) -> NDArray[Any]:
    of_group = np.zeros(groups, dtype=np.int64)
    of_group[codes] = labels.codes[kept]
    return np.asarray(labels.values[of_group])


def _facets(
    rows: pa.Table, guess: Guess, codes: Ints, kept: NDArray[np.bool_], table: Table, warnings: list[str]
) -> dict[str, NDArray[Any]]:
    groups = int(codes.max()) + 1
    first = np.zeros(groups, dtype=np.int64)
    first[codes[::-1]] = np.flatnonzero(kept)[::-1]
    found: dict[str, NDArray[Any]] = {}
    for i, name in enumerate(guess.facets):
        if table.whole or guess.key is None:
            found[name] = facet_values(rows.column(name).take(first))
            continue
        low, high = rows.column(f"low {i}"), rows.column(f"high {i}")
        if low.equals(high):
            found[name] = facet_values(low.take(first))
        else:
            warnings.append(f"{name} differs within a problem, so it is no facet")
    return found


def _outcome(
    codes: Ints,
    values: Floats,
    weights: Ints | None,
    ids: NDArray[Any] | None,
    steps: NDArray[Any] | None,
    facets: dict[str, NDArray[Any]],
    guess: Guess,
    options: Options,
    warnings: list[str],
) -> Problems:
    groups = int(codes.max()) + 1
    marks, seen = as_marks(values, options.threshold, guess.value, warnings)
    stats = grouped(codes, seen, weights, groups)
    warn_unequal(stats.n, warnings)
    if steps is not None:
        facets = {**facets, "step": steps}
    if marks is None:
        return Problems(stats, None, None, None, ids, facets, steps, warnings=warnings)
    right = np.bincount(codes, marks if weights is None else marks * weights, groups)
    k, n = np.rint(right).astype(np.int64), stats.n.astype(np.int64)
    return Problems(stats, None, k, n, ids, facets, steps, warnings=warnings)


def problems_of_lists(table: Table, guess: Guess, options: Options) -> Problems:
    """A list of rewards in each row, or one column a rollout."""
    warnings = list(guess.warnings)
    beside = [n for n in (guess.id, guess.group, guess.step, *guess.facets) if n is not None]
    used = list(guess.wide) or [guess.value]
    rows = table.select(list(dict.fromkeys([*used, *beside])))
    flat, lengths = _wide(rows, guess) if guess.wide else _lists(rows, guess)
    row = np.repeat(np.arange(len(lengths)), np.maximum(lengths, 0))
    kept_entry = ~np.isnan(flat)
    if guess.shape == "lists" and not kept_entry.all():
        _warn_lost(~kept_entry, None, "a reward inside its list", warnings)
    row, flat = row[kept_entry], flat[kept_entry]
    wanted = np.ones(len(lengths), dtype=bool)
    if guess.step is not None and options.at_step is not None:
        wanted = step_mask(rows.column(guess.step), options.at_step)
    filled = np.bincount(row, minlength=len(lengths)) > 0
    _warn_lost(wanted & ~filled, None, "rewards", warnings)
    if not (wanted & filled).any():
        raise Refused(f"no row has rewards in {guess.value}", "no rates")
    problem, first = _problem_of_row(rows, guess, options, wanted & filled)
    chosen = wanted[row]
    codes, values = problem[row[chosen]], flat[chosen]
    ids = _label_of(rows, guess.key if guess.group and not guess.id else guess.id, first)
    steps = _label_of(rows, guess.step, first) if guess.step and options.at_step is None else None
    facets = {name: facet_values(rows.column(name).take(first)) for name in guess.facets}
    found = _outcome(codes, values, None, ids, steps, facets, guess, options, warnings)
    found.row_problem = problem if table.whole else None
    return found


def _wide(rows: pa.Table, guess: Guess) -> tuple[Floats, Ints]:
    columns = []
    for name in guess.wide:
        numbers = numbers_of(rows.column(name))
        if numbers.kind not in ("number", "mark", "percent", "empty"):
            raise Refused(f"{name} holds no rewards but {numbers.kind}", "no rates")
        refuse_bad(name, numbers.bad, "reward")
        columns.append(numbers.values)
    return np.column_stack(columns).ravel(), np.full(rows.num_rows, len(columns), dtype=np.int64)


def _lists(rows: pa.Table, guess: Guess) -> tuple[Floats, Ints]:
    column = rows.column(guess.value)
    if profile(guess.value, column).kind not in ("list", "empty"):
        raise Refused(f"{guess.value} holds no lists of rewards", "no rates")
    flat, lengths, bad = lists_of(column)
    refuse_bad(guess.value, bad, "list of rewards")
    return flat, lengths


def _problem_of_row(
    rows: pa.Table, guess: Guess, options: Options, wanted: NDArray[np.bool_]
) -> tuple[Ints, NDArray[np.int64]]:
    """Each row's problem (-1 for none), and the first row of each problem."""
    problem = np.full(len(wanted), -1, dtype=np.int64)
    if guess.key is not None:
        codes = labelled(rows.column(guess.key)).codes
        if guess.step is not None and options.at_step is None:
            codes = (
                codes * (int(labelled(rows.column(guess.step)).codes.max()) + 1)
                + labelled(rows.column(guess.step)).codes
            )
        used, first, back = np.unique(codes[wanted], return_index=True, return_inverse=True)
        repeated = len(used) < int(wanted.sum()) and bool((codes[wanted] >= 0).all())
        if repeated and guess.group is None:
            _ask_about_repeats(guess, np.flatnonzero(wanted), back)
        if repeated:
            problem[wanted] = back
            return problem, np.flatnonzero(wanted)[first]
    problem[wanted] = np.arange(int(wanted.sum()))
    return problem, np.flatnonzero(wanted)


def _ask_about_repeats(guess: Guess, at: Ints, back: Ints) -> None:
    again = at[np.flatnonzero(np.bincount(back)[back] > 1)[:2]]
    where = " and ".join(f"row {i + 1}" for i in again)
    choices = [f"add up the rows of one {guess.id}", "each row is a problem of its own"]
    said: dict[str, Any] = {"rewards": guess.wide or guess.value}
    raise Unclear(
        f"{guess.id} occurs more than once ({where}): what are such rows?",
        choices,
        [(choices[0], {**said, "group": guess.id}), (choices[1], {**said, "id": ""})],
    )


def _label_of(rows: pa.Table, name: str | None, first: Ints) -> NDArray[Any] | None:
    if name is None:
        return None
    labels = labelled(rows.column(name).take(first))
    return np.asarray(labels.values[labels.codes]) if (labels.codes >= 0).all() and len(labels.values) else None

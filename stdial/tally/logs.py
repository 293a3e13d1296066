"""Two kinds of log, one row a rollout and one row a problem, each checked, counted, and made into a Pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from stdial.arguments import a_threshold
from stdial.pool import Pool
from stdial.tally.counts import (
    NAMELESS,
    PROBLEMS,
    REWARD,
    RIGHT,
    TRIES,
    collected,
    counted,
    problems_of,
    repeated_ids,
    totals,
)
from stdial.tally.keys import Frame, Key, groupable

__all__ = ["of_problems", "of_rollouts"]


def of_rollouts(
    frame: nw.DataFrame[Any] | Frame, id: str, reward: str, facets: Sequence[str], threshold: float | None
) -> Pool:
    """One row a rollout: a null reward is no try, a rollout without an id belongs to no problem; both are noted."""
    if threshold is not None:
        a_threshold(threshold)
    rows, keys = groupable(frame, [id, *facets], {REWARD: reward})
    rows = _as_numbers(rows, {REWARD: reward})
    seen, right = _rewards(rows, reward, threshold)
    counts = counted(problems_of(rows, keys, right), keys[1:], nw.col(keys[0].column).is_null())
    notes = []
    if seen["none"]:
        all_of_them = _many(seen["none"] + seen["tried"], "rollout")
        notes.append(f"{seen['none']:,} of {all_of_them} without a reward: counted as no try")
    if seen.get("minus"):
        notes.append("rewards are -1 and 1: 1 is a right answer")
    return _pool(counts, keys[1:], notes)


def of_problems(
    frame: nw.DataFrame[Any] | Frame, id: str | None, right: str, tries: str | int, facets: Sequence[str]
) -> Pool:
    """One row a problem: rows without counts are left out and noted, counts out of range are refused."""
    columns = {RIGHT: right} | ({TRIES: tries} if isinstance(tries, str) else {})
    rows, keys = groupable(frame, [*([] if id is None else [id]), *facets], columns)
    rows = _as_numbers(rows, columns)
    if not isinstance(tries, str):
        rows = rows.with_columns(nw.lit(tries, nw.Int64).alias(TRIES))
    rows, unknown = _checked(rows, right, tries)
    notes = []
    if unknown:
        notes.append(f"{_many(unknown, 'row')} without a count of right answers or of tries: left out")
    if id is not None:
        ids, shared = repeated_ids(rows, keys)
        if ids:
            notes.append(
                f"{_many(ids, 'id')} in more than one row, {shared:,} in all: each row counts as a problem of its own"
            )
    kept = keys if id is None else keys[1:]
    return _pool(counted(rows, kept, nw.lit(False)), kept, notes)


def _as_numbers(frame: Frame, columns: Mapping[str, str]) -> Frame:
    """Booleans, decimals, Python objects and the words true and false as floats; other text and dates are refused."""
    schema = frame.collect_schema()
    numbers = []
    for new, name in columns.items():
        dtype, column = schema[new], nw.col(new)
        if dtype in (nw.Object, nw.Decimal, nw.Boolean):
            # Booleans too: a column of them that Dask reads from Parquet holds objects wherever one is missing.
            numbers.append(column.cast(nw.Float64))
        elif dtype == nw.String and not totals(frame, {"other": ~column.is_null() & ~_is_word(column)})["other"]:
            word = nw.when(_is_word(column)).then(column.str.to_lowercase() == "true")
            numbers.append(word.cast(nw.Float64).alias(new))
        elif not dtype.is_numeric():
            raise ValueError(f"column {name!r} has type {dtype}; it must hold numbers or booleans")
    try:
        return frame.with_columns(*numbers) if numbers else frame
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{' and '.join(map(repr, columns.values()))} must hold numbers or booleans: {error}"
        ) from None


def _is_word(column: nw.Expr) -> nw.Expr:
    return column.str.to_lowercase().is_in(["true", "false"])


def _rewards(frame: Frame, name: str, threshold: float | None) -> tuple[dict[str, int], nw.Expr]:
    """How many rewards there are of each kind, and when one of them is a right answer."""
    value = nw.col(REWARD)
    kinds = {"tried": ~value.is_null(), "none": value.is_null()}
    if threshold is not None:
        return totals(frame, kinds), value >= threshold
    seen = totals(frame, kinds | {"one": value == 1, "zero": value == 0, "minus": value == -1})
    other = seen["tried"] - seen["one"] - seen["zero"] - seen["minus"]
    if other or (seen["zero"] and seen["minus"]):
        kind = f"{_many(other, 'value')} other than -1, 0 and 1" if other else "both 0 and -1"
        raise ValueError(
            f"reward, column {name!r}, has {kind}; it must be booleans, 0/1 or -1/+1, "
            "or threshold must say from what reward on an answer is right; a table with one row a problem, its rate or its counts, "
            "is for: python -m stdial report FILE"
        )
    return seen, value == 1


def _checked(frame: Frame, right: str, tries: str | int) -> tuple[Frame, int]:
    """Rows with counts in range, as whole numbers, and how many rows have no count."""
    schema = frame.collect_schema()
    k, n = nw.col(RIGHT), nw.col(TRIES)
    unknown = k.is_null() | n.is_null()
    wrong = (k < 0) | (k > n)
    for name in (RIGHT, TRIES):
        if schema[name].is_float():
            wrong = wrong | (nw.col(name) % 1 != 0)
    seen = totals(frame, {"unknown": unknown, "untried": ~unknown & ~wrong & (n < 1), "wrong": ~unknown & wrong})
    if seen["wrong"]:
        raise ValueError(
            f"right, column {right!r}, has {_many(seen['wrong'], 'value')} out of range; "
            f"it must be a whole number from 0 to tries, {tries!r}, and tries a whole number"
        )
    kept = frame.filter(~unknown & (n >= 1)).with_columns(k.cast(nw.Int64), n.cast(nw.Int64))
    return kept, seen["unknown"] + seen["untried"]


def _pool(counts: Frame, facets: Sequence[Key], notes: list[str]) -> Pool:
    """Merge what the engines keep apart but Python does not (the order of a list, say), and sort."""
    columns = collected(counts)
    merged: Counter[tuple[Any, ...]] = Counter()
    nameless = untried = 0
    for i, problems in enumerate(columns[PROBLEMS]):
        if columns[NAMELESS][i]:
            nameless += int(problems) * int(columns[TRIES][i])
        elif not columns[TRIES][i]:
            untried += int(problems)
        else:
            values = tuple(key.decode(columns[key.column][i]) for key in facets)
            merged[(*values, int(columns[TRIES][i]), int(columns[RIGHT][i]))] += int(problems)
    if nameless:
        notes.append(f"{_many(nameless, 'rollout')} without an id: left out")
    if untried:
        notes.append(f"{_many(untried, 'problem')} without a single reward: left out")
    if not merged:
        raise ValueError("frame has no row to count: " + ("; ".join(notes) if notes else "it is empty"))
    rows = sorted(merged.items(), key=lambda item: [_sortable(value) for value in item[0]])
    return Pool(
        [key[-1] for key, _ in rows],
        [key[-2] for key, _ in rows],
        [problems for _, problems in rows],
        {facet.name: _whole([key[i] for key, _ in rows]) for i, facet in enumerate(facets)},
        notes=notes,
    )


def _whole(values: list[Any]) -> list[Any]:
    """Whole numbers as such: a column of steps with gaps is one of floats in pandas, and only there."""
    floats = [isinstance(value, float) and value.is_integer() for value in values]
    if any(not whole and value is not None for whole, value in zip(floats, values, strict=True)):
        return values
    return [None if value is None else int(value) for value in values]


def _sortable(value: Any) -> tuple[Any, ...]:
    """An order over whatever facet values are: nothing, numbers, text, lists."""
    if value is None:
        return (0,)
    if isinstance(value, tuple):
        return (3, *(_sortable(entry) for entry in value))
    return (1, value) if isinstance(value, (int, float)) else (2, type(value).__name__, value)


def _many(count: int, what: str) -> str:
    """1 rollout, 2,000 rollouts."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"

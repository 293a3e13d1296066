"""A tally in plain Python, and small random logs to hold every engine against it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from stdial import Pool

Rows = list[dict[str, Any]]
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "flag": pa.bool_(),
        "binary": pa.int64(),
        "sign": pa.float64(),
        "score": pa.float64(),
        "right": pa.int64(),
        "tries": pa.int64(),
        "step": pa.int64(),
        "topic": pa.string(),
        "tags": pa.list_(pa.string()),
    }
)
IS_RIGHT = {
    "flag": lambda value: value,
    "binary": lambda value: value == 1,
    "sign": lambda value: value == 1,
    "score": lambda value: value >= 0.5,
}
tags = st.none() | st.lists(st.sampled_from(["x", "y", "z", None]), max_size=3)


@st.composite
def logs(draw: st.DrawFn) -> Rows:
    """Up to a dozen rows: ids that repeat or lack, rewards of every kind with gaps, facets with gaps and lists."""
    row = st.fixed_dictionaries(
        {
            "id": st.sampled_from(["a", "b", "c", None]),
            "flag": st.sampled_from([True, False, None]),
            "binary": st.sampled_from([0, 1, None]),
            "sign": st.sampled_from([-1.0, 1.0, None]),
            "score": st.sampled_from([0.0, 0.25, 0.5, 1.0, float("nan"), None]),
            "tries": st.sampled_from([0, 1, 4, None]),
            "right": st.sampled_from([0, 1, None]),
            "step": st.sampled_from([1, 2, None]),
            "topic": st.sampled_from(["p", "q", None]),
            "tags": tags,
        }
    )
    rows = draw(st.lists(row, min_size=1, max_size=12))
    return [row | ({"right": 0} if row["tries"] == 0 and row["right"] else {}) for row in rows]


def grouped_by(value: Any) -> Any:
    """A list as the set of its entries: their order and number make no other problem."""
    return frozenset(value) if isinstance(value, list) else value


def facet_value(value: Any) -> Any:
    """A list as the sorted tuple of the entries that are there."""
    if isinstance(value, (list, frozenset)):
        return tuple(sorted({entry for entry in value if entry is not None}))
    return value


def of_rollouts(rows: Rows, reward: str, facets: list[str]) -> Counter[Any]:
    """(right, tries, facet values) -> problems."""
    problems: dict[Any, list[bool]] = defaultdict(list)
    for row in rows:
        if row["id"] is not None and row[reward] is not None and row[reward] == row[reward]:
            key = (row["id"], *(grouped_by(row[facet]) for facet in facets))
            problems[key].append(IS_RIGHT[reward](row[reward]))
    return Counter((sum(of), len(of), *map(facet_value, key[1:])) for key, of in problems.items())


def of_problems(rows: Rows, facets: list[str]) -> Counter[Any]:
    """The same from one row a problem."""
    return Counter(
        (row["right"], row["tries"], *(facet_value(row[facet]) for facet in facets))
        for row in rows
        if row["right"] is not None and row["tries"]
    )


def counts(pool: Pool) -> Counter[Any]:
    """What a pool says, in the same form; a pool has each row once."""
    columns = [pool.right.tolist(), pool.tries.tolist(), *(values.tolist() for values in pool.facets.values())]
    keys = list(zip(*columns, strict=True))
    assert len(set(keys)) == len(keys)
    return Counter(dict(zip(keys, pool.problems.tolist(), strict=True)))

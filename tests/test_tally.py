"""Every engine gives the pool that a plain count gives; what cannot be counted is refused; what is left out is said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stdial.tally import tally
from tests import tally_oracle as oracle

EXAMPLES = settings().max_examples
FACETS = [[], ["step"], ["tags"], ["topic", "step"], ["tags", "topic"]]
REWARDS = {"flag": None, "binary": None, "sign": None, "score": 0.5}


def table(rows: oracle.Rows) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=oracle.SCHEMA)


def to_duckdb(rows: oracle.Rows) -> Any:
    return duckdb.connect().from_arrow(table(rows))


def to_dask(rows: oracle.Rows) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(table(rows).to_pandas(), npartitions=2)


def to_dask_of_arrow(rows: oracle.Rows) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(table(rows).to_pandas(types_mapper=pd.ArrowDtype), npartitions=3)


ENGINES: dict[str, Callable[[oracle.Rows], Any]] = {
    "pandas": lambda rows: table(rows).to_pandas(),
    "pandas of Arrow": lambda rows: table(rows).to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": lambda rows: pl.from_arrow(table(rows)),
    "lazy Polars": lambda rows: pl.from_arrow(table(rows)).lazy(),
    "PyArrow": table,
    "DuckDB": to_duckdb,
}
DASK = {"Dask": to_dask, "Dask of Arrow": to_dask_of_arrow}


def check(frame: Any, expected: Counter[Any], **columns: Any) -> None:
    """A frame's tally is the expected count; where nothing is to be counted it is refused."""
    if not expected:
        with pytest.raises(ValueError, match="no row to count"):
            tally(frame, **columns)
    else:
        assert oracle.counts(tally(frame, **columns)) == expected


def check_rollouts(engines: dict[str, Any], rows: oracle.Rows, reward: str, facets: list[str]) -> None:
    expected = oracle.of_rollouts(rows, reward, facets)
    for engine in engines.values():
        check(engine(rows), expected, id="id", reward=reward, facets=facets, threshold=REWARDS[reward])


@settings(max_examples=EXAMPLES // 4)
@given(oracle.logs(), st.sampled_from(list(REWARDS)), st.sampled_from(FACETS))
def test_engines_count_rollouts_alike(rows: oracle.Rows, reward: str, facets: list[str]) -> None:
    check_rollouts(ENGINES, rows, reward, facets)


@settings(max_examples=EXAMPLES // 8)
@given(oracle.logs(), st.sampled_from(FACETS), st.sampled_from(["id", None]))
def test_engines_count_problems_alike(rows: oracle.Rows, facets: list[str], id: str | None) -> None:
    expected = oracle.of_problems(rows, facets)
    for engine in ENGINES.values():
        check(engine(rows), expected, id=id, right="right", tries="tries", facets=facets)


@settings(max_examples=EXAMPLES // 20)
@given(oracle.logs(), st.sampled_from(list(REWARDS)), st.sampled_from(FACETS), st.sampled_from(list(DASK)))
def test_dask_counts_rollouts_alike(rows: oracle.Rows, reward: str, facets: list[str], engine: str) -> None:
    check_rollouts({engine: DASK[engine]}, rows, reward, facets)


@settings(max_examples=EXAMPLES // 40)
@given(oracle.logs(), st.sampled_from(FACETS))
def test_dask_counts_problems_alike(rows: oracle.Rows, facets: list[str]) -> None:
    expected = oracle.of_problems(rows, facets)
    check(to_dask(rows), expected, id="id", right="right", tries="tries", facets=facets)


def log(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(columns)


def test_a_step_makes_a_problem_anew() -> None:
    frame = log(id=["a"] * 4, reward=[1, 0, 1, 1], step=[10, 10, 20, 20])
    pool = tally(frame, id="id", reward="reward", facets="step")
    assert oracle.counts(pool) == {(1, 2, 10): 1, (2, 2, 20): 1}
    assert oracle.counts(tally(frame, id="id", reward="reward")) == {(3, 4): 1}


def test_a_list_counts_under_each_entry_and_once_in_total() -> None:
    frame = pl.DataFrame({"id": ["a", "b", "c"], "reward": [1, 0, 1], "tags": [["x", "y"], ["y", "x", "x"], []]})
    pool = tally(frame, id="id", reward="reward", facets=["tags"])
    assert pool.size == 3
    assert pool.values("tags") == {"x": 2, "y": 2}


def test_what_is_left_out_is_said() -> None:
    rows = log(id=["a", "a", "b", None, None], reward=[1.0, None, None, 1.0, 0.0])
    notes = tally(rows, id="id", reward="reward").notes
    assert notes == (
        "2 of 5 rollouts without a reward: counted as no try",
        "2 rollouts without an id: left out",
        "1 problem without a single reward: left out",
    )
    assert tally(log(id=["a", "a"], reward=[-1, 1]), id="id", reward="reward").notes == (
        "rewards are -1 and 1: 1 is a right answer",
    )
    problems = log(id=["a", "a", "b", "c"], right=[1, 2, None, 0], tries=[8, 8, 8, 0])
    assert tally(problems, id="id", right="right", tries="tries").notes == (
        "2 rows without a count of right answers or of tries: left out",
        "1 id in more than one row, 2 in all: each row counts as a problem of its own",
    )
    assert tally(log(id=["a"], reward=[True]), id="id", reward="reward").notes == ()


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([True, None, False], (1, 2)),
        (["True", "false", None], (1, 2)),
        ([1, 1, 1], (3, 3)),
        ([0, 0], (0, 2)),
        ([-1, -1], (0, 2)),
        ([float("nan"), 1.0], (1, 1)),
    ],
)
@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame])
def test_kinds_of_reward(engine: Any, rewards: list[Any], expected: tuple[int, int]) -> None:
    frame = engine({"id": ["a"] * len(rewards), "reward": rewards})
    assert oracle.counts(tally(frame, id="id", reward="reward")) == {expected: 1}


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        ([0.5, 1.0], "1 value other than -1, 0 and 1.*threshold"),
        ([math.inf, 1.0], "1 value other than"),
        ([0, 1, -1], "both 0 and -1"),
        (["good", "bad"], "must hold numbers or booleans"),
    ],
)
@pytest.mark.parametrize("engine", [pd.DataFrame, pl.LazyFrame, lambda columns: to_duck(columns)])
def test_rewards_that_are_refused(engine: Any, rewards: list[Any], message: str) -> None:
    frame = engine({"id": ["a"] * len(rewards), "reward": rewards})
    with pytest.raises(ValueError, match=message):
        tally(frame, id="id", reward="reward")


def to_duck(columns: dict[str, list[Any]]) -> Any:
    return duckdb.connect().from_arrow(pa.table(columns))


def test_a_threshold_decides() -> None:
    frame = to_duck({"id": ["a"] * 5, "reward": [0.2, 0.5, 0.7, math.nan, math.inf]})
    assert oracle.counts(tally(frame, id="id", reward="reward", threshold=0.5)) == {(3, 4): 1}


@pytest.mark.parametrize(
    ("right", "tries"), [([9], [8]), ([-1], [8]), ([0.5], [8]), ([1], [7.5]), ([0], [-1])], ids=str
)
def test_counts_that_are_refused(right: list[Any], tries: list[Any]) -> None:
    with pytest.raises(ValueError, match="1 value out of range"):
        tally(log(right=right, tries=tries), right="right", tries="tries")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id": "id"}, "exactly one"),
        ({"id": "id", "reward": "r", "right": "k"}, "exactly one"),
        ({"reward": "r"}, "id must name"),
        ({"id": "id", "reward": "r", "tries": "n"}, "tries be None"),
        ({"id": "id", "right": "k"}, "tries is None"),
        ({"id": "id", "right": "k", "tries": 0}, "at least 1"),
        ({"id": "id", "right": "k", "tries": 8, "threshold": 0.5}, "threshold"),
        ({"id": "id", "reward": "r", "threshold": math.nan}, "threshold"),
        ({"id": "nix", "reward": "r"}, "id is 'nix'; it must be one of the frame's columns: id, r, k"),
        ({"id": "id", "reward": "r", "facets": ["k", "k"]}, "once"),
        ({"id": "id", "reward": "r", "facets": "id"}, "none of them be the id"),
    ],
)
def test_arguments_that_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tally(log(id=["a"], r=[1], k=[1]), **arguments)


def test_a_frame_of_no_known_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="frame is a list"):
        tally([1, 2], id="id", reward="reward")
    with pytest.raises(ValueError, match="it is empty"):
        tally(log(id=[], reward=[]).astype({"reward": float}), id="id", reward="reward")


def test_column_names_are_free() -> None:
    frame = log(**{"key 0": ["a", "a"], "key 1": [1, 0], "right": ["x", "x"], "nameless": [1, 1]})
    pool = tally(frame, id="key 0", reward="key 1", facets=["right", "nameless"])
    assert oracle.counts(pool) == {(1, 2, "x", 1): 1}
    assert list(pool.facets) == ["right", "nameless"]


def test_categories_count_as_their_names() -> None:
    frame = log(id=["a", "a", "b"], reward=[1, 0, 1], topic=["x", "x", None]).astype(
        {"id": "category", "topic": "category"}
    )
    assert oracle.counts(tally(frame, id="id", reward="reward", facets="topic")) == {(1, 2, "x"): 1, (1, 1, None): 1}


def test_columns_of_other_types() -> None:
    arrays = pl.DataFrame(
        {"id": [1, 1, 2], "reward": [1, 0, 1], "tags": [[1, 2], [2, 1], [3, 3]], "kind": ["u", "u", "v"]},
        schema_overrides={"tags": pl.Array(pl.Int64, 2), "kind": pl.Enum(["u", "v"])},
    )
    expected = {(1, 2, (1, 2), "u"): 1, (1, 1, (3,), "v"): 1}
    assert oracle.counts(tally(arrays, id="id", reward="reward", facets=["tags", "kind"])) == expected
    query = "SELECT unnest(['a', 'a']) AS id, unnest([1.0, 0.0])::DECIMAL(3, 1) AS reward, DATE '2026-01-01' AS day"
    with duckdb.connect() as connection:
        pool = tally(connection.sql(query), id="id", reward="reward", facets="day")
        assert oracle.counts(pool) == {(1, 2, date(2026, 1, 1)): 1}
        with pytest.raises(ValueError, match="values or lists of values"):
            tally(
                connection.sql("SELECT 1 AS id, 1 AS reward, {'x': 1} AS facet"),
                id="id",
                reward="reward",
                facets="facet",
            )
    nested = pl.DataFrame({"id": [1], "reward": [1], "facet": [[["x"]]]})
    with pytest.raises(ValueError, match="values or lists of values"):
        tally(nested, id="id", reward="reward", facets="facet")
    gaps = pd.DataFrame({"id": ["a", "a"], "reward": pd.array([True, None], dtype="boolean"), "tags": [{"x"}, {"x"}]})
    assert oracle.counts(tally(gaps, id="id", reward="reward", facets="tags")) == {(1, 1, ("x",)): 1}

"""A pool on disk is whole or not there, and says what it was made from."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stdial import Pool
from stdial.pool_file import beside, made_from, read_pool, write_pool

POOL = Pool(
    [0, 3, 8],
    [8, 8, 16],
    [5, 1, 10**12],
    facets={"step": [1, 2, None], "tags": [("x", "y"), (), None], "topic": ["p", None, "q"]},
    notes=["2 rollouts without an id: left out"],
)


def test_a_pool_comes_back_as_it_was(tmp_path: Path) -> None:
    write_pool(POOL, tmp_path / "pool.parquet", {"source": "s3://runs/*.parquet", "engine": "spark"})
    back = read_pool(tmp_path / "pool.parquet")
    pd.testing.assert_frame_equal(back.rows(), POOL.rows(), check_dtype=False)
    assert back.facets["tags"].tolist() == [("x", "y"), (), None]
    assert back.notes == POOL.notes


def test_it_says_what_it_was_made_from(tmp_path: Path) -> None:
    write_pool(POOL, tmp_path / "pool.parquet", {"source": "s3://runs/*.parquet", "engine": "spark"})
    made = made_from(tmp_path / "pool.parquet")
    assert made is not None
    assert made["source"] == "s3://runs/*.parquet"
    assert made["facets"] == ["step", "tags", "topic"]
    assert made["made"].endswith("+00:00")
    assert list(tmp_path.iterdir()) == [tmp_path / "pool.parquet"]


def test_a_facet_with_a_value_or_none_stays_so_and_one_with_lists_becomes_lists(tmp_path: Path) -> None:
    facets = {"level": [5, ()], "tags": ["x", ("x", "y")]}
    write_pool(Pool([1, 2], 8, facets=facets), tmp_path / "pool.parquet", {})
    back = read_pool(tmp_path / "pool.parquet")
    assert back.facets["level"].tolist() == [5, ()]
    assert back.facets["tags"].tolist() == [("x",), ("x", "y")]


@pytest.mark.parametrize(
    "metadata", [None, {b"stdial": b"{"}, {b"stdial": b"[]"}, {b"stdial": b"{}"}, {b"other": b"{}"}]
)
def test_files_of_others_are_told_apart(tmp_path: Path, metadata: dict[bytes, bytes] | None) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"right": [1], "tries": [2], "problems": [3]}).replace_schema_metadata(metadata), path)
    assert made_from(path) is None
    with pytest.raises(ValueError, match="no pool that stdial wrote"):
        read_pool(path)


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        (Pool.from_rates([0.5]), "bare rates"),
        (Pool([1], 2, facets={"problems": [1]}), "rename it"),
        (Pool([1, 2], 2, facets={"topic": [1, "x"]}), "several types"),
    ],
)
def test_pools_that_are_refused_leave_nothing(tmp_path: Path, pool: Pool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write_pool(pool, tmp_path / "pool.parquet", {})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "pool.parquet"
    target.write_text("before")

    def interrupted() -> None:
        with beside(target) as unfinished:
            unfinished.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]

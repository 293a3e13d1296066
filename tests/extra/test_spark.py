"""A real Spark on this machine counts what a plain count does: the classic session, and the Connect client."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stdial.pool_file import made_from, read_pool
from stdial.tally import tally
from tests import tally_oracle as oracle

pytestmark = [
    pytest.mark.extra,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of py4j and of the Connect client
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

EXAMPLES = settings().max_examples // 4
COLUMNS = (
    "id string, flag boolean, binary bigint, sign double, score double, right bigint, tries bigint, step bigint, "
    "topic string, tags array<string>"
)
quick = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def need(condition: bool, what: str) -> None:
    """Skip without a part, but not where continuous integration should have it."""
    if condition:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing: tallies on Spark are not tested here")


def java_version() -> int:
    """The major version of the Java that Spark would start, 0 for none."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return 0
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


@pytest.fixture(scope="module", autouse=True)
def _parts() -> None:
    need(java_version() >= 17, "Java 17")
    try:
        import pyspark  # noqa: F401
    except ImportError:
        need(False, "pyspark")


@pytest.fixture(scope="module", params=["classic", "connect"])
def session(request: pytest.FixtureRequest) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    if request.param == "connect":
        try:
            import grpc  # noqa: F401
        except ImportError:
            need(False, "the Connect client (pyspark[connect])")
        builder = SparkSession.builder.remote("local[2]")
    else:
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    made = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield made
    made.stop()


def frame(session: Any, rows: oracle.Rows) -> Any:
    names = [field.name for field in oracle.SCHEMA]
    return session.createDataFrame([tuple(row[name] for name in names) for row in rows], COLUMNS)


def check(of: Any, expected: Any, **columns: Any) -> None:
    if not expected:
        with pytest.raises(ValueError, match="no row to count"):
            tally(of, **columns)
    else:
        assert oracle.counts(tally(of, **columns)) == expected


def test_rollouts_count_alike(session: Any) -> None:
    @quick
    @given(
        oracle.logs(),
        st.sampled_from(["flag", "binary", "sign", "score"]),
        st.sampled_from([[], ["step"], ["tags"], ["topic", "tags"]]),
    )
    def alike(rows: oracle.Rows, reward: str, facets: list[str]) -> None:
        expected = oracle.of_rollouts(rows, reward, facets)
        threshold = 0.5 if reward == "score" else None
        check(frame(session, rows), expected, id="id", reward=reward, facets=facets, threshold=threshold)

    alike()


def test_problems_count_alike(session: Any) -> None:
    @quick
    @given(oracle.logs(), st.sampled_from([[], ["tags"], ["topic", "step"]]))
    def alike(rows: oracle.Rows, facets: list[str]) -> None:
        expected = oracle.of_problems(rows, facets)
        check(frame(session, rows), expected, id="id", right="right", tries="tries", facets=facets)

    alike()


def test_what_cannot_be_counted_is_refused(session: Any) -> None:
    rows = session.createDataFrame([("a", 0.5), ("a", 1.0)], "id string, reward double")
    with pytest.raises(ValueError, match="1 value other than -1, 0 and 1"):
        tally(rows, id="id", reward="reward")
    assert oracle.counts(tally(rows, id="id", reward="reward", threshold=1.0)) == {(1, 2): 1}


def command_line(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m stdial`` without what the Connect session of this process left in the environment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    command = [sys.executable, "-m", "stdial", *arguments]
    return subprocess.run(command, env=clean, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("source", ["runs", "runs/*.parquet"])
def test_the_command_line_counts_files(tmp_path: Path, source: str) -> None:
    (tmp_path / "runs").mkdir()
    for part in ("a", "b"):
        rows = {"id": ["p", "p", "q", "q"], "reward": [1, 0, 0, 0], "step": [1, 1, 2, 2]}
        pq.write_table(pa.table(rows), tmp_path / "runs" / f"{part}.parquet")
    out = tmp_path / "pool.parquet"
    columns = ["--id", "id", "--reward", "reward", "--facet", "step"]
    counted = command_line("tally", str(tmp_path / source), "--engine", "spark", *columns, "--out", str(out))
    assert counted.returncode == 0, counted.stderr
    assert oracle.counts(read_pool(out)) == {(2, 4, 1): 1, (0, 4, 2): 1}
    made = made_from(out)
    assert made is not None
    assert made["engine"] == "spark"


def test_the_command_line_refuses_in_one_line(tmp_path: Path) -> None:
    columns = ["--id", "id", "--reward", "reward", "--out", str(tmp_path / "pool.parquet")]
    refused = command_line("tally", str(tmp_path / "nix.parquet"), "--engine", "spark", *columns)
    assert refused.returncode == 2
    assert "stdial tally: spark cannot count" in refused.stderr
    assert not list(tmp_path.iterdir())

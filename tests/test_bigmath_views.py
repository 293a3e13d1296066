"""Big-Math views from local files of the published schema, through the same `datasets` calls as the hub's."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stdial import Pool, bigmath
from stdial.bigmath_views import VIEWS, folder, has_views, made_of
from stdial.commands import bigmath as command

SOURCES = ("Orca-Math", "cn_k12", "MATH")
DOMAINS = ("Algebra -> Prealgebra", "Number Theory", "Geometry")


def problems(number: int = 400, seed: int = 0) -> list[dict[str, Any]]:
    """Made-up problems of the published schema: rates on the grid of 64, a few missing, a few off it."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(number):
        rate = int(rng.binomial(64, rng.beta(0.4, 0.6))) / 64
        rows.append(
            {
                "problem": f"What is {i} + 1?",
                "answer": str(i + 1),
                "source": SOURCES[rng.integers(3)],
                "domain": [DOMAINS[j] for j in rng.permutation(3)[: rng.integers(4)]],
                "llama8b_solve_rate": None if i % 50 == 7 else 0.3333 if i % 100 == 9 else rate,
            }
        )
    return rows


SCHEMA = pa.schema(
    {
        "problem": pa.string(),
        "answer": pa.string(),
        "source": pa.string(),
        "domain": pa.list_(pa.string()),
        "llama8b_solve_rate": pa.float64(),
    }
)
ROWS = problems()
KEPT = [row for row in ROWS if row["llama8b_solve_rate"] not in (None, 0.3333)]


def write(rows: list[dict[str, Any]], path: Path, names: dict[str, str] | None = None) -> Path:
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table.rename_columns([(names or {}).get(name, name) for name in table.column_names]), path)
    return path


def by_right(pool: Pool) -> Counter[int]:
    assert pool.right is not None
    found: Counter[int] = Counter()
    for right, number in zip(pool.right.tolist(), pool.problems.tolist(), strict=True):
        found[right] += number
    return found


def direct(rows: list[dict[str, Any]]) -> Counter[int]:
    return Counter(round(row["llama8b_solve_rate"] * 64) for row in rows)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of views, built from one file of the first published variant."""
    home = tmp_path_factory.mktemp("views")
    bigmath.build(write(ROWS, home / "data.parquet"), home / "out")
    return home


def test_the_total_is_a_direct_count(built: Path) -> None:
    pool = bigmath.load(built / "out")
    assert by_right(pool) == direct(KEPT)
    assert set(pool.tries.tolist()) == {64}


def test_each_view_is_a_direct_count(built: Path) -> None:
    pool = bigmath.load(built / "out")
    for source in SOURCES:
        assert by_right(pool.where("source", source)) == direct([row for row in KEPT if row["source"] == source])
    for domain in DOMAINS:
        assert by_right(pool.where("domain", domain)) == direct([row for row in KEPT if domain in row["domain"]])
    for level, (first, last) in {5: (1, 4), 4: (5, 18), 3: (19, 42), 2: (43, 59), 1: (60, 64)}.items():
        within = [row for row in KEPT if first <= row["llama8b_solve_rate"] * 64 <= last]
        assert by_right(pool.where("level", level)) == direct(within)
    assert set(pool.values("level")) == {1, 2, 3, 4, 5}


def test_what_is_left_out_is_said(built: Path) -> None:
    assert bigmath.load(built / "out").notes == (
        "a problem counts under each of its domains, and once in the total",
        "8 without a solve rate: left out",
        "4 with a solve rate that is no multiple of 1/64: left out",
    )


def test_views_say_when_and_from_what(built: Path) -> None:
    made = made_of(built / "out")
    assert made["source"] == str(built / "data.parquet")
    assert made["engine"].startswith("datasets ")
    about = bigmath.about(built / "out")
    assert about.source.startswith("built 20")
    assert about.data_set == made["source"]
    assert about.model == "Llama-3.1-8B"


def test_the_other_variant_folders_globs_and_streaming_count_alike(built: Path) -> None:
    parts = built / "parts"
    parts.mkdir()
    names = {"problem": "prompt", "answer": "solution"}
    write(ROWS[:150], parts / "a.parquet", names)
    write(ROWS[150:], parts / "b.parquet", names)
    expected = bigmath.load(built / "out").rows()
    for source, streaming in ((parts, False), (parts / "*.parquet", True)):
        pool = bigmath.build(source, built / "again", streaming=streaming)
        assert pool.rows().equals(expected)
        assert bigmath.load(built / "again").notes == pool.notes


def test_the_shipped_histogram_stays_the_default(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STDIAL_DATA", str(built / "out"))
    assert folder() == built / "out"
    assert has_views()
    assert bigmath.load().size == 215_608


def test_the_folder_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("STDIAL_DATA", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder() == tmp_path / "stdial"
    assert not has_views()
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert folder() == Path.home() / ".cache" / "stdial"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder().parts[-3:] == ("Library", "Caches", "stdial")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert folder() == tmp_path / "stdial"


def test_reading_views_does_not_need_datasets(built: Path) -> None:
    lines = (
        f"import sys; sys.modules['datasets'] = None; from stdial import bigmath; bigmath.load({str(built / 'out')!r})"
    )
    subprocess.run([sys.executable, "-c", lines], check=True)


def test_without_datasets_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ValueError, match=r"pip install stdial\[bigmath\]"):
        bigmath.build(write(ROWS, tmp_path / "data.parquet"), tmp_path / "out")


def test_sources_that_are_refused_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    unrated = [row | {"llama8b_solve_rate": None} for row in ROWS[:3]]
    (tmp_path / "text.parquet").write_text("no Parquet")
    refused = {
        tmp_path / "nix.parquet": "there is no such file",
        tmp_path / "empty": "no Parquet file in it",
        write(ROWS, tmp_path / "columns.parquet", {"domain": "topic"}): "no domain",
        write(unrated, tmp_path / "unrated.parquet"): "3 without a solve rate",
        tmp_path / "text.parquet": "must be a Parquet file",
    }
    for source, message in refused.items():
        with pytest.raises(ValueError, match=message):
            bigmath.build(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_builds_and_sums_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STDIAL_DATA", str(tmp_path / "home"))
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    options = parser.parse_args(["bigmath", "--source", str(write(ROWS, tmp_path / "data.parquet"))])
    assert options.run(options) == 0
    printed = capsys.readouterr()
    assert str(tmp_path / "home" / VIEWS) in printed.out
    assert f"{len(KEPT)} problems" in printed.out
    assert "note: 8 without a solve rate" in printed.err
    with pytest.raises(ValueError, match="--num-proc is 0"):
        command.run(parser.parse_args(["bigmath", "--num-proc", "0"]))

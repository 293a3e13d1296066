"""``python -m stdial tally``: sources, engines, refusals in one line, and Ctrl-C."""

from __future__ import annotations

import _thread
import argparse
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stdial import reading
from stdial.commands import tally as command
from stdial.pool_file import made_from, read_pool
from stdial.tally.engines import _watched, files_in, kind_of, opened
from stdial.tally.progress import Bar
from tests.tally_oracle import counts

LOG = [{"id": f"problem {i % 3}", "reward": i % 2, "step": i % 3 // 2} for i in range(12)]
EXPECTED = {(2, 4, 0): 2, (2, 4, 1): 1}


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    options = parser.parse_args(["tally", *map(str, arguments)])
    status: int = options.run(options)
    return status


def parquet(path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(LOG), path)


def csv(path: Path) -> None:
    path.write_text("id,reward,step\n" + "".join("{id},{reward},{step}\n".format(**row) for row in LOG))


def tsv(path: Path) -> None:
    path.write_text("id\treward\tstep\n" + "".join("{id}\t{reward}\t{step}\n".format(**row) for row in LOG))


def packed_json(path: Path) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in LOG).encode()))


WRITERS: dict[str, Callable[[Path], None]] = {
    "log.parquet": parquet,
    "log.csv": csv,
    "log.tsv": tsv,
    "log.jsonl.gz": packed_json,
}
COLUMNS = ("--id", "id", "--reward", "reward", "--facet", "step")


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's Parquet reader, under pandas 3.1
@pytest.mark.parametrize("name", list(WRITERS))
@pytest.mark.parametrize("engine", ["duckdb", "dask"])
def test_a_log_in_any_format_becomes_a_pool_file(tmp_path: Path, engine: str, name: str) -> None:
    WRITERS[name](tmp_path / name)
    out = tmp_path / "pool.parquet"
    assert run(tmp_path / name, "--engine", engine, *COLUMNS, "--out", out) == 0
    assert counts(read_pool(out)) == EXPECTED
    made = made_from(out)
    assert made is not None
    assert (made["source"], made["engine"]) == (str(tmp_path / name), engine)
    assert made["columns"] == {"id": "id", "reward": "reward", "facets": ["step"]}


def test_reading_opens_what_was_written(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv")
    run(tmp_path / "log.csv", *COLUMNS, "--out", tmp_path / "pool.parquet")
    found = reading.read(tmp_path / "pool.parquet")
    assert counts(found.pool) == EXPECTED
    assert found.pool.size == 3


def test_globs_and_folders_are_one_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs" / "today"
    runs.mkdir(parents=True)
    for part in ("a", "b"):
        parquet(runs / f"{part}.parquet")
    for source in (tmp_path / "runs", runs / "*.parquet"):
        assert run(source, *COLUMNS, "--memory", "1GB", "--out", tmp_path / "pool.parquet") == 0
        assert counts(read_pool(tmp_path / "pool.parquet")) == {(4, 8, 0): 2, (4, 8, 1): 1}
    assert "3 problems, 24 rollouts, 2 rows" in capsys.readouterr().out


def test_problems_with_a_fixed_number_of_tries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "counts.csv").write_text("k\n0\n3\n3\n\n")
    pq.write_table(pa.table({"k": [0, 3, 3, None]}), tmp_path / "counts.parquet")
    assert run(tmp_path / "counts.parquet", "--right", "k", "--tries", 8, "--out", tmp_path / "pool.parquet") == 0
    assert counts(read_pool(tmp_path / "pool.parquet")) == {(0, 8): 1, (3, 8): 2}
    assert "note: 1 row without a count" in capsys.readouterr().err


@pytest.mark.parametrize(("more", "told"), [((), True), (("--facet", "step"), False)])
def test_steps_that_are_counted_together_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], told: bool
) -> None:
    csv(tmp_path / "log.csv")
    assert run(tmp_path / "log.csv", "--id", "id", "--reward", "reward", *more, "--out", tmp_path / "pool.parquet") == 0
    err = capsys.readouterr().err
    assert ("note: column step is named like a training step" in err) == told
    assert ("--facet step" in err) == told


@pytest.mark.parametrize("more", [("--reward", "share"), ("--reward", "share", "--threshold", "0.5"), ()])
def test_a_table_of_rates_is_sent_to_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    (tmp_path / "rates.csv").write_text("id,share\n" + "".join(f"q{i},{i / 8}\n" for i in range(9)))
    try:
        assert run(tmp_path / "rates.csv", "--id", "id", *more, "--out", tmp_path / "pool.parquet") == 0
        said = capsys.readouterr().err
    except ValueError as error:
        said = str(error)
    assert "python -m stdial report" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nix.parquet", *COLUMNS, "--out", "p.parquet"], r"duckdb cannot count 'nix.parquet': .*No files found"),
        (["log.csv", "--id", "id", "--out", "p.parquet"], "exactly one of them"),
        (["log.csv", "--id", "id", "--reward", "nix", "--out", "p.parquet"], "one of the frame's columns: id, reward"),
        (["log.csv", *COLUMNS, "--out", "p.csv"], r"--out is 'p.csv'; it must name a .parquet file"),
        (["log.csv", *COLUMNS, "--out", "nix/p.parquet"], "in a folder that exists"),
        (["log.csv", *COLUMNS, "--facet", "right", "--out", "p.parquet"], "--facet is 'right'"),
        (["log.csv", *COLUMNS, "--memory", "much", "--out", "p.parquet"], "memory is 'much'"),
        (["log.csv", *COLUMNS, "--memory", "1GB", "--engine", "dask", "--out", "p.parquet"], "applies to duckdb"),
        (["empty", *COLUMNS, "--out", "p.parquet"], "is a folder without any of"),
    ],
)
def test_a_refusal_is_one_line_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    csv(Path("log.csv"))
    Path("empty").mkdir()
    with pytest.raises(ValueError, match=message) as refusal:
        run(*arguments)
    assert "\n" not in str(refusal.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "log.csv"]


@pytest.mark.parametrize(("engine", "package"), [("dask", "dask.dataframe"), ("spark", "pyspark.sql")])
def test_an_engine_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, engine: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=rf"pip install stdial\[{engine}\]"), opened("log.parquet", engine):
        pass


def test_ctrl_c_stops_the_engine_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    csv(tmp_path / "log.csv")

    def endless(frame: Any, **columns: Any) -> None:
        _thread.interrupt_main()
        frame.query("log", "SELECT count(*) FROM range(10000000000000)").fetchall()  # hours, and no memory

    monkeypatch.setattr(command, "tally", endless)
    assert run(tmp_path / "log.csv", *COLUMNS, "--out", tmp_path / "pool.parquet") == 130
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_an_error_of_the_engine_reaches_the_caller() -> None:
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="nix"):
        _watched(connection, lambda: connection.execute("SELECT nix").fetchall())


def test_kinds_and_folders() -> None:
    assert [kind_of(name) for name in ("a/b.parquet", "s3://x/*.CSV.gz", "x.jsonl.zst", "hf://datasets/o/n", "d/")] == [
        "parquet",
        "csv",
        "json",
        "parquet",
        "parquet",
    ]
    assert files_in("s3://bucket/runs") == "s3://bucket/runs"


def test_the_bar_draws_on_a_terminal_only() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        with Bar(stream) as bar:
            bar.show(-1)
            bar.show(50)
        assert ("50%" in stream.getvalue()) == drawn
        assert stream.getvalue().endswith("\r") == drawn
